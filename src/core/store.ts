/**
 * All the records of a world. The store holds values by slot and finds slots by id; it is changed
 * only by commits. A slot is a small number that a record keeps while it lives: columns of the heap
 * and the indexes are by slot, and nothing outside the core sees one.
 */
import { hash32 } from './hash.ts';
import { IdIndex, type IdIndexSnapshot } from './id-index.ts';
import { TurnOrder, turnRank } from './order.ts';
import { Pages, type PagesSnapshot } from './pages.ts';
import type { RecordValue, Standing } from './record.ts';
import { Repeaters } from './repeaters.ts';
import { roomFor } from './typed-arrays.ts';

/** The records as they were when the snapshot was taken. */
export class StoreSnapshot {
  readonly size: number;
  private readonly pages: PagesSnapshot<RecordValue>;
  private readonly ids: IdIndexSnapshot;
  /** Brings the value of a slot up to date, if it was behind when the snapshot was taken. */
  private readonly catchUp: (slot: number) => void;

  constructor(
    pages: PagesSnapshot<RecordValue>,
    ids: IdIndexSnapshot,
    size: number,
    catchUp: (slot: number) => void,
  ) {
    this.pages = pages;
    this.ids = ids;
    this.size = size;
    this.catchUp = catchUp;
  }

  find(id: string): RecordValue | undefined {
    const slot = this.ids.slotOf(id, (candidate) => this.pages.get(candidate)?.id);
    return slot < 0 ? undefined : this.get(slot);
  }

  get(slot: number): RecordValue | undefined {
    this.catchUp(slot);
    return this.pages.get(slot);
  }

  *values(): IterableIterator<RecordValue> {
    for (let slot = 0; slot < this.pages.length; slot += 1) {
      const value = this.get(slot);
      if (value !== undefined) yield value;
    }
  }

  /** What differs from an earlier snapshot of the same store, or from an empty one. */
  *changesSince(
    earlier: StoreSnapshot | undefined,
  ): IterableIterator<
    [slot: number, before: RecordValue | undefined, after: RecordValue | undefined]
  > {
    for (const change of this.pages.changesSince(earlier?.pages)) {
      // In an earlier epoch it was caught up with at the latest by what made it another.
      this.catchUp(change[0]);
      yield change;
    }
  }
}

/** For so many records it is remembered where their link led. A power of two. */
const REMEMBERED = 1024;

export class Store {
  readonly order: TurnOrder;
  /** Those whose values may be behind; whoever asks for one gets it as it is now. */
  readonly repeaters = new Repeaters();
  size = 0;
  private readonly pages = new Pages<RecordValue>();
  private readonly ids: IdIndex;
  private idHashes = new Uint32Array(64);
  private readonly free: number[] = [];
  private slots = 0;
  private readonly linked = new Int32Array(REMEMBERED);

  constructor() {
    const idOf = (slot: number): string | undefined => this.standingOf(slot)?.id;
    this.order = new TurnOrder(idOf);
    this.ids = new IdIndex(idOf);
  }

  get(slot: number): RecordValue | undefined {
    this.catchUp(slot);
    return this.pages.get(slot);
  }

  /** The record, for one who lets nobody have its value. */
  peek(slot: number): RecordValue | undefined {
    this.catchUp(slot);
    return this.pages.peek(slot);
  }

  /** The record, if nobody has its value: then it may become the next one itself. */
  kept(slot: number): RecordValue | undefined {
    this.catchUp(slot);
    return this.pages.kept(slot);
  }

  /** What seldom changes of a record, and nothing that is ever behind. */
  standingOf(slot: number): Standing | undefined {
    return this.pages.peek(slot)?.standing;
  }

  /** The slot of that id, or −1. */
  slotOf(id: string): number {
    return typeof id === 'string' ? this.ids.slotOf(id) : -1;
  }

  /** The same for where the record in another slot links to, which is mostly where it led the last time. */
  slotOfLinked(from: number, id: string): number {
    const place = from & (REMEMBERED - 1);
    const last = this.linked[place] as number;
    if (this.standingOf(last)?.id === id) return last;
    const slot = this.slotOf(id);
    if (slot >= 0) this.linked[place] = slot;
    return slot;
  }

  find(id: string): RecordValue | undefined {
    const slot = this.slotOf(id);
    return slot < 0 ? undefined : this.get(slot);
  }

  /** A slot for a record to come; `release` gives it back if it does not come. */
  reserve(): number {
    const free = this.free.pop();
    if (free !== undefined) return free;
    this.slots += 1;
    return this.slots - 1;
  }

  release(slot: number): void {
    this.free.push(slot);
  }

  /** Carries out one change of a commit; `isHeard` if others have the values too. */
  apply(
    slot: number,
    before: RecordValue | undefined,
    after: RecordValue | undefined,
    isHeard: boolean,
  ): void {
    if (before === undefined && after !== undefined) this.enter(slot, after);
    if (isHeard || after === undefined) this.pages.set(slot, after);
    else this.pages.keep(slot, after);
    if (after === undefined && before !== undefined) {
      this.ids.remove(this.idHashes[slot] as number, slot);
      this.size -= 1;
      this.free.push(slot);
    }
  }

  /** Carries out a change of a record that was there and stays, to a value that nobody has. */
  replace(slot: number, after: RecordValue): void {
    this.pages.keep(slot, after);
  }

  snapshot(): StoreSnapshot {
    const epoch = this.repeaters.raiseEpoch();
    return new StoreSnapshot(this.pages.snapshot(), this.ids.snapshot(), this.size, (slot) => {
      if (this.repeaters.isBehind(slot, epoch)) this.catchUp(slot);
    });
  }

  *values(): IterableIterator<RecordValue> {
    for (let slot = 0; slot < this.slots; slot += 1) {
      const value = this.get(slot);
      if (value !== undefined) yield value;
    }
  }

  private catchUp(slot: number): void {
    if (this.repeaters.has(slot)) this.repeaters.end(slot, this.pages.peek(slot) as RecordValue);
  }

  private enter(slot: number, record: RecordValue): void {
    const hash = hash32(record.id);
    this.idHashes = roomFor(this.idHashes, slot);
    this.idHashes[slot] = hash;
    this.order.set(slot, turnRank(record.kind.order, hash));
    this.ids.add(hash, slot, (other) => this.idHashes[other] as number);
    this.size += 1;
  }
}
