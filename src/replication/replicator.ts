/**
 * One cell that holds records and that some client is told of (or `always`). Once a flush it takes up
 * what changed, and it can then say what is new since any earlier flush: what a client is sent depends
 * on how far that client was told, and on nothing else. So a client that gets every flush, one that
 * gets some, one that did not keep up and one that was away are all served alike, and those that were
 * told equally far share the same bytes.
 */
import type { Notice } from '../core/commit.ts';
import { cellOf } from '../core/place-index.ts';
import type { RecordValue } from '../core/record.ts';
import type { World } from '../core/world.ts';
import { fullRec, recDiff } from '../protocol/record-diff.ts';
import { Frame, type GonePiece, type Piece } from './frame.ts';
import { NoticeLog } from './notice-log.ts';

export const ALWAYS = 'always';

/** Ids of records gone that a cell remembers, beside as many as twice the records it holds. */
const GONE_REMEMBERED = 256;

/** A record as clients were last told of it. */
interface Entry {
  value: RecordValue;
  /** The flush in which it last changed, or came. */
  changedAt: number;
  /** What changed then, as JSON, for those who know it as it was from `knownAt` on. */
  change: string | undefined;
  knownAt: number;
}

/** A record that is no longer here, or was replaced by one of another kind. */
interface Gone {
  /** The flush with which it went. */
  readonly at: number;
  /** What clients may know it as; some read only one of them. */
  readonly kinds: ReadonlySet<string>;
  readonly isUrgent: boolean;
}

/** What a cell has to say to those who were told equally far. */
export interface News {
  readonly changes: Frame;
  /** Sent when every cell has sent its changes: the records that now belong to another one. */
  readonly moved: Frame | undefined;
  /** The cells that these are in now. */
  readonly movedTo: ReadonlySet<string>;
}

interface Asked {
  readonly flush: number;
  readonly version: number;
  readonly from: number;
  readonly urgentOnly: boolean;
  readonly news: News;
}

export class Replicator {
  readonly cell: string;
  readonly notices = new NoticeLog();
  /** The flush with which it last had something new. */
  changedAt: number;
  /** The same of records of urgent kinds. */
  urgentAt: number;
  /** Before this flush it knows nothing: who was told less far needs the cell in full. */
  private floor: number;
  private readonly world: World;
  private readonly homes: Map<string, Replicator>;
  private readonly entries = new Map<string, Entry>();
  private readonly gone = new Map<string, Gone>();
  private dirty = new Set<string>();
  /** The entries of the last change, and the flush before which there was another. */
  private latest: Entry[] = [];
  private latestSince: number;
  /** What was asked for in the present flush, and what was asked for last. */
  private news = new Map<string, News>();
  private last: Asked | undefined;

