/**
 * Those who look after a running world over `/admin`: what they ask is done and answered once no crash
 * can undo it, what they watch is told as it is.
 */
import type { Command } from '../core/commands.ts';
import { CommandError, codeOf, messageOf, ProtocolError } from '../core/errors.ts';
import { changedSettings } from '../core/settings.ts';
import type { World } from '../core/world.ts';
import { FaultsWatch } from '../inspect/faults.ts';
import { HappeningsWatch } from '../inspect/happenings.ts';
import { FIXED, MachinesWatch } from '../inspect/machines.ts';
import { MapWatch } from '../inspect/map-watch.ts';
import { inspectedRecord, matchingRecords, upcomingEvents } from '../inspect/records.ts';
import { timersToSpawn } from '../inspect/spawn-timers.ts';
import { type Surroundings, serverStats } from '../inspect/stats.ts';
import type { Watcher } from '../inspect/watcher.ts';
import { chartOf } from '../machine/chart.ts';
import type { AdminCommand, FromAdmin, FromAdminServer, Saved, Watch } from '../protocol/admin.ts';
import type { Draw, Redraw } from '../protocol/chart-edits.ts';
import { parseFromAdmin } from '../protocol/incoming.ts';
import { PROTOCOL } from '../protocol/messages.ts';
import { checkSizes } from '../replication/interest.ts';
import type { DrawingBoard } from './drawing/drawing-board.ts';
import type { Flushing } from './loop.ts';

/** Admins' commands come before those of clients. */
const ADMIN_RANK = 0;
const RECORDS_AT_MOST = 1000;
const NEXT_AT_MOST = 20;
/** Real milliseconds between slices of what is too much to be told at once. */
const SLICE_EVERY = 40;
/** Real milliseconds between figures that change by themselves: people read them. */
const FIGURES_EVERY = 500;

export interface AdminParts {
  readonly world: World;
  surroundings(): Surroundings;
  warn(message: string): void;
  /** Runs something when all that has happened in the world so far cannot be lost. */
  whenDurable(run: () => void): void;
  /** Saves a generation of the world as it is now. */
  save(): Promise<Saved>;
  /** The sources of the kinds, when those are watched and may be drawn in. */
  readonly drawing?: DrawingBoard | undefined;
  /** Told when there may be something to flush although the world did not change. */
  changed?(): void;
}

/** Where an admin's messages go. */
export interface AdminWire {
  write(text: string): void;
  fail(code: string, message: string): void;
}

/** What the world is asked anew with each flush. */
type Asked = Extract<Watch, { readonly what: 'stats' | 'record' | 'next' }>;

type Watching =
  | {
      readonly message: Asked;
      readonly watcher?: undefined;
      /** What was told last, so that what did not change is not told again. */
      told: string;
    }
  /** What keeps an account of its own of what is new. */
  | { readonly message: Watch; readonly watcher: Watcher; told: string };

/** One admin's connection. */
export class AdminSession {
  readonly id: string;
  readonly wire: AdminWire;
  readonly watching = new Map<string, Watching>();

  constructor(id: string, wire: AdminWire) {
    this.id = id;
    this.wire = wire;
  }

  tell(message: FromAdminServer): void {
    this.wire.write(textOf(message));
  }
}

export class AdminSessions implements Flushing {
  private readonly parts: AdminParts;
  private readonly sessions = new Set<AdminSession>();
  private readonly stops: readonly (() => void)[];
  private count = 0;
  /** Whether something changed that is no event of the world. */
  private isChanged = false;
  /** How many events the world had run at the last flush. */
  private eventsTold = 0;
  private flushedAt = Number.NEGATIVE_INFINITY;
  private figuresAt = Number.NEGATIVE_INFINITY;
  /** Whether figures have changed that were not told yet. */
  private owesFigures = false;

  constructor(parts: AdminParts) {
    this.parts = parts;
    const { world } = parts;
    this.stops = [
      world.on('command', () => {
        this.isChanged = true;
      }),
      world.on('reload', () => this.changed()),
    ];
  }

  connect(wire: AdminWire): AdminSession {
    this.count += 1;
    const session = new AdminSession(`admin-${this.count}`, wire);
    this.sessions.add(session);
    const { world } = this.parts;
    const { name, clock } = this.parts.surroundings();
    session.tell({
      type: 'welcome',
      protocol: PROTOCOL,
      world: name,
      clock,
      kinds: Object.fromEntries([...world.kinds.values()].map((kind) => [kind.name, kind.version])),
    });
    return session;
  }

