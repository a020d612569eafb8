/**
 * Records that do nothing for now but set their one timer anew. While nobody looks at such a record its
 * timer is run here, on a context that only this file and the record have, and its value in the store is
 * behind; whoever looks at it first has it brought up to date, with which it is no repeater any more. A
 * million timers then leave nothing behind for the collector, and touch little memory.
 */
import type { RecordValue } from './record.ts';
import type { Way } from './sharing.ts';
import { roomFor } from './typed-arrays.ts';

/** A way of which it is known that it repeats. */
export type Repeating = Way & { readonly repeat: NonNullable<Way['repeat']> };

/** Numbers in a row, and where each is. */
const ROW = 4;
/** The game time of its last event, and of its next. */
const LAST = 0;
const NEXT = 1;
/** Events since its value was up to date. */
const COUNT = 2;
/** The epoch in which it became a repeater. */
const EPOCH = 3;

export class Repeaters {
  /** Raised by each snapshot, which takes the values as they are then. */
  private epoch = 1;
  /** By slot: how its timer is met, and its context; side by side, since one is never read without the other. */
  private cells: (Repeating | unknown | undefined)[] = [];
  private rows = new Float64Array(0);

  /** Makes a repeater of a record whose value and context nobody else has. */
  begin(slot: number, way: Repeating, { context, advancedTo, dueAt }: RecordValue): void {
    while (this.cells.length <= 2 * slot + 1) this.cells.push(undefined);
    this.rows = roomFor(this.rows, ROW * slot + EPOCH);
    const { cells, rows } = this;
    cells[2 * slot] = way;
    cells[2 * slot + 1] = context;
    rows[ROW * slot + LAST] = advancedTo;
    rows[ROW * slot + NEXT] = dueAt;
    rows[ROW * slot + COUNT] = 0;
    rows[ROW * slot + EPOCH] = this.epoch;
  }

  /** Whether the record in a slot is a repeater, so that its value may be behind. */
  has(slot: number): boolean {
    return this.cells[2 * slot] !== undefined;
  }

  /** How the timer of a repeater is met; undefined if it is none, or a snapshot has its value. */
  wayOf(slot: number): Repeating | undefined {
    const way = this.cells[2 * slot] as Repeating | undefined;
    return way !== undefined && this.rows[ROW * slot + EPOCH] === this.epoch ? way : undefined;
  }

  contextOf(slot: number): unknown {
    return this.cells[2 * slot + 1];
  }

  /** Its timer happened, and is due again then. */
  repeated(slot: number, dueAt: number): void {
    const { rows } = this;
    const row = ROW * slot;
    rows[row + LAST] = rows[row + NEXT] as number;
    rows[row + NEXT] = dueAt;
    rows[row + COUNT] = (rows[row + COUNT] as number) + 1;
  }

  /** Brings the value of a repeater up to date; it is then none any more. */
  end(slot: number, record: RecordValue): void {
    const { cells, rows } = this;
    const row = ROW * slot;
    const count = rows[row + COUNT] as number;
    if (count > 0) record.renewTimes(count, rows[row + LAST] as number, rows[row + NEXT] as number);
    cells[2 * slot] = undefined;
    cells[2 * slot + 1] = undefined;
  }

  /** All values are taken by a snapshot. Gives the epoch that is over with that. */
  raiseEpoch(): number {
    this.epoch += 1;
    return this.epoch - 1;
  }

  /** Whether the value of a slot may be behind what it was at the end of that epoch. */
  isBehind(slot: number, epoch: number): boolean {
    return this.has(slot) && (this.rows[ROW * slot + EPOCH] as number) <= epoch;
  }
}
