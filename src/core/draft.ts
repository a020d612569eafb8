/**
 * A record's working copy inside a transaction: the value it will have, still open. It is changed in
 * place while the transaction lasts. What comes of it is taken out, and never changed again; the draft is
 * then used again for another record, and so is the value before, if nobody has that.
 */
import type { AllOf, ById } from './address.ts';
import type { Kind } from './kind.ts';
import type { MachineEvent, MachineState } from './logic.ts';
import { dueAtOnce, type PendingList, RANK, withoutId, withPending } from './pending.ts';
import { type Fault, type Links, NOTHING_RARE, RecordValue, type Standing } from './record.ts';
import { type Shape, stateOf } from './sharing.ts';

/** The value while it is open. */
type Open = { -readonly [K in keyof RecordValue]: RecordValue[K] };

export class Draft {
  slot: number;
  /** What the record was before; undefined if it was not there. */
  before: RecordValue | undefined;
  /** It will be gone when the transaction commits. */
  isRemoved = false;
  /** Who sent the message or made the edit that it handles, if that is what it does. */
  sender: string | undefined = undefined;
  /** Its machine is in the middle of a step. */
  stepping = false;
  /** Before the commit its links are to be checked, or its predictions asked again. */
  isToFinish = false;
  private next: Open;
  /** What is nobody else's, to hold the next record's value when the draft is used again. */
  private spare: Open | undefined;

  private constructor(slot: number, before: RecordValue | undefined, next: RecordValue) {
    this.slot = slot;
    this.before = before;
    this.next = next;
    this.spare = next;
  }

  /** Opens a record that is there. */
  static of(slot: number, before: RecordValue): Draft {
    return new Draft(slot, before, before.succeeding());
  }

  /** Becomes the draft of another record that is there. */
  reopen(slot: number, before: RecordValue): this {
    this.slot = slot;
    this.before = before;
    this.isRemoved = false;
    this.stepping = false;
    this.isToFinish = false;
    const { spare } = this;
    if (spare === undefined) {
      this.next = before.succeeding();
    } else {
      spare.become(before);
      spare.revision += 1;
      this.next = spare;
    }
    this.spare = this.next;
    return this;
  }

  /** A record that is not there yet. */
  static unborn(slot: number, standing: Standing, time: number): Draft {
    const next = new RecordValue(
      standing,
      standing.sharing.unborn,
      undefined,
      time,
      NOTHING_RARE,
      0,
      undefined,
      0,
      0,
      undefined,
    );
    const draft = new Draft(slot, undefined, next);
    draft.isToFinish = true;
    return draft;
  }

  get id(): string {
    return this.next.standing.id;
  }
  get kind(): Kind {
    return this.next.shape.sharing.kind;
  }
  get at(): readonly number[] {
    return this.next.standing.at;
  }
  get links(): Links {
    return this.next.standing.links;
  }
  get standing(): Standing {
    return this.next.standing;
  }
  set standing(standing: Standing) {
    this.next.standing = standing;
    this.isToFinish = true;
  }
  get fault(): Fault | null {
    return this.next.rarity.fault;
  }
  get status(): MachineState['status'] {
    return this.next.shape.status;
  }
  get shape(): Shape {
    return this.next.shape;
  }
  get state(): MachineState {
    return stateOf(this.next.shape, this.next.context);
  }
  get context(): unknown {
    return this.next.context;
  }
  get advancedTo(): number {
    return this.next.advancedTo;
  }
  get pending(): PendingList {
    return this.next.pending;
  }
  set pending(list: PendingList) {
    const { next } = this;
    next.planned = list && next.shape.sharing.plannedOf(list.rank, list.id, list.event, list.to);
    next.dueAt = list === undefined ? 0 : list.at;
    next.dueIteration = list === undefined ? 0 : list.iteration;
    next.later = list?.next;
  }

  /** Takes on another state of the machine, as of `time`. One that has ended has nothing before it. */
  become(state: MachineState, time: number): void {
    const { next } = this;
    next.shape = next.shape.sharing.shapeOf(state, next.shape);
    next.context = state.context;
    next.advancedTo = time;
    if (next.shape.sharing.predicts) this.isToFinish = true;
    if (state.status !== 'active') this.pending = undefined;
  }

  /** Takes on what an event always leads to: a state in which the machine is active. */
  arrive(shape: Shape, context: unknown, time: number): void {
    const { next } = this;
    next.shape = shape;
    next.context = context;
    next.advancedTo = time;
    if (shape.sharing.predicts) this.isToFinish = true;
  }

  /** Sets a timer. The common case, the only one, makes no list. */
  arm(
    id: string,
    event: MachineEvent,
    at: number,
    iteration: number,
    to: ById | AllOf | undefined,
  ): void {
    const { next } = this;
    if (next.planned === undefined) {
      next.planned = next.shape.sharing.plannedOf(RANK.timer, id, event, to);
      next.dueAt = at;
      next.dueIteration = iteration;
    } else {
      this.pending = withPending(next.pending, RANK.timer, id, event, at, iteration, to);
    }
  }

  /** Drops the timer of that id, if there is one. */
  disarm(id: string): void {
    if (this.next.planned === undefined) return;
    const { pending } = this;
    const without = withoutId(pending, RANK.timer, id);
    if (without !== pending) this.pending = without;
  }

  /** Drops what comes first, which is happening. */
  dropFirst(): void {
    const { next } = this;
    if (next.later === undefined) next.planned = undefined;
    else this.pending = next.later;
  }

  /** Clears a fault. What came due meanwhile is due now, in whichever iteration it once was. */
  clearFault(time: number): void {
    const { next } = this;
    if (next.rarity.fault === null) return;
    next.rarity = { ...next.rarity, fault: null };
    this.pending = dueAtOnce(next.pending, time);
  }

  /** Counts one more random draw; gives how many there were. */
  countDraw(): number {
    const { rarity } = this.next;
    this.next.rarity = { ...rarity, draws: rarity.draws + 1 };
    return rarity.draws;
  }

  /** Counts one more record added without an id; gives how many there were. */
  countCreated(): number {
    const { rarity } = this.next;
    this.next.rarity = { ...rarity, created: rarity.created + 1 };
    return rarity.created;
  }

  /**
   * The value the record has after the commit: the one it had, if nothing of it differs. Whoever keeps it
   * must have taken it out.
   */
  get after(): RecordValue | undefined {
    if (this.isRemoved) return undefined;
    const { before, next } = this;
    return before === undefined || next.differsFrom(before) ? next : before;
  }

  /** Takes the value out, for others to have. */
  takeOut(): RecordValue {
    this.spare = undefined;
    return this.next;
  }

  /** Takes the value out, and leaves in its place the one before, which nobody else has. */
  exchange(before: RecordValue): RecordValue {
    this.spare = before;
    return this.next;
  }

  /** A copy of what it is now, to go back to. */
  copy(): Draft {
    const copy = new Draft(this.slot, this.before, this.next.succeeding(this.next.revision));
    copy.isRemoved = this.isRemoved;
    copy.isToFinish = this.isToFinish;
    return copy;
  }

  /** Becomes what the copy was. */
  restore(copy: Draft): void {
    this.next = copy.next;
    this.isRemoved = copy.isRemoved;
    this.isToFinish = copy.isToFinish;
  }
}
