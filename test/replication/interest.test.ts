import { describe, expect, test } from 'vitest';
import { checkSizes, type KeptCell, keptCells, LINGER } from '../../src/replication/interest.ts';

const sizes = { cellSize: 100, relevancyRadius: 150 };
/** Beyond this from a cell's middle, it is out of reach. */
const reach = 150 + 100 * Math.SQRT1_2;

function look(view: [number, number], now: number, before = new Map<string, KeptCell>()) {
  return keptCells(before, view, sizes, now);
}

test('every record within the radius is in a cell that is kept, wherever one looks', () => {
  for (let i = 0; i < 2000; i += 1) {
    const view: [number, number] = [((i * 37.7) % 500) - 250, ((i * 91.3) % 500) - 250];
    const angle = i * 0.7;
    const record = [view[0] + 150 * Math.cos(angle), view[1] + 150 * Math.sin(angle)];
    const cell = record.map((n) => Math.floor(n / 100)).join(',');
    expect([...look(view, 0).keys()]).toContain(cell);
  }
});

test('the nearest cell comes first', () => {
  expect([...look([50, 50], 0).keys()][0]).toBe('0,0');
});

describe('a cell at the edge', () => {
  // The cell 0,0 has its middle at 50,50.
  const inside: [number, number] = [50 + reach - 1, 50];
  const justOutside: [number, number] = [50 + reach + 5, 50];
  const farOutside: [number, number] = [50 + reach * 1.1 + 1, 50];

  test('is not entered from just outside', () => {
    expect(look(inside, 0).has('0,0')).toBe(true);
    expect(look(justOutside, 0).has('0,0')).toBe(false);
  });

  test('is kept for two seconds when one steps just outside, then left', () => {
    const entered = look(inside, 0);
    const lingering = look(justOutside, 1000, entered);
    expect(lingering.get('0,0')?.outsideSince).toBe(1000);
    const still = look(justOutside, 1000 + LINGER - 1, lingering);
    expect(still.get('0,0')?.outsideSince).toBe(1000);
    expect(look(justOutside, 1000 + LINGER, still).has('0,0')).toBe(false);
  });

  test('is kept for good when one steps back in time', () => {
    const back = look(inside, 1500, look(justOutside, 1000, look(inside, 0)));
    expect(back.get('0,0')?.outsideSince).toBeUndefined();
  });

  test('is left at once from a tenth beyond', () => {
    expect(look(farOutside, 1, look(inside, 0)).has('0,0')).toBe(false);
  });
});

test('a sight of more cells than can be followed is refused, and cut where it cannot be refused', () => {
  expect(() => checkSizes({ cellSize: 1, relevancyRadius: 1e6 })).toThrow(/make the cells larger/);
  expect(keptCells(new Map(), [0, 0], { cellSize: 1, relevancyRadius: 1e6 }, 0).size).toBeLessThan(
    5000,
  );
});
