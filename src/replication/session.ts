/**
 * One client, over one connection after another: which kinds it reads, where it looks, the cells it is
 * told of, and how far. While its client is away it is kept for a while, and the client that comes
 * back with its secret is told what it may have missed.
 */
import type { FromServer, Hello, Place } from '../protocol/messages.ts';
import type { Budget } from './budget.ts';
import type { Connection, User } from './connection.ts';
import type { KeptCell } from './interest.ts';
import type { Lineup } from './lineup.ts';
import type { Readership } from './readership.ts';
import type { Subscription } from './subscription.ts';

/** Who gives a command, as a server's own rules see it. */
export interface CommandingSession {
  /** The same as long as its client comes back to it. */
  readonly id: string;
  /** Who the client is, if the server authenticates its users. */
  readonly user: User | undefined;
}

export class Session implements CommandingSession {
  readonly id: string;
  readonly user: User | undefined;
  readonly budget: Budget | undefined;
  readership: Readership;
  /** The kinds the client said it has, with their versions; undefined if it takes them as they are. */
  kinds: Hello['kinds'];
  /** Where the client looks. */
  view: Place | undefined;
  /** The cells in its sight, the nearest first. */
  cells: ReadonlyMap<string, KeptCell> = new Map();
  /** The cells it is told of, in the order in which they are sent: those in sight, and last `always`. */
  subscriptions: ReadonlyMap<string, Subscription> = new Map();
  /** Those who are told of the same cells and read the same; undefined before it is told of any. */
  lineup: Lineup | undefined;
  /** The flush up to which it was told everything; 0 while its subscriptions differ in that. */
  currentTo = 0;
  /** Cells that it is no longer told of and does not know it yet. */
  readonly leaving = new Set<string>();
  /** Since when its client is away, in real milliseconds. */
  awaySince: number | undefined;
  private connection: Connection | undefined;
  private outbox: Uint8Array[] = [];
  /** What it is sent together with others, in place of an outbox of its own. */
  private shared: readonly Uint8Array[] | undefined;
  /** Cells that were said to be left, with the flush that said so, until that has arrived for sure. */
  private readonly left = new Map<string, number>();
  private markedFlush = 0;

  constructor(
    id: string,
    user: User | undefined,
    readership: Readership,
    budget: Budget | undefined,
  ) {
    this.id = id;
    this.user = user;
    this.readership = readership;
    this.budget = budget;
  }

  /** Whether its client is connected. */
  get isHere(): boolean {
    return this.connection !== undefined;
  }

  speaksOver(connection: Connection): boolean {
    return this.connection === connection;
  }

  /** Its client is there, over a connection that replaces any other; gives the one replaced. */
  comesOver(connection: Connection): Connection | undefined {
    const before = this.connection;
    this.connection = connection;
    this.awaySince = undefined;
    this.outbox = [];
    this.shared = undefined;
    return before;
  }

  goesAway(now: number): void {
    this.connection = undefined;
    this.awaySince = now;
    this.outbox = [];
    this.shared = undefined;
  }

  isBehind(now: number): boolean {
    return this.connection?.isBehind(now) ?? false;
  }

  get hasQueued(): boolean {
    return this.outbox.length > 0 || this.shared !== undefined;
  }

  /** What is queued, for others who are to be sent the same. */
  get queued(): readonly Uint8Array[] {
    return this.shared ?? this.outbox;
  }

  /** The bytes go with those of the same flush. */
  queue(bytes: Uint8Array): void {
    this.outbox.push(bytes);
  }

  /** It is sent what others are sent, and nothing else with this flush. */
  share(frames: readonly Uint8Array[]): void {
    this.shared = frames;
  }

  /** Sends what was queued, in one write. */
  release(): void {
    const { queued } = this;
    if (this.shared === undefined) this.outbox = [];
    else this.shared = undefined;
    this.connection?.write(queued);
  }

  /** Sends a message at once. */
  tell(message: FromServer): void {
    this.connection?.tell(message);
  }

  /** A cell was said to be left, with that flush. */
  hasLeft(cell: string, flush: number): void {
    this.leaving.delete(cell);
    this.left.set(cell, flush);
  }

  /** Something is sent now whose answer will show that all before it has arrived. */
  mark(flush: number): void {
    // What is queued has not been sent, so nothing can be said of it.
    if (this.hasQueued) return;
    this.markedFlush = flush;
    for (const subscription of this.subscriptions.values()) subscription.mark();
  }

  /** What was sent before the last mark has arrived. */
  confirm(): void {
    for (const subscription of this.subscriptions.values()) subscription.confirm();
    for (const [cell, flush] of this.left) if (flush <= this.markedFlush) this.left.delete(cell);
  }

  /** From here on its subscriptions differ in how far they were told. */
  differs(): void {
    const { currentTo } = this;
    if (currentTo === 0) return;
    for (const subscription of this.subscriptions.values()) {
      if (subscription.audience.hasHeld) subscription.isToldOf(currentTo, currentTo);
    }
    this.currentTo = 0;
  }

  /** The client has what has arrived for sure, and may have more. */
  rewind(): void {
    this.differs();
    for (const subscription of this.subscriptions.values()) subscription.rewind();
    for (const cell of this.left.keys()) this.leaving.add(cell);
    this.left.clear();
  }

  /** The client begins with nothing. */
  forget(): void {
    this.differs();
    for (const subscription of this.subscriptions.values()) subscription.forget();
    this.leaving.clear();
    this.left.clear();
  }
}
