/**
 * The world as its clients see it. It listens to the world's commits, marks the cells they touch,
 * and with each flush sends every client what is new in the cells near it. A flush is a state of the
 * world between two events: every cell of it is of the same moment. It leaves when that moment is
 * durable, and no other is made before it has left.
 */
import type { CommandReport } from '../core/commands.ts';
import { codeOf, messageOf, ProtocolError } from '../core/errors.ts';
import type { World } from '../core/world.ts';
import type { ReplicationStats } from '../protocol/admin.ts';
import { parseFromClient } from '../protocol/incoming.ts';
import { type ClockReading, type Hello, PROTOCOL } from '../protocol/messages.ts';
import { RememberedSessions } from '../protocol/remembered-sessions.ts';
import { Allowance } from './allowance.ts';
import { Cells } from './cells.ts';
import { type Authorize, ClientCommands } from './client-commands.ts';
import { Connection, type User } from './connection.ts';
import { Delivery, type Moment } from './delivery.ts';
import { Figures } from './figures.ts';
import { checkSizes } from './interest.ts';
import { Readerships } from './readership.ts';
import type { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { Sights } from './sights.ts';
import { CLOSE, type Wire } from './wire.ts';

/** Messages of any sort over one connection. */
const MESSAGES_A_SECOND = 200;
const MESSAGES_AT_ONCE = 2000;
export interface ReplicationParts {
  readonly world: World;
  /** The world's name. */
  readonly name: string;
  /** How the game clock stands right now. */
  clock(): ClockReading;
  /** Text that nobody can guess, for sessions. */
  secret(): string;
  /** The id of the session with that secret, of that user; the secret cannot be found from it. */
  idOf(secret: string, user: User | undefined): string;
  warn(message: string): void;
  /** Real milliseconds that never go back. */
  now(): number;
  /** Real milliseconds since 1970. */
  date(): number;
  /** The answers of an earlier process to clients that may come back. */
  readonly remembered?: RememberedSessions;
  readonly authorize?: Authorize | undefined;
  /** How many bytes a second a client is sent before far cells are slowed down. Default: any number. */
  readonly bytesPerSecond?: number | undefined;
  /** Runs something when all that has happened in the world so far cannot be lost. Default: at once. */
  whenDurable?(run: () => void): void;
  /** Why no command can be taken now, if none can. */
  refusing?(): { readonly code: string; readonly message: string } | undefined;
  /** Told when a flush may be due that was not due before. */
  changed?(): void;
}

export class Replication {
  private readonly parts: ReplicationParts;
  private readonly world: World;
  private readonly figures = new Figures();
  private readonly commands: ClientCommands;
  private readerships: Readerships;
  private readonly cells: Cells;
  private readonly delivery: Delivery;
  private readonly sights: Sights;
  private readonly whenDurable: (run: () => void) => void;
  private readonly sessions: Sessions;
  private readonly speaking = new Map<Connection, Session>();
  private readonly talk = new WeakMap<Connection, Allowance>();
  /** Sessions that have not been sent all that is new to them. */
  private readonly pending = new Set<Session>();
  private readonly stops: readonly (() => void)[];
  private flushes = 0;
  private flushedAt = Number.NEGATIVE_INFINITY;
  /** When there was last a flush, or one was found to be in vain. */
  private triedAt = Number.NEGATIVE_INFINITY;
  /** Whether a flush waits to become durable. */
  private isHeld = false;

  constructor(parts: ReplicationParts) {
    const { world, remembered = new RememberedSessions() } = parts;
    this.parts = parts;
    this.world = world;
    checkSizes(world.settings);
    this.whenDurable = parts.whenDurable?.bind(parts) ?? ((run) => run());
    this.commands = new ClientCommands(
      {
        world,
        remembered,
        authorize: parts.authorize,
        refusing: () => parts.refusing?.(),
        whenDurable: this.whenDurable,
        now: () => parts.now(),
        date: () => parts.date(),
        warn: (message) => parts.warn(message),
        session: (id) => this.sessions.get(id),
      },
      this.figures,
    );
    this.sessions = new Sessions({
      remembered,
      bytesPerSecond: parts.bytesPerSecond,
      secret: () => parts.secret(),
      idOf: (secret, user) => parts.idOf(secret, user),
      now: () => parts.now(),
      date: () => parts.date(),
      dropped: (session) => this.dropped(session),
    });
    this.readerships = new Readerships(world.kinds.values(), parts.warn);
    this.cells = new Cells(world);
    this.sights = new Sights(world, this.cells);
    this.delivery = new Delivery(world, this.figures);
    this.stops = [
      world.on('command', (report) => this.commanded(report)),
      world.on('reload', () => this.reloaded()),
    ];
  }

  /** How many clients have said hello and are there. */
  get clients(): number {
    return this.speaking.size;
  }

  /** How many cells hold records and have some client to tell. */
  get cellsWatched(): number {
    return this.cells.size;
  }

  stats(): ReplicationStats {
    const { figures } = this;
    const { bytesSent, framesSent, conflations, noticesMissed, commands, rejects } = figures;
    let buffered = 0;
    for (const { wire } of this.speaking.keys()) buffered += wire.buffered;
    return {
      clients: this.clients,
      away: this.sessions.awayCount,
      cells: this.cells.size,
      bytesSent,
      framesSent,
      buffered,
      conflations,
      noticesMissed,
      commands,
      rejects,
      flushes: figures.flushes,
      flushMilliseconds: figures.flushMilliseconds,
    };
  }

  /** A client has connected; `user` is who it is, if the server authenticates its users. */
  connect(wire: Wire, user?: User): Connection {
    const connection = new Connection(wire, user, this.figures, (ended) => this.ended(ended));
    this.talk.set(connection, new Allowance(MESSAGES_A_SECOND, MESSAGES_AT_ONCE));
    return connection;
  }

  /** The cells in a client's sight, without `always`. */
  cellsOf(connection: Connection): ReadonlySet<string> {
    return new Set(this.speaking.get(connection)?.cells.keys());
  }

  /** A message from a client. One that breaks the protocol ends the connection. */
  receive(connection: Connection, text: string): void {
    if (connection.isOver) return;
    try {
      if (this.talk.get(connection)?.use(this.parts.now()) !== true) {
        throw new ProtocolError('E_RATE', 'The client goes on sending far more than it may.');
      }
      const message = parseFromClient(text);
      switch (message.type) {
        case 'hello':
          this.hello(connection, message);
          break;
        case 'view': {
          const session = this.sessionOf(connection);
          session.view = message.at;
          this.sights.looksElsewhere(session);
          break;
        }
        case 'send':
          this.commands.send(this.sessionOf(connection), message);
          break;
        default:
          message satisfies never;
      }
    } catch (error) {
      // What fails here costs its connection, and never the process.
      const isItsFault = error instanceof ProtocolError;
      const code = codeOf(error);
      if (!isItsFault) this.parts.warn(`A client's message failed: ${messageOf(error)}`);
      const said = isItsFault ? error.message : 'The server could not do it; its log says why.';
      const closeCode = code === 'E_RATE' ? CLOSE.policy : CLOSE.protocol;
      connection.fail(isItsFault ? closeCode : CLOSE.internal, code, said);
    }
  }

  /** Something is sent to a client now whose answer will show that all before it has arrived. */
  pinged(connection: Connection): void {
    this.speaking.get(connection)?.mark(this.flushes);
  }

  /** The answer to the last such has come. */
  ponged(connection: Connection): void {
    this.speaking.get(connection)?.confirm();
  }

  /** A connection has ended, by either side. A session that went on over another one does not notice. */
  disconnect(connection: Connection): void {
    connection.ended();
  }

  /** The real time at which the next flush is due, undefined if there is nothing to tell. */
  get dueAt(): number | undefined {
    if (this.isHeld) return undefined;
    const pace = 1000 / this.world.settings.flushesPerSecond;
    if (this.hasNews) return this.flushedAt + pace;
    const { lingersUntil } = this.sights;
    if (this.pending.size === 0) return lingersUntil;
    return Math.min(this.triedAt + pace, lingersUntil ?? Infinity);
  }

  /** Sends every client what is new to it. `now` is a real time in milliseconds. */
  flush(now: number): void {
    if (this.isHeld) return;
    this.triedAt = now;
    if (this.isInVain(now)) return;
    const begun = this.parts.now();
    const { flushesPerSecond } = this.world.settings;
    this.flushes += 1;
    this.flushedAt = now;
    const moment: Moment = { flush: this.flushes, now, flushesPerSecond };
    this.sessions.expire(now);
    for (const session of this.sights.follow(moment)) this.pending.add(session);
    const told: Session[] = [];
    const deliver = (session: Session): void => {
      if (this.delivery.deliver(session, moment)) this.pending.delete(session);
      else this.pending.add(session);
      if (session.hasQueued) told.push(session);
    };
    const lineups = this.cells.settle(this.flushes, flushesPerSecond);
    for (const session of this.pending) {
      if (session.lineup === undefined || !lineups.has(session.lineup)) deliver(session);
    }
    // One lineup after the other, so that those who are told the same come one after the other.
    for (const { sessions } of lineups) for (const session of sessions) deliver(session);
    this.delivery.done();
    this.cells.sweep();
    if (told.length > 0) {
      this.isHeld = true;
      this.whenDurable(() => this.depart(told));
    }
    this.figures.flushes += 1;
    this.figures.flushMilliseconds += this.parts.now() - begun;
  }

  /** Tells every client how the clock goes now, for a reason that lies outside the world. */
  clockChanged(): void {
    this.tellClock(this.parts.clock());
  }

  /** Ends every connection and listens to the world no more. */
  close(): void {
    for (const stop of this.stops) stop();
    this.cells.stop();
    for (const connection of [...this.speaking.keys()]) {
      connection.fail(CLOSE.goingAway, 'CLOSING', 'The server is stopping.');
    }
  }

  private get hasNews(): boolean {
    return this.sights.isNew || this.cells.isDirty;
  }

  /** Whether nobody could be told anything but those who are behind, and these still are. */
  private isInVain(now: number): boolean {
    if (this.hasNews || this.pending.size === 0 || (this.sights.lingersUntil ?? Infinity) <= now) {
      return false;
    }
    // A flush for them alone would put off the next one, and with it what is new to others by then.
    for (const session of this.pending) if (!session.isBehind(now)) return false;
    return true;
  }

  private depart(told: readonly Session[]): void {
    this.isHeld = false;
    for (const session of told) session.release();
    this.parts.changed?.();
  }

  // Clients that come and go

  private hello(connection: Connection, hello: Hello): void {
    if (hello.protocol !== PROTOCOL) {
      throw new ProtocolError(
        'PROTOCOL_VERSION',
        `This server speaks protocol ${PROTOCOL}, the client ${hello.protocol}; use the same version of offstage on both sides.`,
      );
    }
    if (this.speaking.has(connection)) {
      throw new ProtocolError('SECOND_HELLO', 'hello may come once in a connection.');
    }
    const { parts, readerships } = this;
    const readership = readerships.of(hello.kinds);
    const { session, secret, isResumed } = this.sessions.arrive(hello, connection.user, readership);
    session.view = hello.view ?? session.view;
    session.kinds = hello.kinds;
    this.sessions.prune();
    const replaced = session.comesOver(connection);
    replaced?.fail(CLOSE.policy, 'RESUMED', 'The session goes on over another connection.');
    this.speaking.set(connection, session);
    const { cellSize, relevancyRadius } = this.world.settings;
    connection.tell({
      type: 'welcome',
      protocol: PROTOCOL,
      world: parts.name,
      session: session.id,
      resume: secret,
      ...(isResumed ? { resumed: true } : {}),
      clock: parts.clock(),
      kinds: readerships.versions,
      cellSize,
      relevancyRadius,
    });
    this.sights.looksElsewhere(session);
  }

  private sessionOf(connection: Connection): Session {
    const session = this.speaking.get(connection);
    if (session !== undefined) return session;
    throw new ProtocolError('NO_HELLO', 'The first message must be hello.');
  }

  private ended(connection: Connection): void {
    const session = this.speaking.get(connection);
    this.speaking.delete(connection);
    if (session === undefined || !session.speaksOver(connection)) return;
    this.sights.looksNoMore(session);
    this.sessions.leave(session);
  }

  private dropped(session: Session): void {
    this.sights.drop(session);
    this.pending.delete(session);
    this.commands.forget(session);
  }

  // What comes from the world

  /** Clients that have read a kind and read this version of it no more, or now do, come again. */
  private reloaded(): void {
    this.readerships = new Readerships(this.world.kinds.values(), this.parts.warn);
    for (const [connection, session] of [...this.speaking]) {
      if (this.readerships.of(session.kinds).key === session.readership.key) continue;
      connection.fail(
        CLOSE.restart,
        'KINDS_CHANGED',
        'Kinds were loaded in other versions; connect again to be told of those that are yours.',
      );
    }
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
        this.whenDurable(() => this.tellClock(clock));
        break;
      }
      case 'configure':
        this.resize();
        break;
      default:
        break;
    }
  }

  private tellClock(clock: ClockReading): void {
    for (const session of this.speaking.values()) session.tell({ type: 'clock', ...clock });
  }

  private resize(): void {
    try {
      checkSizes(this.world.settings);
    } catch (error) {
      this.parts.warn(messageOf(error));
    }
    this.sights.resize(this.sessions.all());
  }
}
