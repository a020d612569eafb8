/**
 * What one session is sent with one flush: what is new in each of its cells, the nearest first, as
 * much of it as its connection takes and its byte budget allows. What is not sent stays new. A record
 * that moved is never missing in between: its new cell is sent along with the cell it left, and before
 * that one lets go of it.
 */
import type { World } from '../core/world.ts';
import type { Cells } from './cells.ts';
import type { Figures } from './figures.ts';
import { encoded } from './frame.ts';
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

interface Due {
  readonly subscription: Subscription;
  readonly replicator: Replicator;
}

export class Delivery {
  private readonly world: World;
  private readonly cells: Cells;
  private readonly figures: Figures;

  constructor(world: World, cells: Cells, figures: Figures) {
    this.world = world;
    this.cells = cells;
    this.figures = figures;
  }

  /** Queues what is new to a session; false if some of it has to wait for another flush. */
  deliver(session: Session, moment: Moment): boolean {
    const due = this.dueTo(session);
    if (!session.isHere || session.isBehind(moment.now)) {
      this.skip(session, due, moment);
      return !session.isHere;
    }
    for (const subscription of session.subscriptions.values()) {
      if (subscription.missed > 0) this.tellMissed(session, subscription);
      if (subscription.isUnsure && this.cells.replicator(subscription.cell) === undefined) {
        this.tellEmpty(session, subscription, moment);
      }
    }
    for (const cell of session.leaving) {
      // Left and entered again; it comes in full below.
      if (session.subscriptions.has(cell)) this.tellLeft(session, cell, moment);
    }
    const isCurrent = this.tellCells(session, due, moment);
    // Not before all else was told: a record of it may be in another cell by now.
    if (isCurrent) for (const cell of session.leaving) this.tellLeft(session, cell, moment);
    return isCurrent;
  }

  private dueTo(session: Session): Due[] {
    const due: Due[] = [];
    for (const subscription of session.subscriptions.values()) {
      const replicator = this.cells.replicator(subscription.cell);
      if (replicator !== undefined && subscription.version < replicator.changedAt) {
        due.push({ subscription, replicator });
      }
    }
    return due;
  }

  /** A client that is away or behind gets the later state; the notices of now it will not get. */
  private skip(session: Session, due: readonly Due[], { flush }: Moment): void {
    for (const { subscription, replicator } of due) {
      const missed = replicator.notices.count(subscription.noted, session.readership, 'counts');
      subscription.missed += missed;
      subscription.noted = flush;
    }
    if (session.isHere && due.length > 0) this.figures.conflations += 1;
  }

  /** Sends what has its turn; false if something has not. */
  private tellCells(session: Session, due: readonly Due[], moment: Moment): boolean {
    if (due.length === 0) return true;
    const { budget } = session;
    const places = budget === undefined ? undefined : [...session.subscriptions.keys()];
    // `always` is the last to be sent and the last to be slowed down.
    const placeOf = (cell: string): number =>
      ((places?.indexOf(cell) ?? 0) + 1) % (places?.length ?? 1);
    if (places !== undefined) budget?.begin(moment.now, places.length);
    const waiting = new Map<string, Due>();
    const moved: Uint8Array[] = [];
    let bytes = 0;
    const queue = (frame: Uint8Array | undefined, to?: Uint8Array[]): void => {
      if (frame === undefined) return;
      bytes += frame.length;
      if (to === undefined) session.queue(frame);
      else to.push(frame);
    };
    const tell = ({ subscription, replicator }: Due): void => {
      const { version, noted } = subscription;
      waiting.delete(subscription.cell);
      const news = replicator.since(moment.flush, version, noted);
      queue(news.changes.for(session.readership));
      queue(news.moved?.for(session.readership), moved);
      this.countLeftOut(session, subscription, replicator);
      subscription.isToldOf(replicator.changedAt, moment.flush);
      for (const cell of news.movedTo) {
        const home = waiting.get(cell);
        if (home !== undefined) tell(home);
      }
    };
    for (const one of due) waiting.set(one.subscription.cell, one);
    for (const one of due) {
      const { subscription, replicator } = one;
      const { cell } = subscription;
      if (!waiting.has(cell) || bytes > MOST_QUEUED) continue;
      const isEntered = !replicator.knows(subscription.version);
      const hasTurn =
        isEntered ||
        budget === undefined ||
        places === undefined ||
        budget.hasTurn(placeOf(cell), places.length, moment.flush, moment.flushesPerSecond);
      if (hasTurn) tell(one);
    }
    for (const one of waiting.values()) queue(urgentOf(one, session, moment));
    for (const frame of moved) session.queue(frame);
    budget?.spend(bytes);
    return waiting.size === 0;
  }

  private countLeftOut(
    session: Session,
    subscription: Subscription,
    { notices }: Replicator,
  ): void {
    const leftOut = notices.count(subscription.noted, session.readership, 'leftOut');
    if (leftOut > 0) this.queueMissed(session, subscription.cell, leftOut);
  }

  private tellMissed(session: Session, subscription: Subscription): void {
    this.queueMissed(session, subscription.cell, subscription.missed);
    subscription.missed = 0;
  }

  private queueMissed(session: Session, cell: string, notices: number): void {
    this.figures.noticesMissed += notices;
    session.queue(encoded({ type: 'missed', cell, notices }));
  }

  private tellLeft(session: Session, cell: string, { flush }: Moment): void {
    session.queue(encoded({ type: 'leave', cell }));
    session.hasLeft(cell, flush);
  }

  private tellEmpty(session: Session, subscription: Subscription, { flush }: Moment): void {
    const { cell } = subscription;
    const { time } = this.world;
    session.queue(encoded({ type: 'cell', cell, time, full: true, set: [], gone: [] }));
    subscription.isToldOf(flush, flush);
  }
}

/** Records of urgent kinds go in any case, ahead of the rest of their cell. */
function urgentOf(
  { subscription, replicator }: Due,
  { readership }: Session,
  { flush }: Moment,
): Uint8Array | undefined {
  const { version, urgent } = subscription;
  if (!replicator.knows(version) || urgent >= replicator.urgentAt) return undefined;
  subscription.urgent = replicator.urgentAt;
  return replicator.since(flush, urgent, flush, true).changes.for(readership);
}
