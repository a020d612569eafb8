/**
 * Which cells a client is told of. A cell is entered while the view is within `relevancyRadius` and
 * half a cell's diagonal of the cell's middle, so that every record within the radius is in it. It
 * is kept until the view is a tenth beyond that, or not within it for two seconds, so that walking
 * along an edge does not flap.
 */
import { WorldError } from '../core/errors.ts';
import type { Place } from '../protocol/messages.ts';

/** Real milliseconds for which a cell is kept that is only just out of reach. */
export const LINGER = 2000;
const BEYOND = 1.1;
/** Cells from one side of a client's sight to the other, at the most. */
const MOST_ACROSS = 64;

export interface Sizes {
  readonly cellSize: number;
  readonly relevancyRadius: number;
}

/** A cell that a client is told of; `outsideSince` is a real time, set while it is out of reach. */
export interface KeptCell {
  readonly x: number;
  readonly y: number;
  readonly outsideSince: number | undefined;
}

/** Throws `BAD_SETTING` if a client's sight would hold more cells than can be followed. */
export function checkSizes({ cellSize, relevancyRadius }: Sizes): void {
  if ((2 * relevancyRadius) / cellSize <= MOST_ACROSS) return;
  throw new WorldError(
    'BAD_SETTING',
    `relevancyRadius ${relevancyRadius} is more than ${MOST_ACROSS / 2} cells of ${cellSize}; make the cells larger or the radius smaller.`,
  );
}

/** The cells told of after a look from `view` at the real time `now`, the nearest first. */
export function keptCells(
  before: ReadonlyMap<string, KeptCell>,
  view: Place,
  sizes: Sizes,
  now: number,
): Map<string, KeptCell> {
  const reach = reachOf(sizes);
  const kept = new Map<string, KeptCell>();
  for (const { x, y } of cellsWithin(view, reach, sizes.cellSize)) {
    kept.set(`${x},${y}`, { x, y, outsideSince: undefined });
  }
  for (const [cell, { x, y, outsideSince = now }] of before) {
    if (kept.has(cell)) continue;
    if (distance(view, x, y, sizes.cellSize) > reach * BEYOND) continue;
    if (now - outsideSince < LINGER) kept.set(cell, { x, y, outsideSince });
  }
  return kept;
}

function reachOf({ cellSize, relevancyRadius }: Sizes): number {
  return relevancyRadius + cellSize * Math.SQRT1_2;
}

function cellsWithin(view: Place, reach: number, side: number): { x: number; y: number }[] {
  const [column, row] = view.map((position) => Math.floor(position / side)) as [number, number];
  // What is set while a world runs could ask for any number of cells; sight then ends here.
  const most = Math.min(Math.ceil(reach / side), MOST_ACROSS / 2 + 1);
  const cells: { x: number; y: number; away: number }[] = [];
  for (let dx = -most; dx <= most; dx += 1) {
    for (let dy = -most; dy <= most; dy += 1) {
      const [x, y] = [column + dx, row + dy];
      const away = distance(view, x, y, side);
      if (away <= reach) cells.push({ x, y, away });
    }
  }
  return cells.sort((a, b) => a.away - b.away);
}

/** From a place to the middle of a cell. */
function distance(view: Place, x: number, y: number, side: number): number {
  return Math.hypot(view[0] - (x + 0.5) * side, view[1] - (y + 0.5) * side);
}
