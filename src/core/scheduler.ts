/**
 * The loop of the world: takes what is due next from the agenda, runs it as one transaction, commits
 * it, and tells the listeners. Each call of `runOne` is exactly one event, so a budget may stop
 * between any two and nothing that happens depends on where it stops.
 */
import type { AllOf } from './address.ts';
import type { Agenda } from './agenda.ts';
import type { Change } from './commit.ts';
import { Committer, type CommitterParts } from './committer.ts';
import type { Draft } from './draft.ts';
import { faultOf } from './failure.ts';
import { type MachineEvent, WAKE } from './logic.ts';
import type { Delivery } from './outgoing.ts';
import { RANK } from './pending.ts';
import { withNextStep } from './planning.ts';
import { type Fault, heedsWake, type RecordValue } from './record.ts';
import { type Cause, readReport } from './reports.ts';
import type { Settings } from './settings.ts';
import type { Planned } from './sharing.ts';
import { NO_TIME, Solo } from './solo.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

export interface SchedulerParts extends CommitterParts {
  readonly transaction: Transaction;
  settings(): Settings;
}

const NO_IDS: readonly string[] = [];
/** Messages at one game time that are never too many, and how many for each record beyond that. */
const MOST_MESSAGES = 100_000;
const MESSAGES_PER_RECORD = 16;
/** By rank. */
const CAUSES = ['timer', 'prediction', 'step'] as const;

/** Whether what the record has before it is one timer that may need no transaction, due at that time. */
function isLone(
  { planned, dueAt, dueIteration, later, fault }: RecordValue,
  time: number,
): boolean {
  return (
    planned?.mayBeSolo === true &&
    dueAt === time &&
    dueIteration === 0 &&
    later === undefined &&
    fault === null
  );
}

/** Failures in excess of successes after which something is met the long way at once. */
const MOST_FAILURES = 16;

function countFailure(planned: Planned, isHopeless: boolean): void {
  planned.failures += 4;
  if (isHopeless || planned.failures > MOST_FAILURES) planned.mayBeSolo = false;
}

export class Scheduler {
  /** The game time up to which everything has happened; during an instant, its time. */
  time: number;
  private readonly parts: SchedulerParts;
  private readonly store: Store;
  private readonly agenda: Agenda;
  private readonly transaction: Transaction;
  private readonly committer: Committer;
  private readonly solo: Solo;

  constructor(parts: SchedulerParts, time: number) {
    this.parts = parts;
    this.store = parts.store;
    this.agenda = parts.agenda;
    this.transaction = parts.transaction;
    this.committer = new Committer(parts);
    this.solo = new Solo(parts.store, parts.transaction.savable);
    this.time = time;
  }

  /** Runs the next event due at or before `until`; false if there is none. */
  runOne(until: number): boolean {
    return this.runLone(until, 1) === 1 || this.runNext(until);
  }

  /** Runs everything due at or before `until`. */
  runAll(until: number): void {
    do this.runLone(until, Number.POSITIVE_INFINITY);
    while (this.runTransactions(until));
  }

  /** Runs transactions until a lone timer may come next; false if nothing is due any more. */
  private runTransactions(until: number): boolean {
    while (this.runNext(until)) if (this.mayBeLone) return true;
    return false;
  }

  /** Whether what comes next, if that is in the heap, is a timer that may need no transaction. */
  private get mayBeLone(): boolean {
    const { topSlot } = this.agenda.heap;
    return (
      this.store.repeaters.has(topSlot) || this.store.peek(topSlot)?.planned?.mayBeSolo === true
    );
  }

