/**
 * A scenario: a model that is run from its beginning to its end and then measured, once for each seed.
 * Everything that differs between two runs follows from the seed, so a run can be repeated anywhere.
 */
import type { NewRecord } from './ambient.ts';
import { WorldError } from './errors.ts';
import type { Kind } from './kind.ts';
import type { Settings } from './settings.ts';
import { createWorld, type World } from './world.ts';

/** Figures by their names. */
export type Figures = Readonly<Record<string, number>>;

export interface Scenario {
  /** Small letters, digits and `-`: what the command line calls it. */
  readonly name: string;
  /** What it is a model of, in one line. */
  readonly about: string;
  readonly kinds: readonly Kind[];
  readonly records: readonly NewRecord[];
  readonly settings?: Partial<Settings>;
  /** The game time at which it ends, in milliseconds. */
  readonly until: number;
  /** What it has come to. Finite numbers, the same names for every seed. */
  measure(world: World): Figures;
  /** What theory says a figure is, for those of which it is known. */
  readonly known?: Figures;
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * Checks a scenario and freezes it. Throws `WorldError` `BAD_SCENARIO` for one that could not run.
 *
 * @example
 * export const shop = defineScenario({
 *   name: 'shop', about: 'one shop, one day', kinds: [customer, facility], records, until: 86_400_000,
 *   measure: (world) => ({ served: world.query({ kind: 'customer' }).length }),
 * });
 */
export function defineScenario(scenario: Scenario): Scenario {
  const bad = (why: string): WorldError =>
    new WorldError('BAD_SCENARIO', `Scenario '${String(scenario?.name)}': ${why}.`);
  if (typeof scenario?.name !== 'string' || !NAME.test(scenario.name)) {
    throw bad('a name has small letters, digits and -, a letter first');
  }
  if (typeof scenario.about !== 'string') throw bad('about says in a line what it is a model of');
  if (!Array.isArray(scenario.kinds)) throw bad('kinds is a list of kinds');
  if (!Array.isArray(scenario.records)) throw bad('records is the list of what it begins with');
  if (!(Number.isFinite(scenario.until) && scenario.until > 0)) {
    throw bad(`until is ${scenario.until}; give game milliseconds above 0`);
  }
  if (typeof scenario.measure !== 'function') throw bad('measure is a function of the world');
  return Object.freeze({ ...scenario });
}

/** The scenario's world at its beginning. With one seed, two scenarios draw different numbers. */
export function beginScenario({ name, kinds, records, settings }: Scenario, seed: string): World {
  const world = createWorld({
    kinds,
    seed: `${name} ${seed}`,
    ...(settings === undefined ? {} : { settings }),
  });
  world.add(records);
  return world;
}

/**
 * Runs a scenario to its end and measures it. A record that rests with a fault makes every figure
 * doubtful, so it is an error (`SCENARIO_FAILED`), and so is a figure that is no finite number.
 */
export function runScenario(scenario: Scenario, seed: string): Figures {
  const { name, until, measure } = scenario;
  const world = beginScenario(scenario, seed);
  const failed = (why: string): WorldError =>
    new WorldError('SCENARIO_FAILED', `Scenario '${name}' with the seed '${seed}': ${why}.`);
  world.on('fault', ({ id, kind, message }) => {
    throw failed(`${id} (${kind}) failed: ${message}`);
  });
  world.runUntil(until);
  const figures = measure(world);
  for (const [figure, value] of Object.entries(figures)) {
    if (!Number.isFinite(value)) throw failed(`'${figure}' is ${value}`);
  }
  return figures;
}
