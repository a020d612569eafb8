/**
 * The loop of the world: takes what is due next from the agenda, runs it as one transaction, commits
 * it, and tells the listeners. Each call of `runOne` is exactly one event, so a budget may stop
 * between any two and nothing that happens depends on where it stops.
 */
import type { Agenda } from './agenda.ts';
import { type Change, type Commit, isVisible, type Notice } from './commit.ts';
import type { Draft } from './draft.ts';
import { codeOf, messageOf, WorldError } from './errors.ts';
import { isMutationOfFrozen } from './freeze.ts';
import { type LinkIndex, linkNamesTo } from './link-index.ts';
import { type MachineEvent, WAKE } from './logic.ts';
import { RANK } from './pending.ts';
import type { PlaceIndex } from './place-index.ts';
import { withNextStep } from './planning.ts';
import { type Fault, heedsWake, isSameCondition, type RecordValue } from './record.ts';
import type { Settings } from './settings.ts';
import type { Planned } from './sharing.ts';
import type { StateHash } from './state-hash.ts';
import type { Counters } from './stats.ts';
import type { Store } from './store.ts';
import type { Delivery, Transaction, UnnumberedNotice } from './transaction.ts';

/** What made an event happen. */
export type Cause = 'timer' | 'prediction' | 'step' | 'message' | 'wake' | 'command';

/** One event, once it is over. */
export interface EventReport {
  /** Game time in milliseconds. */
  readonly time: number;
  readonly iteration: number;
  /** The record whose event it was. */
  readonly id: string;
  readonly kind: string;
  readonly cause: Cause;
  readonly event: MachineEvent;
  /** Whether the machine took it. */
  readonly taken: boolean;
  /** Why it failed, if it did. */
  readonly fault: Fault | null;
  /** Ids of the records it changed. */
  readonly changed: readonly string[];
}

/** A set of records an event depended on. */
export type ReadSet =
  | { readonly type: 'linkers'; readonly id: string }
  | {
      readonly type: 'selection';
      readonly kind?: string;
      readonly within?: { readonly at: readonly number[]; readonly radius: number };
    };

/** What an event looked at, whether or not it took anything. */
export interface ReadReport {
  readonly time: number;
  readonly iteration: number;
  readonly id: string;
  readonly event: MachineEvent;
  /** Ids looked up, present or not, its own first. */
  readonly ids: readonly string[];
  readonly sets: readonly ReadSet[];
}

/** Who hears what happens; absent ones cost nothing. */
export interface Listeners {
  commit: ((commit: Commit) => void) | undefined;
  notice: ((notice: Notice) => void) | undefined;
  fault: ((fault: Fault & { readonly id: string; readonly kind: string }) => void) | undefined;
  wake:
    | ((wake: {
        readonly id: string;
        readonly links: readonly string[];
        readonly time: number;
      }) => void)
    | undefined;
  event: ((report: EventReport) => void) | undefined;
  read: ((report: ReadReport) => void) | undefined;
  log:
    | ((log: { readonly id: string; readonly time: number; readonly params: unknown }) => void)
    | undefined;
}

export interface SchedulerParts {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly places: PlaceIndex;
  readonly links: LinkIndex;
  readonly stateHash: StateHash;
  readonly counters: Counters;
  readonly transaction: Transaction;
  readonly listeners: Listeners;
  settings(): Settings;
}

const NO_IDS: readonly string[] = [];
/** By rank. */
const CAUSES = ['timer', 'prediction', 'step'] as const;

export class Scheduler {
  /** The game time up to which everything has happened; during an instant, its time. */
  time: number;
  private readonly parts: SchedulerParts;
  private readonly store: Store;
  private readonly agenda: Agenda;
  private readonly transaction: Transaction;
  private noticeTime = Number.NaN;
  private noticeOrder = 0;

  constructor(parts: SchedulerParts, time: number) {
    this.parts = parts;
    this.store = parts.store;
    this.agenda = parts.agenda;
    this.transaction = parts.transaction;
    this.time = time;
  }

