/**
 * What happens when: the heap for times to come, and the instant that is happening now. Iteration 0
 * of an instant is what the heap holds for its time; what is armed, sent or woken at that time for
 * that time makes up the next iteration, and so on. Everything within an iteration comes in the
 * order of turns. The agenda runs nothing; it says whose turn it is.
 */
import type { ChangeListener } from './commit.ts';
import { Heap } from './heap.ts';
import { Mail, type Receivers, type WaitingMessage } from './mail.ts';
import type { TurnOrder } from './order.ts';
import type { Delivery } from './outgoing.ts';
import type { RecordValue } from './record.ts';
import type { Store } from './store.ts';
import { roomFor } from './typed-arrays.ts';

/** An instant stopped in the middle, as it is hashed and saved. Ids in the order of turns. */
export interface InstantState {
  readonly time: number;
  readonly iteration: number;
  /** Whose turn in this iteration is still to come, with what waits for them. */
  readonly turns: readonly string[];
  readonly inbox: readonly WaitingMessage[];
  readonly wakes: readonly { readonly id: string; readonly links: readonly string[] }[];
  /** What makes up the next iteration. */
  readonly next: {
    readonly turns: readonly string[];
    readonly messages: readonly Delivery[];
    readonly wakes: readonly { readonly id: string; readonly links: readonly string[] }[];
  };
}

const NO_TURN = -1;

export class Agenda implements ChangeListener {
  /** The game time of the instant that happens, or happened last. */
  time: number;
  iteration = 0;
  /** Whether an instant is in the middle of happening. */
  isOpen = false;
  readonly heap: Heap;
  readonly mail: Mail;

  private readonly store: Store;
  private readonly order: TurnOrder;
  /** Slots with a turn in this iteration, from `turn` on; a slot whose stamp differs has had it, or is gone. */
  private turns: number[] = [];
  private turn = 0;
  private stamp = 1;
  private turnStamps = new Int32Array(64);
  private wakes = new Map<number, readonly string[]>();
  private again = new Set<number>();
  private nextWakes = new Map<number, readonly string[]>();

  constructor(store: Store, time: number) {
    this.store = store;
    this.order = store.order;
    this.heap = new Heap(store.order);
    this.mail = new Mail(store);
    this.time = time;
  }

  /** The earliest time at which something is due: now, if an instant is open. */
  get nextTime(): number {
    return this.isOpen ? this.time : this.heap.topKey;
  }

  /** Begins the instant at `time`. */
  open(time: number): void {
    this.time = time;
    this.iteration = 0;
    this.isOpen = true;
  }

  /** The slot whose turn it is in this iteration, or −1 when the iteration is over. */
  currentTurn(): number {
    if (this.iteration === 0) return this.heap.topKey <= this.time ? this.heap.topSlot : NO_TURN;
    while (this.turn < this.turns.length) {
      const slot = this.turns[this.turn] as number;
      if (this.turnStamps[slot] === this.stamp) return slot;
      this.turn += 1;
    }
    return NO_TURN;
  }

  /** Whether what the record has before it is due in this iteration. */
  hasDue(record: RecordValue): boolean {
    return (
      record.planned !== undefined &&
      record.fault === null &&
      this.isDue(record.dueAt, record.dueIteration)
    );
  }

  /** The names of the links for which the record in that slot is woken; the wake is then spent. */
  takeWake(slot: number): readonly string[] | undefined {
    const links = this.wakes.get(slot);
    if (links !== undefined) this.wakes.delete(slot);
    return links;
  }

  /** Goes past turns with nothing left to do, and ends an instant with nothing left to come. */
  tidy(): void {
    while (this.isOpen) {
      const slot = this.currentTurn();
      if (slot === NO_TURN) {
        if (this.hasNextIteration) return;
        this.close();
      } else {
        if (this.iteration === 0) return;
        const record = this.store.peek(slot) as RecordValue;
        if (this.hasDue(record) || this.mail.has(slot) || this.wakes.has(slot)) return;
        this.endTurn(slot, record);
      }
    }
  }