  /**
   * Runs lone timers, which need no transaction, for as long as nothing else comes next; gives how many.
   * Nobody hears of a single event here, so what an instant begins and ends with is left out.
   */
  private runLone(until: number, most: number): number {
    const { agenda, store, committer, solo } = this;
    const { heap } = agenda;
    const { counters } = this.parts;
    if (this.transaction.isFreezing || committer.isHeard || !agenda.isPlain) return 0;
    if (!store.repeaters.has(heap.topSlot)) {
      const first = store.peek(heap.topSlot);
      if (first === undefined || !isLone(first, heap.topKey)) return 0;
    }
    const { isInFrame } = counters;
    const outer = solo.begin();
    let count = 0;
    try {
      for (;;) {
        if (this.mayRepeat) {
          count += this.runRepeats(until, most - count);
          if (count >= most) break;
        }
        const time = heap.topKey;
        if (time > until) break;
        const slot = heap.topSlot;
        const record = store.peek(slot) as RecordValue;
        if (!isLone(record, time)) break;
        const planned = record.planned as Planned;
        const { sharing } = record.shape;
        if (!solo.attempt(slot, record)) {
          countFailure(planned, solo.isHopeless);
          break;
        }
        if (planned.failures > 0) planned.failures -= 1;
        this.time = time;
        agenda.time = time;
        sharing.events += 1;
        if (isInFrame) counters.countInFrame(slot);
        committer.commitSolo(solo.edits);
        solo.beginToRepeat(slot);
        count += 1;
        if (agenda.hasNextIteration) break;
      }
    } finally {
      solo.end(outer);
    }
    if (count > 0) agenda.isOpen = agenda.hasNextIteration || heap.topKey <= agenda.time;
    return count;
  }

  /**
   * Runs timers that only set themselves anew, of records whose values nobody has, for as long as nothing
   * else comes next; gives how many. Such an event leaves nothing to tell, plan or wake.
   */
  private runRepeats(until: number, most: number): number {
    const { agenda, store, solo } = this;
    const { heap } = agenda;
    const { links, stateHash, counters } = this.parts;
    const { isInFrame } = counters;
    let count = 0;
    let time = 0;
    while (count < most) {
      const dueAt = heap.topKey;
      if (dueAt > until) break;
      const slot = heap.topSlot;
      if (links.isHeeded && links.heeding(store.standingOf(slot)?.id ?? '').size > 0) break;
      let nextAt = solo.again(slot, dueAt);
      if (nextAt === NO_TIME) {
        const record = store.kept(slot);
        if (record === undefined) break;
        nextAt = solo.repeat(slot, record, dueAt);
        if (nextAt === NO_TIME) break;
        stateHash.changed(slot);
      }
      time = dueAt;
      count += 1;
      heap.postponeTop(nextAt);
      if (isInFrame) counters.countInFrame(slot);
    }
    if (count > 0) {
      this.time = time;
      agenda.time = time;
    }
    return count;
  }

  /** Whether what comes next, if that is in the heap, may be a timer that only sets itself anew. */
  private get mayRepeat(): boolean {
    const { store, agenda } = this;
    const { topSlot } = agenda.heap;
    return store.repeaters.has(topSlot) || store.peek(topSlot)?.shape.way?.repeat !== undefined;
  }

  /** Runs the next event due at or before `until` as a transaction; false if there is none. */
  private runNext(until: number): boolean {
    const { agenda, store } = this;
    for (;;) {
      if (!agenda.isOpen) {
        const next = agenda.heap.topKey;
        if (next > until) return false;
        agenda.open(next);
        this.time = next;
      } else if (agenda.time > until) {
        return false;
      }
      const slot = agenda.currentTurn();
      if (slot < 0) {
        this.endIteration();
      } else if (this.runDue(slot, store.peek(slot) as RecordValue)) {
        agenda.tidy();
        return true;
      }
    }
  }

  /** Goes on to the next iteration, or ends the instant. */
  private endIteration(): void {
    const { agenda } = this;
    if (!agenda.hasNextIteration) agenda.close();
    else if (this.isEndless()) this.breakOff();
    else this.dropLost(agenda.nextIteration((set) => this.receivers(set)));
  }

  /**
   * Runs a command as one transaction at the present time, after everything due at or before it.
   * What it makes due at that time is left to the instant it opened. A throw drops all of it. Gives
   * the ids of what changed, if somebody listens to events.
   */
  command(event: MachineEvent, run: (transaction: Transaction) => void): readonly string[] {
    this.runAll(this.time);
    const { transaction, agenda } = this;
    agenda.open(this.time);
    transaction.begin(this.time, 0);
    transaction.reads = this.parts.listeners.read === undefined ? undefined : new Set();
    try {
      run(transaction);
      transaction.finish();
      this.reportRead('', event);
      return this.committer.commit(transaction);
    } catch (error) {
      this.reportRead('', event);
      transaction.drop();
      throw error;
    } finally {
      agenda.tidy();
    }
  }

