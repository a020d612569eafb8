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
import { RecordValue } from './record.ts';
import { type Planned, stateOf } from './sharing.ts';
import type { Store } from './store.ts';
import { LAST_TIME, roundTime } from './time.ts';

/** Thrown to end an attempt; whoever catches it in between changes nothing. */
const THE_LONG_WAY = new Error('This event needs a transaction.');

export class Solo implements AmbientEvent, Effects, Records {
  time = 0;
  readonly sender = undefined;
  private readonly store: Store;
  private iteration = 0;
  private record: RecordValue | undefined = undefined;
  /** The one timer the record has after the step. */
  private planned: Planned | undefined = undefined;
  private dueAt = 0;
  private dueIteration = 0;
  private isOver = false;

  constructor(store: Store) {
    this.store = store;
  }

  /**
   * The value of a record after the timer that is all it has before it; undefined if the event has to
   * be run the long way.
   */
  attempt(
    record: RecordValue,
    event: MachineEvent,
    time: number,
    iteration: number,
  ): RecordValue | undefined {
    const { shape, context } = record;
    const { sharing } = shape;
    this.time = time;
    this.iteration = iteration;
    this.record = record;
    this.planned = undefined;
    this.isOver = false;
    const { current } = ambient;
    ambient.current = this;
    ambient.inGuard = false;
    const state = stateOf(shape, context);
    let next = state;
    try {
      next = sharing.kind.logic.step(state, event, this);
    } catch {
      // What failed fails again the long way, and is told there.
      this.isOver = true;
    }
    ambient.current = current;
    ambient.inGuard = false;
    if (this.isOver) return undefined;
    const isTaken = next !== state;
    const { status } = next;
    return new RecordValue(
      record.standing,
      isTaken ? sharing.shapeOf(next, shape) : shape,
      next.context,
      isTaken ? time : record.advancedTo,
      record.rarity,
      record.revision + 1,
      status === 'active' ? this.planned : undefined,
      this.dueAt,
      this.dueIteration,
      undefined,
    );
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
    return id === this.self.id ? this.end() : this.store.find(id);
  }

  schedule(id: string, event: MachineEvent, delay: number, target?: SendTarget): void {
    const at = this.time + roundTime(delay);
    if (
      target !== undefined ||
      !(delay >= 0) ||
      at > LAST_TIME ||
      typeof event?.type !== 'string'
    ) {
      this.end();
    }
    this.cancel(id);
    if (this.planned !== undefined) this.end();
    this.planned = this.self.shape.sharing.plannedOf(RANK.timer, id, event, undefined);
    this.dueAt = at;
    this.dueIteration = at === this.time ? this.iteration + 1 : 0;
  }

  cancel(id: string): void {
    const { planned } = this;
    if (planned !== undefined && planned.id === id && id !== '') this.planned = undefined;
  }

  custom(action: CustomAction): void {
    if (action.type === 'xstate.log') this.end();
    action.exec?.(action.info, action.params);
  }

  // What takes a transaction

  send(): void {
    this.end();
  }
  emit(): void {
    this.end();
  }
  edit(): void {
    this.end();
  }
  tryEdit(): boolean {
    return this.end();
  }
  addRecord(): string {
    return this.end();
  }
  removeRecord(): void {
    this.end();
  }
  moveTo(): void {
    this.end();
  }
  link(): void {
    this.end();
  }
  unlink(): void {
    this.end();
  }
  random(): number {
    return this.end();
  }

  private get self(): RecordValue {
    return this.record ?? this.end();
  }

  private end(): never {
    this.isOver = true;
    throw THE_LONG_WAY;
  }
}