  /** Runs the next event due at or before `until`; false if there is none. */
  runOne(until: number): boolean {
    const { agenda, store } = this;
    for (;;) {
      if (!agenda.isOpen) {
        const next = agenda.heap.topKey;
        if (next > until) return false;
        agenda.open(next);
        this.time = next;
      }
      const slot = agenda.currentTurn();
      if (slot < 0) {
        if (!agenda.hasNextIteration) agenda.close();
        else if (agenda.iteration >= this.parts.settings().iterationsPerInstant) this.breakOff();
        else this.dropLost(agenda.nextIteration((set) => this.receivers(set)));
        continue;
      }
      if (!this.runDue(slot, store.get(slot) as RecordValue)) continue;
      agenda.tidy();
      return true;
    }
  }

  /** Runs everything due at or before `until`. */
  runAll(until: number): void {
    while (this.runOne(until));
  }

  /**
   * Runs a command as one transaction at the present time, after everything due at or before it.
   * What it makes due at that time is left to the instant it opened. A throw drops all of it.
   */
  command<T>(event: MachineEvent, run: (transaction: Transaction) => T): T {
    this.runAll(this.time);
    const { transaction, agenda } = this;
    agenda.open(this.time);
    transaction.begin(this.time, 0);
    transaction.reads = this.parts.listeners.read === undefined ? undefined : new Set();
    try {
      const result = run(transaction);
      transaction.finish();
      this.reportRead('', event);
      this.commit();
      return result;
    } catch (error) {
      transaction.drop();
      throw error;
    } finally {
      agenda.tidy();
    }
  }

  /** Reports the event that a command sent to a record. */
  reportCommand(record: RecordValue, event: MachineEvent, taken: boolean): void {
    this.parts.listeners.event?.({
      time: this.time,
      iteration: 0,
      id: record.id,
      kind: record.kind.name,
      cause: 'command',
      event,
      taken,
      fault: null,
      changed: taken ? [record.id] : NO_IDS,
    });
  }

  /** Commits changes that are no event: nobody is woken, nothing is sent. */
  commitSilently(changes: readonly Change[]): void {
    for (const { slot, before, after } of changes) this.apply(slot, before, after);
    this.parts.listeners.commit?.({
      time: this.time,
      iteration: this.agenda.iteration,
      changes,
      notices: [],
    });
  }

  // One event of each sort

  private runDue(slot: number, record: RecordValue): boolean {
    const { agenda } = this;
    if (agenda.hasDue(record)) {
      this.runPending(slot, record, record.planned as Planned);
      return true;
    }
    const message = agenda.takeMessage(slot);
    if (message !== undefined) {
      this.runMessage(slot, record, message);
      return true;
    }
    const links = agenda.takeWake(slot);
    if (links !== undefined && heedsWake(record)) {
      this.runWake(slot, record, links);
      return true;
    }
    if (links === undefined) agenda.endTurn(slot, record);
    return false;
  }

  private runPending(
    slot: number,
    record: RecordValue,
    { rank, event: planned, to }: Planned,
  ): void {
    const cause = CAUSES[rank];
    let event = planned;
    if (rank === RANK.step) {
      event = { type: event.type, dt: this.time - record.dueAt + (event.dt as number) };
    }
    this.begin(slot, record);
    let taken = true;
    try {
      const { transaction } = this;
      const draft = transaction.touch(slot);
      draft.dropFirst();
      if (to !== undefined) {
        transaction.deliver(to, event, draft);
      } else {
        if (rank === RANK.step) this.beginStep(draft, record.dueAt);
        taken = transaction.take(draft, event);
      }
      transaction.finish();
    } catch (error) {
      this.fail(slot, record, cause, event, error);
      return;
    }
    this.end(record, cause, event, taken);
  }

  /** Plans the next step, and stores the record's continuous quantities as they are now. */
  private beginStep(draft: Draft, due: number): void {
    const { coarseStep: coarse, frameStep: frame } = this.parts.settings();
    draft.pending = withNextStep(draft.pending, draft.kind, due, this.time, { coarse, frame });
    this.transaction.advance(draft);
  }

  private runMessage(slot: number, record: RecordValue, message: Delivery): void {
    const { event } = message;
    this.begin(slot, record);
    let taken = false;
    try {
      const { transaction } = this;
      taken = transaction.take(transaction.touch(slot), event, message.from);
      if (taken) transaction.finish();
    } catch (error) {
      this.transaction.drop();
      this.parts.counters.countDropped(record.kind.name, event.type);
      this.report(record, 'message', event, false, faultOf(error, event, this.time), NO_IDS);
      return;
    }
    if (!taken) this.parts.counters.countDropped(record.kind.name, event.type);
    this.end(record, 'message', event, taken);
  }

