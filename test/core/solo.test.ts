/**
 * The short way of a timer gives what the long way gives. With somebody listening to events a world
 * takes the long way, with nobody the short one.
 */
import { createWorld, type Kind, type World } from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { conditionOf, type RecordValue } from '../../src/core/record.ts';
import { randomEvents, randomMachine } from '../support/random-machine.ts';
import { kindOf, pile, pulse, smith } from '../support/small-kinds.ts';

const at = [0, 0];
const MACHINES = Number(process.env.OFFSTAGE_FUZZ ?? 100);

function run(kinds: readonly Kind[], play: (world: World) => void, isHeard: boolean): string[] {
  const world = createWorld({ kinds, seed: 'solo', settings: { iterationsPerInstant: 30 } });
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
