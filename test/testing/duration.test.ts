import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { millisecondsOf } from '../../src/testing/duration.ts';

describe('a duration', () => {
  test.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1h30m', 5_400_000],
    ['1d 2h 3m 4s 5ms', 93_784_005],
    ['1.5s', 1500],
    ['250ms', 250],
    ['1m250ms', 60_250],
    ['0s', 0],
    [600_000, 600_000],
    [0.5, 0.5],
  ])('%s is %d ms', (duration, milliseconds) => {
    expect(millisecondsOf(duration)).toBe(milliseconds);
  });

  test.each(['', ' ', '10', 'ten minutes', '10 min', '30m1h', '-5m', '5m5m', 'Infinitys', '1e3s'])(
    "'%s' is none, and the error shows some that are",
    (text) => {
      expect(() => millisecondsOf(text)).toThrowError(/no duration; give milliseconds, or '90s'/);
    },
  );

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d ms is none', (milliseconds) => {
    expect(() => millisecondsOf(milliseconds)).toThrowError(/finite number of milliseconds/);
  });

  test('is the sum of its parts', () => {
    const part = fc.nat({ max: 99 });
    fc.assert(
      fc.property(part, part, part, part, (d, h, m, s) => {
        expect(millisecondsOf(`${d}d${h}h${m}m${s}s`)).toBe(
          (((d * 24 + h) * 60 + m) * 60 + s) * 1000,
        );
      }),
    );
  });
});
