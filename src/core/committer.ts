/**
 * Makes what a transaction did so: into the store, then to the indexes, then to those who are woken
 * and those who listen. It decides nothing; it is the one way by which a world changes.
 */
import type { Agenda } from './agenda.ts';
import { type Change, isVisible, type Notice } from './commit.ts';
import type { Draft } from './draft.ts';
import type { Drafts } from './drafts.ts';
import type { Edits } from './edits.ts';
import { type LinkIndex, linkNamesTo } from './link-index.ts';
import type { Outgoing, UnnumberedNotice } from './outgoing.ts';
import type { PlaceIndex } from './place-index.ts';
import { heedsWake, type Links, looksSame, type RecordValue } from './record.ts';
import type { Listeners } from './reports.ts';
import type { Shape } from './sharing.ts';
import type { StateHash } from './state-hash.ts';
import type { Counters } from './stats.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

export interface CommitterParts {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly places: PlaceIndex;
  readonly links: LinkIndex;
  readonly stateHash: StateHash;
  readonly counters: Counters;
  readonly listeners: Listeners;
}

const NO_IDS: readonly string[] = [];

export class Committer {
  private readonly parts: CommitterParts;
  private noticeTime = Number.NaN;
  private noticeOrder = 0;

  constructor(parts: CommitterParts) {
    this.parts = parts;
  }

  /** Commits changes that are no event: nobody is woken, nothing is sent. */
  commitSilently(changes: readonly Change[], time: number): void {
    for (const { slot, before, after } of changes) this.apply(slot, before, after, true);
    this.parts.listeners.commit?.({
      time,
      iteration: this.parts.agenda.iteration,
      changes,
      notices: [],
    });
  }

  /** Commits a transaction. Gives the ids of what changed, if somebody wants them. */
  commit(transaction: Transaction): readonly string[] {
    const { drafts, outgoing } = transaction;
    const { size } = drafts;
    const { links, listeners } = this.parts;
    const isHeard = listeners.commit !== undefined;
    const isQuiet = !this.isHeard && listeners.appearance === undefined;
    for (let i = 0; i < size; i += 1) this.commitDraft(drafts.at(i), isHeard, isQuiet);
    if (links.isHeeded) this.wakeAllLinkers(drafts);
    if (!outgoing.isEmpty) this.send(outgoing);
    const changed = this.tell(transaction);
    transaction.clear();
    return changed;
  }

  /** Puts messages on their way, and counts those that lead nowhere. */
  private send({ deliveries, undeliverable }: Outgoing): void {
    for (const delivery of deliveries) this.parts.agenda.mail.post(delivery);
    for (const { kind, event } of undeliverable) {
      this.parts.counters.countDropped(kind, event.type);
    }
  }

  /** Commits what became of one record. A value before that nobody has is used again. */
  private commitDraft(draft: Draft, isHeard: boolean, isQuiet: boolean): void {
    const { store } = this.parts;
    const { slot, before, after } = draft;
    if (
      isQuiet &&
      before !== undefined &&
      after !== undefined &&
      before.standing === after.standing &&
      store.kept(slot) === before
    ) {
      if (before === after) return;
      store.replace(slot, draft.exchange(before));
      this.indexInPlace(slot, before, after);
    } else if (before !== after) {
      this.apply(slot, before, after && draft.takeOut(), isHeard);
    } else if (before === undefined) {
      store.release(slot);
    }
  }

  /** Commits what a lone timer, first in the heap, did to its record and to those it edits. Nobody hears of it. */
  commitSolo(edits: Edits): void {
    const { store, links } = this.parts;
    const { size } = edits;
    for (let i = 0; i < size; i += 1) {
      const edited = edits.at(i);
      if (!edited.finish()) continue;
      const { slot, before, value, isInPlace } = edited;
      if (!isInPlace) store.replace(slot, value);
      this.indexInPlace(slot, before, value, i === 0);
    }
    if (links.isHeeded) {
      for (let i = 0; i < size; i += 1) {
        const { before, value } = edits.at(i);
        this.wakeLinkers(before, value);
      }
    }
    edits.clear();
  }

  /** Whether somebody wants to hear of every event or commit. */
  get isHeard(): boolean {
    const { commit, event, read } = this.parts.listeners;
    return commit !== undefined || event !== undefined || read !== undefined;
  }

  private wakeAllLinkers(drafts: Drafts): void {
    for (let i = 0; i < drafts.size; i += 1) {
      const { before, after } = drafts.at(i);
      this.wakeLinkers(before, after);
    }
  }

  private wakeLinkers(before: RecordValue | undefined, after: RecordValue | undefined): void {
    if (before === after || !isVisible(before, after)) return;
    const { id } = (after ?? before) as RecordValue;
    for (const linker of this.parts.links.heeding(id)) {
      this.parts.agenda.wake(linker, linkNamesTo(this.parts.store.get(linker) as RecordValue, id));
    }
  }

