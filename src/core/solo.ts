/**
 * The short way of the most common event: the one timer of a record whose step asks for nothing but the
 * next, and looks at others at most. It makes the record's next value with no transaction around it.
 * Whatever else the step asks for ends the attempt, and the event is run the long way from its
 * beginning: a step is pure, so nothing of the attempt is left, and both ways give the same.
 */
import type { Address } from './address.ts';
import { type AmbientEvent, ambient, type LinkedRecord } from './ambient.ts';
import type { CustomAction, Effects, MachineEvent, SendTarget } from './logic.ts';
import { linkedView, type Records, resolveAddress } from './looking.ts';
import { RANK } from './pending.ts';
import type { RecordValue, Standing } from './record.ts';
import type { Repeating } from './repeaters.ts';
import type { SavableCheck } from './savable.ts';
import { type Planned, type Shape, stateOf } from './sharing.ts';
import type { Store } from './store.ts';
import { LAST_TIME, roundTime } from './time.ts';

/** Thrown to end an attempt; whoever catches it in between changes nothing. */
const THE_LONG_WAY = new Error('This event needs a transaction.');

/** What `repeat` gives for a timer that is none. */
export const NO_TIME = Number.NEGATIVE_INFINITY;
/** What an attempt gives that has to go the long way. */
export const OVER = Symbol('over');

export class Solo implements AmbientEvent, Effects, Records {
  readonly justCalls = true;
  time = 0;
  readonly sender = undefined;
  private readonly store: Store;
  private slot = -1;
  /** What is happening. */
  private due: Planned = undefined as never;
  /** After an attempt: the shape of the record, whether anything took the event, the one timer it has. */
  shape: Shape = undefined as never;
  isTaken = false;
  planned: Planned | undefined = undefined;
  dueAt = 0;
  dueIteration = 0;
  /** After an attempt that is over: whether it was so because the step asks for a transaction. */
  gaveUp = false;
  private readonly savable: SavableCheck | undefined;

  constructor(store: Store, savable: SavableCheck | undefined) {
    this.store = store;
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
    this.slot = slot;
    this.gaveUp = false;
    try {
      const next = repeat.next(context);
      const delay = repeat.delay(next);
      if (!(delay > 0)) return NO_TIME;
      const dueAt = time + roundTime(delay);
      if (!(dueAt > time) || dueAt > LAST_TIME || this.gaveUp) return NO_TIME;
      if (this.savable !== undefined) this.checkSavable(this.savable, record, next, to);
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
   * The context of a record after the timer that is all it has before it; all else of its next value is
   * then here. OVER if the event has to be run the long way.
   */
  attempt(slot: number, record: RecordValue, time: number): unknown {
    const { shape } = record;
    const planned = record.planned as Planned;
    let { way } = shape;
    if (way === undefined || way.planned !== planned) way = shape.sharing.wayOf(shape, planned);
    const { shortcut } = way;
    let { context } = record;
    let to = shape;
    let isTaken = true;
    this.time = time;
    this.slot = slot;
    this.due = planned;
    this.planned = undefined;
    this.gaveUp = false;
    try {
      if (shortcut !== undefined) {
        context = shortcut.run(context, planned.event, this);
        to = way.to;
      } else {
        const { sharing } = shape;
        const state = stateOf(shape, context);
        const next = sharing.kind.logic.step(state, planned.event, this);
        isTaken = next !== state;
        if (isTaken) {
          context = next.context;
          to = sharing.shapeOf(next, shape);
        }
      }
      if (this.savable !== undefined) this.checkSavable(this.savable, record, context, to);
    } catch {
      // What failed fails again the long way, and is told there.
      return OVER;
    }
    // The machine may have caught what was thrown.
    if (this.gaveUp) return OVER;
    this.shape = to;
    this.isTaken = isTaken;
    if (to.status !== 'active') this.planned = undefined;
    return context;
  }

  /** After an attempt, whose value is the record's now: makes a repeater of it if it is to be one. */
  beginToRepeat(slot: number, before: Planned): void {
    const { shape, planned } = this;
    const { way } = shape;
    if (planned !== before || this.dueIteration !== 0 || way?.planned !== before) return;
    if (way.to !== shape || way.repeat?.isPlain !== true) return;
    const record = this.store.kept(slot);
    if (record !== undefined) this.store.repeaters.begin(slot, way as Repeating, record);
  }

  private checkSavable(
    savable: SavableCheck,
    before: RecordValue,
    context: unknown,
    { output }: Shape,
  ): void {
    if (context !== before.context) savable(context, before.context, 'context');
    if (output !== undefined && output !== before.shape.output)
      savable(output, undefined, 'output');
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
    // Itself in the middle of a step is what only a transaction can show.
    return id === this.self.id ? this.giveUp() : this.store.find(id);
  }

  schedule(id: string, event: MachineEvent, delay: number, target?: SendTarget): void {
    const at = this.time + roundTime(delay);
    if (
      target !== undefined ||
      !(delay >= 0) ||
      at > LAST_TIME ||
      typeof event?.type !== 'string'
    ) {
      this.giveUp();
    }
    const { due } = this;
    if (this.savable !== undefined && due.event !== event) this.savable(event, undefined, 'event');
    this.cancel(id);
    if (this.planned !== undefined) this.giveUp();
    // Mostly it is the same timer again.
    this.planned =
      due.event === event && due.id === id && due.to === undefined
        ? due
        : this.self.sharing.plannedOf(RANK.timer, id, event, undefined);
    this.dueAt = at;
    this.dueIteration = at === this.time ? 1 : 0;
  }

  cancel(id: string): void {
    const { planned } = this;
    if (planned !== undefined && planned.id === id && id !== '') this.planned = undefined;
  }

  custom(action: CustomAction): void {
    if (action.type === 'xstate.log') this.giveUp();
    action.exec?.(action.info, action.params);
  }

  // What takes a transaction

  send(): void {
    this.giveUp();
  }
  emit(): void {
    this.giveUp();
  }
  edit(): void {
    this.giveUp();
  }
  tell(): void {
    this.giveUp();
  }
  tryEdit(): boolean {
    return this.giveUp();
  }
  offer(): never {
    return this.giveUp();
  }
  addRecord(): string {
    return this.giveUp();
  }
  removeRecord(): void {
    this.giveUp();
  }
  moveTo(): void {
    this.giveUp();
  }
  link(): void {
    this.giveUp();
  }
  unlink(): void {
    this.giveUp();
  }
  random(): number {
    return this.giveUp();
  }

  private get self(): Standing {
    return this.store.standingOf(this.slot) ?? this.giveUp();
  }

  private giveUp(): never {
    this.gaveUp = true;
    throw THE_LONG_WAY;
  }
}
