import fc from 'fast-check';
import { createWorld } from 'offstage';
import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { monitor } from '../../kinds/index.ts';

describe('a monitor of samples', () => {
  test('gives count, mean, deviation, least and greatest', () => {
    const t = testKind(monitor, { input: { of: 'samples' } });
    for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) t.send({ type: 'RECORD', value });
    expect(t.context).toMatchObject({ count: 8, tally: { weight: 8, mean: 5, min: 2, max: 9 } });
    expect(t.context.tally.deviation).toBeCloseTo(2, 12);
  });

  test('shows nothing before the first', () => {
    const t = testKind(monitor, { input: { of: 'samples' } });
    expect(t.context.tally).toMatchObject({ weight: 0, mean: null, deviation: null, min: null });
  });

  test('sorts what it is told into buckets', () => {
    const histogram = { from: 0, to: 10, buckets: 5 };
    const t = testKind(monitor, { input: { of: 'samples', histogram } });
    for (const value of [-1, 0, 1.9, 2, 9.999, 10, 11]) t.send({ type: 'RECORD', value });
    expect(t.context.tally.histogram).toMatchObject({
      weights: [2, 1, 0, 0, 1],
      below: 1,
      above: 2,
    });
  });

  test('agrees with a sum over all that was told', () => {
    const value = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), (values) => {
        const t = testKind(monitor, { input: { of: 'samples' } });
        for (const one of values) t.send({ type: 'RECORD', value: one });
        const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
        const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length;
        expect(t.context.tally.mean).toBeCloseTo(mean, 6);
        expect(t.context.tally.deviation).toBeCloseTo(Math.sqrt(variance), 4);
        expect(t.context.tally.min).toBe(Math.min(...values));
        expect(t.context.tally.max).toBe(Math.max(...values));
      }),
      { numRuns: 50 },
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, '3', undefined])('refuses %s', (value) => {
    const t = testKind(monitor, { input: { of: 'samples' } });
    expect(t.send({ type: 'RECORD', value } as never)).toMatchObject({ code: 'NOT_TAKEN' });
  });
});

describe('a monitor of a level', () => {
  test('weighs each value by the time it lasted, and does nothing in between', () => {
    const t = testKind(monitor, { input: { of: 'level', value: 1 } });
    t.advance(10);
    t.send({ type: 'SET', value: 4 });
    t.advance(20);
    t.send({ type: 'ADD', by: -2 });
    expect(t.nextEventIn).toBeUndefined();
    t.advance(10);
    // 1 for 10, 4 for 20, 2 for 10.
    expect(t.context.tally).toMatchObject({ weight: 40, mean: 110 / 40, min: 1, max: 4 });
    expect(t.context.tally.deviation).toBeCloseTo(
      Math.sqrt((10 + 320 + 40) / 40 - 2.75 * 2.75),
      12,
    );
  });

  test('counts each value in its bucket for as long as it lasted', () => {
    const histogram = { from: 0, to: 4, buckets: 4 };
    const t = testKind(monitor, { input: { of: 'level', histogram } });
    t.advance(3);
    t.send({ type: 'SET', value: 2 });
    t.advance(7);
    expect(t.context.tally.histogram?.weights).toEqual([3, 0, 7, 0]);
    t.advance(1);
    expect(t.context.tally.histogram?.weights).toEqual([3, 0, 8, 0]);
  });

  test('a value that lasts no time counts for the least and the greatest alone', () => {
    const t = testKind(monitor, { input: { of: 'level' } });
    t.advance(5);
    t.send({ type: 'SET', value: 9 });
    t.send({ type: 'SET', value: 0 });
    t.advance(5);
    expect(t.context.tally).toMatchObject({ mean: 0, deviation: 0, max: 9 });
  });

  test('costs no event however long nothing changes', () => {
    const world = createWorld({ kinds: [monitor] });
    world.add({ id: 'm', kind: 'monitor', at: [0, 0], input: { of: 'level', value: 3 } });
    world.runUntil(1e9);
    expect(world.stats().events).toBe(0);
    expect(world.find('m')?.context).toMatchObject({ tally: { weight: 1e9, mean: 3 } });
    expect(world.valueOf('m')?.context).toMatchObject({ tally: { weight: 0 } });
  });

  test('begins anew when it is told to, at the value it has', () => {
    const t = testKind(monitor, { input: { of: 'level', value: 5 } });
    t.advance(100);
    t.send({ type: 'SET', value: 1 });
    t.send({ type: 'RESET' });
    t.advance(10);
    expect(t.context).toMatchObject({ count: 0, tally: { weight: 10, mean: 1, max: 1 } });
  });

  test('keeps its figures when the clock is set', () => {
    const t = testKind(monitor, { input: { of: 'level', value: 5 } });
    t.advance(100);
    t.world.shiftTo(5_000_000);
    expect(t.context.tally.weight).toBe(100);
    t.advance(1);
    expect(t.context.tally.weight).toBe(101);
  });
});

test.each([
  [undefined, /monitor: input is undefined/],
  [{}, /input.of is undefined.*'samples' or 'level'/],
  [{ of: 'samples', value: 1 }, /only a level has a value/],
  [{ of: 'level', value: Number.NaN }, /input.value is NaN/],
  [{ of: 'level', histogram: { from: 1, to: 1, buckets: 2 } }, /histogram.to is 1.*above 1/],
  [{ of: 'level', histogram: { from: 0, to: 1, buckets: 0 } }, /histogram.buckets is 0/],
  [{ of: 'level', histogram: { from: Number.NaN, to: 1, buckets: 1 } }, /histogram.from is NaN/],
])('a monitor is not made of %o', (input, message) => {
  expect(() => testKind(monitor, { input: input as never })).toThrowError(message);
});