  private runWake(slot: number, record: RecordValue, links: readonly string[]): void {
    const event = { type: WAKE, link: links[0] ?? '', links };
    this.begin(slot, record);
    this.parts.listeners.wake?.({ id: record.id, links, time: this.time });
    let taken = false;
    try {
      taken = this.takeWake(slot, event);
      this.transaction.finish();
    } catch (error) {
      this.fail(slot, record, 'wake', event, error);
      return;
    }
    this.end(record, 'wake', event, taken);
  }

  /** A wake clears a fault, so that what failed is tried again, and asks predictions again. */
  takeWake(slot: number, event: MachineEvent): boolean {
    const draft = this.transaction.touch(slot);
    draft.clearFault();
    draft.isToReplan = true;
    return this.transaction.take(draft, event);
  }

  // Commit and failure

  private begin(slot: number, record: RecordValue): void {
    const { transaction } = this;
    transaction.begin(this.time, this.agenda.iteration);
    record.shape.sharing.events += 1;
    if (this.parts.counters.isInFrame) this.parts.counters.countInFrame(slot);
    transaction.reads = this.parts.listeners.read === undefined ? undefined : new Set();
  }

  private end(record: RecordValue, cause: Cause, event: MachineEvent, taken: boolean): void {
    const { listeners } = this.parts;
    if (listeners.read !== undefined) this.reportRead(record.id, event);
    const changed = this.commit();
    if (listeners.event !== undefined) this.report(record, cause, event, taken, null, changed);
  }

  /** A record's own event failed: nothing of it happened, and the record rests with a fault. */
  private fail(
    slot: number,
    record: RecordValue,
    cause: Cause,
    event: MachineEvent,
    error: unknown,
  ): void {
    this.reportRead(record.id, event);
    this.transaction.drop();
    const fault = faultOf(error, event, this.time);
    this.fault(slot, fault);
    this.report(record, cause, event, false, fault, [record.id]);
  }

  /** Lays a record to rest with a fault. Wakes nobody. */
  private fault(slot: number, fault: Fault): void {
    const before = this.store.get(slot) as RecordValue;
    const after = before.withFault(fault);
    this.parts.counters.faults += 1;
    this.commitSilently([{ slot, before, after }]);
    this.parts.listeners.fault?.({ ...fault, id: before.id, kind: before.kind.name });
  }

  private commit(): readonly string[] {
    const { transaction, agenda } = this;
    const { size } = transaction;
    for (let i = 0; i < size; i += 1) {
      const draft = transaction.draftAt(i);
      const { before, after } = draft;
      if (before !== after) this.apply(draft.slot, before, after);
      else if (before === undefined) this.store.release(draft.slot);
    }
    if (!this.parts.links.isEmpty) {
      for (let i = 0; i < size; i += 1) this.wakeLinkers(transaction.draftAt(i));
    }
    if (transaction.deliveries.length > 0) {
      for (const delivery of transaction.deliveries) agenda.post(delivery);
    }
    if (transaction.undeliverable.length > 0) {
      for (const { kind, event } of transaction.undeliverable) {
        this.parts.counters.countDropped(kind, event.type);
      }
    }
    const changed = this.tell();
    transaction.clear();
    return changed;
  }

  private wakeLinkers({ before, after }: Draft): void {
    if (before === after || !isVisible(before, after)) return;
    const { id } = (after ?? before) as RecordValue;
    for (const linker of this.parts.links.heeding(id)) {
      this.agenda.wake(linker, linkNamesTo(this.store.get(linker) as RecordValue, id));
    }
  }

  private apply(
    slot: number,
    before: RecordValue | undefined,
    after: RecordValue | undefined,
  ): void {
    const { places, links, stateHash, counters } = this.parts;
    this.store.apply(slot, before, after);
    this.agenda.changed(slot, before, after);
    stateHash.changed(slot);
    // Most commits leave a record where it is, linked as it is, with something before it.
    if (before === undefined || after === undefined || before.standing !== after.standing) {
      places.changed(slot, before, after);
      links.changed(slot, before, after);
      counters.changed(slot, before, after);
    } else {
      if (!links.isEmpty) links.changed(slot, before, after);
      if (!isSameCondition(before, after)) counters.changed(slot, before, after);
    }
  }

