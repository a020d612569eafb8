/**
 * A record's value: immutable, made anew by each commit that changes it. Snapshots, diffs and saves
 * are pointers to these, kept a little longer. Only a value that nobody can have seen may become the
 * next one itself (`renew`), which nobody can see either.
 */
import type { Kind, Relevancy } from './kind.ts';
import type { MachineEvent, MachineState } from './logic.ts';
import { type PendingList, shifted } from './pending.ts';
import { type Planned, type Shape, type Sharing, stateOf } from './sharing.ts';

/** Why a record rests although its machine has not ended. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  /** Game time in milliseconds. */
  readonly time: number;
  readonly event: MachineEvent;
}

export type Links = Readonly<Record<string, string>>;

export const NO_LINKS: Links = Object.freeze({});

/** What of a record seldom changes; its values of many revisions share one. */
export interface Standing {
  readonly id: string;
  readonly kind: Kind;
  /** World units, one to three numbers. */
  readonly at: readonly number[];
  readonly links: Links;
  readonly relevancy: Relevancy;
  readonly sharing: Sharing;
}

/** What most records never have. */
export interface Rarity {
  /** Random draws so far. */
  readonly draws: number;
  /** Records added so far without an id of their own. */
  readonly created: number;
  readonly fault: Fault | null;
}

export const NOTHING_RARE: Rarity = Object.freeze({ draws: 0, created: 0, fault: null });

/**
 * A record at one revision. Lean, since a world holds a million and every event makes one: beside its
 * context it is one object, which points to what others share, and holds the first of what is pending
 * in itself.
 */
export class RecordValue {
  // Declared only: a field that the class itself defined would be written twice.
  declare readonly standing: Standing;
  declare readonly shape: Shape;
  declare readonly context: unknown;
  /** The game time the context is at. */
  declare readonly advancedTo: number;
  declare readonly rarity: Rarity;
  /** Commits that changed it. */
  declare readonly revision: number;
  /** What comes first, its time and iteration; undefined if nothing is pending. */
  declare readonly planned: Planned | undefined;
  declare readonly dueAt: number;
  declare readonly dueIteration: number;
  /** What comes after it. */
  declare readonly later: PendingList;

  constructor(
    standing: Standing,
    shape: Shape,
    context: unknown,
    advancedTo: number,
    rarity: Rarity,
    revision: number,
    planned: Planned | undefined,
    dueAt: number,
    dueIteration: number,
    later: PendingList,
  ) {
    this.standing = standing;
    this.shape = shape;
    this.context = context;
    this.advancedTo = advancedTo;
    this.rarity = rarity;
    this.revision = revision;
    this.planned = planned;
    this.dueAt = dueAt;
    this.dueIteration = dueIteration;
    this.later = later;
  }

  get id(): string {
    return this.standing.id;
  }
  get kind(): Kind {
    return this.standing.kind;
  }
  get at(): readonly number[] {
    return this.standing.at;
  }
  get links(): Links {
    return this.standing.links;
  }
  get relevancy(): Relevancy {
    return this.standing.relevancy;
  }
  get draws(): number {
    return this.rarity.draws;
  }
  get created(): number {
    return this.rarity.created;
  }
  get fault(): Fault | null {
    return this.rarity.fault;
  }
  /** The machine's state, as its logic takes it. */
  get state(): MachineState {
    return stateOf(this.shape, this.context);
  }
  /** All that is pending, in order. */
  get pending(): PendingList {
    const { planned, dueAt, dueIteration, later } = this;
    if (planned === undefined) return undefined;
    const { rank, id, event, to } = planned;
    return { rank, id, event, at: dueAt, iteration: dueIteration, to, next: later };
  }

  /**
   * Makes the value of the next revision out of this one. Only for what nobody but the store has: a timer
   * that repeats leaves no value behind each time, which a million of them would notice.
   */
  renew(shape: Shape, context: unknown, advancedTo: number, planned: Planned, dueAt: number): void {
    const own = this as { -readonly [Field in keyof RecordValue]: RecordValue[Field] };
    if (own.shape !== shape) own.shape = shape;
    if (own.planned !== planned) own.planned = planned;
    own.context = context;
    own.advancedTo = advancedTo;
    own.dueAt = dueAt;
    own.revision += 1;
  }