  disconnect(session: AdminSession): void {
    this.sessions.delete(session);
    endWatching(session);
  }

  /** A message from an admin. Whatever goes wrong with it, only that admin hears of it. */
  receive(session: AdminSession, text: string): void {
    let message: FromAdmin | undefined;
    try {
      message = parseFromAdmin(text);
      this.obey(session, message);
    } catch (error) {
      const [code, why] = [codeOf(error), messageOf(error)];
      if (!(error instanceof ProtocolError)) {
        this.parts.warn(`What ${session.id} asked for failed: ${why}`);
      }
      if (message !== undefined && 'seq' in message) {
        session.tell({ type: 'refused', seq: message.seq, code, message: why });
      } else {
        session.wire.fail(code, why);
      }
    }
  }

  private obey(session: AdminSession, message: FromAdmin): void {
    const { world } = this.parts;
    switch (message.type) {
      case 'do':
        this.carryOut(session, message.seq, message.command);
        break;
      case 'watch': {
        const key = keyOf(message);
        const known = session.watching.get(key);
        if (message.what === 'map' && known?.watcher instanceof MapWatch) {
          known.watcher.moveTo(message.from, message.to);
        } else {
          known?.watcher?.close();
          session.watching.set(key, this.watching(message));
        }
        const watching = session.watching.get(key);
        if (watching !== undefined) this.tellIfNew(session, watching);
        this.parts.changed?.();
        break;
      }
      case 'unwatch':
        session.watching.get(keyOf(message))?.watcher?.close();
        session.watching.delete(keyOf(message));
        break;
      case 'query': {
        const { seq, filter = '', limit = RECORDS_AT_MOST } = message;
        const found = matchingRecords(world, filter, limit);
        session.tell({ type: 'records', seq, time: world.time, ...found });
        break;
      }
      case 'draw':
      case 'redraw':
        void this.draw(session, message);
        break;
      default:
        message satisfies never;
    }
  }

  /** Something that is watched has changed, although the world did not. */
  changed(): void {
    this.isChanged = true;
    this.parts.changed?.();
  }

  get dueAt(): number | undefined {
    const watched = [...this.sessions].flatMap(({ watching }) => [...watching.values()]);
    if (watched.some(({ watcher }) => watcher?.hasMore)) return this.flushedAt + SLICE_EVERY;
    if (watched.length === 0) return undefined;
    const next = this.flushedAt + 1000 / this.parts.world.settings.flushesPerSecond;
    if (this.hasNews) return next;
    return this.owesFigures ? Math.max(next, this.figuresAt + FIGURES_EVERY) : undefined;
  }

  flush(now: number): void {
    this.flushedAt = now;
    // A world that catches up may reach its clock with nothing more to commit; that is news too.
    const { world } = this.parts;
    const areFiguresDue = this.isChanged || now - this.figuresAt >= FIGURES_EVERY;
    if (areFiguresDue) this.figuresAt = now;
    this.owesFigures = !areFiguresDue;
    this.isChanged = world.time < world.clock.time;
    this.eventsTold = world.eventCount;
    for (const session of this.sessions) {
      for (const watching of session.watching.values()) {
        const { what } = watching.message;
        if ((what === 'stats' || what === 'next') && !areFiguresDue) continue;
        this.tellIfItCan(session, watching);
      }
    }
  }

  /** Asked for instead of listening to commits, which would slow every event of the world down. */
  private get hasNews(): boolean {
    return this.isChanged || this.parts.world.eventCount !== this.eventsTold;
  }

  close(): void {
    for (const stop of this.stops) stop();
    for (const session of this.sessions) endWatching(session);
    this.sessions.clear();
  }

