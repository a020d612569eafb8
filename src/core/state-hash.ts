/**
 * The state hash: 64 bits over every saved field of every record, the time, and what is left of an
 * open instant. It is an order-free sum of per-record hashes, so commits only mark a record, and
 * asking works out what changed since it was last asked.
 */
import type { InstantState } from './agenda.ts';
import type { ChangeListener } from './commit.ts';
import { messageOf, WorldError } from './errors.ts';
import { Hasher } from './hash.ts';
import type { RecordValue } from './record.ts';
import type { Store } from './store.ts';
import { roomFor } from './typed-arrays.ts';

const hasher = new Hasher();

/** Works out the 64 bits of one record; they are then in the hasher. */
function hashRecord(record: RecordValue): void {
  try {
    writeRecord(record);
  } catch (error) {
    throw new WorldError(
      'NOT_SAVABLE',
      `${record.id} (${record.kind.name}) holds what cannot be hashed or saved: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function writeRecord(record: RecordValue): void {
  const { kind, state, fault } = record;
  hasher
    .reset()
    .text(record.id)
    .text(kind.name)
    .number(kind.version)
    .value(record.at)
    .value(record.links);
  hasher
    .text(record.relevancy)
    .number(record.advancedTo)
    .number(record.draws)
    .number(record.created);
  hasher
    .value(state.value)
    .value(state.context)
    .text(state.status)
    .value(state.historyValue)
    .value(state.output);
  for (let entry = record.pending; entry !== undefined; entry = entry.next) {
    hasher
      .word(entry.rank)
      .text(entry.id)
      .value(entry.event)
      .number(entry.at)
      .word(entry.iteration)
      .value(entry.to);
  }
  if (fault !== null)
    hasher.text(fault.code).text(fault.message).number(fault.time).value(fault.event);
  hasher.end();
}

function worldHash(
  low: number,
  high: number,
  size: number,
  time: number,
  instant: InstantState | undefined,
): string {
  return hasher.reset().word(low).word(high).number(size).number(time).value(instant).end().hex();
}

/** The state hash of records that are put into slots one by one, in any order. */
export class HashSum {
  private low = 0;
  private high = 0;
  private size = 0;
  private lows = new Int32Array(64);
  private highs = new Int32Array(64);
  private isThere = new Uint8Array(64);

  /** Puts a record into a slot, in place of what was there; undefined: nothing is there now. */
  set(slot: number, record: RecordValue | undefined): void {
    if (slot >= this.lows.length) {
      this.lows = roomFor(this.lows, slot);
      this.highs = roomFor(this.highs, slot);
      this.isThere = roomFor(this.isThere, slot);
    }
    let low = 0;
    let high = 0;
    if (record !== undefined) {
      hashRecord(record);
      low = hasher.low | 0;
      high = hasher.high | 0;
    }
    this.low = (this.low + low - (this.lows[slot] as number)) | 0;
    this.high = (this.high + high - (this.highs[slot] as number)) | 0;
    this.size += (record === undefined ? 0 : 1) - (this.isThere[slot] as number);
    this.lows[slot] = low;
    this.highs[slot] = high;
    this.isThere[slot] = record === undefined ? 0 : 1;
  }

  /** The state hash of a world that holds these records, at that time. */
  hash(time: number, instant: InstantState | undefined): string {
    return worldHash(this.low, this.high, this.size, time, instant);
  }
}

/** The state hash of records worked out from nothing. */
export function hashOf(
  records: Iterable<RecordValue>,
  time: number,
  instant: InstantState | undefined,
): string {
  let low = 0;
  let high = 0;
  let size = 0;
  for (const record of records) {
    hashRecord(record);
    low = (low + hasher.low) | 0;
    high = (high + hasher.high) | 0;
    size += 1;
  }
  return worldHash(low, high, size, time, instant);
}

export class StateHash implements ChangeListener {
  private readonly store: Store;
  private low = 0;
  private high = 0;
  private lows = new Int32Array(64);
  private highs = new Int32Array(64);
  private isMarked = new Uint8Array(64);
  private marked = new Int32Array(64);
  private markedCount = 0;

  constructor(store: Store) {
    this.store = store;
  }

  changed(slot: number): void {
    if (slot >= this.isMarked.length) this.isMarked = roomFor(this.isMarked, slot);
    if (this.isMarked[slot] === 1) return;
    this.isMarked[slot] = 1;
    if (this.markedCount >= this.marked.length)
      this.marked = roomFor(this.marked, this.markedCount);
    this.marked[this.markedCount] = slot;
    this.markedCount += 1;
  }

  hash(time: number, instant: InstantState | undefined): string {
    for (let i = 0; i < this.markedCount; i += 1) this.update(this.marked[i] as number);
    this.markedCount = 0;
    return worldHash(this.low, this.high, this.store.size, time, instant);
  }

  private update(slot: number): void {
    this.isMarked[slot] = 0;
    this.lows = roomFor(this.lows, slot);
    this.highs = roomFor(this.highs, slot);
    const record = this.store.peek(slot);
    let low = 0;
    let high = 0;
    if (record !== undefined) {
      hashRecord(record);
      low = hasher.low | 0;
      high = hasher.high | 0;
    }
    this.low = (this.low + low - (this.lows[slot] as number)) | 0;
    this.high = (this.high + high - (this.highs[slot] as number)) | 0;
    this.lows[slot] = low;
    this.highs[slot] = high;
  }
}
