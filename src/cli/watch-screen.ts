/**
 * What `offstage watch` draws: text for a terminal of a given size, made of what the client knows. No
 * terminal is touched here.
 */
import cliProgress from 'cli-progress';
import colours from 'picocolors';
import type { Status } from '../client/connection.ts';
import type { ClientNotice, ClientRecord } from '../client/record.ts';
import type { Place } from '../protocol/messages.ts';
import { clockText, counted, shortened, stateText, stretchText } from './words.ts';

export interface Scene {
  readonly world: string;
  readonly view: Place;
  readonly records: Iterable<ClientRecord>;
  /** The newest last. */
  readonly notices: readonly ClientNotice[];
  /** Game milliseconds. */
  readonly now: number;
  readonly speed: number;
  readonly paused: boolean;
  /** What is wrong with the connection, undefined if nothing is. */
  readonly trouble: string | undefined;
  /** Ids of records that changed a moment ago. */
  readonly fresh: ReadonlySet<string>;
}

export interface Paper {
  readonly columns: number;
  readonly rows: number;
  readonly colors: boolean;
}

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  /** From 0 to 1, undefined if it waits for nothing. */
  readonly progress: number | undefined;
  readonly next: string;
  readonly isFresh: boolean;
  readonly isFaulted: boolean;
}

const GAP = 2;
const NOTICES = 3;
const WIDEST = { id: 30, kind: 12, state: 20, bar: 30, next: 15 } as const;
const NARROWEST = { id: 10, bar: 5 } as const;

/** The lines of a screen, each no wider and all no more than the paper. */
export function drawn(scene: Scene, paper: Paper): string[] {
  const { columns, rows, colors } = paper;
  const pc = colours.createColors(colors);
  const near = nearestFirst(scene);
  const notices = rows >= 12 ? scene.notices.slice(-NOTICES) : [];
  const foot = notices.length > 0 ? notices.length + 1 : 0;
  // A line above for the head, one below for the keys.
  const room = Math.max(0, rows - 2 - foot);
  const shown = near.length <= room ? near : near.slice(0, Math.max(0, room - 1));
  const lines = [head(scene, near.length, columns, pc)];
  const table = shown.map((record) => rowOf(record, scene));
  const widths = widthsFor(table, columns);
  for (const row of table) lines.push(rowText(row, widths, pc));
  if (near.length === 0 && room > 0) lines.push(shortened(emptyText(scene), columns));
  if (shown.length < near.length && room > 0) {
    lines.push(
      pc.dim(shortened(` … and ${near.length - shown.length} more, farther away`, columns)),
    );
  }
  while (lines.length < rows - 1 - foot) lines.push('');
  if (foot > 0) lines.push('');
  for (const { time, id, event } of notices) {
    lines.push(pc.dim(shortened(` ${clockText(time)}  ${id}  ${eventText(event)}`, columns)));
  }
  lines.push(pc.dim(shortened(' arrow keys look elsewhere, q ends', columns)));
  return lines.slice(0, rows);
}

/** A record as one line for a file or a pipe. */
export function plainLine(record: ClientRecord, now: number): string {
  const row = rowOf(record, { now, fresh: new Set() });
  return `${clockText(now)}  ${row.id}  ${row.kind}  ${row.state}  ${row.next}`;
}

/** A table of records for a file or a pipe. */
export function plainTable(scene: Scene, columns: number): string[] {
  const table = nearestFirst(scene).map((record) => rowOf(record, scene));
  const widths = widthsFor(table, columns);
  return table.map((row) => rowText(row, widths, colours.createColors(false)).trimEnd());
}

/** An event's type, and what came with it. */
export function eventText({ type, ...rest }: ClientNotice['event']): string {
  return Object.keys(rest).length === 0 ? type : `${type} ${JSON.stringify(rest)}`;
}

/** What is wrong with a connection that has stood so for so many real milliseconds. */
export function troubleOf(status: Status, stood: number): string | undefined {
  switch (status.state) {
    case 'open':
      return undefined;
    case 'connecting':
      return 'connecting again…';
    case 'waiting': {
      const left = Math.max(0, Math.ceil((status.retryIn - stood) / 1000));
      return `no connection, next try in ${left} s`;
    }
    case 'closed':
      return 'closed';
    default:
      status satisfies never;
      return undefined;
  }
}

type Colors = ReturnType<typeof colours.createColors>;

