/**
 * What one session is sent with one flush: what is new in each of its cells, as
 * much of it as its connection takes and its byte budget allows. What is not sent stays new. A record
 * that moved is never missing in between: its new cell is sent along with the cell it left, and before
 * that one lets go of it.
 */
import type { World } from '../core/world.ts';
import type { Figures } from './figures.ts';
import { encoded } from './frame.ts';
import type { Lineup } from './lineup.ts';
import type { Replicator } from './replicator.ts';
import type { Session } from './session.ts';
import type { Subscription } from './subscription.ts';

/** Bytes queued for one client with one flush, beyond which further cells wait for the next. */
const MOST_QUEUED = 512 * 1024;

export interface Moment {
  /** The number of the flush. */
  readonly flush: number;
  /** Real milliseconds. */
  readonly now: number;
  readonly flushesPerSecond: number;
}

/** What is being put together for one session. */
class Parcel {
  readonly session: Session;
  readonly moment: Moment;
  bytes = 0;
  /** Whether the client loses what it held of some cell, so that nothing may wait that could hold it now. */
  isWhole = false;
  /** What goes when every cell has been told. */
  moved: Uint8Array[] | undefined;
  /** Cells that hold what has moved out of those told. */
  movedTo: string[] | undefined;

  constructor(session: Session, moment: Moment) {
    this.session = session;
    this.moment = moment;
  }

  add(frame: Uint8Array | undefined): void {
    if (frame === undefined) return;
    this.bytes += frame.length;
    this.session.queue(frame);
  }
}

/** What those of a lineup are told who were told everything up to the same flush. */
interface Crowd {
  readonly lineup: Lineup;
  readonly since: number;
  readonly frames: readonly Uint8Array[];
  readonly missed: number;
}

export class Delivery {
  /** Whoever comes next is probably one of them. */
  private crowd: Crowd | undefined;
  private readonly world: World;
  private readonly figures: Figures;

  constructor(world: World, figures: Figures) {
    this.world = world;
    this.figures = figures;
  }

  /**
   * Queues what is new to a session; false if some of it has to wait for another flush. Those of one
   * lineup come one after the other, if what they have in common is to be put together once.
   */
  deliver(session: Session, moment: Moment): boolean {
    const { flush, now } = moment;
    if (!session.isHere || session.isBehind(now)) {
      this.skip(session, moment);
      return !session.isHere;
    }
    if (this.joinCrowd(session, flush)) return true;
    const since = session.currentTo;
    const missed = this.figures.noticesMissed;
    const isCurrent = this.tellOne(session, moment);
    if (!isCurrent) return false;
    session.currentTo = flush;
    if (session.lineup !== undefined && since > 0) {
      this.crowd = {
        lineup: session.lineup,
        since,
        frames: session.queued,
        missed: this.figures.noticesMissed - missed,
      };
    }
    return true;
  }

  /** Lets go of what was put together for a flush. */
  done(): void {
    this.crowd = undefined;
  }

  /** Whether another session has been told exactly what this one is to be told; then it is told that. */
  private joinCrowd(session: Session, flush: number): boolean {
    const { crowd } = this;
    if (crowd?.lineup !== session.lineup || crowd?.since !== session.currentTo) return false;
    if (crowd.frames.length > 0) session.share(crowd.frames);
    this.figures.noticesMissed += crowd.missed;
    session.currentTo = flush;
    return true;
  }

  private tellOne(session: Session, moment: Moment): boolean {
    session.differs();
    const parcel = new Parcel(session, moment);
    for (const cell of session.leaving) {
      // Left and entered again; it comes in full below.
      if (!session.subscriptions.has(cell)) continue;
      tellLeft(session, cell, moment);
      parcel.isWhole = true;
    }
    const isCurrent = this.tellCells(parcel);
    for (const frame of parcel.moved ?? []) parcel.add(frame);
    session.budget?.spend(parcel.bytes);
    // Not before all else was told: a record of it may be in another cell by now.
    if (isCurrent) for (const cell of session.leaving) tellLeft(session, cell, moment);
    return isCurrent;
  }

  /** A client that is away or behind gets the later state; the notices of now it will not get. */
  private skip(session: Session, { flush }: Moment): void {
    session.differs();
    let isConflated = false;
    for (const subscription of session.subscriptions.values()) {
      const { replicator, version, noted } = subscription;
      if (replicator === undefined || version >= replicator.changedAt) continue;
      const missed = replicator.notices.count(noted, session.readership, 'counts');
      subscription.misses(missed, flush);
      isConflated = session.isHere;
    }
    if (isConflated) this.figures.conflations += 1;
  }

