/**
 * The drafts of a transaction, by slot and by id, in the order in which they were touched. Most
 * transactions touch one record: the first draft is found without a map.
 */
import { Draft } from './draft.ts';
import { WorldError } from './errors.ts';
import type { RecordValue, Standing } from './record.ts';
import type { Store } from './store.ts';

/** Up to so many beside the first are found by looking through them, which is quicker than a map. */
const FEW = 8;

export class Drafts {
  size = 0;
  private readonly store: Store;
  private first: Draft | undefined = undefined;
  private readonly others: Draft[] = [];
  private readonly bySlot = new Map<number, Draft>();
  private readonly added = new Map<string, Draft>();
  /** Copies to go back to, the latest last. */
  private readonly saved: { readonly draft: Draft; readonly copy: Draft }[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  at(index: number): Draft {
    return (index === 0 ? this.first : this.others[index - 1]) as Draft;
  }

  /** The draft of the record in a slot, opened if it is not yet. */
  ofSlot(slot: number): Draft {
    const known = this.known(slot);
    if (known !== undefined) return known;
    const record = this.store.get(slot);
    if (record === undefined) {
      throw new WorldError('UNKNOWN_RECORD', 'The record is no longer there.');
    }
    return this.open(Draft.of(slot, record));
  }

  /** The draft of the record of that id, opened if it is not yet; undefined if there is none. */
  ofId(id: string): Draft | undefined {
    const added = this.addedOf(id);
    if (added !== undefined) return added.isRemoved ? undefined : added;
    const slot = this.store.slotOf(id);
    return slot < 0 ? undefined : this.ofSlot(slot);
  }

  /** The record of that id as it is in this transaction, opened or not. */
  find(id: string): Draft | RecordValue | undefined {
    if (this.size === 0) return this.store.find(id);
    const added = this.addedOf(id);
    if (added !== undefined) return added.isRemoved ? undefined : added;
    const slot = this.store.slotOf(id);
    if (slot < 0) return undefined;
    const draft = this.known(slot);
    if (draft === undefined) return this.store.get(slot);
    return draft.isRemoved ? undefined : draft;
  }

  /** Opens a record that is not there yet. */
  add(standing: Standing, time: number): Draft {
    const draft = this.open(Draft.unborn(this.store.reserve(), standing, time));
    this.added.set(standing.id, draft);
    return draft;
  }

  /** The ids of the records, in the order in which they were touched. */
  ids(): string[] {
    return Array.from({ length: this.size }, (_, i) => this.at(i).id);
  }

  /** Keeps a copy of a draft, for `goBackTo`. */
  save(draft: Draft): void {
    this.saved.push({ draft, copy: draft.copy() });
  }

  /** What to go back to. */
  mark(): { readonly size: number; readonly saved: number } {
    return { size: this.size, saved: this.saved.length };
  }

  /** Restores what was saved since the mark, and closes what was opened since. */
  goBackTo(mark: { readonly size: number; readonly saved: number }): void {
    for (const { draft, copy } of this.saved.splice(mark.saved).reverse()) draft.restore(copy);
    while (this.size > mark.size) {
      this.size -= 1;
      const closed = this.others.pop();
      if (closed === undefined) this.first = undefined;
      else this.bySlot.delete(closed.slot);
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
    if (this.size > 1) {
      this.others.length = 0;
      if (this.bySlot.size > 0) this.bySlot.clear();
    }
    this.first = undefined;
    this.size = 0;
    if (this.added.size > 0) this.added.clear();
    if (this.saved.length > 0) this.saved.length = 0;
  }

  private addedOf(id: string): Draft | undefined {
    return this.added.size === 0 ? undefined : this.added.get(id);
  }

  private known(slot: number): Draft | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    if (first.slot === slot) return first;
    const { others } = this;
    if (others.length > FEW) return this.bySlot.get(slot);
    for (const draft of others) {
      if (draft.slot === slot) return draft;
    }
    return undefined;
  }

  /** Keeps the newest by its slot, and all others with it when they have just become many. */
  private index(): void {
    const { others, bySlot } = this;
    for (let i = bySlot.size; i < others.length; i += 1) {
      const draft = others[i] as Draft;
      bySlot.set(draft.slot, draft);
    }
  }

  private open(draft: Draft): Draft {
    if (this.first === undefined) this.first = draft;
    else {
      this.others.push(draft);
      if (this.others.length > FEW) this.index();
    }
    this.size += 1;
    return draft;
  }
}
