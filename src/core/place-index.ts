/** Which records stand in which cell, and which are of which kind. A cell without records costs nothing. */
import type { Selection } from './address.ts';
import type { ChangeListener } from './commit.ts';
import type { RecordValue } from './record.ts';
import { SlotGroups } from './slot-groups.ts';
import type { Store } from './store.ts';
import { roomFor } from './typed-arrays.ts';

/** The square of that side a place lies in, as `'x,y'`. */
export function squareOf(at: readonly number[], side: number): string {
  return `${Math.floor((at[0] ?? 0) / side)},${Math.floor((at[1] ?? 0) / side)}`;
}

/** The cell a record is shown in: its square, or `'always'`, or `'none'` for what no client sees. */
export function cellOf(record: Pick<RecordValue, 'at' | 'relevancy'>, cellSize: number): string {
  return record.relevancy === 'spatial' ? squareOf(record.at, cellSize) : record.relevancy;
}

/** Whether a record is at most `radius` world units from a place. */
function isWithin(at: readonly number[], from: readonly number[], radius: number): boolean {
  let square = 0;
  for (let i = 0; i < Math.max(at.length, from.length); i += 1) {
    const difference = (at[i] ?? 0) - (from[i] ?? 0);
    square += difference * difference;
  }
  return square <= radius * radius;
}

export class PlaceIndex implements ChangeListener {
  private readonly store: Store;
  private cellSize: number;
  private readonly kindGroups = new Map<string, number>();
  private readonly byKind = new SlotGroups();
  private cellGroups = new Map<string, number>();
  private byCell = new SlotGroups();
  private cellOfSlot = new Int32Array(64);
  private freeCells: number[] = [];
  private cellNames: string[] = [];
  /** Slots of records that every client sees. */
  readonly always = new Set<number>();

  constructor(store: Store, kinds: Iterable<string>, cellSize: number) {
    this.store = store;
    this.cellSize = cellSize;
    for (const kind of kinds) this.kindGroups.set(kind, this.kindGroups.size);
  }

  changed(slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void {
    if (before === undefined) {
      if (after === undefined) return;
      this.byKind.join(slot, this.groupOfKind(after.kind.name));
      this.enterCell(slot, after);
      if (after.relevancy === 'always') this.always.add(slot);
    } else if (after === undefined) {
      this.byKind.leave(slot, this.groupOfKind(before.kind.name));
      this.leaveCell(slot);
      this.always.delete(slot);
    } else if (before.at !== after.at || before.kind !== after.kind) {
      if (before.kind.name !== after.kind.name) {
        this.byKind.leave(slot, this.groupOfKind(before.kind.name));
        this.byKind.join(slot, this.groupOfKind(after.kind.name));
      }
      this.leaveCell(slot);
      this.enterCell(slot, after);
    }
  }

  /** Takes another cell size and sorts every record anew. */
  resize(cellSize: number, slotOf: (record: RecordValue) => number): void {
    this.cellSize = cellSize;
    this.cellGroups = new Map();
    this.byCell = new SlotGroups();
    this.freeCells = [];
    this.cellNames = [];
    for (const record of this.store.values()) this.enterCell(slotOf(record), record);
  }

  countOfKind(kind: string): number {
    return this.byKind.count(this.kindGroups.get(kind) ?? -1);
  }

  /** The squares that hold records. */
  cells(): IterableIterator<string> {
    return this.cellGroups.keys();
  }

  /** Slots in a square, in no order. */
  *inSquare(cell: string): IterableIterator<number> {
    const group = this.cellGroups.get(cell);
    if (group !== undefined) yield* this.byCell.slots(group);
  }

  /** Slots of a selection, in no order: by cell if it has a radius, else by kind, else all. */
  *select(selection: Selection): IterableIterator<number> {
    for (const slot of this.candidates(selection)) {
      const record = this.store.get(slot);
      if (record !== undefined && isSelected(record, selection)) yield slot;
    }
  }

  private *candidates({ kind, within }: Selection): IterableIterator<number> {
    if (within !== undefined && this.cellsWithin(within.radius) < this.cellGroups.size) {
      const { at, radius } = within;
      const [x = 0, y = 0] = at;
      for (let cx = this.column(x - radius); cx <= this.column(x + radius); cx += 1) {
        for (let cy = this.column(y - radius); cy <= this.column(y + radius); cy += 1)
          yield* this.inSquare(`${cx},${cy}`);
      }
    } else if (kind !== undefined) {
      const group = this.kindGroups.get(kind);
      if (group !== undefined) yield* this.byKind.slots(group);
    } else {
      for (const group of this.kindGroups.values()) yield* this.byKind.slots(group);
    }
  }

  private column(position: number): number {
    return Math.floor(position / this.cellSize);
  }

  private cellsWithin(radius: number): number {
    const across = Math.ceil((2 * radius) / this.cellSize) + 1;
    return across * across;
  }

  private groupOfKind(kind: string): number {
    let group = this.kindGroups.get(kind);
    if (group === undefined) {
      group = this.kindGroups.size;
      this.kindGroups.set(kind, group);
    }
    return group;
  }

  private enterCell(slot: number, record: RecordValue): void {
    const cell = squareOf(record.at, this.cellSize);
    let group = this.cellGroups.get(cell);
    if (group === undefined) {
      group = this.freeCells.pop() ?? this.cellNames.length;
      this.cellGroups.set(cell, group);
      this.cellNames[group] = cell;
    }
    this.cellOfSlot = roomFor(this.cellOfSlot, slot);
    this.cellOfSlot[slot] = group;
    this.byCell.join(slot, group);
  }

  private leaveCell(slot: number): void {
    const group = this.cellOfSlot[slot] as number;
    this.byCell.leave(slot, group);
    if (this.byCell.count(group) > 0) return;
    this.cellGroups.delete(this.cellNames[group] as string);
    this.freeCells.push(group);
  }
}

function isSelected(record: RecordValue, { kind, within, except }: Selection): boolean {
  if (kind !== undefined && record.kind.name !== kind) return false;
  if (within !== undefined && !isWithin(record.at, within.at, within.radius)) return false;
  if (except === undefined) return true;
  return typeof except === 'string' ? record.id !== except : !except.includes(record.id);
}
