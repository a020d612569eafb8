/** Repeating timers with integer periods of 1000 to 1999 ms: the heart of a world, in six engines. */
import { createWorld, defineKind } from 'offstage';

import {
  type AnyMachineSnapshot,
  assign,
  createActor,
  initialTransition,
  SimulatedClock,
  setup,
  transition,
} from 'xstate';
import { Heap } from '../../src/core/heap.ts';
import { TurnOrder } from '../../src/core/order.ts';
import type { Contender } from './measure.ts';
import { Entity, Sim } from './simjs.ts';

const periodOf = (i: number): number => 1000 + ((i * 7919) % 1000);
/** Game milliseconds run at a time, so that a slice is some thousand events whatever N. */
const stretchOf = (n: number): number => Math.max(1, Math.round(3_000_000 / n));

const repeaterMachine = setup({
  types: {
    context: {} as { n: number; period: number },
    input: {} as { period: number },
  },
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
  delays: { period: ({ context }) => context.period },
}).createMachine({
  id: 'repeater',
  context: ({ input }) => ({ n: 0, period: input.period }),
  initial: 'on',
  states: { on: { after: { period: { target: 'on', reenter: true, actions: 'count' } } } },
});

const compiled = defineKind({ name: 'repeater', version: 1, machine: repeaterMachine });
const interpreted = defineKind({
  name: 'repeater',
  version: 1,
  machine: repeaterMachine,
  compile: false,
});

function offstage(n: number, engine: 'offstage' | 'offstage-interpreted'): Contender {
  const kind = engine === 'offstage' ? compiled : interpreted;
  const world = createWorld({ kinds: [kind] });
  const stretch = stretchOf(n);
  addInChunks(n, (from, to) =>
    world.add(
      Array.from({ length: to - from }, (_, i) => ({
        id: `r${from + i}`,
        kind: 'repeater',
        at: [0, 0],
        input: { period: periodOf(from + i) },
      })),
    ),
  );
  let events = 0;
  const countEvents = (): number => world.stats().events;
  return {
    engine,
    run() {
      world.run(stretch);
      const before = events;
      events = countEvents();
      return events - before;
    },
  };
}

/** Calls with stretches of at most ten thousand. */
export function addInChunks(n: number, add: (from: number, to: number) => void): void {
  for (let from = 0; from < n; from += 10_000) add(from, Math.min(n, from + 10_000));
}

/** A heap of ours, and for each slot what its owner keeps. */
function heapOf(n: number): Heap {
  const order = new TurnOrder((slot) => `r${slot}`);
  const heap = new Heap(order);
  for (let slot = 0; slot < n; slot += 1) {
    order.set(slot, (slot * 2_654_435_761) % 4_294_967_296);
    heap.set(slot, periodOf(slot));
  }
  return heap;
}

/** The least a loop can do: the same heap, an immutable context, nothing else. */
function limit(n: number): Contender {
  const heap = heapOf(n);
  const contexts = Array.from({ length: n }, (_, i) => ({ n: 0, period: periodOf(i) }));
  const stretch = stretchOf(n);
  let time = 0;
  return {
    engine: 'limit',
    run() {
      time += stretch;
      let events = 0;
      while (heap.topKey <= time) {
        const slot = heap.topSlot;
        const context = contexts[slot] as { n: number; period: number };
        contexts[slot] = { n: context.n + 1, period: context.period };
        heap.set(slot, heap.topKey + context.period);
        events += 1;
      }
      return events;
    },
  };
}

function xstateTransition(n: number): Contender {
  const heap = heapOf(n);
  const stretch = stretchOf(n);
  const snapshots: AnyMachineSnapshot[] = [];
  const delayed = { type: 'xstate.after.period.repeater.on' };
  for (let i = 0; i < n; i += 1) {
    snapshots.push(initialTransition(repeaterMachine, { period: periodOf(i) })[0]);
  }
  let time = 0;
  return {
    engine: 'xstate-transition',
    run() {
      time += stretch;
      let events = 0;
      while (heap.topKey <= time) {
        const slot = heap.topSlot;
        const [next, actions] = transition(
          repeaterMachine,
          snapshots[slot] as never,
          delayed as never,
        );
        snapshots[slot] = next;
        for (const action of actions) {
          if (action.type !== 'xstate.raise') continue;
          heap.set(slot, heap.topKey + ((action.params as { delay: number }).delay ?? 0));
        }
        events += 1;
      }
      return events;
    },
  };
}

function xstateActors(n: number): Contender {
  const clock = new SimulatedClock();
  const actors = Array.from({ length: n }, (_, i) =>
    createActor(repeaterMachine, { clock, input: { period: periodOf(i) } }).start(),
  );
  const count = (): number => actors.reduce((sum, actor) => sum + actor.getSnapshot().context.n, 0);
  let events = 0;
  return {
    engine: 'xstate-actors',
    run() {
      // A step of a period or more would fire a timer once where it should fire twice.
      for (let i = 0; i < 50; i += 1) clock.increment(1);
      const before = events;
      events = count();
      return events - before;
    },
  };
}

function simjs(n: number): Contender {
  const sim = new Sim();
  class Repeater extends Entity {
    n = 0;
    start(period: number): void {
      this.again(period);
    }
    again(period: number): void {
      this.setTimer(period).done(() => {
        this.n += 1;
        this.again(period);
      });
    }
  }
  for (let i = 0; i < n; i += 1) sim.addEntity(Repeater, undefined, periodOf(i));
  const most = 3000;
  return {
    engine: 'simjs',
    run() {
      sim.simulate(Number.MAX_SAFE_INTEGER, most);
      return most;
    },
  };
}

/** The engines, and the most records with which each runs in reasonable time. */
export const TIMER_ENGINES = [
  { engine: 'offstage', most: Number.POSITIVE_INFINITY },
  { engine: 'offstage-interpreted', most: 10_000 },
  { engine: 'xstate-transition', most: 10_000 },
  { engine: 'xstate-actors', most: 1000 },
  { engine: 'simjs', most: 100_000 },
  { engine: 'limit', most: Number.POSITIVE_INFINITY },
];

export function timerContender(engine: string, n: number): Contender {
  switch (engine) {
    case 'offstage':
    case 'offstage-interpreted':
      return offstage(n, engine);
    case 'xstate-transition':
      return xstateTransition(n);
    case 'xstate-actors':
      return xstateActors(n);
    case 'simjs':
      return simjs(n);
    case 'limit':
      return limit(n);
    default:
      throw new Error(`There is no engine '${engine}'.`);
  }
}
