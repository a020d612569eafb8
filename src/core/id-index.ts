/**
 * From a record's id to its slot: a hash table of slots in pages with an epoch, open addressing with
 * linear probing. It holds no ids: whoever looks up compares with the records, of now or of a
 * snapshot. Eight bytes a record, and a snapshot in constant time.
 */
import { hash32 } from './hash.ts';

const PAGE = 1024;
const EMPTY = 0;
const REMOVED = -1;

interface Page {
  readonly epoch: number;
  readonly entries: Int32Array;
}

/** Gives the id of the record in a slot. */
export type IdOf = (slot: number) => string | undefined;

function lookUp(pages: readonly Page[], id: string, hash: number, idOf: IdOf): number {
  const mask = pages.length * PAGE - 1;
  for (let at = hash & mask; ; at = (at + 1) & mask) {
    const entry = ((pages[at >>> 10] as Page).entries[at & (PAGE - 1)] as number) | 0;
    if (entry === EMPTY) return -1;
    if (entry !== REMOVED && idOf(entry - 1) === id) return entry - 1;
  }
}

export class IdIndexSnapshot {
  private readonly pages: readonly Page[];

  constructor(pages: readonly Page[]) {
    this.pages = pages;
  }

  /** The slot of that id, or −1. */
  slotOf(id: string, idOf: IdOf): number {
    return lookUp(this.pages, id, hash32(id), idOf);
  }
}

export class IdIndex {
  private epoch = 1;
  private rootEpoch = 1;
  private pages: Page[] = [emptyPage(1)];
  private used = 0;
  private removed = 0;
  private readonly idOf: IdOf;

  constructor(idOf: IdOf) {
    this.idOf = idOf;
  }

  /** The slot of that id, or −1. */
  slotOf(id: string): number {
    return lookUp(this.pages, id, hash32(id), this.idOf);
  }

  /** Adds an id that is not there yet. */
  add(hash: number, slot: number, hashOf: (slot: number) => number): void {
    if ((this.used + this.removed + 1) * 2 > this.pages.length * PAGE) this.rehash(hashOf);
    this.place(hash, slot);
    this.used += 1;
  }

  remove(hash: number, slot: number): void {
    const mask = this.pages.length * PAGE - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = (this.pages[at >>> 10] as Page).entries[at & (PAGE - 1)];
      if (entry === EMPTY) return;
      if (entry === slot + 1) {
        this.own(at >>> 10).entries[at & (PAGE - 1)] = REMOVED;
        this.used -= 1;
        this.removed += 1;
        return;
      }
    }
  }

  snapshot(): IdIndexSnapshot {
    this.epoch += 1;
    return new IdIndexSnapshot(this.pages);
  }

  private place(hash: number, slot: number): void {
    const mask = this.pages.length * PAGE - 1;
    let at = hash & mask;
    while ((this.pages[at >>> 10] as Page).entries[at & (PAGE - 1)] !== EMPTY) at = (at + 1) & mask;
    this.own(at >>> 10).entries[at & (PAGE - 1)] = slot + 1;
  }

  private own(index: number): Page {
    const page = this.pages[index] as Page;
    if (page.epoch === this.epoch) return page;
    if (this.rootEpoch !== this.epoch) {
      this.pages = this.pages.slice();
      this.rootEpoch = this.epoch;
    }
    const own = { epoch: this.epoch, entries: page.entries.slice() };
    this.pages[index] = own;
    return own;
  }

  /** Leaves the places of removed ids behind, and doubles the table if it is still half full. */
  private rehash(hashOf: (slot: number) => number): void {
    const old = this.pages;
    const length = (this.used + 1) * 4 > old.length * PAGE ? old.length * 2 : old.length;
    this.pages = Array.from({ length }, () => emptyPage(this.epoch));
    this.rootEpoch = this.epoch;
    this.removed = 0;
    for (const page of old) {
      for (const entry of page.entries) if (entry > 0) this.place(hashOf(entry - 1), entry - 1);
    }
  }
}

function emptyPage(epoch: number): Page {
  return { epoch, entries: new Int32Array(PAGE) };
}
