/**
 * The records of the map in columns, as they are drawn. A record that goes leaves its row to the
 * last one, so there are no holes and drawing goes straight through.
 */
import type { MapTold, Marks } from '../../../../src/protocol/admin.ts';

export class Points {
  kinds: readonly string[] = [];
  size = 0;
  ids: string[] = [];
  xs = new Float64Array(1024);
  ys = new Float64Array(1024);
  looks = new Uint16Array(1024);
  private rows = new Map<string, number>();
  private cellSize = 1;

  row(id: string): number | undefined {
    return this.rows.get(id);
  }

  apply({ kinds, cellSize, anew, left, set, gone }: MapTold): void {
    if (anew) this.clear();
    this.kinds = kinds;
    this.cellSize = cellSize;
    if (left.length > 0) this.leave(left);
    for (const id of gone) this.remove(id);
    this.put(set);
  }

  /** Where everything lies, undefined if there is nothing. */
  bounds():
    | { readonly from: readonly [number, number]; readonly to: readonly [number, number] }
    | undefined {
    if (this.size === 0) return undefined;
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.size; i += 1) {
      const x = this.xs[i] as number;
      const y = this.ys[i] as number;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
    }
    return { from: [x0, y0], to: [x1, y1] };
  }

  /** The record nearest to a place, at most so far away. */
  nearest(
    x: number,
    y: number,
    within: number,
    isShown: (look: number) => boolean,
  ): string | undefined {
    let best = within * within;
    let found: number | undefined;
    for (let i = 0; i < this.size; i += 1) {
      const dx = (this.xs[i] as number) - x;
      const dy = (this.ys[i] as number) - y;
      const distance = dx * dx + dy * dy;
      if (distance > best || !isShown(this.looks[i] as number)) continue;
      best = distance;
      found = i;
    }
    return found === undefined ? undefined : this.ids[found];
  }

  private clear(): void {
    this.size = 0;
    this.ids = [];
    this.rows = new Map();
  }

  private put({ ids, xs, ys, looks }: Marks): void {
    this.makeRoom(this.size + ids.length);
    for (const [i, id] of ids.entries()) {
      let row = this.rows.get(id);
      if (row === undefined) {
        row = this.size;
        this.size += 1;
        this.rows.set(id, row);
        this.ids[row] = id;
      }
      this.xs[row] = xs[i] as number;
      this.ys[row] = ys[i] as number;
      this.looks[row] = looks[i] as number;
    }
  }

  private remove(id: string): void {
    const row = this.rows.get(id);
    if (row === undefined) return;
    this.size -= 1;
    this.rows.delete(id);
    if (row !== this.size) {
      const last = this.ids[this.size] as string;
      this.ids[row] = last;
      this.xs[row] = this.xs[this.size] as number;
      this.ys[row] = this.ys[this.size] as number;
      this.looks[row] = this.looks[this.size] as number;
      this.rows.set(last, row);
    }
    this.ids.length = this.size;
  }

  /** Numbers, since a text for each of a hundred thousand records would hold a frame up. */
  private leave(left: readonly string[]): void {
    const cells = new Set(
      left.map((cell) => {
        const [x = 0, y = 0] = cell.split(',').map(Number);
        return cellNumber(x, y);
      }),
    );
    for (let i = this.size - 1; i >= 0; i -= 1) {
      const x = Math.floor((this.xs[i] as number) / this.cellSize);
      const y = Math.floor((this.ys[i] as number) / this.cellSize);
      if (cells.has(cellNumber(x, y))) this.remove(this.ids[i] as string);
    }
  }

  private makeRoom(rows: number): void {
    if (rows <= this.xs.length) return;
    const length = Math.max(rows, this.xs.length * 2);
    const [xs, ys, looks] = [
      new Float64Array(length),
      new Float64Array(length),
      new Uint16Array(length),
    ];
    xs.set(this.xs);
    ys.set(this.ys);
    looks.set(this.looks);
    [this.xs, this.ys, this.looks] = [xs, ys, looks];
  }
}

/** One number for a cell; apart for all cells within 2^26 of the middle, far past any world drawn. */
function cellNumber(x: number, y: number): number {
  return x * 2 ** 27 + y;
}