  private apply(
    slot: number,
    before: RecordValue | undefined,
    after: RecordValue | undefined,
    isHeard: boolean,
  ): void {
    this.parts.store.apply(slot, before, after, isHeard);
    this.index(slot, before, after);
  }

  /** Tells the indexes of a change. */
  private index(
    slot: number,
    before: RecordValue | undefined,
    after: RecordValue | undefined,
  ): void {
    if (before !== undefined && after !== undefined && before.standing === after.standing) {
      this.indexInPlace(slot, before, after);
      return;
    }
    const { agenda, places, links, stateHash } = this.parts;
    agenda.changed(slot, before, after);
    stateHash.changed(slot);
    places.changed(slot, before, after);
    links.changed(slot, before, after);
    this.conditionChanged(slot, before, after);
    if (before !== undefined && after !== undefined && before.links !== after.links) {
      // It is linked anew, and what it waits for may be there.
      if (heedsWake(after)) agenda.wake(slot, changedLinks(before.links, after.links));
    }
  }

  /** The same for a record that is where it was, linked as it was: so most commits leave it. */
  private indexInPlace(
    slot: number,
    before: RecordValue,
    after: RecordValue,
    isFirst = false,
  ): void {
    const { agenda, links, stateHash } = this.parts;
    if (isFirst) agenda.planAgain(slot, before, after);
    else agenda.changed(slot, before, after);
    stateHash.changed(slot);
    const isAlike = before.rarity === after.rarity && isAlikeShape(before.shape, after.shape);
    if (!isAlike && !links.isEmpty) links.changed(slot, before, after);
    if (!isAlike || (before.planned === undefined) !== (after.planned === undefined)) {
      this.conditionChanged(slot, before, after);
    }
  }

  /** Its condition or its place may be another, or it came or went. */
  private conditionChanged(
    slot: number,
    before: RecordValue | undefined,
    after: RecordValue | undefined,
  ): void {
    const { counters, listeners } = this.parts;
    counters.changed(slot, before, after);
    if (listeners.appearance === undefined) return;
    if (before !== undefined && after !== undefined && looksSame(before, after)) return;
    // Asked of the store, which then knows that others have the value.
    listeners.appearance({ slot, before, after: this.parts.store.get(slot) });
  }

  /** The changes of the transaction that is being committed. */
  private changes({ drafts }: Transaction): Change[] {
    const changes: Change[] = [];
    for (let i = 0; i < drafts.size; i += 1) {
      const { slot, before, after } = drafts.at(i);
      if (before !== after) changes.push({ slot, before, after });
    }
    return changes;
  }

  /** Tells those who listen. Gives the ids of what changed, if somebody wants them. */
  private tell(transaction: Transaction): readonly string[] {
    const { listeners } = this.parts;
    const { time, iteration, outgoing } = transaction;
    if (outgoing.isEmpty && listeners.commit === undefined && listeners.event === undefined) {
      return NO_IDS;
    }
    if (outgoing.logs.length > 0 && listeners.log !== undefined) {
      for (const log of outgoing.logs) listeners.log({ ...log, time });
    }
    const { commit, notice, event } = listeners;
    const isHeard = commit !== undefined || event !== undefined;
    if (outgoing.notices.length === 0 && !isHeard) return NO_IDS;
    this.number(outgoing.notices, time);
    const notices: readonly Notice[] =
      commit === undefined ? outgoing.notices : outgoing.notices.slice();
    const changes = isHeard ? this.changes(transaction) : [];
    if (commit !== undefined && changes.length + notices.length > 0) {
      commit({ time, iteration, changes, notices });
    }
    if (notice !== undefined) for (const each of notices) notice(each);
    return event === undefined
      ? NO_IDS
      : changes.map(({ before, after }) => (after ?? before)?.id ?? '');
  }

  /** Gives notices their place among those of their game time. */
  private number(notices: readonly UnnumberedNotice[], time: number): void {
    if (this.noticeTime !== time) {
      this.noticeTime = time;
      this.noticeOrder = 0;
    }
    for (const notice of notices) {
      notice.order = this.noticeOrder;
      this.noticeOrder += 1;
    }
    this.parts.counters.notices += notices.length;
  }
}

/** Whether records in two shapes of a kind, with the same before them, are in one condition and heed the same. */
function isAlikeShape(a: Shape, b: Shape): boolean {
  return a === b || (a.status === b.status && a.heedsWake === b.heedsWake);
}

/** The names of links that lead elsewhere than before, sorted. */
function changedLinks(before: Links, after: Links): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort();
}
