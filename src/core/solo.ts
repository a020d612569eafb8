/**
 * The short way of the most common event: the one timer of a record whose step asks for nothing but the
 * next, and looks at others or edits a few at most. It makes the record's next value with no transaction
 * around it. Whatever else the step asks for ends the attempt, and the event is run the long way from
 * its beginning: a step is pure, and edits are put back, so nothing of the attempt is left, and both
 * ways give the same.
 */
import type { Address } from './address.ts';
import { type AmbientEvent, ambient, type LinkedRecord, type Offered } from './ambient.ts';
import { type Edited, Edits } from './edits.ts';
import {
  BEYOND,
  type CustomAction,
  type Effects,
  type MachineEvent,
  type MachineState,
  NOWHERE,
  type SendTarget,
} from './logic.ts';
import { linkedView, type Records, resolveAddress } from './looking.ts';
import { RANK } from './pending.ts';
import type { RecordValue, Standing } from './record.ts';
import type { Repeating } from './repeaters.ts';
import type { SavableCheck } from './savable.ts';
import { type Planned, type Shape, stateOf, type Way } from './sharing.ts';
import type { Store } from './store.ts';
import { LAST_TIME, roundTime } from './time.ts';

/** Thrown to end an attempt; whoever catches it in between changes nothing. */
const THE_LONG_WAY = new Error('This event needs a transaction.');

/** What `repeat` gives for a timer that is none. */
export const NO_TIME = Number.NEGATIVE_INFINITY;

export class Solo implements AmbientEvent, Effects, Records {
  readonly justCalls = true;
  time = 0;
  sender: string | undefined = undefined;
  /** What an attempt changes. */
  readonly edits: Edits;
  private readonly store: Store;
  /** The record whose timer it is. */
  private lone = -1;
  /** The record whose step is running, and what becomes of it in an attempt. */
  private slot = -1;
  private edited: Edited | undefined = undefined;
  /** What is happening. */
  private due: Planned = undefined as never;
  private way: Way | undefined = undefined;
  /** After an attempt that is over: whether it was so because the step asks for a transaction. */
  gaveUp = false;
  /** Whether it always will. */
  isHopeless = false;
  private readonly savable: SavableCheck | undefined;

  constructor(store: Store, savable: SavableCheck | undefined) {
    this.store = store;
    this.edits = new Edits(store);
    this.savable = savable;
  }

  /** Is what machines ask from now on; gives what was. */
  begin(): AmbientEvent | undefined {
    const { current } = ambient;
    ambient.current = this;
    ambient.inGuard = false;
    return current;
  }

  end(current: AmbientEvent | undefined): void {
    ambient.current = current;
    ambient.inGuard = false;
  }

  /**
   * Carries out a timer that only sets itself anew, in the record's own value, which nobody else has. Gives
   * the time it is due next; NO_TIME, with nothing done, if it has to be run in another way.
   */
  repeat(slot: number, record: RecordValue, time: number): number {
    const { shape, planned, context } = record;
    const { way } = shape;
    if (
      planned === undefined ||
      way?.planned !== planned ||
      way.repeat === undefined ||
      !planned.mayBeSolo ||
      record.dueIteration !== 0 ||
      record.later !== undefined
    ) {
      return NO_TIME;
    }
    const { repeat, to } = way;
    this.time = time;
    this.lone = slot;
    this.slot = slot;
    this.gaveUp = false;
    try {
      const next = repeat.next(context);
      const delay = repeat.delay(next);
      if (!(delay > 0)) return NO_TIME;
      const dueAt = time + roundTime(delay);
      if (!(dueAt > time) || dueAt > LAST_TIME || this.gaveUp) return NO_TIME;
      if (this.savable !== undefined && next !== context) this.savable(next, context, 'context');
      record.renew(to, next, record.dueAt, planned, dueAt);
      to.sharing.events += 1;
      if (repeat.isPlain && to === shape)
        this.store.repeaters.begin(slot, way as Repeating, record);
      return dueAt;
    } catch {
      // What failed fails again the long way, and is told there.
      return NO_TIME;
    }
  }

  /** The same for a record that is a repeater already, in its own context. */
  again(slot: number, time: number): number {
    const { repeaters } = this.store;
    const way = repeaters.wayOf(slot);
    if (way === undefined) return NO_TIME;
    const { repeat } = way;
    const context = repeaters.contextOf(slot);
    this.time = time;
    this.lone = slot;
    this.slot = slot;
    this.gaveUp = false;
    try {
      const delay = repeat.again(context);
      const dueAt = time + roundTime(delay);
      if (delay > 0 && dueAt > time && dueAt <= LAST_TIME && !this.gaveUp && repeaters.has(slot)) {
        repeaters.repeated(slot, dueAt);
        way.to.sharing.events += 1;
        return dueAt;
      }
    } catch {
      // The same.
    }
    repeat.undo(context);
    return NO_TIME;
  }

