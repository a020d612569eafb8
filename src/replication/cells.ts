/**
 * The cells that clients are told of, and who is told of each. It listens to the world's commits and
 * marks what they touch, for as long as there is anybody to tell: a listener keeps every event of a
 * world from the shortest way. Only a cell that holds records and has somebody to tell has a replicator; for
 * any other cell, and for any record in it, a commit costs a look into a map.
 */
import type { Commit, Notice } from '../core/commit.ts';
import { cellOf } from '../core/place-index.ts';
import type { World } from '../core/world.ts';
import type { Lineup } from './lineup.ts';
import { ALWAYS, Replicator } from './replicator.ts';
import type { Session } from './session.ts';
import { Subscription } from './subscription.ts';

/** Who is told of a cell. */
export class Audience {
  readonly cell: string;
  readonly members = new Set<Subscription>();
  /** The same, as those who are told of the same cells. */
  readonly lineups = new Set<Lineup>();
  /** What tells them; undefined while the cell holds no record. */
  replicator: Replicator | undefined;
  /** Whether it has ever held one while somebody was told of it. */
  hasHeld = false;

  constructor(cell: string) {
    this.cell = cell;
  }
}

export class Cells {
  private readonly world: World;
  private readonly audiences = new Map<string, Audience>();
  /** Which replicator tells of each record that clients know. */
  private readonly homes = new Map<string, Replicator>();
  private touched = new Set<Replicator>();
  /** Cells that have somebody to tell and held no record, until now; with what was noticed in them. */
  private appeared = new Map<Audience, Notice[]>();
  /** Cells that hold no record any more, and are let go of when everyone there was told. */
  private readonly emptied = new Set<Audience>();
  private occupied = 0;
  private stopListening: (() => void) | undefined;

  constructor(world: World) {
    this.world = world;
  }

  /** How many cells have records and somebody to tell. */
  get size(): number {
    return this.occupied;
  }

  /** Whether anything changed since the last flush. */
  get isDirty(): boolean {
    return this.touched.size > 0 || this.appeared.size > 0;
  }

  /** A session is told of a cell from this flush on. */
  enter(session: Session, cell: string, flush: number): Subscription {
    this.stopListening ??= this.world.on('commit', (commit) => this.committed(commit));
    let audience = this.audiences.get(cell);
    if (audience === undefined) {
      audience = new Audience(cell);
      this.audiences.set(cell, audience);
      // Everyone is told of `always`, also when it is empty: it ends what a client gets first.
      if (cell === ALWAYS || this.world.valuesIn(cell).length > 0) this.open(audience, flush);
    }
    const subscription = new Subscription(session, audience, flush);
    audience.members.add(subscription);
    return subscription;
  }

  leave(subscription: Subscription): void {
    const { audience } = subscription;
    audience.members.delete(subscription);
    if (audience.members.size > 0) return;
    this.audiences.delete(audience.cell);
    this.appeared.delete(audience);
    this.closeCell(audience);
    if (this.audiences.size === 0) this.stop();
  }

  /** Listens no more. */
  stop(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }

  private committed({ changes, notices }: Commit): void {
    const { cellSize } = this.world.settings;
    for (const { before, after } of changes) {
      const { id } = (after ?? before) as { readonly id: string };
      if (before !== undefined && after !== undefined && before.standing === after.standing) {
        // It stays where it is, so either its cell's replicator has it or nobody is told of it.
        const home = this.homes.get(id);
        if (home !== undefined) this.touch(home, id);
        continue;
      }
      const left = before === undefined ? undefined : cellOf(before, cellSize);
      const entered = after === undefined ? undefined : cellOf(after, cellSize);
      this.touchIn(left, id);
      if (entered !== left) this.touchIn(entered, id);
    }
    for (const notice of notices) {
      const { id, at } = notice;
      const record = this.world.valueOf(id) ?? changes.find((c) => c.before?.id === id)?.before;
      if (record !== undefined) {
        this.noticed(cellOf({ at, relevancy: record.relevancy }, cellSize), notice);
      }
    }
  }

  /** Takes up what changed, and gives those who may have something new to be told. */
  settle(flush: number, flushesPerSecond: number): Set<Lineup> {
    const lineups = new Set<Lineup>();
    const tell = (audience: Audience): void => {
      for (const lineup of audience.lineups) lineups.add(lineup);
      if (audience.replicator?.isEmpty && audience.cell !== ALWAYS) this.emptied.add(audience);
    };
    for (const [audience, notices] of this.appeared) {
      const replicator = this.open(audience, flush);
      for (const notice of notices) {
        replicator.notice(notice);
        this.touched.add(replicator);
      }
      tell(audience);
    }
    this.appeared = new Map();
    // Nobody waits for a cell longer than a second.
    const oldest = flush - Math.ceil(flushesPerSecond) - 1;
    for (const replicator of this.touched) {
      replicator.settle(flush, oldest);
      const audience = this.audiences.get(replicator.cell);
      if (audience !== undefined && replicator.changedAt === flush) tell(audience);
    }
    this.touched = new Set();
    return lineups;
  }

  /** Lets go of cells that are empty and of which everyone who is there knows it. */
  sweep(): void {
    for (const audience of this.emptied) {
      const { replicator, members } = audience;
      if (replicator?.isEmpty) {
        const isNews = ({ session, version }: Subscription): boolean =>
          session.isHere && version < replicator.changedAt;
        if ([...members].some(isNews)) continue;
        this.closeCell(audience);
      }
      this.emptied.delete(audience);
    }
  }

  private touchIn(cell: string | undefined, id: string): void {
    const audience = cell === undefined ? undefined : this.audiences.get(cell);
    if (audience === undefined) return;
    if (audience.replicator !== undefined) this.touch(audience.replicator, id);
    else if (!this.appeared.has(audience)) this.appeared.set(audience, []);
  }

  private touch(replicator: Replicator, id: string): void {
    replicator.touch(id);
    this.touched.add(replicator);
  }

  private noticed(cell: string, notice: Notice): void {
    const audience = this.audiences.get(cell);
    if (audience === undefined) return;
    if (audience.replicator !== undefined) {
      audience.replicator.notice(notice);
      this.touched.add(audience.replicator);
    } else {
      this.touchIn(cell, notice.id);
      this.appeared.get(audience)?.push(notice);
    }
  }

  private open(audience: Audience, flush: number): Replicator {
    const replicator = new Replicator(this.world, audience.cell, flush, this.homes);
    audience.replicator = replicator;
    audience.hasHeld = true;
    this.occupied += 1;
    return replicator;
  }

  private closeCell(audience: Audience): void {
    const { replicator } = audience;
    if (replicator === undefined) return;
    replicator.close();
    audience.replicator = undefined;
    this.touched.delete(replicator);
    this.occupied -= 1;
  }
}
