import fc from 'fast-check';
import { stub, testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { field, timer } from '../../kinds/index.ts';

const times = (t: { notices: readonly { time: number }[] }) => t.notices.map(({ time }) => time);

describe('a timer', () => {
  test('ticks at every interval, with a notice each', () => {
    const t = testKind(timer, { input: { every: 10_000 } });
    t.advance('35s');
    expect(t.notices.map(({ time, event }) => [time, event])).toEqual([
      [10_000, { type: 'TICK', n: 1 }],
      [20_000, { type: 'TICK', n: 2 }],
      [30_000, { type: 'TICK', n: 3 }],
    ]);
    expect(t.nextEventIn).toBe(5000);
  });

  test('is done after its count, and rests', () => {
    const t = testKind(timer, { input: { every: 10_000, count: 2 } });
    t.advance('1d');
    expect(times(t)).toEqual([10_000, 20_000]);
    expect(t.record).toMatchObject({ value: 'over', status: 'done', output: { fired: 2 } });
    expect(t.nextEventIn).toBeUndefined();
  });

  test('may come earlier or later the first time', () => {
    const t = testKind(timer, { input: { every: 10_000, first: 1 } });
    t.advance('20s');
    expect(times(t)).toEqual([1, 10_001]);
  });

  test('with a count of 0 is done at once', () => {
    const t = testKind(timer, { input: { every: 10_000, count: 0 } });
    expect(t.record).toMatchObject({ status: 'done', output: { fired: 0 } });
  });

  test('can be stopped', () => {
    const t = testKind(timer, { input: { every: 10_000 } });
    t.advance('15s');
    t.send({ type: 'STOP' });
    t.advance('1h');
    expect(times(t)).toEqual([10_000]);
  });

  test('ticks as often as fits, however the time is cut', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 8 }),
        (every, stretches) => {
          const t = testKind(timer, { input: { every } });
          for (const stretch of stretches) t.advance(stretch);
          const whole = stretches.reduce((sum, stretch) => sum + stretch, 0);
          expect(t.context.fired).toBe(Math.floor(whole / every));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('sends its signal to those of a kind within its radius', () => {
    const rain = { type: 'RAIN', amount: 0.5 };
    const input = { every: 60_000, signal: { event: rain, kind: 'field', radius: 500 } };
    const t = testKind(timer, { input, kinds: [field], at: [0, 0] });
    const crop = { crop: 'wheat', yield: [1, 1], stage: 3_600_000, moisture: 0.4 };
    t.world.add([
      { id: 'near', kind: 'field', at: [300, 400], input: crop },
      { id: 'far', kind: 'field', at: [301, 400], input: crop },
    ]);
    t.advance('60s');
    expect(t.messages).toEqual([
      {
        from: 'timer',
        to: { kind: 'field', within: { at: [0, 0], radius: 500 }, except: 'timer' },
        event: rain,
        time: 60_000,
      },
    ]);
    const moisture = (id: string) =>
      (t.world.find(id) as unknown as { context: { moisture: number } }).context.moisture;
    expect(moisture('near')).toBeGreaterThan(0.8);
    expect(moisture('far')).toBeLessThan(0.4);
  });

  test('goes on in a state it is put into from outside', () => {
    const t = testKind(timer, { input: { every: 10_000, count: 9 } });
    t.world.setState('timer', { context: { ...t.context, fired: 7 } });
    t.advance('1h');
    expect(t.record).toMatchObject({ status: 'done', output: { fired: 9 } });
    expect(times(t)).toEqual([10_000, 20_000]);
  });

  test.each([
    [undefined, /timer: input is undefined; give { every/],
    [{ every: 0 }, /input.every is 0; give a finite number of milliseconds above 0/],
    [{ every: -5 }, /input.every is -5/],
    [{ every: Number.NaN }, /input.every is NaN/],
    [{ every: Number.POSITIVE_INFINITY }, /input.every is Infinity/],
    [{ every: '10s' }, /input.every is "10s"/],
    [{ every: 1, first: 0 }, /input.first is 0/],
    [{ every: 1, count: 1.5 }, /input.count is 1.5; give a whole number of at least 0/],
    [{ every: 1, count: -1 }, /input.count is -1/],
    [{ every: 1, signal: { kind: 'field' } }, /input.signal is {"kind":"field"}/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(timer, { input: input as never })).toThrowError(message);
  });

  test('links to nothing', () => {
    expect(() => testKind(timer, { input: { every: 1 }, links: { bell: stub() } })).toThrowError(
      /no link 'bell'/,
    );
  });
});