function head(scene: Scene, count: number, columns: number, pc: Colors): string {
  const { world, view, now, speed, paused, trouble } = scene;
  const pace = paused ? 'paused' : `×${speed}`;
  const left = ` ${world}  ${clockText(now)}  ${pace}`;
  const right = trouble ?? `${counted(count, 'record')} near ${view.map(Math.round).join(',')}`;
  const text = shortened(
    left.padEnd(Math.max(left.length + GAP, columns - right.length - 1)) + right,
    columns,
  );
  return trouble === undefined
    ? pc.inverse(text.padEnd(columns))
    : pc.inverse(pc.red(text.padEnd(columns)));
}

function emptyText({ view, trouble }: Scene): string {
  if (trouble !== undefined) return '';
  return ` Nothing is near ${view.map(Math.round).join(',')}. Look elsewhere with the arrow keys, or with --view x,y.`;
}

function rowOf(record: ClientRecord, { now, fresh }: Pick<Scene, 'now' | 'fresh'>): Row {
  const { id, kind, value, nextEvent, waitingSince, fault, status } = record;
  const isWaiting = nextEvent !== null;
  return {
    id,
    kind,
    state: stateText(value),
    progress: isWaiting ? portion(now - waitingSince, nextEvent - waitingSince) : undefined,
    next: fault !== null ? fault : status !== 'active' ? status : nextText(nextEvent, now),
    isFresh: fresh.has(id),
    isFaulted: fault !== null,
  };
}

function nextText(nextEvent: number | null, now: number): string {
  if (nextEvent === null) return 'rests';
  return nextEvent <= now ? 'now' : `in ${stretchText(nextEvent - now)}`;
}

function portion(part: number, whole: number): number {
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, part / whole));
}

interface Widths {
  readonly id: number;
  readonly kind: number;
  readonly state: number;
  readonly bar: number;
  readonly next: number;
}

/** What fits: first the bar gets narrower and goes, then the kind goes, then ids are cut. */
function widthsFor(rows: readonly Row[], columns: number): Widths {
  const longest = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(0, ...texts.map((text) => text.length)));
  const want = {
    id: longest(
      rows.map(({ id }) => id),
      WIDEST.id,
    ),
    kind: longest(
      rows.map(({ kind }) => kind),
      WIDEST.kind,
    ),
    state: longest(
      rows.map(({ state }) => state),
      WIDEST.state,
    ),
    next: WIDEST.next,
  };
  const left = (parts: readonly number[]): number =>
    columns - 1 - parts.reduce((sum, width) => sum + width + GAP, 0);
  const bar = Math.min(WIDEST.bar, left([want.id, want.kind, want.state, want.next]));
  if (bar >= NARROWEST.bar) return { ...want, bar };
  const withoutKind = Math.min(WIDEST.bar, left([want.id, want.state, want.next]));
  if (withoutKind >= NARROWEST.bar) return { ...want, kind: 0, bar: withoutKind };
  const room = left([want.state, want.next]) - GAP;
  if (room >= NARROWEST.id) return { ...want, kind: 0, bar: 0, id: Math.min(want.id, room) };
  const id = Math.max(0, Math.min(want.id, NARROWEST.id, columns - 1));
  return { id, kind: 0, bar: 0, next: 0, state: Math.max(0, left([id])) };
}

function rowText(row: Row, widths: Widths, pc: Colors): string {
  const cell = (text: string, width: number): string => shortened(text, width).padEnd(width);
  const parts = [row.isFresh ? pc.bold(cell(row.id, widths.id)) : cell(row.id, widths.id)];
  if (widths.kind > 0) parts.push(pc.cyan(cell(row.kind, widths.kind)));
  const state = cell(row.state, widths.state);
  if (widths.state > 0) parts.push(row.isFresh ? pc.green(state) : state);
  if (widths.bar > 0) parts.push(pc.yellow(barText(row.progress, widths.bar)));
  if (widths.next > 0) {
    const next = cell(row.next, widths.next);
    parts.push(row.isFaulted ? pc.red(next) : row.progress === undefined ? pc.dim(next) : next);
  }
  return ` ${parts.join(' '.repeat(GAP))}`;
}

function barText(progress: number | undefined, width: number): string {
  if (progress === undefined) return ' '.repeat(width);
  return cliProgress.Format.BarFormat(progress, {
    barsize: width,
    barCompleteString: '█'.repeat(width),
    barIncompleteString: '░'.repeat(width),
    barGlue: '',
  });
}

function nearestFirst({ records, view }: Pick<Scene, 'records' | 'view'>): ClientRecord[] {
  const away = ({ at }: ClientRecord): number =>
    Math.hypot((at[0] ?? 0) - view[0], (at[1] ?? 0) - view[1]);
  return [...records]
    .map((record) => ({ record, away: away(record) }))
    .sort((a, b) => a.away - b.away || (a.record.id < b.record.id ? -1 : 1))
    .map(({ record }) => record);
}
