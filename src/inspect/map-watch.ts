/**
 * The map as one admin sees it: the records of the cells in view, in full when a cell comes into
 * view and then only what changed. Cells are told a slice at a time, so that a view of a hundred
 * thousand records holds up no frame of the world. What looks as it did, and what is out of view,
 * costs nothing.
 */
import type { Change, Notice } from '../core/commit.ts';
import { squareOf } from '../core/place-index.ts';
import { conditionOf, looksSame, type RecordValue } from '../core/record.ts';
import type { World } from '../core/world.ts';
import { CONDITIONS, type MapNotice, type MapTold, type Place } from '../protocol/admin.ts';
import type { Watcher } from './watcher.ts';

/** Records of cells newly in view that one flush tells, about: a few milliseconds' worth. */
const SLICE = 10_000;
/** Notices that one flush tells; more could not be seen apart. */
const MOST_NOTICES = 40;

interface Columns {
  readonly ids: string[];
  readonly xs: number[];
  readonly ys: number[];
  readonly looks: number[];
}

export class MapWatch implements Watcher {
  private readonly world: World;
  private readonly stopNoting: () => void;
  private stopHearing: () => void;
  private kinds: readonly string[] = [];
  private kindPlaces = new Map<string, number>();
  private cellSize: number;
  private from: Place;
  private to: Place;
  /** Cells that were told in full. */
  private told = new Set<string>();
  /** Cells in view that are still to be told. */
  private waiting: string[] = [];
  private left: string[] = [];
  /** What changed since the last news, each record as it was before. */
  private readonly changed = new Map<string, RecordValue | undefined>();
  private notices: MapNotice[] = [];
  private isAnew = true;

  constructor(world: World, from: Place, to: Place) {
    this.world = world;
    this.cellSize = world.settings.cellSize;
    this.from = from;
    this.to = to;
    this.stopNoting = world.on('appearance', (change) => this.note(change));
    this.stopHearing = this.startHearing();
    this.look();
  }

  /** Looks at another part of the map. */
  moveTo(from: Place, to: Place): void {
    this.from = from;
    this.to = to;
    this.look();
  }

  get hasMore(): boolean {
    return this.waiting.length > 0;
  }

  news(): MapTold | undefined {
    this.startAnewIfNeeded();
    const set: Columns = { ids: [], xs: [], ys: [], looks: [] };
    const gone: string[] = [];
    this.tellChanges(set, gone);
    while (set.ids.length < SLICE) {
      const cell = this.waiting.pop();
      if (cell === undefined) break;
      this.told.add(cell);
      for (const record of this.world.valuesInSquare(cell)) this.put(set, record);
    }
    const { left, notices, isAnew } = this;
    if (set.ids.length + gone.length + left.length + notices.length === 0 && !isAnew) return;
    this.left = [];
    this.isAnew = false;
    this.notices = [];
    if (notices.length >= MOST_NOTICES) this.stopHearing = this.startHearing();
    return {
      type: 'map',
      time: this.world.time,
      cellSize: this.cellSize,
      kinds: this.kinds,
      ...(isAnew ? { anew: { extent: this.extent() } } : {}),
      left,
      set,
      gone,
      notices,
      toCome: this.waiting.length,
    };
  }

  close(): void {
    this.stopNoting();
    this.stopHearing();
  }

  private look(): void {
    const seen = this.cellsInView();
    for (const cell of this.told) {
      if (seen.has(cell)) continue;
      this.told.delete(cell);
      this.left.push(cell);
    }
    // What is nearest to the middle is told first; the list is taken from its end.
    const middle = [(this.from[0] + this.to[0]) / 2, (this.from[1] + this.to[1]) / 2] as const;
    const distance = (cell: string): number => {
      const [x = 0, y = 0] = cell.split(',').map(Number);
      const [dx, dy] = [
        (x + 0.5) * this.cellSize - middle[0],
        (y + 0.5) * this.cellSize - middle[1],
      ];
      return dx * dx + dy * dy;
    };
    this.waiting = [...seen]
      .filter((cell) => !this.told.has(cell))
      .map((cell) => [cell, distance(cell)] as const)
      .sort((a, b) => b[1] - a[1])
      .map(([cell]) => cell);
  }