  /**
   * Meets the timer that is all that the record in a slot has before it; what it changes is then in `edits`.
   * False, and nothing changed, if the event has to be run the long way.
   */
  attempt(slot: number, { shape, planned, context, dueAt }: RecordValue): boolean {
    const { edits, savable } = this;
    const due = planned as Planned;
    let { way } = shape;
    if (way === undefined || way.planned !== due) way = shape.sharing.wayOf(shape, due);
    const { shortcut } = way;
    this.way = way;
    const edited = edits.open(slot) as Edited;
    edited.dropFirst();
    edited.isStepping = true;
    this.time = dueAt;
    this.lone = slot;
    this.slot = slot;
    this.edited = edited;
    this.due = due;
    this.gaveUp = false;
    this.isHopeless = false;
    try {
      if (shortcut !== undefined) {
        const left = shortcut.run(context, due.event, this);
        if (savable !== undefined && left !== context) savable(left, context, 'context');
        edited.arrive(way.to, left, dueAt);
      } else {
        this.step(edited, shape, context, due.event);
      }
    } catch {
      // What failed fails again the long way, and is told there.
      this.gaveUp = true;
    }
    edited.isStepping = false;
    this.edited = undefined;
    // The machine may have caught what was thrown.
    if (this.gaveUp) edits.undo();
    return !this.gaveUp;
  }

  /** A step of which less is known beforehand. */
  private step(edited: Edited, shape: Shape, context: unknown, event: MachineEvent): void {
    const { sharing } = shape;
    const { fork, ends } = sharing.meetingOf(shape, event.type);
    let left: unknown;
    if (fork === undefined) {
      const before = stateOf(shape, context);
      left = sharing.kind.logic.step(before, event, this);
      if (left === before) return;
    } else {
      left = fork.run(shape, context, event, this);
      if (fork.led === NOWHERE) return;
      if (fork.led !== BEYOND) {
        const { savable } = this;
        if (savable !== undefined && left !== context) savable(left, context, 'context');
        edited.arrive(ends[fork.led] as Shape, left, edited.before.dueAt);
        return;
      }
    }
    const next = left as MachineState;
    const to = sharing.shapeOf(next, shape);
    if (this.savable !== undefined) this.checkSavable(this.savable, shape, context, next);
    edited.arrive(to, next.context, edited.before.dueAt);
    if (to.status !== 'active') edited.dropFirst();
  }

  /** After an attempt that is committed: makes a repeater of its record if it is to be one. */
  beginToRepeat(slot: number): void {
    const { due, way: met } = this;
    if (met?.repeat === undefined) return;
    const record = this.store.kept(slot);
    if (record === undefined || record.planned !== due || record.dueIteration !== 0) return;
    const { shape } = record;
    const { way } = shape;
    if (way?.planned !== due || way.to !== shape || way.repeat?.isPlain !== true) return;
    this.store.repeaters.begin(slot, way as Repeating, record);
  }

  private checkSavable(
    savable: SavableCheck,
    before: Shape,
    context: unknown,
    { context: left, output }: Pick<MachineState, 'context' | 'output'>,
  ): void {
    if (left !== context) savable(left, context, 'context');
    if (output !== undefined && output !== before.output) savable(output, undefined, 'output');
  }

  // What a step may ask for here

  get selfId(): string {
    return this.self.id;
  }

  get at(): readonly number[] {
    return this.self.at;
  }

  linked(address: Address): LinkedRecord | undefined {
    const id = resolveAddress(this.self, address);
    return id === undefined ? undefined : linkedView(this, this.find(id));
  }

  find(id: string): RecordValue | undefined {
    const slot = this.store.slotOf(id);
    if (slot < 0) return undefined;
    // One in the middle of a step is what only a transaction can show.
    if (this.isStepping(slot)) return this.giveUp();
    return this.edits.opened(slot)?.value ?? this.store.peek(slot);
  }