  /** Reports the event that a command sent to a record. */
  reportCommand(
    record: RecordValue,
    event: MachineEvent,
    taken: boolean,
    changed: readonly string[],
  ): void {
    this.report(record, 'command', event, taken, null, changed);
  }

  /** Commits changes that are no event: nobody is woken, nothing is sent. */
  commitSilently(changes: readonly Change[]): void {
    this.committer.commitSilently(changes, this.time);
  }

  // One event of each sort

  private runDue(slot: number, record: RecordValue): boolean {
    const { agenda } = this;
    if (agenda.hasDue(record)) {
      this.runPending(slot, record, record.planned as Planned);
      return true;
    }
    const message = agenda.mail.take(slot);
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

  private runPending(slot: number, record: RecordValue, planned: Planned): void {
    const { rank, to } = planned;
    const cause = CAUSES[rank];
    const event = rank === RANK.step ? this.stepEvent(record, planned.event) : planned.event;
    this.begin(slot, record);
    let taken = true;
    try {
      const { transaction } = this;
      const draft = transaction.drafts.open(slot);
      draft.dropFirst();
      if (to !== undefined) {
        transaction.deliver(to, event, draft);
      } else {
        if (rank === RANK.step) this.beginStep(draft);
        taken = transaction.take(draft, event);
      }
      transaction.finish();
    } catch (error) {
      this.fail(slot, record, cause, event, error);
      return;
    }
    this.end(record, cause, event, taken);
  }

  /** The event of a step that comes when it is due, or later. */
  private stepEvent({ dueAt }: RecordValue, { type, dt }: MachineEvent): MachineEvent {
    return { type, dt: this.time - dueAt + (dt as number) };
  }

  /** Plans the next step, and stores the record's continuous quantities as they are now. */
  private beginStep(draft: Draft): void {
    const { coarseStep: coarse, frameStep: frame } = this.parts.settings();
    draft.pending = withNextStep(draft.pending, draft.kind, this.time, { coarse, frame });
    this.transaction.advance(draft);
  }

  private runMessage(slot: number, record: RecordValue, message: Delivery): void {
    const { event } = message;
    this.begin(slot, record);
    let taken = false;
    try {
      const { transaction } = this;
      taken = transaction.take(transaction.drafts.ofSlot(slot), event, message.from);
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
    const draft = this.transaction.drafts.ofSlot(slot);
    draft.clearFault(this.time);
    draft.isToFinish = true;
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
    const changed = this.committer.commit(this.transaction);
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
    this.committer.commitSilently([{ slot, before, after }], this.time);
    this.parts.listeners.fault?.({ ...fault, id: before.id, kind: before.kind.name });
  }

  // Messages to sets, messages to nobody, instants that never rest

  private receivers(set: AllOf): Iterable<number> {
    return this.parts.places.select(set);
  }

  private dropLost(lost: readonly Delivery[]): void {
    for (const { from, event } of lost) {
      this.parts.counters.countDropped(this.store.find(from)?.kind.name ?? 'removed', event.type);
    }
  }

  /**
   * Whether the instant does not come to rest: too many iterations, or more messages than records that
   * answer each other could sensibly send in one, as when each message brings forth two.
   */
  private isEndless(): boolean {
    const { agenda, store } = this;
    return (
      agenda.iteration >= this.parts.settings().iterationsPerInstant ||
      agenda.mail.count > Math.max(MOST_MESSAGES, MESSAGES_PER_RECORD * store.size)
    );
  }

  private breakOff(): void {
    const { agenda } = this;
    const { iteration } = agenda;
    const messageCount = agenda.mail.count;
    const { due, dropped, wakes } = agenda.breakOff((set) => this.receivers(set));
    this.dropLost(dropped);
    this.parts.counters.wakesDropped += wakes;
    for (const slot of due) {
      const record = this.store.get(slot) as RecordValue;
      const event = record.planned?.event ?? dropped.at(-1)?.event ?? { type: WAKE };
      const message = `${record.id} (${record.kind.name}) was still due at ${this.time} ms after ${iteration} iterations of that instant, with ${messageCount} messages on their way; a loop of zero delays, messages or wakes never lets time pass.`;
      this.fault(slot, { code: 'INSTANT_LOOP', message, time: this.time, event });
    }
  }

  // Reports

  private reportRead(id: string, event: MachineEvent): void {
    const { read } = this.parts.listeners;
    if (read !== undefined) read(readReport(this.transaction, id, event));
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
