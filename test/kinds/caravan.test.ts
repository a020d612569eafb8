import fc from 'fast-check';
import { stub, testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { caravan, stash } from '../../kinds/index.ts';
import type { CaravanInput } from '../../machines/caravan.machine.ts';
import { countOf, type Items } from '../../machines/items.ts';

/** Two legs: 3000 units in 30 s, then 4000 in 60 s; strides of at most 2500. */
const input: CaravanInput = {
  item: 'bread',
  hold: 10,
  route: [
    { at: [3000, 0], milliseconds: 30_000 },
    { at: [3000, 4000], milliseconds: 60_000 },
  ],
};

function caravanOf(items: Items, capacity = 99, change: Partial<CaravanInput> = {}) {
  const from = testKind(stash, { id: 'pantry', input: { capacity: 99, items } });
  const to = testKind(stash, { id: 'market', input: { capacity } });
  const t = testKind(caravan, { input: { ...input, ...change }, links: { from, to } });
  return { from, to, t };
}

describe('a caravan', () => {
  test('loads, walks, unloads and comes back', () => {
    const { from, to, t } = caravanOf({ bread: 7 });
    expect(t.value).toBe('outbound');
    expect(from.context.items).toEqual({});
    expect(t.context.cargo).toBe(7);
    t.advance('90s');
    expect(t.value).toBe('homebound');
    expect(t.record.at).toEqual([3000, 4000]);
    expect(to.context.items).toEqual({ bread: 7 });
    t.advance('90s');
    expect(t.value).toBe('loading');
    expect(t.record.at).toEqual([0, 0]);
    expect(t.notices.map(({ time, event }) => [time, event.type])).toEqual([
      [0, 'DEPARTED'],
      [90_000, 'ARRIVED'],
      [90_000, 'UNLOADED'],
      [180_000, 'RETURNED'],
    ]);
  });

  test('is seen on the way, stride by stride', () => {
    const { t } = caravanOf({ bread: 1 });
    const seen = [];
    for (let i = 0; i < 8; i += 1) {
      const wait = t.runToNextEvent();
      seen.push([wait, ...t.record.at]);
    }
    expect(seen).toEqual([
      [15_000, 1500, 0],
      [15_000, 3000, 0],
      [30_000, 3000, 2000],
      [30_000, 3000, 4000],
      [30_000, 3000, 2000],
      [30_000, 3000, 0],
      [15_000, 1500, 0],
      [15_000, 0, 0],
    ]);
  });

  test('shows the stride it is on, so that it can be drawn between two places', () => {
    const { t } = caravanOf({ bread: 1 });
    t.advance('20s');
    expect(t.context.stride).toEqual({
      from: [1500, 0],
      to: [3000, 0],
      since: 15_000,
      until: 30_000,
    });
    t.advance('1h');
    expect(t.context.stride).toBeNull();
  });

  test('waits where nothing is to carry, and sets out the moment something is', () => {
    const { from, t } = caravanOf({ ore: 5 });
    t.advance('3h');
    expect(t.value).toBe('loading');
    expect(t.nextEventIn).toBeUndefined();
    from.send({ type: 'PUT', item: 'bread', count: 1 });
    expect(t.value).toBe('outbound');
    expect(from.context.items).toEqual({ ore: 5 });
  });

  test('carries no more than it holds', () => {
    const { from, to, t } = caravanOf({ bread: 25 });
    expect(from.context.items).toEqual({ bread: 15 });
    t.advance('1d');
    expect(to.context.items).toEqual({ bread: 25 });
    expect(t.context.delivered).toBe(25);
  });

  test('waits for a load that is worth the way, unless it is sent', () => {
    const { from, t } = caravanOf({ bread: 3 }, 99, { atLeast: 5 });
    expect(t.value).toBe('loading');
    from.send({ type: 'PUT', item: 'bread', count: 1 });
    expect(t.value).toBe('loading');
    expect(t.send({ type: 'DEPART' })).toEqual({ accepted: true });
    expect(t.context.cargo).toBe(4);
    expect(t.send({ type: 'DEPART' })).toMatchObject({ code: 'NOT_TAKEN' });
  });

  test('is not sent with nothing', () => {
    expect(caravanOf({}).t.send({ type: 'DEPART' })).toMatchObject({ code: 'NOT_TAKEN' });
  });

  test('unloads what fits and keeps the rest until there is room', () => {
    const { to, t } = caravanOf({ bread: 7 }, 5);
    t.advance('1h');
    expect(t.value).toBe('unloading');
    expect(t.context).toMatchObject({ cargo: 2, delivered: 5 });
    expect(t.nextEventIn).toBeUndefined();
    to.send({ type: 'TAKE', item: 'bread', count: 1 });
    expect(t.context.cargo).toBe(1);
    expect(to.context.items).toEqual({ bread: 5 });
    to.send({ type: 'TAKE', item: 'bread', count: 4 });
    expect(t.context.cargo).toBe(0);
    expect(t.value).toBe('homebound');
  });

  test('waits for a market that is not built yet', () => {
    const from = testKind(stash, { input: { capacity: 9, items: { bread: 3 } } });
    const t = testKind(caravan, { input, links: { from } });
    t.advance('1h');
    expect(t.value).toBe('unloading');
    expect(t.context.cargo).toBe(3);
    expect(t.fault).toBeNull();
  });

  test('loses nothing, whatever comes and goes at both ends', () => {
    const act = fc.record({
      wait: fc.integer({ min: 0, max: 100_000 }),
      end: fc.constantFrom('from', 'to'),
      type: fc.constantFrom('PUT', 'TAKE'),
      count: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 25 }),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 10 }),
        (acts, capacity, hold) => {
          const { from, to, t } = caravanOf({ bread: 20 }, capacity, { hold });
          let total = 20;
          for (const { wait, end, type, count } of acts) {
            const stashed = end === 'from' ? from : to;
            const { accepted } = stashed.send({ type, item: 'bread', count } as never);
            if (accepted) total += type === 'PUT' ? count : -count;
            t.advance(wait);
            const there = [from, to].map(({ context }) => countOf(context.items, 'bread'));
            expect((there[0] ?? 0) + (there[1] ?? 0) + t.context.cargo).toBe(total);
            expect(t.context.cargo).toBeLessThanOrEqual(hold);
          }
          expect(t.fault).toBeNull();
        },
      ),
      { numRuns: 50 },
    );
  });

  test('keeps its stride when the clock is set', () => {
    const { t } = caravanOf({ bread: 1 });
    t.advance('5s');
    t.world.shiftTo(1_000_000);
    expect(t.context.stride).toMatchObject({ since: 995_000, until: 1_010_000 });
    expect(t.nextEventIn).toBe(10_000);
  });

  test('goes on in the state it is put into from outside', () => {
    const { to, t } = caravanOf({});
    t.world.setState('caravan', { value: 'outbound', context: { ...t.context, cargo: 4 } });
    t.advance('1h');
    expect(to.context.items).toEqual({ bread: 4 });
    expect(t.value).toBe('loading');
    expect(t.record.at).toEqual([0, 0]);
    expect(t.fault).toBeNull();
  });

  test.each([
    [undefined, /caravan: input is undefined/],
    [{ ...input, hold: 0 }, /input.hold is 0.* at least 1/],
    [{ ...input, hold: Number.NaN }, /input.hold is NaN/],
    [{ ...input, atLeast: 11 }, /input.atLeast is 11; give at most what it holds, 10/],
    [{ ...input, item: 'Bread' }, /input.item is "Bread"/],
    [{ ...input, route: [] }, /input.route is \[\]; give one leg or more/],
    [{ ...input, route: [{ at: [1], milliseconds: 1 }] }, /route\[0\].at is \[1\]; .* 2 finite/],
    [{ ...input, route: [{ at: [1, Number.NaN], milliseconds: 1 }] }, /route\[0\].at/],
    [{ ...input, route: [{ at: [1, 1], milliseconds: 0 }] }, /route\[0\].milliseconds is 0/],
    [{ ...input, strideLength: 0 }, /input.strideLength is 0/],
  ])('is not made of %o', (wrong, message) => {
    const links = { from: stub(), to: stub() };
    expect(() => testKind(caravan, { input: wrong as never, links })).toThrowError(message);
  });
});