  /** `homes` says for each record that clients know which replicator tells of it. */
  constructor(world: World, cell: string, flush: number, homes: Map<string, Replicator>) {
    this.world = world;
    this.cell = cell;
    this.homes = homes;
    this.changedAt = flush;
    this.urgentAt = flush;
    this.floor = flush;
    this.latestSince = flush;
    for (const value of world.valuesIn(cell)) this.enter(value, flush);
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** Whether it can say what is new since that flush; who was told less far is sent the cell in full. */
  knows(version: number): boolean {
    return version >= this.floor;
  }

  touch(id: string): void {
    this.dirty.add(id);
  }

  notice(notice: Notice): void {
    this.notices.add(notice);
  }

  /** Takes up what changed since the last flush. `oldest`: every client has had the notices before that flush. */
  settle(flush: number, oldest: number): void {
    const latest: Entry[] = [];
    let isChanged = this.notices.isNew;
    this.notices.settle(flush, oldest);
    for (const id of this.dirty) {
      const entry = this.entries.get(id);
      const value = this.world.valueOf(id);
      const isHere = value !== undefined && this.holds(value);
      const isKept = entry !== undefined && isHere && entry.value.kind === value.kind;
      if (entry !== undefined && !isKept) this.leave(entry.value, flush);
      const taken = isKept
        ? changed(entry, value, flush)
        : isHere
          ? this.enter(value, flush)
          : undefined;
      if (taken !== undefined) latest.push(taken);
      if (taken === undefined && (entry === undefined || isKept)) continue;
      isChanged = true;
      if (value?.kind.urgent || entry?.value.kind.urgent) this.urgentAt = flush;
    }
    this.dirty = new Set();
    if (!isChanged) return;
    this.latest = latest;
    this.latestSince = this.changedAt;
    this.changedAt = flush;
  }

  /**
   * What is new to those who were told of the records up to the flush `version` and of the notices up
   * to `noted`; of urgent kinds alone, and no notices, if so wished.
   */
  since(flush: number, version: number, noted: number, urgentOnly = false): News {
    // Those who were told equally far share the same bytes; and where there are no notices, it makes
    // no difference how far they were told of these.
    const from = this.notices.isNewSince(noted) ? noted : flush;
    const { last } = this;
    if (
      last !== undefined &&
      last.flush === flush &&
      last.version === version &&
      last.from === from &&
      last.urgentOnly === urgentOnly
    ) {
      return last.news;
    }
    if (last?.flush !== flush) this.news = new Map();
    const key = `${version} ${from} ${urgentOnly}`;
    let news = this.news.get(key);
    if (news === undefined) {
      news = this.knows(version) ? this.changes(version, from, urgentOnly) : this.full(from);
      this.news.set(key, news);
    }
    this.last = { flush, version, from, urgentOnly, news };
    return news;
  }

  /** Clients are told of it no more. */
  close(): void {
    for (const id of this.entries.keys()) if (this.homes.get(id) === this) this.homes.delete(id);
  }

  private full(noted: number): News {
    const { cell } = this;
    const { time } = this.world;
    const set = [...this.entries.values()].map(whole);
    const notices = this.notices.since(noted);
    return {
      changes: new Frame({ cell, time, full: true, set, notices }),
      moved: undefined,
      movedTo: new Set(),
    };
  }

  private changes(version: number, noted: number, urgentOnly: boolean): News {
    const { cell } = this;
    const { time } = this.world;
    // Nearly everyone was told all but the last change.
    const candidates = version >= this.latestSince ? this.latest : this.entries.values();
    const set: Piece[] = [];
    for (const entry of candidates) {
      if (entry.changedAt <= version || (urgentOnly && !entry.value.kind.urgent)) continue;
      const { change, knownAt, value } = entry;
      if (change === undefined || knownAt > version) set.push(whole(entry));
      else set.push({ kind: value.kind.name, text: change });
    }
    const gone: GonePiece[] = [];
    const moved: GonePiece[] = [];
    const movedTo = new Set<string>();
    for (const [id, { at, kinds, isUrgent }] of this.gone) {
      if (at <= version || (urgentOnly && !isUrgent)) continue;
      const home = this.homes.get(id);
      const now = home === this ? this.entries.get(id)?.value.kind.name : undefined;
      const piece = { kinds, now, text: JSON.stringify(id) };
      if (home === undefined || home === this) gone.push(piece);
      else {
        moved.push(piece);
        movedTo.add(home.cell);
      }
    }
    const notices = urgentOnly ? [] : this.notices.since(noted);
    return {
      changes: new Frame({ cell, time, set, gone, notices }),
      moved: moved.length > 0 ? new Frame({ cell, time, gone: moved }) : undefined,
      movedTo,
    };
  }

  private enter(value: RecordValue, flush: number): Entry {
    const { id, kind } = value;
    const entry: Entry = { value, changedAt: flush, change: undefined, knownAt: flush };
    this.entries.set(id, entry);
    this.homes.set(id, this);
    // Who knew it as another kind, and does not read this one, still has to hear that it is gone.
    const gone = this.gone.get(id);
    if (gone?.kinds.size === 1 && gone.kinds.has(kind.name)) this.gone.delete(id);
    return entry;
  }

  private leave({ id, kind }: RecordValue, flush: number): void {
    this.entries.delete(id);
    if (this.homes.get(id) === this) this.homes.delete(id);
    const before = this.gone.get(id);
    const kinds = new Set(before?.kinds).add(kind.name);
    this.gone.delete(id);
    this.gone.set(id, { at: flush, kinds, isUrgent: kind.urgent || before?.isUrgent === true });
    if (this.gone.size <= GONE_REMEMBERED + 2 * this.entries.size) return;
    const [oldest] = this.gone;
    if (oldest === undefined) return;
    this.gone.delete(oldest[0]);
    this.floor = Math.max(this.floor, oldest[1].at);
  }

  private holds(record: RecordValue): boolean {
    return cellOf(record, this.world.settings.cellSize) === this.cell;
  }
}

function whole({ value }: Entry): Piece {
  return { kind: value.kind.name, text: JSON.stringify(fullRec(value)) };
}

/** The entry with the record's new value; undefined if a client would see no difference. */
function changed(entry: Entry, value: RecordValue, flush: number): Entry | undefined {
  const diff = recDiff(entry.value, value);
  entry.value = value;
  if (diff === undefined) return undefined;
  entry.change = JSON.stringify(diff);
  entry.knownAt = entry.changedAt;
  entry.changedAt = flush;
  return entry;
}