  /** The changes of the transaction that is being committed. */
  private changes(): Change[] {
    const { transaction } = this;
    const changes: Change[] = [];
    for (let i = 0; i < transaction.size; i += 1) {
      const { slot, before, after } = transaction.draftAt(i);
      if (before !== after) changes.push({ slot, before, after });
    }
    return changes;
  }

  /** Tells those who listen. Gives the ids of what changed, if somebody wants them. */
  private tell(): readonly string[] {
    const { transaction } = this;
    const { listeners } = this.parts;
    const { time, iteration } = transaction;
    if (transaction.logs.length > 0 && listeners.log !== undefined) {
      for (const log of transaction.logs) listeners.log({ ...log, time });
    }
    const { commit, notice, event } = listeners;
    const isHeard = commit !== undefined || event !== undefined;
    if (transaction.notices.length === 0 && !isHeard) return NO_IDS;
    this.number(transaction.notices, time);
    const notices: readonly Notice[] =
      commit === undefined ? transaction.notices : transaction.notices.slice();
    const changes = isHeard ? this.changes() : [];
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

  // Messages to sets, messages to nobody, instants that never rest

  private receivers(set: Parameters<PlaceIndex['select']>[0]): Iterable<number> {
    return this.parts.places.select(set);
  }

  private dropLost(lost: readonly Delivery[]): void {
    for (const { from, event } of lost) {
      this.parts.counters.countDropped(this.store.find(from)?.kind.name ?? 'removed', event.type);
    }
  }

  private breakOff(): void {
    const { agenda } = this;
    const { iterationsPerInstant } = this.parts.settings();
    const { due, dropped, wakes } = agenda.breakOff((set) => this.receivers(set));
    this.dropLost(dropped);
    this.parts.counters.wakesDropped += wakes;
    for (const slot of due) {
      const record = this.store.get(slot) as RecordValue;
      const event = record.planned?.event ?? dropped.at(-1)?.event ?? { type: WAKE };
      const message = `${record.id} (${record.kind.name}) was still due at ${this.time} ms after ${iterationsPerInstant} iterations of that instant; a loop of zero delays, messages or wakes never lets time pass.`;
      this.fault(slot, { code: 'INSTANT_LOOP', message, time: this.time, event });
    }
  }

  // Reports

  private reportRead(id: string, event: MachineEvent): void {
    const { transaction } = this;
    if (transaction.reads === undefined) return;
    const ids = new Set([id, ...transaction.touchedIds(), ...transaction.reads]);
    ids.delete('');
    const sets: ReadSet[] = transaction
      .touchedIds()
      .map((touched) => ({ type: 'linkers', id: touched }));
    for (const { to } of transaction.deliveries) {
      if (to.type !== 'offstage.all') continue;
      const { kind, within } = to;
      sets.push({
        type: 'selection',
        ...(kind === undefined ? {} : { kind }),
        ...(within === undefined ? {} : { within }),
      });
    }
    this.parts.listeners.read?.({
      time: this.time,
      iteration: this.agenda.iteration,
      id,
      event,
      ids: [...ids],
      sets,
    });
  }

  private report(
    record: RecordValue,
    cause: Cause,
    event: MachineEvent,
    taken: boolean,
    fault: Fault | null,
    changed: readonly string[],
  ): void {
    const { time } = this;
    const { iteration } = this.agenda;
    this.parts.listeners.event?.({
      time,
      iteration,
      id: record.id,
      kind: record.kind.name,
      cause,
      event,
      taken,
      fault,
      changed,
    });
  }
}

/** What an error says of the event that failed. */
function faultOf(error: unknown, event: MachineEvent, time: number): Fault {
  if (isMutationOfFrozen(error)) {
    const message = `The machine changed its context, or an event, in place (${messageOf(error)}); give a new value with assign instead.`;
    return { code: 'CONTEXT_MUTATED', message, time, event };
  }
  return { code: codeOf(error), message: messageOf(error), time, event };
}

/** The error a command fails with: an author's own error becomes a `WorldError` that says where it came from. */
export function commandError(error: unknown, event: MachineEvent, time: number): WorldError {
  if (error instanceof WorldError) return error;
  const { code, message } = faultOf(error, event, time);
  return new WorldError(code, message, { cause: error });
}