  /** Ends a turn: what the record has before it now is planned. */
  endTurn(slot: number, record: RecordValue): void {
    if (this.iteration > 0) this.turnStamps[slot] = 0;
    this.plan(slot, record);
  }

  /** Whether the instant goes on with another iteration. */
  get hasNextIteration(): boolean {
    return this.again.size > 0 || this.mail.count > 0 || this.nextWakes.size > 0;
  }

  /** Begins the next iteration. Gives the messages that reach nobody. */
  nextIteration(receivers: Receivers): Delivery[] {
    this.iteration += 1;
    this.stamp += 1;
    this.wakes = this.nextWakes;
    this.nextWakes = new Map();
    const lost = this.mail.deliver(receivers);
    const slots = this.again;
    this.again = new Set();
    for (const slot of this.mail.slots()) slots.add(slot);
    for (const slot of this.wakes.keys()) slots.add(slot);
    this.turns = [...slots];
    if (this.turns.length > 1) this.turns.sort(this.order.compare);
    this.turn = 0;
    for (const slot of this.turns) this.giveTurn(slot);
    return lost;
  }

  /** Ends the instant. */
  close(): void {
    this.isOpen = false;
    this.iteration = 0;
    if (this.turns.length > 0) this.turns = [];
    this.turn = 0;
  }

  /** Ends an instant that does not come to rest: gives the slots still due and the messages dropped. */
  breakOff(receivers: Receivers): {
    due: number[];
    dropped: Delivery[];
    wakes: number;
  } {
    const dropped = this.mail.posted();
    const wakes = this.nextWakes.size;
    this.nextIteration(receivers);
    const due = this.turns;
    this.mail.drop();
    this.wakes.clear();
    for (const slot of due) this.turnStamps[slot] = 0;
    this.close();
    return { due, dropped, wakes };
  }

  /** The record in that slot is woken in the next iteration; wakes of one record are one. */
  wake(slot: number, links: readonly string[]): void {
    const known = this.nextWakes.get(slot);
    this.nextWakes.set(
      slot,
      known === undefined ? links : [...new Set([...known, ...links])].sort(),
    );
  }

