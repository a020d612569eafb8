/**
 * How far one client has been told of one cell, in numbers of flushes. What it has not been told yet
 * is nowhere kept for it: the cell's replicator can say what is new since any of these.
 */
import type { Audience } from './cells.ts';
import type { Replicator } from './replicator.ts';
import type { Session } from './session.ts';

export class Subscription {
  readonly session: Session;
  readonly audience: Audience;
  /** The same as `version` for records of urgent kinds, which may be ahead. */
  urgent = 0;
  private told = 0;
  private notedTo: number;
  /** Notices that it has not been sent and not been told of. */
  missed = 0;
  /** Set while the client may hold records of the cell that it should not, if the cell is empty now. */
  isUnsure = false;
  /** `version` at the last ping, and at the last ping that was answered: so much has arrived. */
  private marked = 0;
  private confirmed = 0;

  /** Of a client that enters a cell with a flush: the notices from before are none of its business. */
  constructor(session: Session, audience: Audience, flush: number) {
    this.session = session;
    this.audience = audience;
    this.notedTo = flush;
  }

  /** The flush up to which it was sent the cell's records; 0: never. */
  get version(): number {
    // Of a cell that never held a record nothing was sent.
    return this.audience.hasHeld ? Math.max(this.told, this.session.currentTo) : this.told;
  }

  /** The flush up to which it was sent the cell's notices, or they were counted as missed. */
  get noted(): number {
    return Math.max(this.notedTo, this.session.currentTo);
  }

  get cell(): string {
    return this.audience.cell;
  }

  /** What tells of the cell; undefined while it holds no record. */
  get replicator(): Replicator | undefined {
    return this.audience.replicator;
  }

  /** It was sent all that is new in the cell up to its last change, and its notices up to now. */
  isToldOf(changedAt: number, flush: number): void {
    this.told = changedAt;
    this.urgent = changedAt;
    this.notedTo = flush;
    this.isUnsure = false;
  }

  /** So many notices, up to that flush, it will not be sent. */
  misses(notices: number, flush: number): void {
    this.missed += notices;
    this.notedTo = flush;
  }

  mark(): void {
    this.marked = this.version;
  }

  confirm(): void {
    this.confirmed = this.marked;
  }

  /** Back to what has arrived for sure. */
  rewind(): void {
    this.isUnsure ||= this.version > 0;
    this.told = this.confirmed;
    this.urgent = this.confirmed;
    this.marked = this.confirmed;
  }

  /** Back to nothing. */
  forget(): void {
    this.confirmed = 0;
    this.rewind();
  }
}
