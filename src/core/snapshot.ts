/** Records and worlds as a reader sees them: frozen, advanced to the time of reading, nothing stored. */
import type { InstantState } from './agenda.ts';
import type { MachineEvent, MachineState, StateValue } from './logic.ts';
import { matchesValue } from './logic.ts';
import { advancedState, canTake, type Records } from './looking.ts';
import { entriesOf, RANK } from './pending.ts';
import { cellOf, squareOf } from './place-index.ts';
import { type Fault, type Links, nextEventOf, type RecordValue } from './record.ts';
import { hashOf } from './state-hash.ts';
import type { StoreSnapshot } from './store.ts';

/** A timer of a record: it fires at the game time `at`, in milliseconds. */
export interface TimerSnapshot {
  readonly id: string;
  readonly event: MachineEvent;
  readonly at: number;
}

/** A record at one game time. */
export class RecordSnapshot<Context = unknown, Event extends { type: string } = MachineEvent> {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  /** World units. */
  readonly at: readonly number[];
  readonly cell: string;
  readonly region: string;
  readonly links: Links;
  readonly relevancy: RecordValue['relevancy'];
  readonly value: StateValue;
  readonly context: Context;
  readonly status: MachineState['status'];
  readonly tags: readonly string[];
  readonly output: unknown;
  /** The game time the stored context is at; `context` here is at the time of reading. */
  readonly advancedTo: number;
  /** The game time of what comes next, null if the record rests. */
  readonly nextEvent: number | null;
  readonly timers: readonly TimerSnapshot[];
  readonly fault: Fault | null;
  readonly revision: number;
  readonly #records: Records;
  readonly #record: RecordValue;

  constructor(
    records: Records,
    record: RecordValue,
    sizes: { readonly cellSize: number; readonly regionSize: number },
  ) {
    const state = advancedState(records, record);
    this.id = record.id;
    this.kind = record.kind.name;
    this.version = record.kind.version;
    this.at = record.at;
    this.cell = cellOf(record, sizes.cellSize);
    this.region = squareOf(record.at, sizes.regionSize);
    this.links = record.links;
    this.relevancy = record.relevancy;
    this.value = state.value;
    this.context = state.context as Context;
    this.status = state.status;
    this.tags = state.tags;
    this.output = state.output;
    this.advancedTo = record.advancedTo;
    this.nextEvent = nextEventOf(record);
    this.timers = timersOf(record);
    this.fault = record.fault;
    this.revision = record.revision;
    this.#records = records;
    this.#record = record;
    Object.freeze(this);
  }

  /** Whether the state lies within a pattern, as XState's `matches`. */
  matches(value: StateValue): boolean {
    return matchesValue(value, this.value);
  }

  /** Whether the machine would take the event now. */
  can(event: Event): boolean {
    return canTake(this.#records, this.#record, event);
  }

  hasTag(tag: string): boolean {
    return this.tags.includes(tag);
  }
}

const NO_TIMERS: readonly TimerSnapshot[] = Object.freeze([]);

function timersOf(record: RecordValue): readonly TimerSnapshot[] {
  if (record.pending === undefined) return NO_TIMERS;
  return entriesOf(record.pending)
    .filter((entry) => entry.rank === RANK.timer)
    .map(({ id, event, at }) => ({ id, event, at }));
}

/** A whole world at one game time: an immutable handle that costs the same for ten records and for a million. */
export class WorldSnapshot {
  /** Game time in milliseconds. */
  readonly time: number;
  /** Set if the snapshot was taken in the middle of an instant. */
  readonly instant: InstantState | undefined;
  /** How many records there are. */
  readonly size: number;
  private readonly store: StoreSnapshot;
  private readonly sizes: { readonly cellSize: number; readonly regionSize: number };
  private readonly lookup: Records;
  private hashed: string | undefined;

  constructor(
    store: StoreSnapshot,
    time: number,
    instant: InstantState | undefined,
    sizes: { readonly cellSize: number; readonly regionSize: number },
  ) {
    this.store = store;
    this.time = time;
    this.instant = instant;
    this.size = store.size;
    this.sizes = sizes;
    this.lookup = { time, find: (id) => store.find(id) };
  }

  /** Every record, in no order. */
  *records(): IterableIterator<RecordSnapshot> {
    for (const record of this.store.values())
      yield new RecordSnapshot(this.lookup, record, this.sizes);
  }

  /** Every record's value as it is stored, in no order: for saves and diffs. */
  values(): IterableIterator<RecordValue> {
    return this.store.values();
  }

  /** The value in a slot that `changesSince` told of. */
  valueIn(slot: number): RecordValue | undefined {
    return this.store.get(slot);
  }

  /**
   * What differs from an earlier snapshot of the same world, or from an empty one: its slot, and the
   * values before and after, undefined where it was not there. Takes time only for what changed.
   */
  changesSince(
    earlier?: WorldSnapshot,
  ): IterableIterator<
    [slot: number, before: RecordValue | undefined, after: RecordValue | undefined]
  > {
    return this.store.changesSince(earlier?.store);
  }

  find(id: string): RecordSnapshot | undefined {
    const record = this.store.find(id);
    return record === undefined ? undefined : new RecordSnapshot(this.lookup, record, this.sizes);
  }

  /** The state hash this world had. */
  hash(): string {
    this.hashed ??= hashOf(this.store.values(), this.time, this.instant);
    return this.hashed;
  }
}
