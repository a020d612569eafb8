/**
 * The next event of every record: an indexed 4-ary min-heap over typed arrays. One entry a slot;
 * setting, moving and removing one take O(log n). Keys lie in heap order, so that the four children
 * of an entry share a cache line. Equal keys come in the order of turns.
 */
import type { TurnOrder } from './order.ts';
import { roomFor } from './typed-arrays.ts';

const ABSENT = -1;

export class Heap {
  size = 0;
  private keys = new Float64Array(64);
  private slots = new Int32Array(64);
  private positions = new Int32Array(64).fill(ABSENT);
  private readonly order: TurnOrder;

  constructor(order: TurnOrder) {
    this.order = order;
    this.keys[0] = Number.POSITIVE_INFINITY;
  }

  /** The earliest key, Infinity if the heap is empty. */
  get topKey(): number {
    return this.keys[0] as number;
  }

  /** The slot of the earliest key; meaningless if the heap is empty. */
  get topSlot(): number {
    return this.slots[0] as number;
  }

  /** The slot's key, Infinity if it has none. */
  keyOf(slot: number): number {
    const position = slot < this.positions.length ? (this.positions[slot] as number) : ABSENT;
    return position === ABSENT ? Number.POSITIVE_INFINITY : (this.keys[position] as number);
  }

  /** Gives a slot its key, whether it had one or not. */
  set(slot: number, key: number): void {
    if (slot >= this.positions.length) this.positions = roomFor(this.positions, slot, ABSENT);
    const position = this.positions[slot] as number;
    if (position === ABSENT) {
      const last = this.size;
      this.keys = roomFor(this.keys, last);
      this.slots = roomFor(this.slots, last);
      this.size = last + 1;
      this.slots[last] = slot;
      this.keys[last] = key;
      this.rise(last);
      return;
    }
    const before = this.keys[position] as number;
    if (key === before) return;
    this.keys[position] = key;
    if (key < before) this.rise(position);
    else this.sink(position);
  }

  /** Gives the slot of the earliest key a later one. */
  postponeTop(key: number): void {
    this.keys[0] = key;
    this.sink(0);
  }

  remove(slot: number): void {
    const position = slot < this.positions.length ? (this.positions[slot] as number) : ABSENT;
    if (position === ABSENT) return;
    this.positions[slot] = ABSENT;
    this.size -= 1;
    if (position === this.size) {
      if (position === 0) this.keys[0] = Number.POSITIVE_INFINITY;
      return;
    }
    const lastSlot = this.slots[this.size] as number;
    const lastKey = this.keys[this.size] as number;
    this.slots[position] = lastSlot;
    this.keys[position] = lastKey;
    // The last entry fills the gap; it may belong above or below it.
    if (position > 0 && this.isBefore(lastKey, lastSlot, (position - 1) >> 2)) this.rise(position);
    else this.sink(position);
  }

  /** The slots with a key of at most `until`, in no order. Visits only those and their children. */
  dueBy(until: number): number[] {
    const due: number[] = [];
    const open = this.size > 0 ? [0] : [];
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      if ((this.keys[position] as number) > until) continue;
      due.push(this.slots[position] as number);
      const first = position * 4 + 1;
      for (let child = first; child < Math.min(first + 4, this.size); child += 1) open.push(child);
    }
    return due;
  }

  /** The first `count` slots in order. */
  earliest(count: number): number[] {
    const { keys, slots } = this;
    const found: number[] = [];
    const open = this.size > 0 ? [0] : [];
    while (found.length < count && open.length > 0) {
      let best = 0;
      for (let i = 1; i < open.length; i += 1) {
        const position = open[i] as number;
        if (
          this.isBefore(keys[position] as number, slots[position] as number, open[best] as number)
        )
          best = i;
      }
      const [position] = open.splice(best, 1) as [number];
      found.push(slots[position] as number);
      const first = position * 4 + 1;
      for (let child = first; child < Math.min(first + 4, this.size); child += 1) open.push(child);
    }
    return found;
  }

  private isBefore(key: number, slot: number, position: number): boolean {
    const other = this.keys[position] as number;
    return (
      key < other || (key === other && this.order.compare(slot, this.slots[position] as number) < 0)
    );
  }

  // A key is handed over in its place: as an argument it would be boxed.

  /** Moves an entry up to where it belongs. */
  private rise(from: number): void {
    const { keys, slots, positions } = this;
    const slot = slots[from] as number;
    const key = keys[from] as number;
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 2;
      if (!this.isBefore(key, slot, parent)) break;
      const parentSlot = slots[parent] as number;
      keys[position] = keys[parent] as number;
      slots[position] = parentSlot;
      positions[parentSlot] = position;
      position = parent;
    }
    keys[position] = key;
    slots[position] = slot;
    positions[slot] = position;
  }

  /** Moves an entry down to where it belongs. */
  private sink(from: number): void {
    const { keys, slots, positions, size } = this;
    const { ranks } = this.order;
    const slot = slots[from] as number;
    const key = keys[from] as number;
    let position = from;
    for (;;) {
      const first = position * 4 + 1;
      if (first >= size) break;
      const end = Math.min(first + 4, size);
      let best = first;
      let bestKey = keys[first] as number;
      for (let child = first + 1; child < end; child += 1) {
        const childKey = keys[child] as number;
        if (childKey > bestKey) continue;
        if (childKey === bestKey) {
          const a = slots[child] as number;
          const b = slots[best] as number;
          const difference = (ranks[a] as number) - (ranks[b] as number);
          if (difference > 0 || (difference === 0 && this.order.compare(a, b) > 0)) continue;
        }
        best = child;
        bestKey = childKey;
      }
      const bestSlot = slots[best] as number;
      if (key < bestKey || (key === bestKey && this.order.compare(slot, bestSlot) < 0)) break;
      keys[position] = bestKey;
      slots[position] = bestSlot;
      positions[bestSlot] = position;
      position = best;
    }
    keys[position] = key;
    slots[position] = slot;
    positions[slot] = position;
  }
}
