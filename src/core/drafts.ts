/**
 * The drafts of a transaction, by slot and by id, in the order in which they were touched. Most
 * transactions touch a few records, which are found without a map.
 */
import { Draft } from './draft.ts';
import { WorldError } from './errors.ts';
import type { RecordValue, Standing } from './record.ts';
import type { Store } from './store.ts';

/** Up to so many are found by looking through them, which is quicker than a map. */
const FEW = 8;

export class Drafts {
  size = 0;
  private readonly store: Store;
  /** The first `size` are open; those after them were, and are used again. */
  private readonly list: (Draft | undefined)[] = Array.from({ length: FEW }, () => undefined);
  private readonly bySlot = new Map<number, Draft>();
  private readonly added = new Map<string, Draft>();
  /** Whether any is to be gone. */
  private hasRemoved = false;
  /** Copies to go back to, the latest last. */
  private readonly saved: { readonly draft: Draft; readonly copy: Draft }[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  at(index: number): Draft {
    return this.list[index] as Draft;
  }

  /** The draft of the record in a slot, opened if it is not yet. */
  ofSlot(slot: number): Draft {
    return this.opened(slot) ?? this.open(slot);
  }

  /** Opens the record in a slot, which is not open yet. */
  open(slot: number): Draft {
    const record = this.store.peek(slot);
    if (record === undefined) {
      throw new WorldError('UNKNOWN_RECORD', 'The record is no longer there.');
    }
    const used = this.list[this.size];
    if (used === undefined || this.size >= FEW) return this.put(Draft.of(slot, record));
    this.size += 1;
    return used.reopen(slot, record);
  }

  /** The draft of the record in a slot, if it is open already. */
  opened(slot: number): Draft | undefined {
    const { list, size } = this;
    if (size > FEW) return this.bySlot.get(slot);
    for (let i = 0; i < size; i += 1) {
      const draft = list[i] as Draft;
      if (draft.slot === slot) return draft;
    }
    return undefined;
  }

  /** The slot of the record of that id as it is in this transaction; −1 if there is none. */
  slotOf(id: string): number {
    const added = this.added.size === 0 ? undefined : this.added.get(id);
    return this.unlessRemoved(added === undefined ? this.store.slotOf(id) : added.slot);
  }

  /** The same for where the record in another slot links to. */
  slotOfLinked(from: number, id: string): number {
    return this.added.size === 0
      ? this.unlessRemoved(this.store.slotOfLinked(from, id))
      : this.slotOf(id);
  }

  /** The draft of the record of that id, opened if it is not yet; undefined if there is none. */
  ofId(id: string): Draft | undefined {
    const slot = this.slotOf(id);
    return slot < 0 ? undefined : this.ofSlot(slot);
  }

  /** The record of that id as it is in this transaction, opened or not, for one who does not keep it. */
  find(id: string): Draft | RecordValue | undefined {
    const slot = this.slotOf(id);
    return slot < 0 ? undefined : (this.opened(slot) ?? this.store.peek(slot));
  }

  /** Opens a record that is not there yet. */
  add(standing: Standing, time: number): Draft {
    const draft = this.put(Draft.unborn(this.store.reserve(), standing, time));
    this.added.set(standing.id, draft);
    return draft;
  }

  /** Marks a record to be gone. */
  remove(draft: Draft): void {
    draft.isRemoved = true;
    this.hasRemoved = true;
  }

  /** The ids of the records, in the order in which they were touched. */
  ids(): string[] {
    return Array.from({ length: this.size }, (_, i) => this.at(i).id);
  }

  /** Keeps a copy of a draft, for `goBackTo`. */
  save(draft: Draft): void {
    this.saved.push({ draft, copy: draft.copy() });
  }

  /** How many copies are kept. */
  get savedCount(): number {
    return this.saved.length;
  }

  /** Restores what was saved when there were more than so many copies, and closes all but so many drafts. */
  goBackTo(size: number, savedCount: number): void {
    for (const { draft, copy } of this.saved.splice(savedCount).reverse()) draft.restore(copy);
    while (this.size > size) {
      this.size -= 1;
      if (this.bySlot.size > 0) this.bySlot.delete(this.at(this.size).slot);
    }
  }

  /** Gives back the slots of records that will not come. */
  release(): void {
    for (let i = 0; i < this.size; i += 1) {
      const draft = this.at(i);
      if (draft.before === undefined) this.store.release(draft.slot);
    }
  }

  clear(): void {
    const { list } = this;
    if (list.length > FEW) list.length = FEW;
    if (this.bySlot.size > 0) this.bySlot.clear();
    this.size = 0;
    this.hasRemoved = false;
    if (this.added.size > 0) this.added.clear();
    if (this.saved.length > 0) this.saved.length = 0;
  }

  private unlessRemoved(slot: number): number {
    return this.hasRemoved && this.opened(slot)?.isRemoved === true ? -1 : slot;
  }

  private put(draft: Draft): Draft {
    this.list[this.size] = draft;
    this.size += 1;
    if (this.size > FEW) this.index();
    return draft;
  }

  /** Keeps the newest by its slot, and all others with it when they have just become many. */
  private index(): void {
    for (let i = this.bySlot.size; i < this.size; i += 1) {
      const draft = this.at(i);
      this.bySlot.set(draft.slot, draft);
    }
  }
}
