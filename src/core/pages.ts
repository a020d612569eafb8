/**
 * A vector of pages with an epoch: reading and writing by slot, and a snapshot in constant time. A
 * snapshot takes the root and raises the epoch; a write copies the page, and the way to it, if they
 * are of an older epoch. Leaves hold 64 items, branches 64 leaves, the root as many branches as needed.
 * The pages also know which items nobody outside has seen since they were put in.
 */
import { roomFor } from './typed-arrays.ts';

type Leaf<T> = (T | undefined)[];

interface Branch<T> {
  readonly epoch: number;
  readonly leaves: Leaf<T>[];
}

interface Root<T> {
  readonly epoch: number;
  readonly branches: Branch<T>[];
}

/** The items as they were when the snapshot was taken. */
export class PagesSnapshot<T> {
  private readonly root: Root<T>;
  /** One more than the highest slot that may hold something. */
  readonly length: number;

  constructor(root: Root<T>, length: number) {
    this.root = root;
    this.length = length;
  }

  get(slot: number): T | undefined {
    return this.root.branches[slot >>> 12]?.leaves[(slot >>> 6) & 63]?.[slot & 63];
  }

  *values(): IterableIterator<T> {
    for (const branch of this.root.branches) {
      for (const leaf of branch.leaves) {
        for (const item of leaf) if (item !== undefined) yield item;
      }
    }
  }

  /**
   * What differs from an earlier snapshot of the same pages, or from none, by slot. Pages that both share
   * are passed by.
   */
  *changesSince(
    earlier: PagesSnapshot<T> | undefined,
  ): IterableIterator<[slot: number, before: T | undefined, after: T | undefined]> {
    const old = earlier?.root.branches ?? [];
    const length = Math.max(this.root.branches.length, old.length);
    for (let b = 0; b < length; b += 1) {
      const now = this.root.branches[b];
      const then = old[b];
      if (now === then) continue;
      for (let l = 0; l < 64; l += 1) {
        const after = now?.leaves[l];
        const before = then?.leaves[l];
        if (after === before) continue;
        for (let i = 0; i < 64; i += 1) {
          if (after?.[i] !== before?.[i]) yield [(b << 12) | (l << 6) | i, before?.[i], after?.[i]];
        }
      }
    }
  }
}

export class Pages<T> {
  private epoch = 1;
  private root: Root<T> = { epoch: 1, branches: [] };
  // The current leaves in one row, so that the hot path takes two loads and no walk down the tree.
  private readonly current: Leaf<T>[] = [];
  private readonly epochs: number[] = [];
  /** By slot: the epoch in which an item was put in to be kept, 0 once it was given out. */
  private keptIn = new Uint32Array(64);

  get(slot: number): T | undefined {
    this.keptIn[slot] = 0;
    return this.current[slot >>> 6]?.[slot & 63];
  }

  /** The item, for one who lets nobody else have it. */
  peek(slot: number): T | undefined {
    return this.current[slot >>> 6]?.[slot & 63];
  }

  set(slot: number, item: T | undefined): void {
    this.keptIn[slot] = 0;
    this.put(slot, item);
  }

  /** Sets an item that nobody else has. */
  keep(slot: number, item: T): void {
    this.put(slot, item);
    this.keptIn = roomFor(this.keptIn, slot);
    this.keptIn[slot] = this.epoch;
  }

  /** The item, if nobody else has it: it was put in to be kept, not given out since, and is in no snapshot. */
  kept(slot: number): T | undefined {
    return this.keptIn[slot] === this.epoch ? this.peek(slot) : undefined;
  }

  private put(slot: number, item: T | undefined): void {
    const index = slot >>> 6;
    const leaf =
      this.epochs[index] === this.epoch ? (this.current[index] as Leaf<T>) : this.ownLeaf(index);
    leaf[slot & 63] = item;
  }

  snapshot(): PagesSnapshot<T> {
    this.epoch += 1;
    return new PagesSnapshot(this.root, this.current.length * 64);
  }

  *values(): IterableIterator<T> {
    for (let slot = 0; slot < this.current.length * 64; slot += 1) {
      const item = this.get(slot);
      if (item !== undefined) yield item;
    }
  }

  private ownLeaf(index: number): Leaf<T> {
    while (this.current.length < index) this.putLeaf(this.current.length, emptyLeaf());
    const leaf = this.current[index];
    const own = leaf === undefined ? emptyLeaf<T>() : leaf.slice();
    this.putLeaf(index, own);
    return own;
  }

  private putLeaf(index: number, leaf: Leaf<T>): void {
    const { epoch } = this;
    if (this.root.epoch !== epoch) this.root = { epoch, branches: this.root.branches.slice() };
    const at = index >>> 6;
    let branch = this.root.branches[at];
    if (branch === undefined || branch.epoch !== epoch) {
      branch = { epoch, leaves: branch === undefined ? [] : branch.leaves.slice() };
      this.root.branches[at] = branch;
    }
    branch.leaves[index & 63] = leaf;
    this.current[index] = leaf;
    this.epochs[index] = epoch;
  }
}

/** Sixty-four places in one packed array, so that the engine keeps it as plain pointers. */
function emptyLeaf<T>(): Leaf<T> {
  const items: Leaf<T> = [];
  for (let i = 0; i < 64; i += 1) items.push(undefined);
  return items;
}