  schedule(id: string, event: MachineEvent, delay: number, target?: SendTarget): void {
    const { time, due, savable } = this;
    const at = time + roundTime(delay);
    const isWrong = !(delay >= 0) || at > LAST_TIME || typeof event?.type !== 'string';
    if (target !== undefined || isWrong) this.giveUpForGood();
    const edited = this.edited ?? this.giveUp();
    // Mostly it is the same timer again.
    const isSame =
      this.slot === this.lone && due.event === event && due.id === id && due.to === undefined;
    if (savable !== undefined && !isSame) savable(event, undefined, 'event');
    const planned = isSame
      ? due
      : edited.value.shape.sharing.plannedOf(RANK.timer, id, event, undefined);
    if (!edited.arm(planned, at, at === time ? 1 : 0)) this.giveUpForGood();
  }

  cancel(id: string): void {
    if (this.edited?.disarm(id) !== true) this.giveUpForGood();
  }

  custom(action: CustomAction): void {
    if (action.type === 'xstate.log') this.giveUpForGood();
    action.exec?.(action.info, action.params);
  }

  // Edits of other records

  edit(address: Address, event: MachineEvent): void {
    if (!this.give(this.slotAt(address), event)) this.giveUp();
  }

  tell(address: Address, event: MachineEvent): void {
    if (!this.give(this.slotAt(address), event)) this.giveUp();
  }

  tryEdit(address: Address, event: MachineEvent): boolean {
    return this.give(this.slotAt(address), event);
  }

  offer(address: Address, event: MachineEvent): Offered {
    const slot = this.slotAt(address);
    if (slot < 0) return 'refused';
    if (this.isStepping(slot)) return 'busy';
    return this.give(slot, event) ? 'taken' : 'refused';
  }

  private slotAt(address: Address): number {
    const { self, store } = this;
    const id = resolveAddress(self, address);
    if (id === undefined) return -1;
    return typeof address === 'string' ? store.slotOfLinked(this.slot, id) : store.slotOf(id);
  }

  private isStepping(slot: number): boolean {
    return slot === this.lone || this.edits.opened(slot)?.isStepping === true;
  }

  /** Gives an event to another record, and says whether it took it. */
  private give(slot: number, event: MachineEvent): boolean {
    try {
      return this.stepOther(slot, event);
    } catch (error) {
      // What was done of it would have to be undone, and it may be no failure in a transaction, whoever
      // catches this.
      this.gaveUp = true;
      throw error;
    }
  }

  private stepOther(slot: number, event: MachineEvent): boolean {
    const { edits, edited: outer, slot: outerSlot, sender, savable } = this;
    if (outer === undefined || slot < 0 || typeof event?.type !== 'string') return this.giveUp();
    if (savable !== undefined) savable(event, undefined, 'event');
    const edited = edits.opened(slot) ?? edits.open(slot) ?? this.giveUpForGood();
    if (edited.isStepping) this.giveUp();
    const { value } = edited;
    const { shape, context } = value;
    const { sharing } = shape;
    const { fork, ends } = sharing.meetingOf(shape, event.type);
    if (fork === undefined || value.rarity.fault !== null) return this.giveUp();
    if (sharing.predicts || sharing.kind.advance !== undefined) return this.giveUpForGood();
    const { inGuard } = ambient;
    this.sender = this.self.id;
    this.slot = slot;
    this.edited = edited;
    edited.isStepping = true;
    ambient.inGuard = false;
    let left: unknown;
    try {
      left = fork.run(shape, context, event, this);
    } finally {
      edited.isStepping = false;
      ambient.inGuard = inGuard;
      this.slot = outerSlot;
      this.edited = outer;
      this.sender = sender;
    }
    const { led } = fork;
    if (led === BEYOND) this.giveUp();
    if (led === NOWHERE) return false;
    if (savable !== undefined && left !== context) savable(left, context, 'context');
    // The time it is now: the same number, which needs no box of its own.
    edited.arrive(ends[led] as Shape, left, edits.at(0).before.dueAt);
    return true;
  }

  // What takes a transaction

  send(): void {
    this.giveUpForGood();
  }
  emit(): void {
    this.giveUpForGood();
  }
  addRecord(): string {
    return this.giveUpForGood();
  }
  removeRecord(): void {
    this.giveUpForGood();
  }
  moveTo(): void {
    this.giveUpForGood();
  }
  link(): void {
    this.giveUpForGood();
  }
  unlink(): void {
    this.giveUpForGood();
  }
  random(): number {
    return this.giveUpForGood();
  }

  private get self(): Standing {
    const { edited } = this;
    return edited === undefined
      ? (this.store.standingOf(this.slot) ?? this.giveUp())
      : edited.value.standing;
  }

  private giveUp(): never {
    this.gaveUp = true;
    throw THE_LONG_WAY;
  }

  private giveUpForGood(): never {
    this.isHopeless = true;
    return this.giveUp();
  }
}
