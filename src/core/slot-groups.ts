/** Slots in groups (a kind, a cell) as linked lists in typed arrays: joining and leaving take constant time and no objects. */
import { roomFor } from './typed-arrays.ts';

const NONE = -1;

export class SlotGroups {
  private next = new Int32Array(64).fill(NONE);
  private previous = new Int32Array(64).fill(NONE);
  private readonly heads: number[] = [];
  private readonly counts: number[] = [];

  /** How many slots are in a group. */
  count(group: number): number {
    return this.counts[group] ?? 0;
  }

  join(slot: number, group: number): void {
    this.next = roomFor(this.next, slot, NONE);
    this.previous = roomFor(this.previous, slot, NONE);
    while (this.heads.length <= group) {
      this.heads.push(NONE);
      this.counts.push(0);
    }
    const head = this.heads[group] as number;
    this.next[slot] = head;
    this.previous[slot] = NONE;
    if (head !== NONE) this.previous[head] = slot;
    this.heads[group] = slot;
    this.counts[group] = this.count(group) + 1;
  }

  leave(slot: number, group: number): void {
    const next = this.next[slot] as number;
    const previous = this.previous[slot] as number;
    if (next !== NONE) this.previous[next] = previous;
    if (previous !== NONE) this.next[previous] = next;
    else this.heads[group] = next;
    this.counts[group] = this.count(group) - 1;
  }

  *slots(group: number): IterableIterator<number> {
    for (let slot = this.heads[group] ?? NONE; slot !== NONE; slot = this.next[slot] as number)
      yield slot;
  }
}
