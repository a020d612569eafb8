/**
 * The short way of a timer gives what the long way gives. With somebody listening to events a world
 * takes the long way, with nobody the short one.
 */
import fc from 'fast-check';
import { createWorld, type Kind, type World } from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { conditionOf, type RecordValue } from '../../src/core/record.ts';
import { randomEvents, randomMachine } from '../support/random-machine.ts';
import { kindOf, pile, pulse, smith } from '../support/small-kinds.ts';

const at = [0, 0];
const MACHINES = Number(process.env.OFFSTAGE_FUZZ ?? 100);

function run(kinds: readonly Kind[], play: (world: World) => void, isHeard: boolean): string[] {
  // From before the beginning of time, so that it passes 0 like any other.
  const world = createWorld({
    kinds,
    seed: 'solo',
    startAt: -1000,
    settings: { iterationsPerInstant: 30 },
  });
  if (isHeard) world.on('event', () => {});
  play(world);
  return [
    world.hash(),
    JSON.stringify(world.query().map(({ revision, advancedTo }) => [revision, advancedTo])),
    JSON.stringify(world.stats().byKind),
  ];
}

describe('the short way', () => {
  it('gives what the long way gives, for random machines', () => {
    let timers = 0;
    for (let seed = 1; seed <= MACHINES; seed += 1) {
      const options = { links: false, messagesToSelf: false };
      const kinds = [kindOf(randomMachine(seed, options), { name: 'random' })];
      const play = (world: World): void => {
        try {
          world.add([0, 1, 2].map((n) => ({ id: `r${n}`, kind: 'random', at, input: { n } })));
        } catch {
          return;
        }
        for (const event of randomEvents(seed, 20)) {
          // Some machines arm ever more timers that have no id to be replaced by.
          if (world.query().some(({ timers }) => timers.length > 100)) return;
          // Nor does an explosion of timers within one stretch go further than a frame's budget.
          if (world.frame(137).backlog) return;
          world.send('r1', { ...event });
        }
        timers += world.stats().events;
      };
      expect(run(kinds, play, false), `seed ${seed}`).toEqual(run(kinds, play, true));
    }
    expect(timers).toBeGreaterThan(MACHINES);
  });

  it('tells all that shows from afar, and nothing else, as the long way does', () => {
    let told = 0;
    for (let seed = 1; seed <= MACHINES; seed += 1) {
      const kinds = [kindOf(randomMachine(seed, { links: false, messagesToSelf: false }))];
      const lookOf = (record: RecordValue | undefined) =>
        record && [record.id, record.at, conditionOf(record), record.fault?.code ?? null];
      const tellings = [false, true].map((isHeard) => {
        const all: unknown[] = [];
        const last = new Map<string, unknown>();
        let world: World | undefined;
        run(
          kinds,
          (played) => {
            world = played;
            played.on('appearance', ({ before, after }) => {
              const [then, now] = [lookOf(before), lookOf(after)];
              expect(now).not.toEqual(then);
              all.push([then, now]);
              last.set((after ?? before)?.id ?? '', now);
            });
            try {
              const [{ name = '' } = {}] = kinds;
              played.add([0, 1].map((n) => ({ id: `r${n}`, kind: name, at, input: { n } })));
            } catch {
              return;
            }
            for (const event of randomEvents(seed, 10)) {
              if (played.query().some(({ timers }) => timers.length > 100)) return;
              if (played.frame(137).backlog) return;
              played.send('r1', { ...event });
            }
          },
          isHeard,
        );
        for (const record of world?.values() ?? []) {
          expect(last.get(record.id)).toEqual(lookOf(record));
        }
        return all;
      });
      expect(tellings[0], `seed ${seed}`).toEqual(tellings[1]);
      told += tellings[0]?.length ?? 0;
    }
    expect(told).toBeGreaterThan(MACHINES);
  });

  it('wakes who links to a record that changes on its own', () => {
    const well = kindOf(
      setup({
        types: { context: {} as { ore: number }, events: {} as { type: 'TAKE'; count: number } },
        actions: {
          fill: assign({ ore: ({ context }) => context.ore + 1 }),
          take: assign({ ore: ({ context, event }) => context.ore - event.count }),
        },
        guards: { some: ({ context }) => context.ore > 0 },
      }).createMachine({
        id: 'pile',
        context: { ore: 0 },
        initial: 'on',
        states: {
          on: {
            after: { 100: { target: 'on', reenter: true, actions: 'fill' } },
            on: { TAKE: { guard: 'some', actions: 'take' } },
          },
        },
      }),
    );
    const world = createWorld({ kinds: [well, smith] });
    world.add([
      { id: 'w', kind: 'pile', at },
      { id: 's', kind: 'smith', at, links: { ore: 'w' } },
    ]);
    world.run(100);
    expect(world.find('s')?.value).toBe('forging');
  });

  it('is left by a step that asks for more, of which nothing then happens twice', () => {
    const caller = kindOf(
      setup({
        types: { context: {} as { n: number } },
        actions: {
          count: assign({ n: ({ context }) => context.n + 1 }),
          call: emit({ type: 'CALL' }),
        },
      }).createMachine({
        id: 'caller',
        context: { n: 0 },
        initial: 'on',
        states: {
          on: {
            after: { 100: { target: 'on', reenter: true, actions: ['count', 'call', 'count'] } },
          },
        },
      }),
    );
    const world = createWorld({ kinds: [caller, pile, pulse] });
    const notices: number[] = [];
    world.on('notice', ({ time }) => notices.push(time));
    world.add({ id: 'c', kind: 'caller', at });
    world.run(300);
    expect(notices).toEqual([100, 200, 300]);
    expect(world.find('c')).toMatchObject({ context: { n: 6 }, revision: 3 });
    expect(world.stats()).toMatchObject({ events: 3, notices: 3 });
  });
});

