/**
 * The records that an event without a transaction changes: the one whose timer it is, and those that it
 * edits. A value that nobody but the store has is changed in place, with a copy of it as it was; of
 * another the next is made. Either all of it is committed, or everything is as it was.
 */
import { RANK } from './pending.ts';
import type { RecordValue } from './record.ts';
import type { Planned, Shape } from './sharing.ts';
import type { Store } from './store.ts';

/** The value while it is open. */
type Open = { -readonly [K in keyof RecordValue]: RecordValue[K] };

/** An event that changes more records than this takes a transaction. */
const MOST = 8;

/** A record that is being changed. */
export class Edited {
  slot = -1;
  /** Its machine is in the middle of a step. */
  isStepping = false;
  /** What it was. */
  before: RecordValue;
  /** Whether what it will be is the value that the store has. */
  isInPlace = false;
  private record: Open;
  /** Holds what it was while it is changed in place. */
  private readonly spare: RecordValue;

  constructor(record: RecordValue) {
    this.record = record;
    this.before = record;
    this.spare = record.succeeding();
  }

  open(slot: number, record: RecordValue, isInPlace: boolean): this {
    this.slot = slot;
    this.isInPlace = isInPlace;
    if (isInPlace) {
      const { spare } = this;
      spare.become(record);
      this.before = spare;
      this.record = record;
    } else {
      this.before = record;
      this.record = record.succeeding(record.revision);
    }
    return this;
  }

  get value(): RecordValue {
    return this.record;
  }

  /** Drops what comes first, which is happening. */
  dropFirst(): void {
    this.record.planned = undefined;
  }

  /** Takes on what an event led to. */
  arrive(shape: Shape, context: unknown, time: number): void {
    const { record } = this;
    record.shape = shape;
    record.context = context;
    record.advancedTo = time;
  }

  /** Sets a timer; false if it would be one of several. */
  arm(timer: Planned, at: number, iteration: number): boolean {
    const { record } = this;
    if (timer.id !== '' && !this.disarm(timer.id)) return false;
    if (record.planned !== undefined) return false;
    record.planned = timer;
    record.dueAt = at;
    record.dueIteration = iteration;
    return true;
  }

  /** Drops the timer of that id; false if it is, or may be, one of several. */
  disarm(id: string): boolean {
    const { record } = this;
    const { planned } = record;
    if (planned === undefined) return true;
    if (record.later !== undefined) return false;
    if (planned.id === id && planned.rank === RANK.timer) {
      record.planned = undefined;
      record.dueAt = 0;
      record.dueIteration = 0;
    }
    return true;
  }

  /** Ends the edit: the value is the next one, if anything of it differs. Says whether it does. */
  finish(): boolean {
    const { record } = this;
    if (!record.differsFrom(this.before)) return false;
    record.revision += 1;
    return true;
  }

  /** Makes the record what it was. */
  undo(): void {
    if (this.isInPlace) this.record.become(this.before);
  }
}

export class Edits {
  size = 0;
  private readonly store: Store;
  private readonly list: Edited[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  at(index: number): Edited {
    return this.list[index] as Edited;
  }

  /** The record in a slot, if it is being changed. */
  opened(slot: number): Edited | undefined {
    for (let i = 0; i < this.size; i += 1) {
      const edited = this.list[i] as Edited;
      if (edited.slot === slot) return edited;
    }
    return undefined;
  }

  /** Begins to change the record in a slot; undefined if it is not there, or one too many. */
  open(slot: number): Edited | undefined {
    const { store, size } = this;
    const kept = store.kept(slot);
    const record = kept ?? store.peek(slot);
    if (record === undefined || size >= MOST) return undefined;
    let edited = this.list[size];
    if (edited === undefined) {
      edited = new Edited(record);
      this.list.push(edited);
    }
    this.size = size + 1;
    return edited.open(slot, record, kept !== undefined);
  }

  /** Forgets what was changed, which is as it is to be. */
  clear(): void {
    this.size = 0;
  }

  /** Puts everything back. */
  undo(): void {
    for (let i = 0; i < this.size; i += 1) this.at(i).undo();
    this.size = 0;
  }
}
