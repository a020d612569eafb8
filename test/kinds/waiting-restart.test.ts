/**
 * A save and a restart in the middle of any wait changes nothing: the same trace, event by event, and
 * the same hash, as of a world that was never saved.
 */
import fc from 'fast-check';
import type { NewRecord, World } from 'offstage';
import { trace } from 'offstage';
import { openWorld } from 'offstage/saves';
import { describe, expect, test } from 'vitest';
import { savedRecordOf } from '../../src/core/saved-world.ts';
import { createWorld, restoreWorld } from '../../src/core/world.ts';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';
import { coming, HALL_KINDS, type Visit } from '../support/visitor.ts';

const END = 200;
/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 25);

const at = [0, 0];

/** One of each resource, and visitors of all of them. */
const RESOURCES: readonly NewRecord[] = [
  { id: 'signal', kind: 'signal', at },
  { id: 'facility', kind: 'facility', at, input: { servers: 2, queue: 3 } },
  { id: 'container', kind: 'container', at, input: { capacity: 9, level: 4 } },
  { id: 'store', kind: 'store', at, input: { capacity: 2, objects: [1, 2] } },
];

/** The flashes of the signal, at game times that are in the middle of other things. */
const FLASHES = [
  [5, 'FLASH'],
  [9, 'SUSTAIN'],
  [11, 'CLEAR'],
  [20, 'FLASH'],
] as const;

const brief = fc.integer({ min: 0, max: 6 });
const amount = fc.integer({ min: 1, max: 4 });
const putOrGet = fc.oneof(
  amount.map((put) => ({ put })),
  amount.map((get) => ({ get })),
);

function visitsOf(sorts: readonly Visit['do'][], what: fc.Arbitrary<Visit['what']>) {
  const visit = fc.record({
    do: fc.constantFrom(...sorts),
    for: brief,
    patience: fc.option(brief, { nil: undefined }),
    what,
  });
  return fc.tuple(brief, fc.array(visit, { maxLength: 4 })).map(([come, visits]) =>
    coming(
      come + 1,
      ...visits.map(
        ({ patience, what: asked, ...rest }): Visit => ({
          ...rest,
          ...(patience === undefined ? {} : { patience }),
          ...(asked === undefined ? {} : { what: asked }),
        }),
      ),
    ),
  );
}

const people: fc.Arbitrary<readonly NewRecord[]> = fc
  .tuple(
    fc.array(visitsOf(['hold', 'wait', 'queue'], fc.constant(undefined)), { maxLength: 5 }),
    fc.array(
      visitsOf(
        ['hold', 'use'],
        brief.map((priority) => ({ priority })),
      ),
      { maxLength: 6 },
    ),
    fc.array(visitsOf(['hold', 'ask'], putOrGet), { maxLength: 5 }),
    fc.array(visitsOf(['hold', 'ask'], putOrGet), { maxLength: 5 }),
  )
  .map((groups) =>
    groups.flatMap((group, i) =>
      group.map((input, n): NewRecord => {
        const to = RESOURCES[i]?.id as string;
        return { id: `${to}-${n}`, kind: 'visitor', at, links: { to }, input };
      }),
    ),
  );

const options = { kinds: HALL_KINDS, seed: 'waits', settings: { freeze: true } };

/** The world once more, out of copies of what it holds. */
function restarted(world: World): World {
  const snapshot = world.snapshot();
  const { time, speed, paused } = world.clock;
  return restoreWorld(options, {
    time: snapshot.time,
    instant: structuredClone(snapshot.instant),
    clock: { time, speed, paused },
    commands: world.commandCount,
    records: [...snapshot.values()]
      .map((record) => structuredClone(savedRecordOf(record)))
      .reverse(),
  });
}

/** Runs to the end, restarting after each event for which `isSaved` says so; gives the trace and the hash. */
function lived(records: readonly NewRecord[], isSaved: (event: number) => boolean) {
  const lines: string[] = [];
  let world = createWorld(options);
  world.add([...RESOURCES, ...records]);
  let stop = trace(world, (line) => lines.push(line));
  let events = 0;
  for (const [time, type] of [...FLASHES, [END, 'FLASH'] as const]) {
    while (world.nextEventAt !== undefined && world.nextEventAt <= time) {
      world.step();
      events += 1;
      if (!isSaved(events)) continue;
      stop();
      world = restarted(world);
      stop = trace(world, (line) => lines.push(line));
    }
    world.runUntil(time);
    world.send('signal', { type });
  }
  return { lines, hash: world.hash(), faulted: world.stats().faulted };
}

describe('a save and a restart', () => {
  test('after every single event give the trace of a world that was never saved', () => {
    let events = 0;
    fc.assert(
      fc.property(people, (records) => {
        const whole = lived(records, () => false);
        events += whole.lines.length;
        expect(whole.faulted).toBe(0);
        expect(lived(records, () => true)).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
    expect(events).toBeGreaterThan(RUNS);
  });

  test('at every half millisecond, onto a disk and from it, likewise', async () => {
    const visits: Record<string, readonly Visit[]> = {
      signal: coming(1, { do: 'queue' }, { do: 'wait', patience: 3 }, { do: 'wait' }),
      facility: coming(1, { do: 'use', for: 6 }, { do: 'use', for: 2, patience: 1 }),
      container: coming(1, { do: 'ask', what: { get: 6 } }, { do: 'ask', what: { put: 7 } }),
      store: coming(1, { do: 'ask', what: { get: 3 }, patience: 12 }),
    };
    const records = Object.entries(visits).flatMap(([to, input]) =>
      [0, 1, 2].map((n) => ({ id: `${to}-${n}`, kind: 'visitor', at, links: { to }, input })),
    );
    const begin = (world: World): void => world.add([...RESOURCES, ...records]);
    const whole = createWorld(options);
    const expected: string[] = [];
    begin(whole);
    trace(whole, (line) => expected.push(line));
    whole.runUntil(30);
    expect(expected.length).toBeGreaterThan(20);

    const disk = new SimulatedDisk();
    const lines: string[] = [];
    for (let time = 0; time <= 30; time += 0.5) {
      const document = await openWorld('/saves/waits', {
        ...options,
        disk,
        time: new StoppedTime(),
        begin,
        autosave: false,
      });
      trace(document.world, (line) => lines.push(line));
      document.world.runUntil(time);
      await document.close();
      if (time === 30) expect(document.world.hash()).toBe(whole.hash());
    }
    expect(lines).toEqual(expected);
  });
});
