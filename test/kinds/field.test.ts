import fc from 'fast-check';
import { stub, testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { field, stash } from '../../kinds/index.ts';
import type { FieldContext, FieldInput } from '../../machines/field.machine.ts';

const MINUTE = 60_000;
/** Three stages of ten minutes; moisture halves in an hour, so it is dry after two. */
const wheat: FieldInput = { crop: 'wheat', yield: [4, 6], stage: 10 * MINUTE };

function fieldOf(input: Partial<FieldInput> = {}, capacity = 99) {
  const barn = testKind(stash, { id: 'barn', input: { capacity } });
  const t = testKind(field, { input: { ...wheat, ...input }, links: { barn } });
  return { barn, t };
}

/** The game time at which the one DRY of a record is due. */
const dryTime = (t: { world: { time: number }; nextEventIn: number | undefined }) =>
  t.world.time + (t.nextEventIn ?? Number.NaN);

describe('growth', () => {
  test('goes through its stages and ripens', () => {
    const { t } = fieldOf();
    const seen = [t.value];
    for (let i = 0; i < 3; i += 1) {
      expect(t.runToNextEvent()).toBe(10 * MINUTE);
      seen.push(t.value);
    }
    expect(seen).toEqual([
      { growth: 'sown' },
      { growth: 'sprouting' },
      { growth: 'growing' },
      'ripe',
    ]);
    expect(t.notices).toMatchObject([
      { time: 30 * MINUTE, event: { type: 'RIPENED', crop: 'wheat' } },
    ]);
  });

  test('stops while the soil is dry, and goes on where it stopped', () => {
    // From 0.5 to the limit of 0.25 is one half-life: fifteen minutes.
    const { t } = fieldOf({ moisture: 0.5, halfLife: 15 * MINUTE });
    t.advance('15m');
    expect(t.value).toBe('parched');
    expect(t.notices).toMatchObject([{ time: 15 * MINUTE, event: { type: 'DRIED_OUT' } }]);
    t.advance('10m');
    t.send({ type: 'WATER', amount: 1 });
    expect(t.value).toEqual({ growth: 'sprouting' });
    // Five minutes of this stage were done before the drought.
    expect(t.nextEventIn).toBe(5 * MINUTE);
    t.advance('15m');
    expect(t.value).toBe('ripe');
  });

  test('needs enough water to go on', () => {
    const { t } = fieldOf({ moisture: 0.26, halfLife: 5 * MINUTE, droughtFor: 60 * MINUTE });
    t.advance('10m');
    expect(t.value).toBe('parched');
    t.send({ type: 'WATER', amount: 0.05 });
    expect(t.value).toBe('parched');
    t.send({ type: 'WATER', amount: 0.3 });
    expect(t.value).toEqual({ growth: 'sown' });
  });

  test('withers when a drought lasts', () => {
    const { t } = fieldOf({ moisture: 0.26, halfLife: 5 * MINUTE });
    t.advance('1d');
    expect(t.value).toBe('withered');
    expect(t.notices.map(({ event }) => event.type)).toEqual(['DRIED_OUT', 'WITHERED']);
    expect(t.nextEventIn).toBeUndefined();
    expect(t.send({ type: 'HARVEST' })).toMatchObject({ code: 'NOT_TAKEN' });
  });

  test('sown into dry soil waits for water', () => {
    const { t } = fieldOf({ moisture: 0.1 });
    t.advance(0);
    expect(t.value).toBe('parched');
    t.send({ type: 'RAIN', amount: 0.9 });
    expect(t.nextEventIn).toBe(10 * MINUTE);
  });

  test('begins again when it is sown again', () => {
    const { t } = fieldOf({ moisture: 0.26, halfLife: 5 * MINUTE });
    t.advance('1d');
    t.send({ type: 'RAIN', amount: 1 });
    expect(t.value).toBe('withered');
    t.send({ type: 'SOW' });
    expect(t.value).toEqual({ growth: 'sown' });
    expect(t.nextEventIn).toBe(10 * MINUTE);
  });
});

describe('harvest', () => {
  test('goes into the barn', () => {
    const { barn, t } = fieldOf();
    t.advance('30m');
    const { promised } = t.context;
    t.send({ type: 'HARVEST' });
    expect(barn.context.items).toEqual({ wheat: promised });
    expect(promised).toBeGreaterThanOrEqual(4);
    expect(promised).toBeLessThanOrEqual(6);
    expect(t.value).toBe('fallow');
    expect(t.notices.at(-1)?.event).toEqual({ type: 'HARVESTED', crop: 'wheat', count: promised });
  });

  test('is refused before the crop is ripe', () => {
    const { t } = fieldOf();
    t.advance('29m');
    expect(t.send({ type: 'HARVEST' })).toMatchObject({ accepted: false, code: 'NOT_TAKEN' });
    t.advance('1m');
    expect(t.value).toBe('ripe');
  });

  test('lies in sheaves while the barn is full, and goes in the moment there is room', () => {
    const { barn, t } = fieldOf({ yield: [4, 4] }, 5);
    barn.send({ type: 'PUT', item: 'hay', count: 2 });
    t.advance('30m');
    expect(t.send({ type: 'HARVEST' })).toEqual({ accepted: true });
    expect(t.value).toBe('sheaves');
    expect(t.edits).toMatchObject([{ to: 'barn', taken: false }]);
    expect(barn.context.items).toEqual({ hay: 2 });
    t.advance('1d');
    barn.send({ type: 'TAKE', item: 'hay', count: 1 });
    expect(barn.context.items).toEqual({ hay: 1, wheat: 4 });
    expect(t.value).toBe('fallow');
    expect(t.context.harvested).toBe(4);
  });

  test('lies in sheaves while there is no barn at all', () => {
    const t = testKind(field, { input: wheat });
    t.advance('30m');
    t.send({ type: 'HARVEST' });
    expect(t.value).toBe('sheaves');
    expect(t.fault).toBeNull();
  });

  test('comes by itself where hands tend the field, and the next crop follows', () => {
    const { barn, t } = fieldOf({
      reapAfter: 2 * MINUTE,
      fallowFor: 3 * MINUTE,
      halfLife: 1e9,
      yield: [2, 2],
    });
    t.advance('32m');
    expect(barn.context.items).toEqual({ wheat: 2 });
    t.advance('3m');
    expect(t.value).toEqual({ growth: 'sown' });
    t.advance('32m');
    expect(barn.context.items).toEqual({ wheat: 4 });
  });

  test('that nobody brings in withers', () => {
    const { barn, t } = fieldOf();
    t.advance('61m');
    expect(t.value).toBe('withered');
    expect(barn.context.items).toEqual({});
  });

  test('conserves: what fields harvested is in the barn, and nothing else', () => {
    const act = fc.record({
      wait: fc.integer({ min: 0, max: 40 * MINUTE }),
      event: fc.constantFrom(
        { type: 'HARVEST' } as const,
        { type: 'SOW' } as const,
        { type: 'WATER', amount: 0.5 } as const,
      ),
    });
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 20 }),
        fc.integer({ min: 0, max: 15 }),
        fc.string(),
        (acts, capacity, seed) => {
          const barn = testKind(stash, { input: { capacity } });
          const t = testKind(field, { input: wheat, links: { barn }, seed });
          for (const { wait, event } of acts) {
            t.advance(wait);
            t.send(event);
          }
          expect(barn.context.items.wheat ?? 0).toBe(t.context.harvested);
          expect(t.fault).toBeNull();
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('moisture', () => {
  test('halves in every half-life', () => {
    const { t } = fieldOf({ moisture: 0.8, halfLife: 60 * MINUTE, dryBelow: 0.01 });
    t.advance('1h');
    expect(t.context.moisture).toBeCloseTo(0.4, 12);
    t.advance('1h');
    expect(t.context.moisture).toBeCloseTo(0.2, 12);
  });

  test('in one step is what it is in many, bit for bit', () => {
    const advance = field.advance as unknown as (
      context: FieldContext,
      args: { from: number; to: number },
    ) => FieldContext;
    const tick = fc.integer({ min: 0, max: 1e9 }).map((n) => n / 1024);
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 1e8 }),
        fc.array(tick, { minLength: 1, maxLength: 8 }),
        (moisture, halfLife, cuts) => {
          const { t } = fieldOf({ moisture, halfLife });
          const times = [0, ...cuts.sort((a, b) => a - b)];
          const to = times.at(-1) as number;
          let inSteps = t.context;
          for (const [i, from] of times.slice(0, -1).entries()) {
            inSteps = advance(inSteps, { from, to: times[i + 1] as number });
          }
          expect(inSteps).toEqual(advance(t.context, { from: 0, to }));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('is read without being changed', () => {
    const { t } = fieldOf();
    const hash = () => t.world.hash();
    t.advance('9m');
    const before = hash();
    expect(t.context.moisture).toBeLessThan(1);
    expect(hash()).toBe(before);
    expect(t.record.advancedTo).toBe(0);
  });

  test('never exceeds 1, and water of no amount is no water', () => {
    const { t } = fieldOf({ moisture: 0.9 });
    t.send({ type: 'RAIN', amount: 5 });
    expect(t.context.moisture).toBe(1);
    for (const amount of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, undefined]) {
      expect(t.send({ type: 'WATER', amount } as never)).toMatchObject({ code: 'NOT_TAKEN' });
    }
  });

  test('predicts DRY for the very time it reaches the limit', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        fc.double({ min: 0.05, max: 0.29, noNaN: true }),
        fc.integer({ min: 1000, max: 1e8 }),
        (moisture, dryBelow, halfLife) => {
          const { t } = fieldOf({ moisture, dryBelow, halfLife, stage: 1e12, droughtFor: 1e12 });
          const at = dryTime(t);
          t.runToNextEvent();
          expect(t.value).toBe('parched');
          expect(t.context.moisture).toBeCloseTo(dryBelow, 5);
          expect(t.world.time).toBe(at);
          // Dry is dry: it does not flicker.
          t.advance('1h');
          expect(t.value).toBe('parched');
          expect(t.notices).toHaveLength(1);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('moves the prediction with every change of it, and with nothing else', () => {
    const { barn, t } = fieldOf({ moisture: 0.5, halfLife: 60 * MINUTE, stage: 1e12 });
    expect(dryTime(t)).toBe(60 * MINUTE);
    t.advance('30m');
    expect(dryTime(t)).toBe(60 * MINUTE);
    barn.send({ type: 'PUT', item: 'hay', count: 1 });
    expect(dryTime(t)).toBe(60 * MINUTE);
    t.send({ type: 'WATER', amount: 1 });
    expect(dryTime(t)).toBe(150 * MINUTE);
    t.world.setState('field', {
      context: { ...t.context, soil: { ...t.context.soil, dryBelow: 0.5 } },
    });
    expect(dryTime(t)).toBe(90 * MINUTE);
    t.world.setState('field', { value: 'fallow' });
    expect(t.nextEventIn).toBeUndefined();
  });
});

describe('a field', () => {
  test('keeps its times when the clock is set', () => {
    const [moved, still] = [fieldOf().t, fieldOf().t];
    for (const t of [moved, still]) t.advance('4m');
    moved.world.shiftTo(1e9);
    for (const t of [moved, still]) {
      t.advance('26m');
      t.send({ type: 'WATER', amount: 0.1 });
    }
    expect(moved.value).toEqual(still.value);
    expect(moved.context.moisture).toBe(still.context.moisture);
    expect(moved.nextEventIn).toBe(still.nextEventIn);
    expect(moved.context.soil.since - still.context.soil.since).toBe(1e9 - 4 * MINUTE);
  });

  test('grows on from the state it is put into from outside', () => {
    const { barn, t } = fieldOf();
    t.advance('4m');
    // The soil is moist, so it does not stay parched; six minutes of its stage are left.
    t.world.setState('field', { value: 'parched' });
    expect(t.value).toEqual({ growth: 'sown' });
    expect(t.nextEventIn).toBe(6 * MINUTE);
    t.world.setState('field', { value: { growth: 'growing' } });
    t.advance('6m');
    expect(t.value).toBe('ripe');
    t.world.setState('field', { value: 'ripe', context: { ...t.context, promised: 3 } });
    t.send({ type: 'HARVEST' });
    expect(barn.context.items).toEqual({ wheat: 3 });
  });

  test('shows clients everything but what the crop will give', () => {
    expect(field.serverOnly).toEqual(['promised']);
  });

  test.each([
    [undefined, /field: input is undefined/],
    [{ ...wheat, crop: '' }, /input.crop is ""/],
    [{ ...wheat, yield: [0, 3] }, /input.yield\[0\] is 0/],
    [{ ...wheat, yield: [3, 2] }, /input.yield\[1\] is 2.* at least 3/],
    [{ ...wheat, yield: 4 }, /input.yield is 4/],
    [{ ...wheat, stage: Number.NaN }, /input.stage is NaN/],
    [{ ...wheat, stage: -1 }, /input.stage is -1/],
    [{ ...wheat, moisture: 0 }, /input.moisture is 0; give a number above 0 and at most 1/],
    [{ ...wheat, moisture: 1.1 }, /input.moisture is 1.1/],
    [{ ...wheat, halfLife: 0 }, /input.halfLife is 0/],
    [{ ...wheat, fallowFor: -1 }, /input.fallowFor is -1/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(field, { input: input as never })).toThrowError(message);
  });

  test('works with a stub for a barn', () => {
    const barn = stub({ can: ({ count }) => count === 5 });
    const t = testKind(field, { input: { ...wheat, yield: [5, 5] }, links: { barn } });
    t.advance('30m');
    t.send({ type: 'HARVEST' });
    expect(barn.edited).toMatchObject([{ event: { type: 'PUT', item: 'wheat', count: 5 } }]);
  });
});
