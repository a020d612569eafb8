/** Other shapes of machines: linked stations and stashes, four parallel regions, five levels deep. */
import { createWorld, defineKind, type Kind } from 'offstage';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  assign,
  initialTransition,
  setup,
  transition,
} from 'xstate';
import { stash } from '../../kinds/stash.kind.ts';
import { stationMachine } from '../../machines/station.machine.ts';
import type { Contender } from './measure.ts';
import { addInChunks } from './timers.ts';

const counting = setup({
  types: { context: {} as { n: number } },
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
});

/** Four regions, each with a cycle of its own. */
export const parallelMachine = counting.createMachine({
  id: 'parallel',
  type: 'parallel',
  context: { n: 0 },
  states: Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((region, i) => [
      region,
      {
        initial: 'on',
        states: {
          on: { after: { [1000 + i * 100]: { target: 'off', actions: 'count' } } },
          off: { after: { [700 + i * 100]: 'on' } },
        },
      },
    ]),
  ),
});

/** Five levels; the timer of the innermost state, the event taken by the outermost that heeds it. */
export const deepMachine = counting.createMachine({
  id: 'deep',
  context: { n: 0 },
  initial: 'l1',
  states: {
    l1: {
      initial: 'l2',
      states: {
        l2: {
          initial: 'l3',
          states: {
            l3: {
              initial: 'l4',
              states: {
                l4: {
                  initial: 'x',
                  states: {
                    x: { after: { 1000: { target: 'y', actions: 'count' } } },
                    y: { after: { 1000: { target: '#deep.l1', reenter: true, actions: 'count' } } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
});

function offstage(engine: string, kind: Kind, n: number, stretch: number): Contender {
  const world = createWorld({ kinds: [kind] });
  addInChunks(n, (from, to) =>
    world.add(
      Array.from({ length: to - from }, (_, i) => ({
        id: `m${from + i}`,
        kind: kind.name,
        at: [0, 0],
      })),
    ),
  );
  let events = 0;
  return {
    engine,
    run() {
      world.run(stretch);
      const before = events;
      events = world.stats().events;
      return events - before;
    },
  };
}

/** XState's own `transition()`, each snapshot given in turn the timer it armed last. */
function xstateTransition(machine: AnyStateMachine, n: number): Contender {
  const due: { type: string }[] = [];
  const snapshots: AnyMachineSnapshot[] = [];
  const arm = (i: number, [snapshot, actions]: ReturnType<typeof initialTransition>): void => {
    snapshots[i] = snapshot as AnyMachineSnapshot;
    const raised = (actions as { type: string; params: unknown }[]).find(
      (action) => action.type === 'xstate.raise',
    );
    if (raised !== undefined)
      due[i] = (raised.params as unknown as { event: { type: string } }).event;
  };
  for (let i = 0; i < n; i += 1) arm(i, initialTransition(machine));
  let next = 0;
  return {
    engine: 'xstate-transition',
    run() {
      for (let i = 0; i < 200; i += 1) {
        arm(next, transition(machine, snapshots[next] as never, due[next] as never) as never);
        next = (next + 1) % n;
      }
      return 200;
    },
  };
}

export const MACHINE_ENGINES = ['offstage', 'offstage-interpreted', 'xstate-transition'];

/** One machine in a world, compiled or interpreted, or through XState's `transition()`. */
export function machineContender(engine: string, machine: AnyStateMachine, n: number): Contender {
  if (engine === 'xstate-transition') return xstateTransition(machine, n);
  const compile = engine === 'offstage';
  const kind = defineKind({ name: machine.id, version: 1, machine, compile });
  return offstage(engine, kind, n, compile ? 500 : 100);
}

export const STATION_ENGINES = ['offstage', 'offstage-interpreted'];

/** `n` stations, each taking from one stash and putting into the next in a ring, ten stations a stash. */
export function stationContender(engine: string, n: number): Contender {
  const compile = engine === 'offstage';
  const station = defineKind({
    name: 'station',
    version: 1,
    machine: stationMachine,
    links: { from: 'stash', to: 'stash' },
    compile,
  });
  const world = createWorld({ kinds: [stash, station] });
  const stashes = Math.max(2, Math.ceil(n / 10));
  world.add(
    Array.from({ length: stashes }, (_, i) => ({
      id: `stash-${i}`,
      kind: 'stash',
      at: [i * 100, 0],
      input: { capacity: 1_000_000, items: { ore: 1000 } },
    })),
  );
  world.add(
    Array.from({ length: n }, (_, i) => ({
      id: `station-${i}`,
      kind: 'station',
      at: [i * 10, 0],
      links: { from: `stash-${i % stashes}`, to: `stash-${(i + 1) % stashes}` },
      input: {
        recipe: {
          takes: { ore: 1 },
          gives: { item: 'ore', count: 1 },
          milliseconds: 1000 + ((i * 7919) % 1000),
        },
      },
    })),
  );
  let events = 0;
  return {
    engine,
    run() {
      world.run(200);
      const before = events;
      events = world.stats().events;
      return events - before;
    },
  };
}
