import fc from 'fast-check';
import { createWorld, type World } from 'offstage';
import { expect, test } from 'vitest';
import { Points } from '../../inspector/page/src/world-map/points.ts';
import { squareOf } from '../../src/core/place-index.ts';
import { conditionOf } from '../../src/core/record.ts';
import { MapWatch } from '../../src/inspect/map-watch.ts';
import { CONDITIONS, type MapTold, type Place } from '../../src/protocol/admin.ts';
import { meadowKinds } from '../support/meadow.ts';

const CELL = 100;

function meadow(): World {
  return createWorld({ kinds: meadowKinds, settings: { cellSize: CELL } });
}

/** Everything that is still to be told, taken into the page's own points. */
function takeAll(watch: MapWatch, points: Points): MapTold[] {
  const all: MapTold[] = [];
  for (let told = watch.news(); told !== undefined; told = watch.news()) {
    const { ...message } = JSON.parse(JSON.stringify(told)) as MapTold;
    points.apply(message);
    all.push(message);
  }
  return all;
}

function shown(points: Points): Record<string, string> {
  return Object.fromEntries(
    points.ids.map((id, i) => {
      const look = points.looks[i] ?? 0;
      const kind = points.kinds[Math.floor(look / CONDITIONS.length)];
      return [
        id,
        `${kind} ${CONDITIONS[look % CONDITIONS.length]} ${points.xs[i]},${points.ys[i]}`,
      ];
    }),
  );
}

/** What the map should show: every record of a cell that touches the view. */
function expected(world: World, from: Place, to: Place): Record<string, string> {
  return Object.fromEntries(
    world
      .values()
      .filter(({ at }) => {
        const [x = 0, y = 0] = squareOf(at, CELL).split(',').map(Number);
        const touches = (cell: number, axis: 0 | 1): boolean =>
          (cell + 1) * CELL > from[axis] && cell * CELL < to[axis];
        return touches(x, 0) && touches(y, 1);
      })
      .map((record) => [
        record.id,
        `${record.kind.name} ${conditionOf(record)} ${record.at[0] ?? 0},${record.at[1] ?? 0}`,
      ]),
  );
}

test('a view is told its cells in full, then only what looks different', () => {
  const world = meadow();
  world.add([
    { id: 'lamp', kind: 'lamp', at: [10, 10] },
    { id: 'far', kind: 'lamp', at: [5000, 0] },
    { id: 'bell', kind: 'bell', at: [20, 20] },
  ]);
  const points = new Points();
  const watch = new MapWatch(world, [0, 0], [90, 90]);
  const [first] = takeAll(watch, points);
  expect(first?.anew?.extent).toEqual({ from: [0, 0], to: [5100, 100] });
  expect(Object.keys(shown(points)).sort()).toEqual(['bell', 'lamp']);

  world.send('lamp', { type: 'DIM', level: 3 });
  expect(watch.news()).toBeUndefined();
  world.send('far', { type: 'TOGGLE' });
  expect(watch.news()).toBeUndefined();
  world.send('lamp', { type: 'TOGGLE' });
  const [lit] = takeAll(watch, points);
  expect(lit?.set.ids).toEqual(['lamp']);
  expect(shown(points).lamp).toBe('lamp waiting 10,10');

  world.run(500);
  const [rung] = takeAll(watch, points);
  expect(rung?.notices).toEqual([{ id: 'bell', at: [20, 20], event: 'RING' }]);
  watch.close();
  world.remove('lamp');
  expect(watch.news()).toBeUndefined();
});

test('a large view is told in slices, what is nearest to its middle first', () => {
  const world = meadow();
  world.add(
    Array.from({ length: 25_000 }, (_, i) => ({
      id: `lamp-${i}`,
      kind: 'lamp',
      at: [(i % 250) * 20, Math.floor(i / 250) * 20],
    })),
  );
  const points = new Points();
  const watch = new MapWatch(world, [0, 0], [5000, 2000]);
  const told = takeAll(watch, points);
  expect(told.length).toBeGreaterThan(2);
  expect(Math.max(...told.map(({ set }) => set.ids.length))).toBeLessThan(11_000);
  expect(told.at(-1)?.toCome).toBe(0);
  expect(points.size).toBe(25_000);
  expect(told[0]?.set.xs.some((x) => Math.abs(x - 2500) < 100)).toBe(true);
});

test('other cells or settings make it begin anew', () => {
  const world = meadow();
  world.add({ id: 'lamp', kind: 'lamp', at: [10, 10] });
  const points = new Points();
  const watch = new MapWatch(world, [0, 0], [90, 90]);
  takeAll(watch, points);
  world.configure({ cellSize: 40 });
  world.send('lamp', { type: 'TOGGLE' });
  const [anew] = takeAll(watch, points);
  expect(anew).toMatchObject({ cellSize: 40, anew: {} });
  expect(shown(points)).toEqual({ lamp: 'lamp waiting 10,10' });
});

type Step =
  | { readonly do: 'add' | 'remove' | 'toggle'; readonly n: number; readonly at: Place }
  | { readonly do: 'move'; readonly n: number; readonly at: Place }
  | { readonly do: 'look'; readonly from: Place; readonly size: number }
  | { readonly do: 'tell' };

const place = fc.tuple(fc.integer({ min: -350, max: 350 }), fc.integer({ min: -350, max: 350 }));
const n = fc.integer({ min: 0, max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add', 'remove', 'toggle', 'move'), n, at: place }),
  fc.record({ do: fc.constant('look'), from: place, size: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ do: fc.constant('tell') }),
) as fc.Arbitrary<Step>;

test('whatever moves, comes, goes or is looked at, the page shows the cells in view as they are', () => {
  const runs = Number(process.env.OFFSTAGE_FUZZ ?? 300);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = meadow();
      const points = new Points();
      let view: readonly [Place, Place] = [
        [-100, -100],
        [200, 200],
      ];
      const watch = new MapWatch(world, ...view);
      for (const one of steps) {
        switch (one.do) {
          case 'add':
            world.addIfMissing({
              id: `r${one.n}`,
              kind: one.n % 2 === 0 ? 'lamp' : 'cart',
              at: one.at,
            });
            break;
          case 'remove':
            world.remove(`r${one.n}`);
            break;
          case 'toggle':
            world.send(`r${one.n}`, { type: 'TOGGLE' });
            break;
          case 'move':
            world.send(`r${one.n}`, { type: 'GO', to: one.at });
            break;
          case 'look':
            view = [one.from, [one.from[0] + one.size, one.from[1] + one.size]];
            watch.moveTo(...view);
            break;
          case 'tell':
            takeAll(watch, points);
            expect(shown(points)).toEqual(expected(world, ...view));
            break;
          default:
            one satisfies never;
        }
      }
      takeAll(watch, points);
      expect(shown(points)).toEqual(expected(world, ...view));
      watch.close();
    }),
    { numRuns: runs },
  );
});
