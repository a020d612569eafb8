import { checkKind, fc, stub, testKind } from 'offstage/testing';
import { describe, test } from 'vitest';
import { camp, caravan, field, stash, station, timer } from '../../kinds/index.ts';

test('timer', () => {
  checkKind(timer, { input: fc.record({ every: fc.integer({ min: 100, max: 10_000 }) }) });
});
test('stash', () => {
  checkKind(stash, {
    input: fc.record({ capacity: fc.integer({ min: 5, max: 20 }) }),
    events: fc.record({ type: fc.constantFrom('PUT', 'TAKE'), item: fc.constantFrom('ore', 'bar'), count: fc.nat(9) }) as never,
  });
});
const item = fc.constantFrom('ore', 'bar');
test('station', () => {
  checkKind(station, {
    input: fc.record({
      recipe: fc.record({
        takes: fc.dictionary(item, fc.integer({ min: 1, max: 3 })),
        gives: fc.record({ item, count: fc.integer({ min: 1, max: 3 }) }),
        milliseconds: fc.integer({ min: 100, max: 10_000 }),
      }),
    }),
    events: fc.constant({ type: 'RUSH' }),
    links: {
      from: testKind(stash, { input: { capacity: 20, items: { ore: 5 } } }),
      to: testKind(stash, { input: { capacity: 10 } }),
    },
    linkEvents: {
      from: fc.record({ type: fc.constantFrom('PUT', 'TAKE'), item, count: fc.nat(9) }),
      to: fc.record({ type: fc.constantFrom('PUT', 'TAKE'), item, count: fc.nat(9) }),
    },
  });
});
test('field', () => {
  checkKind(field, {
    input: fc.record({
      crop: fc.constantFrom('wheat', 'oats'),
      yield: fc.constantFrom([1, 4] as const, [2, 2] as const),
      stage: fc.integer({ min: 100, max: 100_000 }),
      moisture: fc.constantFrom(0.1, 0.5, 1),
    }) as never,
    events: fc.oneof(
      fc.record({ type: fc.constantFrom('WATER', 'RAIN'), amount: fc.constantFrom(0.1, 0.5, 1) }),
      fc.record({ type: fc.constantFrom('HARVEST', 'SOW') }),
    ) as never,
    links: { barn: testKind(stash, { input: { capacity: 20 } }) },
    linkEvents: { barn: fc.record({ type: fc.constantFrom('PUT', 'TAKE'), item: fc.constant('wheat'), count: fc.nat(9) }) },
  });
});
test('caravan', () => {
  checkKind(caravan, {
    input: fc.record({
      item,
      hold: fc.integer({ min: 1, max: 5 }),
      route: fc.array(fc.record({ at: fc.tuple(fc.nat(100), fc.nat(100)), milliseconds: fc.integer({ min: 1, max: 10_000 }) }), { minLength: 1, maxLength: 3 }),
    }) as never,
    events: fc.constant({ type: 'DEPART' }) as never,
    links: { from: testKind(stash, { input: { capacity: 20, items: { ore: 5 } } }), to: testKind(stash, { input: { capacity: 20 } }) },
  });
});
test('camp', () => {
  checkKind(camp, {
    input: fc.record({ huts: fc.nat(3), stage: fc.integer({ min: 100, max: 10000 }), watchEvery: fc.integer({ min: 100, max: 10000 }), loot: fc.constant({ ore: 1 }) }) as never,
    events: fc.constant({ type: 'DESTROY' }) as never,
    kinds: [stash],
  });
});