describe('a timer that only sets itself anew', () => {
  /** Counts, and takes its delays from its input in turn; where there is none left it fails. */
  const counter = kindOf(
    setup({
      types: {
        context: {} as { n: number; delays: unknown[] },
        input: {} as { delays: unknown[] },
      },
      actions: {
        count: assign({ n: ({ context }) => context.n + 1 }),
        last: assign({ n: ({ context }) => -context.n }),
      },
      delays: {
        next: ({ context: { n, delays } }) => {
          if (n >= 40) throw new Error('no delays left');
          return delays[n % delays.length] as number;
        },
      },
    }).createMachine({
      id: 'counter',
      context: ({ input }) => ({ n: 0, delays: input.delays }),
      initial: 'on',
      states: {
        on: {
          after: { next: { target: 'on', reenter: true, actions: 'count' } },
          on: { STOP: { target: 'off', actions: 'last' } },
        },
        off: {},
      },
    }),
  );
  const delays = fc.array(
    fc.oneof(
      fc.constantFrom<unknown>(
        0,
        1,
        2.5,
        500,
        1 / 3,
        100,
        1000,
        2 ** 31,
        '5',
        -1,
        Number.NaN,
        1e300,
      ),
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 300 }) },
    ),
    { minLength: 1, maxLength: 5 },
  );

  it('gives what the long way gives, whatever its delays', () => {
    let faults = 0;
    let events = 0;
    fc.assert(
      fc.property(fc.array(delays, { minLength: 1, maxLength: 6 }), (records) => {
        const play = (world: World): void => {
          world.add(
            records.map((each, i) => ({
              id: `c${i}`,
              kind: 'counter',
              at,
              input: { delays: each },
            })),
          );
          world.frame(700);
          world.send('c0', { type: 'STOP' });
          world.runUntil(4000);
          faults += world.stats().faults;
          events += world.stats().events;
        };
        const settle = (world: World): void => {
          try {
            play(world);
          } catch (error) {
            // One that cannot even begin is refused, with the same words either way.
            expect(error).toHaveProperty('code');
          }
        };
        expect(run([counter], settle, false)).toEqual(run([counter], settle, true));
      }),
      { numRuns: 200 },
    );
    expect(faults).toBeGreaterThan(0);
    expect(events).toBeGreaterThan(1000);
  });

  it('never changes a value that anybody was given', () => {
    const seen: { value: unknown; text: string }[] = [];
    // What a record shares with others never changes, and is no tree.
    const textOf = (value: unknown): string =>
      JSON.stringify(value, (key, inner) =>
        key === 'standing' || key === 'planned' ? undefined : key === 'shape' ? inner.value : inner,
      );
    const see = (value: unknown): void => {
      seen.push({ value, text: textOf(value) });
    };
    const looks: ((world: World, id: string) => void)[] = [
      (world, id) => see(world.find(id)),
      (world) => see(world.query()),
      (world, id) => see(world.valueOf(id)),
      (world) => see([...world.snapshot().records()]),
      (world, id) => see(world.snapshot().find(id)),
      (world) => void world.hash(),
      (world) => {
        const stop = world.on('commit', (commit) => see(commit.changes));
        world.run(50);
        stop();
      },
      (world) => void world.on('appearance', see),
      (world, id) => void world.send(id, { type: 'STOP' }),
      (world, id) => {
        if (world.find(id) !== undefined) world.remove(id);
        world.add({ id, kind: 'counter', at, input: { delays: [70] } });
      },
    ];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(looks.length - 1), fc.nat(4), fc.nat(400)), { maxLength: 40 }),
        (steps) => {
          seen.length = 0;
          const world = createWorld({ kinds: [counter] });
          world.add(
            Array.from({ length: 5 }, (_, i) => ({
              id: `c${i}`,
              kind: 'counter',
              at,
              input: { delays: [40 + i, 100.5] },
            })),
          );
          for (const [look, record, stretch] of steps) {
            world.run(stretch);
            looks[look]?.(world, `c${record}`);
          }
          world.run(500);
          for (const { value, text } of seen) expect(textOf(value)).toBe(text);
        },
      ),
      { numRuns: 100 },
    );
  });
});
