/**
 * The cells that clients are told of, and who is told of each. It listens to the world's commits and
 * marks what they touch. Only a cell that holds records and has somebody to tell has a replicator; for
 * any other cell, and for any record in it, a commit costs a look into a map.
 */
import type { Commit, Notice } from '../core/commit.ts';
import { cellOf } from '../core/place-index.ts';
import type { World } from '../core/world.ts';
import { ALWAYS, Replicator } from './replicator.ts';
import type { Subscription } from './subscription.ts';

export class Cells {
  private readonly world: World;
  private readonly audiences = new Map<string, Set<Subscription>>();
  private readonly replicators = new Map<string, Replicator>();
  /** Which replicator tells of each record that clients know. */
  private readonly homes = new Map<string, Replicator>();
  private readonly touched = new Set<Replicator>();
  /** Cells that have somebody to tell and held no record, until now; with what was noticed in them. */
  private readonly appeared = new Map<string, Notice[]>();
  /** Cells that hold no record any more, and go when everyone there was told. */
  private readonly emptied = new Set<Replicator>();

  constructor(world: World) {
    this.world = world;
  }

  /** How many cells have records and somebody to tell. */
  get size(): number {
    return this.replicators.size;
  }

  /** Whether anything changed since the last flush. */
  get isDirty(): boolean {
    return this.touched.size > 0 || this.appeared.size > 0;
  }

  replicator(cell: string): Replicator | undefined {
    return this.replicators.get(cell);
  }

  enter(subscription: Subscription, flush: number): void {
    const { cell } = subscription;
    let audience = this.audiences.get(cell);
    if (audience === undefined) {
      audience = new Set();
      this.audiences.set(cell, audience);
      // Everyone is told of `always`, also when it is empty: it ends what a client gets first.
      if (cell === ALWAYS || this.world.valuesIn(cell).length > 0) this.open(cell, flush);
    }
    audience.add(subscription);
  }

  leave(subscription: Subscription): void {
    const { cell } = subscription;
    const audience = this.audiences.get(cell);
    if (audience === undefined) return;
    audience.delete(subscription);
    if (audience.size > 0) return;
    this.audiences.delete(cell);
    this.appeared.delete(cell);
    this.close(cell);
  }

  committed({ changes, notices }: Commit): void {
    if (this.audiences.size === 0) return;
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
  settle(flush: number, flushesPerSecond: number): Set<Subscription> {
    const changed = new Set<Subscription>();
    const all = (replicator: Replicator): void => {
      for (const subscription of this.audiences.get(replicator.cell) ?? []) {
        changed.add(subscription);
      }
      if (replicator.isEmpty && replicator.cell !== ALWAYS) this.emptied.add(replicator);
    };
    for (const [cell, notices] of this.appeared) {
      const replicator = this.open(cell, flush);
      for (const notice of notices) {
        replicator.notice(notice);
        this.touched.add(replicator);
      }
      all(replicator);
    }
    this.appeared.clear();
    // Nobody waits for a cell longer than a second.
    const oldest = flush - Math.ceil(flushesPerSecond) - 1;
    for (const replicator of this.touched) {
      replicator.settle(flush, oldest);
      if (replicator.changedAt === flush) all(replicator);
    }
    this.touched.clear();
    return changed;
  }

  /** Lets go of cells that are empty and of which everyone who is there knows it. */
  sweep(): void {
    for (const replicator of this.emptied) {
      const { cell, changedAt } = replicator;
      if (this.replicators.get(cell) === replicator && replicator.isEmpty) {
        const audience = [...(this.audiences.get(cell) ?? [])];
        if (audience.some(({ session, version }) => session.isHere && version < changedAt)) {
          continue;
        }
        this.close(cell);
      }
      this.emptied.delete(replicator);
    }
  }

  private touchIn(cell: string | undefined, id: string): void {
    if (cell === undefined) return;
    const replicator = this.replicators.get(cell);
    if (replicator !== undefined) this.touch(replicator, id);
    else if (this.audiences.has(cell) && !this.appeared.has(cell)) this.appeared.set(cell, []);
  }

  private touch(replicator: Replicator, id: string): void {
    replicator.touch(id);
    this.touched.add(replicator);
  }

  private noticed(cell: string, notice: Notice): void {
    const replicator = this.replicators.get(cell);
    if (replicator !== undefined) {
      replicator.notice(notice);
      this.touched.add(replicator);
    } else if (this.audiences.has(cell)) {
      this.touchIn(cell, notice.id);
      this.appeared.get(cell)?.push(notice);
    }
  }

  private open(cell: string, flush: number): Replicator {
    const replicator = new Replicator(this.world, cell, flush, this.homes);
    this.replicators.set(cell, replicator);
    return replicator;
  }

  private close(cell: string): void {
    const replicator = this.replicators.get(cell);
    if (replicator === undefined) return;
    replicator.close();
    this.replicators.delete(cell);
    this.touched.delete(replicator);
  }
}
