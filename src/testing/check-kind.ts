/**
 * The laws of a kind, tried with random records and random events. What breaks one is made as small
 * as it can be, and told as a story.
 */
import fc, { type Arbitrary } from 'fast-check';
import type { AnyStateMachine, EventFrom, InputFrom } from 'xstate';
import { codeOf, KindError, messageOf, WorldError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import type { MachineEvent } from '../core/logic.ts';
import type { DefinedKind } from '../machine/kind-definition.ts';
import { castOf, type Member } from './cast.ts';
import { LAWS, type LawName } from './laws/index.ts';
import type { Law, Scene, Violation } from './laws/law.ts';
import { Performance } from './performance.ts';
import { type Scenario, scenarios, type TestLinks } from './scenario.ts';
import { BrokenLaw } from './story.ts';
import { membersFor } from './test-kind.ts';
import { checkKind as checkIsKind, checkOptions, shown } from './wrong.ts';

export interface CheckOptions<Machine extends AnyStateMachine = AnyStateMachine> {
  /** What its records begin with. Default: nothing. */
  readonly input?: Arbitrary<InputFrom<Machine>>;
  /** What is sent to it. Default: nothing. */
  readonly events?: Arbitrary<EventFrom<Machine>>;
  /** What it links to, as for `testKind`; each trial has records of its own made like them. */
  readonly links?: TestLinks | Arbitrary<TestLinks>;
  /** What is sent to the records it links to, by the name of the link. */
  readonly linkEvents?: Readonly<Record<string, Arbitrary<{ readonly type: string }>>>;
  /** Kinds of the records it adds. */
  readonly kinds?: readonly Kind[];
  /** Which laws; all, if left out. */
  readonly laws?: readonly LawName[];
  /** Trials of each law. Default 100. */
  readonly runs?: number;
  /** What a failure printed, to try it again. */
  readonly seed?: number;
  readonly path?: string;
}

/**
 * Tries all laws of a kind. Throws `BrokenLaw` (a `KindError`, `LAW_BROKEN`) with the smallest
 * counterexample that was found; what `world.add` throws, if a record cannot begin with such input;
 * `BAD_KIND` or `BAD_OPTION` for what is none.
 *
 * @example
 * test('the station keeps the laws', () => {
 *   checkKind(station, {
 *     input: fc.record({ recipe }),
 *     events: fc.constant({ type: 'RUSH' }),
 *     links: { from: testKind(stash, { input: { capacity: 9, items: { ore: 5 } } }), to: stub() },
 *   });
 * });
 */
export function checkKind<Machine extends AnyStateMachine>(
  kind: DefinedKind<Machine>,
  options: CheckOptions<Machine> = {},
): void {
  checkIsKind('checkKind takes', kind);
  checkOptions('checkKind', options);
  const { input = fc.constant(undefined), events, links = {}, linkEvents = {} } = options;
  const { laws = LAWS.map(({ name }) => name), runs = 100, kinds = [], seed, path } = options;
  for (const [option, given] of Object.entries({ input, events, ...linkEvents })) {
    if (given !== undefined) checkArbitrary(kind, option, given);
  }
  const arbitrary = scenarios({
    input,
    events: events as Arbitrary<MachineEvent> | undefined,
    links: isArbitrary(links) ? links : fc.constant(links),
    linkEvents: linkEvents as Readonly<Record<string, Arbitrary<MachineEvent>>>,
  });
  for (const name of laws) {
    const law = lawNamed(name);
    const sceneOf = (scenario: Scenario): Scene => setUp(kind, kinds, scenario);
    const outcome = fc.check(
      fc.property(arbitrary, (scenario) => law.broken(sceneOf(scenario)) === undefined),
      {
        numRuns: runs,
        ...(seed === undefined ? {} : { seed }),
        ...(path === undefined ? {} : { path }),
      },
    );
    if (!outcome.failed) continue;
    const [scenario] = outcome.counterexample as [Scenario];
    const scene = sceneOf(scenario);
    const violation = broken(law, scene);
    if (violation === undefined) throw unsteady(kind, law, outcome.seed);
    const at = { seed: outcome.seed, path: outcome.counterexamplePath ?? '' };
    throw new BrokenLaw(law, scene, violation, at);
  }
}

function setUp(kind: Kind, kinds: readonly Kind[], scenario: Scenario): Scene {
  const { input, links, moves } = scenario;
  const members = membersFor(kind, { input, links, kinds });
  const cast = castOf(members);
  const seed = 'offstage';
  const own = members.at(-1) as Member;
  const idOf = (link: string | undefined): string => {
    const member = link === undefined ? own : own.links[link];
    const record = member && cast.records[members.indexOf(member)];
    if (record !== undefined) return record.id;
    throw new KindError(
      'BAD_OPTION',
      `checkKind(${kind.name}): linkEvents names '${link}', which links does not have.`,
    );
  };
  const first = begun(kind, input, () => new Performance(cast, seed));
  const timeline = first.rehearse(moves, idOf);
  return {
    kind,
    id: idOf(undefined),
    scenario,
    cast,
    timeline,
    first,
    play: (way) => new Performance(cast, seed, way).play(timeline),
  };
}

/** What the law finds; what a kind's own functions throw on the way is a finding too. */
function broken(law: Law, scene: Scene): Violation | undefined {
  try {
    return law.broken(scene);
  } catch (error) {
    const got = `an error: ${messageOf(error)}`;
    return { expected: 'no error', got, how: 'for this law' };
  }
}

/** Plays a scenario for the first time. */
function begun(kind: Kind, input: unknown, begin: () => Performance): Performance {
  try {
    return begin();
  } catch (error) {
    const why = `checkKind(${kind.name}): with input ${fc.stringify(input)}: ${messageOf(error)}`;
    throw new WorldError(codeOf(error), why, { cause: error });
  }
}

function lawNamed(name: string): Law {
  const law = LAWS.find((one) => one.name === name);
  if (law !== undefined) return law;
  const names = LAWS.map((one) => `'${one.name}'`).join(', ');
  throw new KindError('BAD_OPTION', `checkKind: there is no law '${name}'; there are ${names}.`);
}

/** A kind that breaks a law only now and then has a memory of its own. */
function unsteady(kind: Kind, law: Law, seed: number): KindError {
  return new KindError(
    'LAW_BROKEN',
    `Kind '${kind.name}' broke a law (${law.says}), and did not when the very same was tried again (seed ${seed}). It decides by something that outlives a world: a variable beside the machine, Math.random or a clock.`,
  );
}

function isArbitrary(given: unknown): given is Arbitrary<TestLinks> {
  return typeof (given as { generate?: unknown } | null)?.generate === 'function';
}

function checkArbitrary(kind: Kind, option: string, given: unknown): void {
  if (isArbitrary(given)) return;
  throw new KindError(
    'BAD_OPTION',
    `checkKind(${kind.name}): ${option} takes an arbitrary of fast-check; got ${shown(given)}.`,
  );
}