  /** The same for a timer that repeated so many times, in a context that was renewed with it. */
  renewTimes(count: number, advancedTo: number, dueAt: number): void {
    const own = this as { -readonly [Field in keyof RecordValue]: RecordValue[Field] };
    own.advancedTo = advancedTo;
    own.dueAt = dueAt;
    own.revision += count;
  }

  /** Becomes another value of the same record, on the same terms. */
  become(next: RecordValue): void {
    const own = this as { -readonly [Field in keyof RecordValue]: RecordValue[Field] };
    // Most fields stay as they are, and to see that is cheaper than to write them.
    if (own.standing !== next.standing) own.standing = next.standing;
    if (own.shape !== next.shape) own.shape = next.shape;
    if (own.context !== next.context) own.context = next.context;
    if (own.advancedTo !== next.advancedTo) own.advancedTo = next.advancedTo;
    if (own.rarity !== next.rarity) own.rarity = next.rarity;
    own.revision = next.revision;
    if (own.planned !== next.planned) own.planned = next.planned;
    if (own.dueAt !== next.dueAt) own.dueAt = next.dueAt;
    if (own.dueIteration !== next.dueIteration) own.dueIteration = next.dueIteration;
    if (own.later !== next.later) own.later = next.later;
  }

  /** A copy with the next revision, or another. */
  succeeding(revision = this.revision + 1): RecordValue {
    return new RecordValue(
      this.standing,
      this.shape,
      this.context,
      this.advancedTo,
      this.rarity,
      revision,
      this.planned,
      this.dueAt,
      this.dueIteration,
      this.later,
    );
  }

  /** Whether anything but the revision differs. */
  differsFrom(other: RecordValue): boolean {
    return (
      this.context !== other.context ||
      this.dueAt !== other.dueAt ||
      this.shape !== other.shape ||
      this.planned !== other.planned ||
      this.dueIteration !== other.dueIteration ||
      this.later !== other.later ||
      this.advancedTo !== other.advancedTo ||
      this.rarity !== other.rarity ||
      this.standing !== other.standing
    );
  }

  /** The record resting with a fault, all else as it is. */
  withFault(fault: Fault): RecordValue {
    return new RecordValue(
      this.standing,
      this.shape,
      this.context,
      this.advancedTo,
      { ...this.rarity, fault },
      this.revision + 1,
      this.planned,
      this.dueAt,
      this.dueIteration,
      this.later,
    );
  }

  /** The record with every time moved along by `delta`, and the context so moved. */
  shifted(context: unknown, delta: number): RecordValue {
    const { rarity } = this;
    const { fault } = rarity;
    return new RecordValue(
      this.standing,
      this.shape,
      context,
      this.advancedTo + delta,
      fault === null ? rarity : { ...rarity, fault: { ...fault, time: fault.time + delta } },
      this.revision + 1,
      this.planned,
      this.dueAt + delta,
      this.dueIteration,
      shifted(this.later, delta),
    );
  }
}

// V8 boxes every number of a field that has only ever held numbers, once one of them was fractional.
// A field that has also held something else keeps whole numbers in itself, which most game times are.
const UNBOXED = undefined as unknown as number;
void new RecordValue(
  undefined as unknown as Standing,
  undefined as unknown as Shape,
  undefined,
  UNBOXED,
  NOTHING_RARE,
  0,
  undefined,
  UNBOXED,
  0,
  undefined,
);

/** What a record is doing, for counting. */
export type Condition = 'waiting' | 'resting' | 'done' | 'faulted';

/** Waiting has a next event; resting has none; a fault or a final state is told apart from resting. */
export function conditionOf(record: RecordValue): Condition {
  if (record.fault !== null) return 'faulted';
  if (record.shape.status !== 'active') return 'done';
  return record.planned === undefined ? 'resting' : 'waiting';
}

/** Whether two values of a record look the same from afar: in the same place, condition and fault. */
export function looksSame(a: RecordValue, b: RecordValue): boolean {
  return (
    a.at === b.at &&
    a.fault === b.fault &&
    conditionOf(a) === conditionOf(b) &&
    a.kind.name === b.kind.name
  );
}

/** The game time of its next event, null if it rests. */
export function nextEventOf(record: RecordValue): number | null {
  return record.fault === null && record.planned !== undefined ? record.dueAt : null;
}

/** Whether a wake may do something to it. A faulted record is always worth another try. */
export function heedsWake(record: RecordValue): boolean {
  if (record.fault !== null) return true;
  if (record.shape.status !== 'active') return false;
  return record.shape.heedsWake || record.shape.sharing.kind.predict.length > 0;
}
