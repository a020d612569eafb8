/**
 * Which records lie in which region, kept from one save to the next by what changed in between, and
 * with it which regions are no longer as the last committed generation has them. So a save looks at
 * the records of these alone, however large the world is.
 */
import { squareOf } from '../core/place-index.ts';
import type { RecordValue } from '../core/record.ts';
import { SlotGroups } from '../core/slot-groups.ts';
import type { WorldSnapshot } from '../core/snapshot.ts';
import { roomFor } from '../core/typed-arrays.ts';
import type { Slices } from './slices.ts';

/** Records between two looks at the watch. */
const BETWEEN = 256;

/** The regions that have to be written. */
export interface ChangedRegions {
  /** Whether they are all there are: no file of an earlier generation is of any use. */
  readonly isWhole: boolean;
  /** The records of each, in no order; none where the last has left. */
  readonly records: Map<string, RecordValue[]>;
}

export class RegionIndex {
  private regionSize: number;
  /** What the last committed generation holds, until it is sorted. */
  private base: WorldSnapshot | undefined;
  /** Regions to be written although no record of them changed, until the base is sorted. */
  private readonly dirty: Iterable<string>;
  /** The snapshot that all below is of; undefined: of none. */
  private last: WorldSnapshot | undefined;
  private isWhole = true;
  // Regions go by numbers.
  private numbers = new Map<string, number>();
  private names: string[] = [];
  private free: number[] = [];
  private slots = new SlotGroups();
  private regionOfSlot = new Int32Array(64);
  private readonly changed = new Set<number>();

  /** Goes on from a generation, of which the regions `dirty` are no longer as they should be. */
  constructor(base: WorldSnapshot | undefined, regionSize: number, dirty: Iterable<string>) {
    this.base = base;
    this.regionSize = regionSize;
    this.dirty = dirty;
  }

  /** What a generation of a snapshot has to write. The snapshot is not older than those before. */
  async changedIn(
    snapshot: WorldSnapshot,
    regionSize: number,
    slices: Slices,
  ): Promise<ChangedRegions> {
    const { base } = this;
    this.base = undefined;
    if (regionSize !== this.regionSize) this.beginAnew(regionSize);
    else if (base !== undefined) {
      await this.goOnTo(base, slices);
      this.committed();
      for (const region of this.dirty) this.changed.add(this.numberOf(region));
    }
    await this.goOnTo(snapshot, slices);
    return { isWhole: this.isWhole, records: await this.recordsOfChanged(snapshot, slices) };
  }

  /** The snapshot that was asked about last is now that of a committed generation. */
  committed(): void {
    for (const region of this.changed) {
      if (this.slots.count(region) > 0) continue;
      this.numbers.delete(this.names[region] as string);
      this.free.push(region);
    }
    this.changed.clear();
    this.isWhole = false;
  }

  private beginAnew(regionSize: number): void {
    this.regionSize = regionSize;
    this.last = undefined;
    this.isWhole = true;
    this.numbers = new Map();
    this.names = [];
    this.free = [];
    this.slots = new SlotGroups();
    this.changed.clear();
  }

  private async goOnTo(snapshot: WorldSnapshot, slices: Slices): Promise<void> {
    let count = 0;
    for (const [slot, before, after] of snapshot.changesSince(this.last)) {
      this.put(slot, before, after);
      count += 1;
      if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
    }
    this.last = snapshot;
  }

  private put(slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void {
    this.regionOfSlot = roomFor(this.regionOfSlot, slot);
    const was = this.regionOfSlot[slot] as number;
    if (before !== undefined) {
      this.changed.add(was);
      if (before.at === after?.at) return;
      this.slots.leave(slot, was);
    }
    if (after === undefined) return;
    const now = this.numberOf(squareOf(after.at, this.regionSize));
    this.regionOfSlot[slot] = now;
    this.slots.join(slot, now);
    this.changed.add(now);
  }

  private numberOf(region: string): number {
    let number = this.numbers.get(region);
    if (number === undefined) {
      number = this.free.pop() ?? this.numbers.size;
      this.numbers.set(region, number);
      this.names[number] = region;
    }
    return number;
  }

  private async recordsOfChanged(
    snapshot: WorldSnapshot,
    slices: Slices,
  ): Promise<Map<string, RecordValue[]>> {
    const records = new Map<string, RecordValue[]>();
    let count = 0;
    for (const region of this.changed) {
      const list: RecordValue[] = [];
      for (const slot of this.slots.slots(region)) {
        list.push(snapshot.valueIn(slot) as RecordValue);
        count += 1;
        if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
      }
      records.set(this.names[region] as string, list);
    }
    return records;
  }
}
