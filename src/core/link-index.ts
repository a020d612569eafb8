/**
 * Who links to whom, and which of them would heed a wake. A change of a record visits only the
 * linkers that wait for something, so a stash with ten thousand busy stations wakes none of them.
 */
import type { ChangeListener } from './commit.ts';
import { heedsWake, NO_LINKS, type RecordValue } from './record.ts';

interface Linkers {
  readonly heeding: Set<number>;
  readonly deaf: Set<number>;
}

const NOBODY: ReadonlySet<number> = new Set();

export class LinkIndex implements ChangeListener {
  /** How many entries are of records that would heed a wake. */
  private heeders = 0;
  private readonly linkersOf = new Map<string, Linkers>();

  changed(slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void {
    if (
      before !== undefined &&
      after !== undefined &&
      before.standing === after.standing &&
      heedsWake(before) === heedsWake(after)
    ) {
      return;
    }
    const linksBefore = before === undefined ? NO_LINKS : before.links;
    const linksAfter = after === undefined ? NO_LINKS : after.links;
    if (linksBefore === NO_LINKS && linksAfter === NO_LINKS) return;
    if (linksBefore !== linksAfter) {
      for (const target of Object.values(linksBefore)) this.drop(slot, target);
    } else if (
      before !== undefined &&
      after !== undefined &&
      heedsWake(before) === heedsWake(after)
    ) {
      return;
    }
    if (after === undefined) return;
    const heeds = heedsWake(after);
    for (const target of Object.values(linksAfter)) this.put(slot, target, heeds);
  }

  /** Whether no record links to any. */
  get isEmpty(): boolean {
    return this.linkersOf.size === 0;
  }

  /** Whether any record that links to another would heed a wake. */
  get isHeeded(): boolean {
    return this.heeders > 0;
  }

  /** Slots that link to that id and would heed a wake. */
  heeding(id: string): ReadonlySet<number> {
    return this.linkersOf.get(id)?.heeding ?? NOBODY;
  }

  /** Slots that link to that id, in no order. */
  *linkers(id: string): IterableIterator<number> {
    const linkers = this.linkersOf.get(id);
    if (linkers === undefined) return;
    yield* linkers.heeding;
    yield* linkers.deaf;
  }

  private put(slot: number, target: string, heeds: boolean): void {
    let linkers = this.linkersOf.get(target);
    if (linkers === undefined) {
      linkers = { heeding: new Set(), deaf: new Set() };
      this.linkersOf.set(target, linkers);
    }
    const { heeding, deaf } = linkers;
    this.heeders -= heeding.size;
    (heeds ? deaf : heeding).delete(slot);
    (heeds ? heeding : deaf).add(slot);
    this.heeders += heeding.size;
  }

  private drop(slot: number, target: string): void {
    const linkers = this.linkersOf.get(target);
    if (linkers === undefined) return;
    if (linkers.heeding.delete(slot)) this.heeders -= 1;
    linkers.deaf.delete(slot);
    if (linkers.heeding.size === 0 && linkers.deaf.size === 0) this.linkersOf.delete(target);
  }
}

/** The names of a record's links that lead to that id, sorted. */
export function linkNamesTo(record: RecordValue, id: string): string[] {
  return Object.keys(record.links)
    .filter((name) => record.links[name] === id)
    .sort();
}
