import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkedRoute, placeAfter, stridesOf, timeOfStride } from '../../machines/route.ts';

const place = fc.tuple(fc.integer({ min: -1e5, max: 1e5 }), fc.integer({ min: -1e5, max: 1e5 }));
const leg = fc.record({ at: place, milliseconds: fc.integer({ min: 1, max: 1e6 }) });
const route = fc
  .tuple(place, fc.array(leg, { minLength: 1, maxLength: 5 }), fc.integer({ min: 100, max: 1e5 }))
  .map(([home, legs, length]) => ({ home, legs, length }));

describe('a route', () => {
  test('begins at home, ends at its last leg, and passes every end of a leg', () => {
    fc.assert(
      fc.property(route, ({ home, legs, length }) => {
        const walked = checkedRoute(home, legs, length, 'route');
        expect(placeAfter(walked, 0)).toEqual(home);
        let strides = 0;
        for (const [i, { strides: inLeg }] of walked.legs.entries()) {
          strides += inLeg;
          expect(placeAfter(walked, strides)).toEqual(legs[i]?.at);
        }
        expect(strides).toBe(stridesOf(walked));
      }),
    );
  });

  test('is walked in strides no longer than asked, in the time of its legs', () => {
    fc.assert(
      fc.property(route, ({ home, legs, length }) => {
        const walked = checkedRoute(home, legs, length, 'route');
        let time = 0;
        for (let n = 0; n < stridesOf(walked); n += 1) {
          const [a, b] = [placeAfter(walked, n), placeAfter(walked, n + 1)] as [number[], number[]];
          const long = Math.hypot(...a.map((from, i) => (b[i] as number) - from));
          expect(long).toBeLessThanOrEqual(length * (1 + 1e-9));
          time += timeOfStride(walked, n);
        }
        const whole = legs.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
        expect(time).toBeCloseTo(whole, 3);
      }),
      { numRuns: 50 },
    );
  });

  test('may come back to where it was, and stand still for a while', () => {
    const walked = checkedRoute([1, 2], [{ at: [1, 2], milliseconds: 5 }], 10, 'route');
    expect(stridesOf(walked)).toBe(1);
    expect(placeAfter(walked, 1)).toEqual([1, 2]);
    expect(timeOfStride(walked, 0)).toBe(5);
  });
});
