/**
 * One client, over one connection after another: which kinds it reads, where it looks, the cells it is
 * told of, and how far. While its client is away it is kept for a while, and the client that comes
 * back with its secret is told what it may have missed.
 */
import type { FromServer, Place } from '../protocol/messages.ts';
import type { Budget } from './budget.ts';
import type { Connection, User } from './connection.ts';
import type { KeptCell } from './interest.ts';
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
  /** Where the client looks. */
  view: Place | undefined;
  /** The cells in its sight, the nearest first. */
  cells: ReadonlyMap<string, KeptCell> = new Map();
  /** The cells it is told of: those in sight, and last `always`. */
  subscriptions: ReadonlyMap<string, Subscription> = new Map();
  /** Cells that it is no longer told of and does not know it yet. */
  readonly leaving = new Set<string>();
  /** Since when its client is away, in real milliseconds. */
  awaySince: number | undefined;
  private connection: Connection | undefined;
  private outbox: Uint8Array[] = [];
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
    return before;
  }

  goesAway(now: number): void {
    this.connection = undefined;
    this.awaySince = now;
    this.outbox = [];
  }

  isBehind(now: number): boolean {
    return this.connection?.isBehind(now) ?? false;
  }

  get hasQueued(): boolean {
    return this.outbox.length > 0;
  }

  /** The bytes go with those of the same flush. */
  queue(bytes: Uint8Array): void {
    this.outbox.push(bytes);
  }

  /** Sends what was queued, in one write. */
  release(): void {
    const { outbox } = this;
    this.outbox = [];
    this.connection?.write(outbox);
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
    if (this.outbox.length > 0) return;
    this.markedFlush = flush;
    for (const subscription of this.subscriptions.values()) subscription.mark();
  }

  /** What was sent before the last mark has arrived. */
  confirm(): void {
    for (const subscription of this.subscriptions.values()) subscription.confirm();
    for (const [cell, flush] of this.left) if (flush <= this.markedFlush) this.left.delete(cell);
  }

  /** The client has what has arrived for sure, and may have more. */
  rewind(): void {
    for (const subscription of this.subscriptions.values()) subscription.rewind();
    for (const cell of this.left.keys()) this.leaving.add(cell);
    this.left.clear();
  }

  /** The client begins with nothing. */
  forget(): void {
    for (const subscription of this.subscriptions.values()) subscription.forget();
    this.leaving.clear();
    this.left.clear();
  }
}
