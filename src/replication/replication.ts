/**
 * The world as its clients see it. It listens to the world's commits, marks the cells they touch,
 * and with each flush sends every client what changed in the cells near it. A flush is a state of the
 * world between two events: every cell of it is of the same moment.
 */

import type { CommandReport } from '../core/commands.ts';
import type { Commit } from '../core/commit.ts';
import { codeOf, messageOf, ProtocolError } from '../core/errors.ts';
import { cellOf } from '../core/place-index.ts';
import type { World } from '../core/world.ts';
import { parseFromClient } from '../protocol/incoming.ts';
import { type ClockReading, type Hello, PROTOCOL } from '../protocol/messages.ts';
import { ClientCommands } from './client-commands.ts';
import { encoded } from './frame.ts';
import { checkSizes, keptCells, LINGER } from './interest.ts';
import { Readerships } from './readership.ts';
import { Replicator } from './replicator.ts';
import { CLOSE, Session, type Wire } from './session.ts';

const ALWAYS = 'always';

export interface ReplicationParts {
  readonly world: World;
  /** The world's name. */
  readonly name: string;
  /** How the game clock stands right now. */
  clock(): ClockReading;
  /** Text that nobody can guess, for sessions. */
  secret(): string;
  warn(message: string): void;
}

export class Replication {
  private readonly parts: ReplicationParts;
  private readonly world: World;
  private readonly commands: ClientCommands;
  private readonly readerships: Readerships;
  private readonly sessions = new Set<Session>();
  private readonly replicators = new Map<string, Replicator>();
  /** Sessions that look elsewhere since the last flush. */
  private readonly looking = new Set<Session>();
  private readonly stops: readonly (() => void)[];
  private isDirty = false;
  /** Sessions that keep a cell which is out of their reach. */
  private readonly lingering = new Set<Session>();
  private flushedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ReplicationParts) {
    const { world } = parts;
    this.parts = parts;
    this.world = world;
    checkSizes(world.settings);
    this.commands = new ClientCommands(world);
    this.readerships = new Readerships(world.kinds.values(), parts.warn);
    this.stops = [
      world.on('commit', (commit) => this.committed(commit)),
      world.on('command', (report) => this.commanded(report)),
    ];
  }

  /** How many clients have said hello. */
  get clients(): number {
    return [...this.sessions].filter((session) => session.isOpen).length;
  }

  /** How many cells some client is told of. */
  get cellsWatched(): number {
    return this.replicators.size;
  }

  connect(wire: Wire): Session {
    const session = new Session(this.parts.secret(), wire);
    this.sessions.add(session);
    return session;
  }

  /** A message from a client. One that breaks the protocol ends the session. */
  receive(session: Session, text: string): void {
    try {
      const message = parseFromClient(text);
      switch (message.type) {
        case 'hello':
          this.hello(session, message);
          break;
        case 'view':
          session.look(message.at);
          this.looking.add(session);
          break;
        case 'send':
          this.commands.send(session, message);
          break;
        default:
          message satisfies never;
      }
    } catch (error) {
      // What fails here costs its session, and never the process.
      const isItsFault = error instanceof ProtocolError;
      if (!isItsFault) this.parts.warn(`A client's message failed: ${messageOf(error)}`);
      const said = isItsFault ? error.message : 'The server could not do it; its log says why.';
      session.fail(isItsFault ? CLOSE.protocol : CLOSE.internal, codeOf(error), said);
      this.disconnect(session);
    }
  }

  disconnect(session: Session): void {
    session.ended();
    this.sessions.delete(session);
    this.looking.delete(session);
    this.lingering.delete(session);
    for (const cell of [...session.cells.keys(), ALWAYS]) this.leave(session, cell);
  }

  /** The real time at which the next flush is due, undefined if there is nothing to tell. */
  get dueAt(): number | undefined {
    if (this.looking.size > 0 || this.isDirty) {
      return this.flushedAt + 1000 / this.world.settings.flushesPerSecond;
    }
    let due: number | undefined;
    for (const { cells } of this.lingering) {
      for (const { outsideSince } of cells.values()) {
        if (outsideSince !== undefined) due = Math.min(due ?? Infinity, outsideSince + LINGER);
      }
    }
    return due;
  }

  /** Sends every client what is new to it. `now` is a real time in milliseconds. */
  flush(now: number): void {
    this.flushedAt = now;
    const left = this.lookAgain(now);
    this.isDirty = false;
    const moves: (() => void)[] = [];
    for (const replicator of this.replicators.values()) {
      const { members, newcomers } = replicator;
      const flush = replicator.flush();
      if (flush !== undefined) {
        const { changes, moved, missed } = flush;
        for (const session of members) session.queue(changes.for(session.readership));
        if (missed > 0) {
          const told = encoded({ type: 'missed', cell: replicator.cell, notices: missed });
          for (const session of members) session.queue(told);
        }
        if (moved !== undefined) {
          const old = [...members];
          moves.push(() => {
            for (const session of old) session.queue(moved.for(session.readership));
          });
        }
      }
      if (newcomers.size > 0 && replicator.cell !== ALWAYS) this.welcomeTo(replicator);
    }
    // `always` comes last, which tells a client that it has everything it is near.
    const always = this.replicators.get(ALWAYS);
    if (always !== undefined && always.newcomers.size > 0) this.welcomeTo(always);
    for (const move of moves) move();
    for (const [session, cells] of left) {
      for (const cell of cells) session.queue(encoded({ type: 'leave', cell }));
    }
    for (const session of this.sessions) session.release();
  }

  /** Ends every session and listens to the world no more. */
  close(): void {
    for (const stop of this.stops) stop();
    for (const session of [...this.sessions]) {
      session.fail(CLOSE.goingAway, 'CLOSING', 'The server is stopping.');
      this.disconnect(session);
    }
  }

  // What comes from clients

  private hello(session: Session, hello: Hello): void {
    if (hello.protocol !== PROTOCOL) {
      throw new ProtocolError(
        'PROTOCOL_VERSION',
        `This server speaks protocol ${PROTOCOL}, the client ${hello.protocol}; use the same version of offstage on both sides.`,
      );
    }
    session.open(hello, this.readerships.of(hello));
    const { cellSize, relevancyRadius } = this.world.settings;
    session.tell({
      type: 'welcome',
      protocol: PROTOCOL,
      world: this.parts.name,
      session: session.id,
      resume: this.parts.secret(),
      clock: this.parts.clock(),
      kinds: this.readerships.versions,
      cellSize,
      relevancyRadius,
    });
    this.enter(session, ALWAYS);
    this.looking.add(session);
  }

  // What comes from the world

  private committed({ changes, notices }: Commit): void {
    if (this.replicators.size === 0) return;
    const { cellSize } = this.world.settings;
    for (const { before, after } of changes) {
      const left = before === undefined ? undefined : cellOf(before, cellSize);
      const isThere = before?.at === after?.at && before?.relevancy === after?.relevancy;
      const entered = after === undefined || isThere ? undefined : cellOf(after, cellSize);
      const { id } = (after ?? before) as { readonly id: string };
      this.touch(left, id);
      if (entered !== left) this.touch(entered, id);
    }
    for (const notice of notices) {
      const { id, at } = notice;
      const record = this.world.valueOf(id) ?? changes.find((c) => c.before?.id === id)?.before;
      if (record === undefined) continue;
      const cell = cellOf({ at, relevancy: record.relevancy }, cellSize);
      const replicator = this.replicators.get(cell);
      if (replicator === undefined) continue;
      replicator.notice(notice);
      this.isDirty = true;
    }
  }

  private touch(cell: string | undefined, id: string): void {
    const replicator = cell === undefined ? undefined : this.replicators.get(cell);
    if (replicator === undefined) return;
    replicator.touch(id);
    this.isDirty = true;
  }

  private commanded({ command, result }: CommandReport): void {
    if (!result.accepted) return;
    switch (command.type) {
      case 'pause':
      case 'resume':
      case 'setSpeed':
      case 'jump':
      case 'shiftTo': {
        const clock = this.parts.clock();
        for (const session of this.sessions) session.tell({ type: 'clock', ...clock });
        break;
      }
      case 'configure':
        this.resize();
        break;
      default:
        break;
    }
  }

  /** Cells of another size are other cells: every client leaves the old ones and enters the new. */
  private resize(): void {
    try {
      checkSizes(this.world.settings);
    } catch (error) {
      this.parts.warn(messageOf(error));
    }
    for (const session of this.sessions) {
      for (const cell of session.cells.keys()) {
        this.leave(session, cell);
        session.queue(encoded({ type: 'leave', cell }));
      }
      session.cells = new Map();
      if (session.isOpen) this.looking.add(session);
    }
  }

  // Who is told of which cell

  /** Brings the cells of sessions up to where they look now; gives the cells left. */
  private lookAgain(now: number): Map<Session, string[]> {
    const left = new Map<Session, string[]>();
    for (const session of new Set([...this.looking, ...this.lingering])) {
      const { view, cells } = session;
      if (view === undefined) continue;
      const kept = keptCells(cells, view, this.world.settings, now);
      session.cells = kept;
      if ([...kept.values()].some((cell) => cell.outsideSince !== undefined)) {
        this.lingering.add(session);
      } else {
        this.lingering.delete(session);
      }
      for (const cell of kept.keys()) if (!cells.has(cell)) this.enter(session, cell);
      const gone = [...cells.keys()].filter((cell) => !kept.has(cell));
      for (const cell of gone) this.leave(session, cell);
      if (gone.length > 0) left.set(session, gone);
    }
    this.looking.clear();
    return left;
  }

  private enter(session: Session, cell: string): void {
    let replicator = this.replicators.get(cell);
    if (replicator === undefined) {
      replicator = new Replicator(this.world, cell);
      this.replicators.set(cell, replicator);
    }
    replicator.newcomers.add(session);
    this.isDirty = true;
  }

  private leave(session: Session, cell: string): void {
    const replicator = this.replicators.get(cell);
    if (replicator === undefined) return;
    replicator.members.delete(session);
    replicator.newcomers.delete(session);
    if (replicator.members.size + replicator.newcomers.size === 0) this.replicators.delete(cell);
  }

  /** Sends a cell in full to those who entered it, which makes them members. */
  private welcomeTo(replicator: Replicator): void {
    const full = replicator.full();
    for (const session of replicator.newcomers) {
      session.queue(full.for(session.readership));
      replicator.members.add(session);
    }
    replicator.newcomers.clear();
  }
}
