/**
 * State hashes of snapshots, worked out in slices while the world goes on: from the snapshot before, by
 * what changed since. One at a time, in the order in which they are asked for.
 */
import type { WorldSnapshot } from '../core/snapshot.ts';
import { HashSum } from '../core/state-hash.ts';
import type { Slices } from './slices.ts';

/** Records between two looks at the watch. */
const BETWEEN = 32;

export class StateHashes {
  private last: { readonly snapshot: WorldSnapshot; readonly sum: HashSum } | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  /** The hash of a snapshot, which is not older than those asked for before. */
  of(snapshot: WorldSnapshot, slices: Slices): Promise<string> {
    const hash = this.turn.then(() => this.workOut(snapshot, slices));
    // The next is worked out whatever became of this one.
    this.turn = hash.catch(() => undefined);
    return slices.waitFor(hash);
  }

  private async workOut(snapshot: WorldSnapshot, slices: Slices): Promise<string> {
    const { last } = this;
    const sum = last?.sum.copy() ?? new HashSum();
    await slices.rest();
    let count = 0;
    if (last === undefined) {
      for (const record of snapshot.values()) {
        sum.add(record);
        count += 1;
        if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
      }
    } else {
      for (const [before, after] of snapshot.changesSince(last.snapshot)) {
        if (before !== undefined) sum.remove(before);
        if (after !== undefined) sum.add(after);
        count += 1;
        if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
      }
    }
    slices.end();
    this.last = { snapshot, sum };
    return sum.hash(snapshot.time, snapshot.instant);
  }
}