  private carryOut(session: AdminSession, seq: number, asked: AdminCommand): void {
    const { world, whenDurable } = this.parts;
    const refuse = ({ code, message }: { readonly code: string; readonly message: string }): void =>
      session.tell({ type: 'refused', seq, code, message });
    const failed = (error: unknown): void =>
      refuse({ code: codeOf(error), message: messageOf(error) });
    if (asked.type === 'save') {
      this.parts.save().then((saved) => {
        session.tell({ type: 'done', seq, time: world.time, saved });
      }, failed);
      return;
    }
    try {
      const command: Command = asked.type === 'spawnTimers' ? timersToSpawn(world, asked) : asked;
      // The world knows nothing of clients, so it would take sizes that they cannot be served with.
      if (command.type === 'configure') {
        checkSizes(changedSettings(world.settings, command.settings));
      }
      const added = command.type === 'add' ? { added: command.records.length } : {};
      world.commands.push({
        source: { rank: ADMIN_RANK, id: session.id },
        seq,
        command,
        done: (result, time) => {
          if (result.accepted) {
            whenDurable(() => session.tell({ type: 'done', seq, time, ...added }));
          } else if (world.heldBecause === undefined) whenDurable(() => refuse(result));
          // Refused because nothing becomes durable; so it was no command of the world either.
          else refuse(result);
        },
      });
    } catch (error) {
      failed(error);
    }
  }

  private async draw(session: AdminSession, message: Draw | Redraw): Promise<void> {
    const { seq, kind } = message;
    try {
      const { drawing, world } = this.parts;
      if (drawing === undefined) {
        throw new CommandError(
          'NOT_WATCHED',
          'This server does not load its kinds again when their sources change, so nothing is drawn in them. Start it with --watch.',
        );
      }
      const drawn = world.kinds.get(kind);
      if (drawn === undefined)
        throw new CommandError('UNKNOWN_KIND', `There is no kind '${kind}'.`);
      const told =
        message.type === 'draw'
          ? await drawing.draw(chartOf(drawn), message.edit, message.write?.base)
          : await drawing.redraw(chartOf(drawn), message.what);
      session.tell({ type: 'drawn', seq, ...told });
    } catch (error) {
      session.tell({ type: 'refused', seq, code: codeOf(error), message: messageOf(error) });
    }
  }

  /** One thing that cannot be told keeps nobody from hearing the others. */
  private tellIfItCan(session: AdminSession, watching: Watching): void {
    try {
      this.tellIfNew(session, watching);
    } catch (error) {
      const problem = messageOf(error);
      // Not with every flush anew.
      if (watching.told !== problem) {
        this.parts.warn(`What ${session.id} watches cannot be told: ${problem}`);
      }
      watching.told = problem;
    }
  }

  private watching(message: Watch): Watching {
    const { world } = this.parts;
    switch (message.what) {
      case 'stats':
      case 'record':
      case 'next':
        return { message, told: '' };
      case 'map':
        return { message, watcher: new MapWatch(world, message.from, message.to), told: '' };
      case 'events':
        return { message, watcher: new HappeningsWatch(world, message.id), told: '' };
      case 'machines':
        return {
          message,
          watcher: new MachinesWatch(world, this.parts.drawing ?? FIXED),
          told: '',
        };
      case 'faults':
        return { message, watcher: new FaultsWatch(world), told: '' };
      default:
        message satisfies never;
        throw new ProtocolError('BAD_MESSAGE', 'There is no such thing to watch.');
    }
  }

  private tellIfNew(session: AdminSession, watching: Watching): void {
    if (watching.watcher !== undefined) {
      const news = watching.watcher.news();
      if (news !== undefined) session.tell(news);
      watching.told = '';
      return;
    }
    const text = textOf(this.answer(watching.message));
    if (text === watching.told) return;
    watching.told = text;
    session.wire.write(text);
  }

  private answer(message: Asked): FromAdminServer {
    const { world } = this.parts;
    switch (message.what) {
      case 'stats':
        return { type: 'stats', stats: serverStats(world, this.parts.surroundings()) };
      case 'record':
        return {
          type: 'record',
          id: message.id,
          record: inspectedRecord(world, message.id),
        };
      case 'next': {
        const events = upcomingEvents(world, message.count ?? NEXT_AT_MOST);
        return { type: 'next', time: world.time, events };
      }
      default:
        message satisfies never;
        throw new ProtocolError('BAD_MESSAGE', 'There is no such thing to watch.');
    }
  }
}

function endWatching({ watching }: AdminSession): void {
  for (const { watcher } of watching.values()) watcher?.close();
  watching.clear();
}

/** Events in it may hold what JSON refuses to write; asking each value first takes ten times as long. */
function textOf(message: FromAdminServer): string {
  try {
    return JSON.stringify(message);
  } catch {
    return JSON.stringify(message, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  }
}

function keyOf(message: { readonly what: string; readonly id?: string }): string {
  return message.id === undefined ? message.what : `${message.what} ${message.id}`;
}
