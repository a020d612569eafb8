/**
 * Random machines run from tables and by XState: the same states, the same effects in the same order,
 * the same errors, whichever of the two runs any single event, also when the state is saved and
 * loaded in the middle.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { codeOf, messageOf } from '../../src/core/errors.ts';
import {
  BEYOND,
  type Effects,
  type Fork,
  type MachineEvent,
  type MachineLogic,
  type MachineState,
  NOWHERE,
  type Shortcut,
  type StateValue,
} from '../../src/core/logic.ts';
import { compileMachine } from '../../src/machine/compile.ts';
import { interpretMachine } from '../../src/machine/interpret.ts';
import { asked, Dice, randomEvents, randomMachine } from '../support/random-machine.ts';
import { Recorder } from './recorded.ts';

const EVENTS = 200;
const DEPTHS = [1, 2, 3, 2, 4, 3, 5];
const MACHINES = Number(process.env.OFFSTAGE_FUZZ ?? 2000);
/** How many of them have seeds that are always the same. */
const COUNT = Math.ceil(MACHINES / 10);
/** Milliseconds; far more than any machine needs. */
const TIME = 120_000 + MACHINES * 200;

/** One of the two ways of running a machine, with what came of the last thing it was asked. */
class Side {
  readonly effects = new Recorder();
  readonly logic: MachineLogic;

  constructor(logic: MachineLogic) {
    this.logic = logic;
  }

  /** What came of it: a result or an error, the effects, and what guards were asked. */
  outcome<T>(run: (logic: MachineLogic, effects: Recorder) => T) {
    asked.length = 0;
    const done = this.attempted(run);
    return { ...done, calls: this.effects.take(), asked: asked.splice(0) };
  }

  private attempted<T>(run: (logic: MachineLogic, effects: Recorder) => T) {
    try {
      return { value: run(this.logic, this.effects), failure: undefined };
    } catch (error) {
      const message = messageOf(error);
      // XState says what it could not read of what is not there, and where in its own code.
      return { value: undefined, failure: { code: codeOf(error), message } };
    }
  }
}

/** `expect` shows a difference well, and takes long to see that there is none. */
function same(given: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(given, expected)) expect(given).toEqual(expected);
}

/** Steps taken by a shortcut. */
let shortcuts = 0;
/** Where forks led: nowhere, beyond, to their first end or another. */
const ledTo = new Set<number>();

/** Runs one machine both ways. Gives how many events were taken. */
function compare(seed: number): number {
  // Deep machines, and those that go round for long, take XState long; a part of each is enough.
  const depth = DEPTHS[seed % DEPTHS.length] as number;
  const machine = randomMachine(seed, { depth, extras: seed % 2 === 0, microsteps: 25 });
  const dice = new Dice(seed ^ 0xc0de);
  const forks = new Dice(seed ^ 0xf04c);
  const reference = new Side(interpretMachine(machine));
  const tables = new Side(compileMachine(machine));

  /** Has both do the same, and gives what came of it on a side chosen by chance. */
  const both = <T>(run: (logic: MachineLogic, effects: Recorder) => T): T | undefined => {
    const expected = reference.outcome(run);
    const given = tables.outcome(run);
    same(given, expected);
    return dice.chance(0.5) ? given.value : expected.value;
  };

  let state = both((logic, effects) => logic.initial({ n: seed % 5 }, effects));
  if (state === undefined) return 0;
  const values: StateValue[] = [state.value];
  let taken = 0;
  for (const random of randomEvents(seed, EVENTS)) {
    if (dice.chance(0.1)) state = JSON.parse(JSON.stringify(state)) as MachineState;
    const before: MachineState = state;
    const due = dice.chance(0.3)
      ? dice.pick([...reference.effects.timers.values(), random])
      : random;
    const event = { ...due };

    if (dice.chance(0.3)) both((logic) => [logic.can(before, event), logic.heedsWake(before)]);
    const isSet = dice.chance(0.03) || before.status !== 'active';
    const change = isSet ? randomChange(dice, values, before) : {};
    const isShort = dice.chance(0.5);
    const isForked = forks.chance(0.7);
    const after = both((logic, effects) => {
      const shortcut = isShort ? logic.shortcut?.(before.value, event.type) : undefined;
      const fork = isForked ? logic.fork?.(before.value, event.type) : undefined;
      const state = isSet
        ? logic.set(before, change, effects)
        : shortcut !== undefined
          ? led(before, shortcut, event, effects)
          : fork !== undefined
            ? ledBy(fork, before, event, effects)
            : logic.step(before, event, effects);
      if (shortcut !== undefined && !isSet) shortcuts += 1;
      // Regions keep the order in which the machine defines them, whatever a save made of it.
      return { state, isSame: state === before, order: JSON.stringify(state.value) };
    });
    if (after === undefined || after.isSame) continue;
    taken += 1;
    state = after.state;
    values.push(state.value);
    if (values.length > 8) values.shift();
    // A timer set twice is due once.
    if (reference.effects.timers.size > 20) reference.effects.timers.clear();
  }
  return taken;
}

/** The state to which a shortcut leads. */
function led(
  before: MachineState,
  shortcut: Shortcut,
  event: MachineEvent,
  effects: Effects,
): MachineState {
  const { value, tags } = shortcut;
  return { ...before, value, tags, context: shortcut.run(before.context, event, effects) };
}

/** The state to which a fork leads. */
function ledBy(
  fork: Fork,
  before: MachineState,
  event: MachineEvent,
  effects: Effects,
): MachineState {
  const left = fork.run(before, before.context, event, effects);
  ledTo.add(Math.min(fork.led, 1));
  if (fork.led === NOWHERE) return before;
  if (fork.led === BEYOND) return left as MachineState;
  const { value, tags } = fork.ends[fork.led] as Fork['ends'][number];
  return { ...before, value, tags, context: left };
}

function randomChange(
  dice: Dice,
  values: readonly StateValue[],
  { context }: MachineState,
): { value?: StateValue; context?: unknown } {
  const value = dice.chance(0.1) ? dice.pick<StateValue>(['s0', 'nowhere', {}]) : dice.pick(values);
  return {
    ...(dice.chance(0.8) ? { value } : {}),
    ...(dice.chance(0.5) ? { context: { ...(context as object), n: dice.between(0, 6) } } : {}),
  };
}

describe('compiled random machines', () => {
  it(
    'run as XState runs them, with seeds that are always the same',
    () => {
      let taken = 0;
      for (let seed = 1; seed <= COUNT; seed += 1) taken += named(seed, () => compare(seed));
      // The generator would be no use if its machines seldom did anything.
      expect(taken).toBeGreaterThan(COUNT * 20);
      expect(shortcuts).toBeGreaterThan(COUNT);
      expect([...ledTo].sort()).toEqual([NOWHERE, BEYOND, 0, 1].sort());
    },
    TIME,
  );

  it(
    'run as XState runs them, with fresh seeds',
    () => {
      const first = Math.floor(Math.random() * 2 ** 31);
      for (let seed = first; seed < first + MACHINES - COUNT; seed += 1)
        named(seed, () => compare(seed));
    },
    TIME,
  );

  // Regressions, named for their fault, as they are found.
  it.each<[number, string]>([
    [5, 'entries took what a history remembered before the exits of the same step'],
    [
      873_198_716,
      'a partial state value made an initial history state active, which ended nowhere',
    ],
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
