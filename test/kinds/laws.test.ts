/** Every starter kind keeps all the laws, whatever its record is made with and whatever is sent to it. */
import { checkKind, fc, testKind } from 'offstage/testing';
import { expect, test } from 'vitest';
import {
  camp,
  caravan,
  container,
  facility,
  field,
  monitor,
  signal,
  stash,
  station,
  store,
  timer,
} from '../../kinds/index.ts';
import { type Visit, visitor } from '../support/visitor.ts';
import { starters } from './starters.ts';

/** Trials of each law; more by `OFFSTAGE_FUZZ=n`. */
const runs = Number(process.env.OFFSTAGE_FUZZ ?? 50);

const item = fc.constantFrom('ore', 'bar', 'wheat');
const count = fc.integer({ min: 1, max: 4 });
const milliseconds = fc.integer({ min: 50, max: 20_000 });
const place = fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 }));
const capacity = fc.integer({ min: 3, max: 20 });
/** Items put into a stash and taken out, some more than it holds or has room for. */
const traffic = fc.record({
  type: fc.constantFrom('PUT' as const, 'TAKE' as const),
  item,
  count: fc.nat(9),
});

const brief = fc.integer({ min: 0, max: 8 });
const amount = fc.integer({ min: 1, max: 5 });

/** Visits of those sorts, with patience or without; the first one only waits, so that a record can begin. */
const visitsOf = (sorts: readonly Visit['do'][], what?: fc.Arbitrary<NonNullable<Visit['what']>>) =>
  fc
    .array(
      fc.record(
        {
          do: fc.constantFrom(...sorts),
          for: brief,
          patience: brief,
          ...(what === undefined ? {} : { what }),
        },
        { requiredKeys: what === undefined ? ['do'] : ['do', 'what'], noNullPrototype: true },
      ),
      { maxLength: 6 },
    )
    .map((visits): readonly Visit[] => [{ do: 'hold', for: 1 }, ...visits]);

const putOrGet = fc.oneof(
  amount.map((put) => ({ put })),
  amount.map((get) => ({ get })),
);

const figure = fc.integer({ min: -5, max: 5 });

