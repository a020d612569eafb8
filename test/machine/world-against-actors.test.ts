/**
 * Random machines as records of a world and as XState actors on a clock that goes from event to
 * event: the same states, contexts and notices at the same times, and the same timers in between.
 */

import { describe, expect, it } from 'vitest';
import { type AnyMachineSnapshot, createActor } from 'xstate';
import { createWorld, defineKind } from '../../src/index.ts';
import { Dice, randomEvents, randomMachine } from '../support/random-machine.ts';
import { asRestored } from './recorded.ts';

const EVENTS = 60;
const MACHINES = Number(process.env.OFFSTAGE_FUZZ ?? 100);
/** Milliseconds; far more than any machine needs. */
const TIME = 60_000 + MACHINES * 500;

/** What can be told apart from outside. */
type Happening = readonly [time: number, what: 'timer' | 'notice', event: unknown];

/** Timers by time, then by when they were set. XState's own SimulatedClock jumps over repetitions. */
class SteppedClock {
  time = 0;
  private readonly timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  private set = 0;

  setTimeout(run: () => void, delay: number): number {
    this.timers.set(++this.set, { at: this.time + delay, run });
    return this.set;
  }

  clearTimeout(id: number): void {
    this.timers.delete(id);
  }

  runUntil(time: number, fire: (run: () => void) => void): void {
    for (;;) {
      const [next] = [...this.timers].sort(([a, one], [b, other]) => one.at - other.at || a - b);
      if (next === undefined || next[1].at > time) break;
      this.timers.delete(next[0]);
      this.time = next[1].at;
      fire(next[1].run);
    }
    this.time = time;
  }
}

/** What is left of a snapshot in a record. */
const shown = ({ value, context, status, output }: AnyMachineSnapshot) => ({
  value,
  context,
  status,
  output,
});

/** Runs one machine both ways. Gives how many timers came due. */
function compare(seed: number): number {
  // Links lead to other records; a message to itself is an event of its own at the same time, which an
  // actor takes before other timers of that time.
  const options = { links: false, messagesToSelf: false };
  const input = { n: seed % 5 };

  const clock = new SteppedClock();
  const expected: Happening[] = [];
  let isFiring = false;
  const actor = createActor(randomMachine(seed, options), {
    input,
    clock: clock as never,
    logger: () => {},
    inspect: (event) => {
      if (event.type === '@xstate.event' && isFiring)
        expected.push([clock.time, 'timer', event.event]);
    },
  });
  actor.subscribe({ error: () => {} });
  withoutLeaks(actor.system);
  actor.on('*', (event) => expected.push([clock.time, 'notice', event]));
  /** A record is always as if it had been restored. */
  const restore = () => {
    const inner = actor as unknown as { _snapshot: AnyMachineSnapshot };
    if (inner._snapshot.status === 'active') inner._snapshot = asRestored(inner._snapshot);
  };
  actor.start();
  restore();

  const kind = defineKind({ name: 'random', version: 1, machine: randomMachine(seed, options) });
  const world = createWorld({ kinds: [kind], settings: { freeze: true } });
  const seen: Happening[] = [];
  world.on('event', ({ time, cause, event }) => {
    if (cause === 'timer') seen.push([time, 'timer', event]);
  });
  world.on('notice', ({ time, event }) => seen.push([time, 'notice', event]));
  const failed = attempt(() => world.add({ id: 'r', kind: 'random', at: [0, 0], input }));

  const dice = new Dice(seed ^ 0x717e);
  let time = 0;
  for (const event of randomEvents(seed, EVENTS)) {
    const snapshot = actor.getSnapshot() as AnyMachineSnapshot;
    const record = world.find('r');
    if (snapshot.status === 'error') {
      // An actor is over with its first error; a record rests, or was never added.
      expect(failed ?? record?.fault?.code).toMatch(/^(loop|MICROSTEP_LOOP)$/);
      return 0;
    }
    if (record?.fault?.message.includes('Only one state can be active') || failed === 'illegal')
      return 0;
    expect(record).toMatchObject(shown(snapshot));
    // A notice comes with its commit, before the report of the event; only their own orders count.
    for (const what of ['timer', 'notice'] as const) {
      expect(seen.filter((one) => one[1] === what)).toEqual(
        expected.filter((one) => one[1] === what),
      );
    }
    if (snapshot.status !== 'active') break;
    // Some machines arm ever more timers that have no id to be replaced by.
    if ((record?.timers.length ?? 0) > 40) break;

    time += dice.between(0, 40);
    clock.runUntil(time, (run) => {
      isFiring = true;
      run();
      isFiring = false;
      restore();
    });
    world.runUntil(time);
    if (actor.getSnapshot().status !== 'active' || world.find('r')?.fault) continue;
    actor.send({ ...event });
    restore();
    const sent = world.send('r', { ...event });
    if (!sent.accepted && sent.code !== 'NOT_TAKEN') {
      expect(sent.code === 'UNKNOWN_STATE' || actor.getSnapshot().status === 'error').toBe(true);
      return 0;
    }
  }
  return seen.filter(([, what]) => what === 'timer').length;
}

/** A timer of the same id replaces the one before, as in a record; an actor would keep both. */
function withoutLeaks(system: object): void {
  const { scheduler } = system as {
    scheduler: {
      schedule(source: object, target: object, event: object, delay: number, id: string): void;
      cancel(source: object, id: string): void;
    };
  };
  const { schedule } = scheduler;
  scheduler.schedule = (source, target, event, delay, id) => {
    scheduler.cancel(source, id);
    schedule(source, target, event, delay, id);
  };
}

/** Whether something failed: in a loop, or where XState comes to a state that cannot be. */
function attempt(run: () => void): 'loop' | 'illegal' | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (/without coming to rest/.test(String(error))) return 'loop';
    if (/Only one state can be active/.test(String(error))) return 'illegal';
    throw error;
  }
}

/** Names the seed in whatever fails. */
function named(seed: number): number {
  try {
    return compare(seed);
  } catch (error) {
    if (error instanceof Error) error.message = `seed ${seed}: ${error.message}`;
    throw error;
  }
}

describe('a record and an actor of the same random machine', () => {
  it(
    'live the same life, with seeds that are always the same',
    () => {
      let timers = 0;
      for (let seed = 1; seed <= MACHINES; seed += 1) timers += named(seed);
      expect(timers).toBeGreaterThan(MACHINES * 5);
    },
    TIME,
  );

  it(
    'live the same life, with fresh seeds',
    () => {
      const first = Math.floor(Math.random() * 2 ** 31);
      for (let seed = first; seed < first + MACHINES; seed += 1) named(seed);
    },
    TIME,
  );
});
