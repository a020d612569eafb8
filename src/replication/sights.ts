/**
 * Who is told of which cells. What a session has in sight follows its view, from one flush to the next:
 * what came near is entered, and what is out of reach is kept for a while (`interest.ts`) and then left.
 * While its client is away it stays as it is.
 */
import type { World } from '../core/world.ts';
import type { Cells } from './cells.ts';
import type { Moment } from './delivery.ts';
import { keptCells, LINGER } from './interest.ts';
import { Lineups } from './lineup.ts';
import { ALWAYS } from './replicator.ts';
import type { Session } from './session.ts';
import type { Subscription } from './subscription.ts';

export class Sights {
  private readonly world: World;
  private readonly cells: Cells;
  private readonly lineups = new Lineups();
  /** Sessions that look elsewhere since the last flush, and those that keep a cell out of their reach. */
  private looking = new Set<Session>();
  private readonly lingering = new Set<Session>();

  constructor(world: World, cells: Cells) {
    this.world = world;
    this.cells = cells;
  }

  /** Whether somebody looks elsewhere since the last flush. */
  get isNew(): boolean {
    return this.looking.size > 0;
  }

  /** The real time at which a cell that is kept out of reach is next to be let go of. */
  get lingersUntil(): number | undefined {
    let until: number | undefined;
    for (const { cells } of this.lingering) {
      for (const { outsideSince } of cells.values()) {
        if (outsideSince !== undefined) until = Math.min(until ?? Infinity, outsideSince + LINGER);
      }
    }
    return until;
  }

  /** The session has come, or its view has moved. */
  looksElsewhere(session: Session): void {
    this.looking.add(session);
  }

  /** Its client is away. */
  looksNoMore(session: Session): void {
    this.looking.delete(session);
    this.lingering.delete(session);
  }

  /** The session is no longer known. */
  drop(session: Session): void {
    for (const subscription of session.subscriptions.values()) this.cells.leave(subscription);
    this.lineups.leave(session);
  }

  /** Brings all up to where they look now, and gives those whose cells may be others. */
  follow(moment: Moment): ReadonlySet<Session> {
    const sessions = new Set([...this.looking, ...this.lingering]);
    for (const session of sessions) this.look(session, moment);
    this.looking = new Set();
    return sessions;
  }

  /** Cells of another size are other cells: every client leaves the old ones and enters the new. */
  resize(sessions: Iterable<Session>): void {
    for (const session of sessions) {
      session.differs();
      const always = session.subscriptions.get(ALWAYS);
      for (const subscription of session.subscriptions.values()) {
        if (subscription !== always) this.leave(session, subscription);
      }
      session.cells = new Map();
      session.subscriptions = new Map(always === undefined ? [] : [[ALWAYS, always]]);
      this.lineups.join(session);
      if (session.isHere) this.looking.add(session);
    }
  }

  private look(session: Session, { flush, now }: Moment): void {
    const { view, subscriptions } = session;
    session.differs();
    if (view !== undefined) {
      session.cells = keptCells(session.cells, view, this.world.settings, now);
    }
    const lingers = [...session.cells.values()].some((cell) => cell.outsideSince !== undefined);
    if (lingers) this.lingering.add(session);
    else this.lingering.delete(session);
    const told = new Map<string, Subscription>();
    const cells = [...session.cells.keys()];
    // The nearest come first where a budget decides; else in one order for all, so that those who
    // have the same cells in sight are sent the same bytes.
    if (session.budget === undefined) cells.sort();
    for (const cell of [...cells, ALWAYS]) {
      told.set(cell, subscriptions.get(cell) ?? this.cells.enter(session, cell, flush));
    }
    for (const [cell, subscription] of subscriptions) {
      if (!told.has(cell)) this.leave(session, subscription);
    }
    session.subscriptions = told;
    this.lineups.join(session);
  }

  private leave(session: Session, subscription: Subscription): void {
    this.cells.leave(subscription);
    if (subscription.version > 0 || subscription.isUnsure) session.leaving.add(subscription.cell);
  }
}