  changed(slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void {
    if (after === undefined) this.forget(slot);
    else if (
      before === undefined ||
      before.dueAt !== after.dueAt ||
      before.planned !== after.planned ||
      before.dueIteration !== after.dueIteration ||
      before.rarity !== after.rarity
    )
      this.plan(slot, after);
  }

  /** As `changed`, for a record that was first in the heap and whose timer has just happened. */
  planAgain(slot: number, before: RecordValue, after: RecordValue): void {
    if (after.planned !== undefined && after.dueAt > this.time) this.heap.postponeTop(after.dueAt);
    else this.changed(slot, before, after);
  }

  /** Whether nothing but what the heap holds comes next. */
  get isPlain(): boolean {
    return this.iteration === 0 && !this.hasNextIteration;
  }

  /** How many records are due by a time, a record counted once. */
  dueCount(time: number): number {
    let turns = 0;
    for (let i = this.turn; i < this.turns.length; i += 1) {
      if (this.turnStamps[this.turns[i] as number] === this.stamp) turns += 1;
    }
    return (
      this.heap.dueBy(time).length + turns + this.again.size + this.mail.count + this.nextWakes.size
    );
  }

  /** What is left of an open instant; undefined between instants. */
  state(): InstantState | undefined {
    if (!this.isOpen) return undefined;
    const id = (slot: number): string => (this.store.get(slot) as RecordValue).id;
    const inOrder = (slots: Iterable<number>): number[] => [...slots].sort(this.order.compare);
    const wakesOf = (wakes: Map<number, readonly string[]>) =>
      inOrder(wakes.keys()).map((slot) => ({
        id: id(slot),
        links: wakes.get(slot) as readonly string[],
      }));
    const turns =
      this.iteration === 0
        ? inOrder(this.heap.dueBy(this.time))
        : this.turns.slice(this.turn).filter((slot) => this.turnStamps[slot] === this.stamp);
    return {
      time: this.time,
      iteration: this.iteration,
      turns: turns.map(id),
      inbox: this.mail.waiting(inOrder(this.mail.slots())),
      wakes: wakesOf(this.wakes),
      next: {
        turns: inOrder(this.again).map(id),
        messages: this.mail.posted(),
        wakes: wakesOf(this.nextWakes),
      },
    };
  }

  /** Takes up where a saved world was: what is due and when, and an instant in its middle. */
  restore(time: number, instant: InstantState | undefined): void {
    this.time = time;
    const slotsOf = (ids: readonly string[]): number[] =>
      ids.map((id) => this.store.slotOf(id)).filter((slot) => slot >= 0);
    this.again = new Set(slotsOf(instant?.next.turns ?? []));
    const turns = new Set(slotsOf(instant?.turns ?? []));
    for (const record of this.store.values()) {
      const slot = this.store.slotOf(record.id);
      if (record.planned === undefined || record.fault !== null || this.again.has(slot)) continue;
      // Past the first iteration the heap holds only what is to come; what is due has its turn, or gets one.
      if (record.dueAt > time || instant === undefined || instant.iteration === 0)
        this.heap.set(slot, record.dueAt);
      else if (!turns.has(slot)) this.again.add(slot);
    }
    if (instant === undefined) return;
    this.isOpen = true;
    this.iteration = instant.iteration;
    if (this.iteration > 0) {
      this.turns = slotsOf(instant.turns);
      for (const slot of this.turns) this.giveTurn(slot);
    }
    this.mail.restore(instant.inbox, instant.next.messages);
    const wakesOf = (wakes: InstantState['wakes']): Map<number, readonly string[]> =>
      new Map(
        wakes
          .map(({ id, links }) => [this.store.slotOf(id), links] as const)
          .filter(([slot]) => slot >= 0),
      );
    this.wakes = wakesOf(instant.wakes);
    this.nextWakes = wakesOf(instant.next.wakes);
  }

  private plan(slot: number, record: RecordValue): void {
    const { dueAt } = record;
    if (record.planned === undefined || record.fault !== null) {
      this.heap.remove(slot);
      this.leaveAgain(slot);
    } else if (dueAt > this.time) {
      this.heap.set(slot, dueAt);
      this.leaveAgain(slot);
    } else if (!this.waitsForItsTurn(slot, record)) {
      this.heap.remove(slot);
      this.again.add(slot);
    }
  }

  private leaveAgain(slot: number): void {
    if (this.again.size > 0) this.again.delete(slot);
  }

  /** Whether something due now will be met in this iteration's turn of the record. */
  private waitsForItsTurn(slot: number, record: RecordValue): boolean {
    if (!this.isDue(record.dueAt, record.dueIteration)) return false;
    if (this.iteration === 0) return this.heap.keyOf(slot) === this.time;
    return this.hasTurn(slot);
  }

  private isDue(at: number, iteration: number): boolean {
    return at < this.time || (at === this.time && iteration <= this.iteration);
  }

  private hasTurn(slot: number): boolean {
    return slot < this.turnStamps.length && this.turnStamps[slot] === this.stamp;
  }

  private giveTurn(slot: number): void {
    this.turnStamps = roomFor(this.turnStamps, slot);
    this.turnStamps[slot] = this.stamp;
  }

  private forget(slot: number): void {
    this.heap.remove(slot);
    this.again.delete(slot);
    this.mail.drop(slot);
    this.wakes.delete(slot);
    this.nextWakes.delete(slot);
    if (slot < this.turnStamps.length) this.turnStamps[slot] = 0;
  }
}