  /** The rectangle of all cells with records. */
  private extent(): { readonly from: Place; readonly to: Place } | null {
    const cells = this.world.cells().map((cell) => cell.split(',').map(Number));
    if (cells.length === 0) return null;
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x = 0, y = 0] of cells) {
      [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
    }
    const side = this.cellSize;
    return { from: [x0 * side, y0 * side], to: [(x1 + 1) * side, (y1 + 1) * side] };
  }

  /** Cells with records that touch the view; the empty ones are watched without being listed. */
  private cellsInView(): Set<string> {
    return new Set(this.world.cells().filter((cell) => this.isInView(cell)));
  }

  private isInView(cell: string): boolean {
    const [x = 0, y = 0] = cell.split(',').map(Number);
    const { cellSize: side, from, to } = this;
    return (
      (x + 1) * side > from[0] && x * side < to[0] && (y + 1) * side > from[1] && y * side < to[1]
    );
  }

  /** Other cells or other kinds make what was told unreadable. */
  private startAnewIfNeeded(): void {
    const kinds = [...this.world.kinds.keys()];
    const { cellSize } = this.world.settings;
    const isSame =
      cellSize === this.cellSize &&
      kinds.length === this.kinds.length &&
      kinds.every((kind, i) => kind === this.kinds[i]);
    if (isSame) return;
    this.isAnew = true;
    this.kinds = kinds;
    this.kindPlaces = new Map(kinds.map((kind, i) => [kind, i]));
    this.cellSize = cellSize;
    this.told.clear();
    this.left = [];
    this.changed.clear();
    this.look();
  }

  /** What changes out of view is told when its cell comes into view, with all that is in it. */
  private note({ before, after }: Change): void {
    const record = after ?? before;
    if (record === undefined || this.changed.has(record.id)) return;
    if (!this.isNear(before?.at) && !this.isNear(after?.at)) return;
    this.changed.set(record.id, before);
  }

  /** Whether a place may lie in a cell in view; said at less cost than which cell it lies in. */
  private isNear(at: readonly number[] | undefined): boolean {
    if (at === undefined) return false;
    const [x = 0, y = 0] = at;
    const { cellSize: side, from, to } = this;
    return x >= from[0] - side && x <= to[0] + side && y >= from[1] - side && y <= to[1] + side;
  }

  private startHearing(): () => void {
    return this.world.on('notice', (notice) => this.hear(notice));
  }

  /** When a flush has all that it may tell, those that follow cost nothing. */
  private hear({ id, at, event }: Notice): void {
    if (!this.isNear(at)) return;
    this.notices.push({ id, at: [at[0] ?? 0, at[1] ?? 0], event: event.type });
    if (this.notices.length >= MOST_NOTICES) this.stopHearing();
  }

  private tellChanges(set: Columns, gone: string[]): void {
    if (this.changed.size === 0) return;
    const waiting = new Set(this.waiting);
    for (const [id, before] of this.changed) {
      const after = this.world.valueOf(id);
      if (before !== undefined && after !== undefined && looksSame(before, after)) continue;
      const now = this.cellOf(after);
      // A cell that was empty until now is not waited for; it is told with its first record.
      if (now !== undefined && !waiting.has(now) && this.isInView(now)) this.told.add(now);
      const then = this.cellOf(before);
      if (after !== undefined && now !== undefined && this.told.has(now)) this.put(set, after);
      else if (then !== undefined && this.told.has(then)) gone.push(id);
    }
    this.changed.clear();
  }

  private cellOf(record: RecordValue | undefined): string | undefined {
    return record === undefined ? undefined : squareOf(record.at, this.cellSize);
  }

  private put(set: Columns, record: RecordValue): void {
    const [x = 0, y = 0] = record.at;
    set.ids.push(record.id);
    set.xs.push(x);
    set.ys.push(y);
    const kind = this.kindPlaces.get(record.kind.name) ?? 0;
    set.looks.push(kind * CONDITIONS.length + CONDITIONS.indexOf(conditionOf(record)));
  }
}
