/**
 * Random machines run by `interpretMachine` and by XState's own pure functions: the same states and
 * the same effects in the same order, also when the state is saved and loaded in the middle.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/core/logic.ts';
import { interpretMachine } from '../../src/machine/interpret.ts';
import { Dice, randomEvents, randomMachine } from '../support/random-machine.ts';
import { Recorder, Reference } from './recorded.ts';

const EVENTS = 80;
const MACHINES = Number(process.env.OFFSTAGE_FUZZ ?? 100);
/** Milliseconds; far more than any machine needs. */
const TIME = 60_000 + MACHINES * 500;

/** What came of something that may throw: XState's own word for a loop, ours, or a fault of XState. */
interface Outcome<T> {
  readonly value?: T;
  readonly failure?: 'loop' | 'illegal';
}

function outcome<T>(run: () => T): Outcome<T> {
  try {
    return { value: run() };
  } catch (error) {
    if (/Infinite loop detected|without coming to rest/.test(String(error)))
      return { failure: 'loop' };
    // Two transitions at once, one of them to the history of its own source, and XState has two states
    // of one compound state active. A record refuses to go on from there.
    if (/Only one state can be active/.test(String(error))) return { failure: 'illegal' };
    throw error;
  }
}

/** `expect` shows a difference well, and takes long to see that there is none. */
function same(given: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(given, expected)) expect(given).toEqual(expected);
}

/** Runs one machine both ways. Gives how many events were taken. */
function compare(seed: number): number {
  const input = { n: seed % 5 };
  const effects = new Recorder();
  const logic = interpretMachine(randomMachine(seed));
  const started = outcome(() => logic.initial(input, effects));
  const reference = outcome(() => new Reference(randomMachine(seed), input));
  if (started.failure !== 'illegal') expect(started.failure).toBe(reference.failure);
  if (reference.value === undefined || started.value === undefined) return 0;

  const expected = reference.value;
  let state: MachineState = started.value;
  let taken = 0;
  expect(effects.take()).toEqual(expected.calls);
  expect(state).toEqual(expected.state);

  const dice = new Dice(seed ^ 0xd1ce);
  for (const random of randomEvents(seed, EVENTS)) {
    const [timer] = effects.timers.keys();
    const due = dice.chance(0.3) ? timer : undefined;
    const event = (due === undefined ? undefined : effects.timers.get(due)) ?? random;
    if (due !== undefined) effects.timers.delete(due);
    if (dice.chance(0.1)) state = JSON.parse(JSON.stringify(state));

    const active = state.status === 'active';
    expect(logic.can(state, { ...event })).toBe(active && expected.can({ ...event }));
    expect(effects.take()).toEqual([]);
    const before = state;
    const stepped = outcome(() => logic.step(state, { ...event }, effects));
    if (stepped.failure === 'illegal') break;
    const told = outcome(() => (active ? expected.send({ ...event }) : undefined));
    expect(stepped.failure).toBe(told.failure);
    if (stepped.value === undefined) break;

    state = stepped.value;
    const calls = effects.take();
    if (!active) expect(state).toBe(before);
    if (state === before) {
      expect(calls).toEqual([]);
      continue;
    }
    taken += 1;
    same(calls, expected.calls);
    same(state, expected.state);
    // Regions keep the order in which the machine defines them, whatever a save made of it.
    expect(JSON.stringify(state.value)).toBe(JSON.stringify(expected.state.value));
    if (state.status !== 'active') effects.timers.clear();
  }
  return taken;
}

describe('random machines', () => {
  it(
    'run as XState runs them, with seeds that are always the same',
    () => {
      let taken = 0;
      for (let seed = 1; seed <= MACHINES; seed += 1) {
        taken += named(seed, () => compare(seed));
      }
      // The generator would be no use if its machines seldom did anything.
      expect(taken).toBeGreaterThan(MACHINES * 10);
    },
    TIME,
  );

  it(
    'run as XState runs them, with fresh seeds',
    () => {
      const first = Math.floor(Math.random() * 2 ** 31);
      for (let seed = first; seed < first + MACHINES; seed += 1) named(seed, () => compare(seed));
    },
    TIME,
  );

  it.each([
    [23, 'the root, lost by a history that re-enters it, whose exit then did not run'],
    [144, 'regions that came out of order'],
    [823_487_257, 'one microstep more than XState allows'],
    [2_080_428_400, 'a history that remembers nothing'],
  ])('seed %i: %s', (seed) => {
    named(seed, () => compare(seed));
  });
});

/** Names the seed in whatever fails. */
function named<T>(seed: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error) error.message = `seed ${seed}: ${error.message}`;
    throw error;
  }
}
