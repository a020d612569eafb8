/** What single things cost: frames, reads, a wake storm, the hash, snapshots, memory. */

import { do_not_optimize, measure } from 'mitata';
import { createWorld, defineKind, type World } from 'offstage';
import { assign, setup } from 'xstate';
import { stash } from '../../kinds/stash.kind.ts';
import { station } from '../../kinds/station.kind.ts';
import { collect, costs, median, now, type Options, quantile, type Result } from './measure.ts';
import { addInChunks } from './timers.ts';

const MINUTE = 60_000;

const minuteMachine = setup({
  types: { context: {} as { n: number }, input: {} as { first: number } },
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
  delays: { first: ({ event }) => (event as unknown as { input: { first: number } }).input.first },
}).createMachine({
  id: 'minute',
  context: { n: 0 },
  initial: 'first',
  states: {
    first: { after: { first: { target: 'on', actions: 'count' } } },
    on: { after: { [MINUTE]: { target: 'on', reenter: true, actions: 'count' } } },
  },
});

const minute = defineKind({ name: 'minute', version: 1, machine: minuteMachine });

/** `n` records with a timer of 60 s each, spread evenly over the minute. */
function minutes(n: number): World {
  const world = createWorld({ kinds: [minute] });
  addInChunks(n, (from, to) =>
    world.add(
      Array.from({ length: to - from }, (_, i) => ({
        id: `m${from + i}`,
        kind: 'minute',
        at: [((from + i) % 1000) * 100, Math.floor((from + i) / 1000) * 100],
        input: { first: (((from + i) * 7919) % n) * (MINUTE / n) },
      })),
    ),
  );
  return world;
}

export function frameCosts(n: number, frame: number, { quick }: Options): Result[] {
  const world = minutes(n);
  world.configure({ eventsPerFrame: Number.POSITIVE_INFINITY });
  const frames = quick ? 300 : 3000;
  for (let i = 0; i < 300; i += 1) world.frame(frame);
  const taken = costs(frames, () => world.frame(frame));
  const model = `${frame} ms frames, a 60 s timer each`;
  const row = (engine: string, value: number): Result => ({
    group: 'frame',
    model,
    n,
    engine,
    value: value / 1000,
    unit: 'ms',
  });
  return [row('offstage median', median(taken)), row('offstage 99%', quantile(taken, 0.99))];
}

export async function readCosts(n: number): Promise<Result[]> {
  const world = minutes(n);
  let i = 0;
  const value = await nanoseconds(() => {
    i += 7919;
    return world.find(`m${i % n}`);
  });
  return [{ group: 'read', model: 'world.find(id)', n, engine: 'offstage', value, unit: 'ns' }];
}

/** Real nanoseconds of a call, by the median. */
async function nanoseconds(call: () => unknown): Promise<number> {
  const { p50 } = await measure(() => do_not_optimize(call()));
  return p50;
}

/** Ten thousand stations wait for ore at one stash; one ore arrives. */
export function stormCosts(n: number, { quick }: Options): Result[] {
  const world = createWorld({ kinds: [stash, station] });
  world.add([
    { id: 'ore', kind: 'stash', at: [0, 0], input: { capacity: 1_000_000 } },
    { id: 'bars', kind: 'stash', at: [0, 0], input: { capacity: 1_000_000 } },
  ]);
  world.add(
    Array.from({ length: n }, (_, i) => ({
      id: `s${i}`,
      kind: 'station',
      at: [i, 0],
      links: { from: 'ore', to: 'bars' },
      input: { recipe: { takes: { ore: 1 }, gives: { item: 'bar', count: 1 }, milliseconds: 1e9 } },
    })),
  );
  let wakes = 0;
  world.on('wake', () => {
    wakes += 1;
  });
  const put = { type: 'PUT', item: 'ore', count: 1 };
  const waiting = costs(quick ? 5 : 20, () => world.send('ore', put));
  const perWake = (waiting.reduce((a, b) => a + b, 0) * 1000) / Math.max(1, wakes);
  // Every station gets its ore, and then none waits any more.
  world.send('ore', { type: 'PUT', item: 'ore', count: n });
  const busy = costs(quick ? 200 : 2000, () => world.send('ore', put));
  const row = (engine: string, value: number, unit: string): Result => ({
    group: 'wakes',
    model: 'stations on one stash, one ore arrives',
    n,
    engine,
    value,
    unit,
  });
  return [
    row('all waiting', median(waiting) / 1000, 'ms'),
    row('a wake', perWake, 'ns'),
    row('all busy', median(busy), 'us'),
  ];
}

export async function hashAndSnapshotCosts(n: number, { quick }: Options): Promise<Result[]> {
  const world = minutes(n);
  world.run(MINUTE * 2);
  const row = (
    group: string,
    model: string,
    engine: string,
    value: number,
    unit: string,
  ): Result => ({ group, model, n, engine, value, unit });
  const all = costs(1, () => world.hash())[0] as number;
  const rounds = quick ? 20 : 100;
  const changed: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    world.run(600);
    changed.push(costs(1, () => world.hash())[0] as number);
  }
  const snapshot = await nanoseconds(() => world.snapshot());
  return [
    row('hash', 'every record changed', 'offstage', all / 1000, 'ms'),
    row('hash', 'a hundredth changed', 'offstage', median(changed) / 1000, 'ms'),
    row('snapshot', 'world.snapshot()', 'offstage', snapshot, 'ns'),
  ];
}

/** Memory of a world; run in a process of its own. */
export function memoryCosts(n: number): Result[] {
  collect();
  const before = used();
  const start = now();
  const world = minutes(n);
  const adding = (now() - start) / 1000;
  collect();
  const after = used();
  const rss = process.memoryUsage().rss;
  world.run(MINUTE * 2);
  collect();
  const later = used();
  const row = (engine: string, value: number, unit: string): Result => ({
    group: 'memory',
    model: 'records with a 60 s timer',
    n,
    engine,
    value,
    unit,
  });
  return [
    row('a record', (after - before) / n, 'bytes'),
    row('a record after 2 events', (later - before) / n, 'bytes'),
    row('in all', later / 1e6, 'MB'),
    row('resident while adding', rss / 1e6, 'MB'),
    row('adding all', adding, 's'),
  ];
}

function used(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Memory after each of several stretches of events with a steady number of records. */
export function growthCosts(n: number, { quick }: Options): Result[] {
  const world = minutes(n);
  const events = quick ? 200_000 : 10_000_000;
  const sizes: number[] = [];
  for (let part = 0; part < 5; part += 1) {
    const goal = world.stats().events + events / 5;
    while (world.stats().events < goal) world.run(MINUTE);
    collect();
    sizes.push(used());
  }
  const [, second] = sizes;
  return [
    {
      group: 'growth',
      model: `memory after ${events.toLocaleString('en')} events, as a ratio to that after two fifths of them`,
      n,
      engine: 'offstage',
      value: (sizes.at(-1) as number) / (second as number),
      unit: 'x',
    },
  ];
}
