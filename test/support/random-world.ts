/**
 * Random worlds of the starter kinds, and random commands at given game times: what every law about
 * "however it is run" is tried on.
 */

import fc from 'fast-check';
import { type Command, createWorld, type NewRecord, type World } from 'offstage';
import { kinds } from '../../kinds/index.ts';

export interface TimedCommand {
  /** Game milliseconds. */
  readonly at: number;
  readonly command: Command;
}

export interface RandomWorld {
  readonly records: readonly NewRecord[];
  readonly commands: readonly TimedCommand[];
}

const ITEMS = ['ore', 'bar', 'grain'] as const;

const item = fc.constantFrom(...ITEMS);
const duration = fc.integer({ min: 1, max: 120 }).map((n) => n * 500);
const place = fc.tuple(
  fc.integer({ min: -30_000, max: 30_000 }),
  fc.integer({ min: -30_000, max: 30_000 }),
);
const items = fc.dictionary(item, fc.integer({ min: 1, max: 40 }), { maxKeys: 3 });

const stashOf = (id: string): fc.Arbitrary<NewRecord> =>
  fc
    .record({ at: place, items, capacity: fc.integer({ min: 150, max: 400 }) })
    .map(({ at, items: held, capacity }) => ({
      id,
      kind: 'stash',
      at,
      input: { capacity, items: held },
    }));

/** Records of every other kind; `stash` draws the id of a stash. */
function othersOf(stash: fc.Arbitrary<string>): fc.Arbitrary<Omit<NewRecord, 'id'>> {
  const two = fc.uniqueArray(stash, { minLength: 2, maxLength: 2 });
  const station = fc
    .record({
      at: place,
      two,
      from: item,
      to: item,
      takes: fc.integer({ min: 0, max: 4 }),
      round: duration,
    })
    .map(({ at, two: [from, to], from: taken, to: given, takes, round }) => ({
      kind: 'station',
      at,
      links: { from: from as string, to: to as string },
      input: {
        recipe: {
          takes: takes === 0 ? {} : { [taken]: takes },
          gives: { item: given, count: 1 },
          milliseconds: round * 4,
        },
      },
    }));
  const field = fc
    .record({
      at: place,
      barn: stash,
      stage: duration,
      moisture: fc.constantFrom(0.3, 0.6, 1),
      fallow: fc.boolean(),
    })
    .map(({ at, barn, stage, moisture, fallow }) => ({
      kind: 'field',
      at,
      links: { barn },
      input: {
        crop: 'grain',
        yield: [1, 4],
        stage,
        moisture,
        ...(fallow ? { fallowFor: stage, reapAfter: stage } : {}),
      },
    }));
  const caravan = fc
    .record({ at: place, to: place, two, carried: item, leg: duration })
    .map(({ at, to, two: [from, other], carried, leg }) => ({
      kind: 'caravan',
      at,
      links: { from: from as string, to: other as string },
      input: { item: carried, hold: 5, route: [{ at: to, milliseconds: leg }] },
    }));
  const camp = fc
    .record({ at: place, huts: fc.integer({ min: 0, max: 3 }), stage: duration })
    .map(({ at, huts, stage }) => ({
      kind: 'camp',
      at,
      input: { huts, stage, watchEvery: stage, loot: { ore: 1 } },
    }));
  const timer = fc
    .record({
      at: place,
      every: duration,
      rain: fc.boolean(),
      count: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    })
    .map(({ at, every, rain, count }) => ({
      kind: 'timer',
      at,
      input: {
        every,
        ...(count === undefined ? {} : { count }),
        ...(rain
          ? { signal: { event: { type: 'RAIN', amount: 0.3 }, kind: 'field', radius: 40_000 } }
          : {}),
      },
    }));
  return fc.oneof(station, field, caravan, camp, timer);
}

function commandsFor(ids: readonly string[]): fc.Arbitrary<TimedCommand> {
  const id = fc.constantFrom(...ids, 'nobody');
  const event = fc.oneof(
    fc.record({
      type: fc.constantFrom('PUT', 'TAKE'),
      item,
      count: fc.integer({ min: 0, max: 30 }),
    }),
    fc.constantFrom(
      { type: 'HARVEST' },
      { type: 'SOW' },
      { type: 'RUSH' },
      { type: 'DEPART' },
      { type: 'DESTROY' },
    ),
    fc.record({ type: fc.constantFrom('RAIN', 'WATER'), amount: fc.constantFrom(0, 0.2, 0.9) }),
  );
  const command: fc.Arbitrary<Command> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: fc.constant('send' as const), id, event }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), id }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('retry' as const), id }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('setState' as const),
        id,
        change: fc.record({ at: place }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ at: place, n: fc.nat(9) }).map(({ at, n }) => ({
        type: 'addIfMissing' as const,
        record: { id: `late-${n}`, kind: 'timer', at, input: { every: 700 } },
      })),
    },
  );
  // Coarse times, so that commands meet each other and the events of the world.
  return fc.record({ at: fc.integer({ min: 0, max: 240 }).map((n) => n * 500), command });
}

/** A few stashes, other records around them, and commands in the first two minutes. */
export const randomWorld: fc.Arbitrary<RandomWorld> = fc
  .integer({ min: 2, max: 5 })
  .chain((count) => {
    const stashes = Array.from({ length: count }, (_, i) => `stash-${i}`);
    return fc.record({
      stashes: fc.tuple(...stashes.map(stashOf)),
      others: fc.array(othersOf(fc.constantFrom(...stashes)), { minLength: 1, maxLength: 12 }),
    });
  })
  .chain(({ stashes, others }) => {
    const records = [
      ...stashes,
      ...others.map((record, i) => ({ ...record, id: `${record.kind}-${i}` })),
    ] as NewRecord[];
    const ids = records.map((record) => record.id as string);
    return fc.record({
      records: fc.constant(records),
      commands: fc.array(commandsFor(ids), { maxLength: 25 }),
    });
  });

/** The world with its records, its commands queued for their times. */
export function worldOf(
  { records, commands }: RandomWorld,
  options: {
    readonly settings?: Parameters<typeof createWorld>[0]['settings'];
    readonly reversed?: boolean;
  } = {},
): World {
  const world = createWorld({ kinds, seed: 'random', settings: options.settings ?? {} });
  world.add(options.reversed === true ? [...records].reverse() : records);
  commands.forEach(({ at, command }, seq) => {
    world.commands.push({ source: { rank: 1, id: 'tester' }, seq, at, command });
  });
  return world;
}
