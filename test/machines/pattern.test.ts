import { describe, expect, test } from 'vitest';
import { fits } from '../../machines/pattern.ts';

describe('a pattern', () => {
  test.each([
    [{ colour: 'red', size: 3 }, {}, true],
    [{ colour: 'red', size: 3 }, { colour: 'red' }, true],
    [{ colour: 'red', size: 3 }, { colour: 'red', size: 4 }, false],
    [{ colour: 'red' }, { size: undefined }, false],
    [{ size: undefined }, { size: undefined }, true],
    [{ made: { of: 'oak', in: 1900 } }, { made: { of: 'oak' } }, true],
    [{ made: { of: 'ash' } }, { made: { of: 'oak' } }, false],
    [{ made: null }, { made: {} }, true],
    [{}, { made: {} }, false],
    [{ sizes: [1, 2] }, { sizes: [1, 2] }, true],
    [{ sizes: [1, 2] }, { sizes: [1] }, false],
    [{ sizes: { 0: 1 } }, { sizes: [1] }, false],
    [7, 7, true],
    [7, 8, false],
    [7, {}, true],
    [Number.NaN, Number.NaN, true],
    ['red', 'red', true],
    [{}, { constructor: Object }, false],
  ])('%o asked for by %o: %s', (object, pattern, does) => {
    expect(fits(object, pattern)).toBe(does);
  });
});
