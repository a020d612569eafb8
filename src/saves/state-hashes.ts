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
  private sum = new HashSum();
  private last: WorldSnapshot | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  /** The hash of a snapshot, which is not older than those asked for before. */
  of(snapshot: WorldSnapshot, slices: Slices): Promise<string> {
    const hash = this.turn.then(() => this.workOut(snapshot, slices));
    // The next is worked out whatever became of this one.
    this.turn = hash.catch(() => undefined);
    return hash;
  }

  private async workOut(snapshot: WorldSnapshot, slices: Slices): Promise<string> {
    const { last, sum } = this;
    // Should it fail on the way, the next begins with nothing.
    this.last = undefined;
    this.sum = new HashSum();
    let count = 0;
    await slices.rest();
    for (const [slot, , after] of snapshot.changesSince(last)) {
      sum.set(slot, after);
      count += 1;
      if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
    }
    slices.end();
    this.last = snapshot;
    this.sum = sum;
    return sum.hash(snapshot.time, snapshot.instant);
  }
}
