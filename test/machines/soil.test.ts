import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dryAt, type Soil } from '../../machines/soil.ts';

const YEAR = 364 * 86_400_000;

/** It gets dry so long after it got wet, whenever that was. */
function expectSameSpan(soil: Soil): void {
  const late = { ...soil, since: soil.since + YEAR };
  expect(dryAt(late) - YEAR).toBe(dryAt(soil));
}

test('soil dries in the same time to the last bit, early in a world and late', () => {
  const soil = fc.record({
    wet: fc.double({ min: 0.001, max: 1, noNaN: true }),
    since: fc.integer({ min: 0, max: 86_400_000 * 1024 }).map((ticks) => ticks / 1024),
    halfLife: fc.integer({ min: 1, max: 1e8 }),
    dryBelow: fc.double({ min: 0.001, max: 1, noNaN: true }),
  });
  fc.assert(fc.property(soil, expectSameSpan), { numRuns: 1000 });
});

test('soil that gets dry in the middle between two game times does so, too', () => {
  expectSameSpan({ wet: 0.6928315993200937, since: 1241, halfLife: 59_568, dryBelow: 0.25 });
});