  /** Tells what has its turn; false if something has not. */
  private tellCells(parcel: Parcel): boolean {
    const { session, moment } = parcel;
    const { budget, subscriptions } = session;
    const cells = budget === undefined ? 0 : occupied(subscriptions.values());
    budget?.begin(moment.now, cells);
    let waiting: Map<string, Subscription> | undefined;
    // The first place in the order of nearness is that of `always`, which is sent last.
    let place = 0;
    for (const subscription of subscriptions.values()) {
      this.tellAside(parcel, subscription);
      const { replicator, version } = subscription;
      if (replicator === undefined) continue;
      place += 1;
      if (version >= replicator.changedAt) continue;
      const hasTurn =
        budget === undefined ||
        !replicator.knows(version) ||
        budget.hasTurn(place % cells, cells, moment);
      if (hasTurn && parcel.bytes <= MOST_QUEUED) this.tell(parcel, subscription, replicator);
      else {
        waiting ??= new Map();
        waiting.set(subscription.cell, subscription);
      }
    }
    if (waiting === undefined) return true;
    this.tellHomes(parcel, waiting);
    for (const subscription of waiting.values()) tellUrgent(parcel, subscription);
    return waiting.size === 0;
  }

  /** What is not of this flush: notices that were missed, and that a cell is empty by now. */
  private tellAside({ session, moment }: Parcel, subscription: Subscription): void {
    const { cell, missed } = subscription;
    if (missed > 0) {
      this.queueMissed(session, cell, missed);
      subscription.missed = 0;
    }
    if (!subscription.isUnsure || subscription.replicator !== undefined) return;
    const { time } = this.world;
    session.queue(encoded({ type: 'cell', cell, time, full: true, set: [], gone: [] }));
    subscription.isToldOf(moment.flush, moment.flush);
  }

  private tell(parcel: Parcel, subscription: Subscription, replicator: Replicator): void {
    const { session, moment } = parcel;
    const { version, noted, cell } = subscription;
    if (version > 0 && !replicator.knows(version)) parcel.isWhole = true;
    const { changes, moved, movedTo } = replicator.since(moment.flush, version, noted);
    parcel.add(changes.for(session.readership));
    const frame = moved?.for(session.readership);
    if (frame !== undefined) {
      parcel.moved ??= [];
      parcel.moved.push(frame);
      parcel.movedTo ??= [];
      parcel.movedTo.push(...movedTo);
    }
    const leftOut = replicator.notices.count(noted, session.readership, 'leftOut');
    if (leftOut > 0) this.queueMissed(session, cell, leftOut);
    subscription.isToldOf(replicator.changedAt, moment.flush);
  }

  /** Cells that wait, and hold what has gone from cells that do not, are told after all. */
  private tellHomes(parcel: Parcel, waiting: Map<string, Subscription>): void {
    const homes = parcel.isWhole ? [...waiting.keys()] : (parcel.movedTo ?? []);
    // Telling one may add further ones.
    for (const cell of homes) {
      const home = waiting.get(cell);
      if (home?.replicator === undefined) continue;
      waiting.delete(cell);
      this.tell(parcel, home, home.replicator);
    }
  }

  private queueMissed(session: Session, cell: string, notices: number): void {
    this.figures.noticesMissed += notices;
    session.queue(encoded({ type: 'missed', cell, notices }));
  }
}

/** How many of the cells hold records. */
function occupied(subscriptions: Iterable<Subscription>): number {
  let count = 0;
  for (const { replicator } of subscriptions) if (replicator !== undefined) count += 1;
  return count;
}

/** Records of urgent kinds go in any case, ahead of the rest of their cell. */
function tellUrgent(parcel: Parcel, subscription: Subscription): void {
  const { version, urgent, replicator } = subscription;
  if (replicator === undefined || !replicator.knows(version)) return;
  if (urgent >= replicator.urgentAt) return;
  const { flush } = parcel.moment;
  const news = replicator.since(flush, urgent, flush, true);
  subscription.urgent = replicator.urgentAt;
  parcel.add(news.changes.for(parcel.session.readership));
}

function tellLeft(session: Session, cell: string, { flush }: Moment): void {
  session.queue(encoded({ type: 'leave', cell }));
  session.hasLeft(cell, flush);
}