const checks = {
  signal: () =>
    checkKind(signal, {
      runs,
      events: fc.record({
        type: fc.constantFrom('FLASH' as const, 'SUSTAIN' as const, 'CLEAR' as const),
      }),
    }),
  facility: () =>
    checkKind(facility, {
      runs,
      input: fc.record({ servers: amount, queue: brief }),
      events: fc.constantFrom(
        { type: 'CHECK' as const },
        { type: 'REQUEST' as const, as: 'nobody' },
        { type: 'RELEASE' as const, as: 'nobody' },
      ),
    }),
  container: () =>
    checkKind(container, {
      runs,
      input: fc.record({ capacity: fc.constant(9), level: brief }),
      events: amount.map((put) => ({ type: 'REQUEST' as const, as: 'nobody', put })),
    }),
  store: () =>
    checkKind(store, {
      runs,
      input: fc.record({ objects: fc.array(figure) }),
      events: figure.map((get) => ({ type: 'REQUEST' as const, as: 'nobody', get })),
    }),
  monitor: () =>
    checkKind(monitor, {
      runs,
      input: fc.constantFrom(
        { of: 'samples' as const },
        { of: 'level' as const, value: 2, histogram: { from: -3, to: 3, buckets: 4 } },
      ),
      events: fc.oneof(
        figure.map((value) => ({ type: 'RECORD' as const, value })),
        figure.map((value) => ({ type: 'SET' as const, value })),
        figure.map((by) => ({ type: 'ADD' as const, by })),
        fc.constant({ type: 'RESET' as const }),
      ),
    }),
  timer: () =>
    checkKind(timer, {
      runs,
      input: fc.record(
        { every: milliseconds, count: fc.integer({ min: 1, max: 5 }) },
        { requiredKeys: ['every'] },
      ),
    }),
  stash: () =>
    checkKind(stash, {
      runs,
      input: fc.record({ capacity, items: fc.constant({ ore: 2 }) }),
      events: traffic,
    }),
  station: () =>
    checkKind(station, {
      runs,
      input: fc.record({
        recipe: fc.record({
          takes: fc.dictionary(item, count, { maxKeys: 2 }),
          gives: fc.record({ item, count }),
          milliseconds,
        }),
      }),
      events: fc.constant({ type: 'RUSH' as const }),
      links: fc.tuple(capacity, capacity).map(([from, to]) => ({
        from: testKind(stash, { input: { capacity: from, items: { ore: 3 } } }),
        to: testKind(stash, { input: { capacity: to } }),
      })),
      linkEvents: { from: traffic, to: traffic },
    }),
  field: () =>
    checkKind(field, {
      runs,
      input: fc
        .record({
          stage: milliseconds,
          moisture: fc.constantFrom(0.1, 0.5, 1),
          fallowFor: fc.option(milliseconds, { nil: undefined }),
          reapAfter: fc.option(milliseconds, { nil: undefined }),
        })
        .map(({ stage, moisture, fallowFor, reapAfter }) => ({
          crop: 'wheat',
          yield: [1, 4] as const,
          stage,
          moisture,
          ...(fallowFor === undefined ? {} : { fallowFor }),
          ...(reapAfter === undefined ? {} : { reapAfter }),
        })),
      events: fc.oneof(
        fc.record({
          type: fc.constantFrom('WATER' as const, 'RAIN' as const),
          amount: fc.constantFrom(0, 0.2, 1),
        }),
        fc.record({ type: fc.constantFrom('HARVEST' as const, 'SOW' as const) }),
      ),
      links: capacity.map((room) => ({ barn: testKind(stash, { input: { capacity: room } }) })),
      linkEvents: { barn: traffic },
    }),
  caravan: () =>
    checkKind(caravan, {
      runs,
      input: fc.record({
        item,
        hold: count,
        route: fc.array(fc.record({ at: place, milliseconds }), { minLength: 1, maxLength: 3 }),
      }),
      events: fc.constant({ type: 'DEPART' as const }),
      links: fc.tuple(capacity, capacity).map(([from, to]) => ({
        from: testKind(stash, { input: { capacity: from, items: { ore: 3 } } }),
        to: testKind(stash, { input: { capacity: to } }),
      })),
      linkEvents: { from: traffic, to: traffic },
    }),
  camp: () =>
    checkKind(camp, {
      runs,
      input: fc.record({
        huts: fc.nat(3),
        stage: milliseconds,
        watchEvery: milliseconds,
        loot: fc.constant({ ore: 1 }),
      }),
      events: fc.constant({ type: 'DESTROY' as const }),
      kinds: [stash, timer],
    }),
};

test('there is a check for each starter kind', () => {
  expect(Object.keys(checks).sort()).toEqual(starters.map(({ name }) => name).sort());
});

test.each(Object.entries(checks))('%s keeps all the laws', (_, check) => check());

const waits = {
  signal: () =>
    checkKind(visitor, {
      runs,
      input: visitsOf(['hold', 'wait', 'queue']),
      events: fc.constant({ type: 'GIVE_UP' as const }),
      links: fc.constant(null).map(() => ({ to: testKind(signal) })),
      linkEvents: {
        to: fc.constantFrom({ type: 'FLASH' }, { type: 'SUSTAIN' }, { type: 'CLEAR' }),
      },
    }),
  facility: () =>
    checkKind(visitor, {
      runs,
      input: visitsOf(['hold', 'use'], fc.record({ priority: brief }, { noNullPrototype: true })),
      events: fc.constant({ type: 'GIVE_UP' as const }),
      links: fc.constant(null).map(() => ({ to: testKind(facility, { input: { queue: 0 } }) })),
      linkEvents: { to: fc.constant({ type: 'CHECK' }) },
    }),
  container: () =>
    checkKind(visitor, {
      runs,
      input: visitsOf(['ask'], putOrGet),
      events: fc.constant({ type: 'GIVE_UP' as const }),
      links: brief.map((level) => ({
        to: testKind(container, { input: { capacity: 8, level } }),
      })),
    }),
  store: () =>
    checkKind(visitor, {
      runs,
      input: visitsOf(['ask'], putOrGet),
      events: fc.constant({ type: 'GIVE_UP' as const }),
      links: fc.array(amount, { maxLength: 2 }).map((objects) => ({
        to: testKind(store, { input: { capacity: 2, objects } }),
      })),
    }),
};

test.each(Object.entries(waits))('what waits for a %s keeps all the laws with it', (_, check) =>
  check(),
);
