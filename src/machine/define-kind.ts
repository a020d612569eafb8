/**
 * A machine made a kind: `defineKind` checks all that can be seen before anything runs, and gives the
 * frozen value that worlds, saves and clients share.
 */
import type { AnyStateMachine } from 'xstate';
import type { Kind } from '../core/kind.ts';
import { STEP, WAKE } from '../core/logic.ts';
import {
  checkDefinition,
  type Refuse,
  refusalsOf,
  shown,
  type Unchecked,
} from './check-definition.ts';
import { checkMachine, checkVersion, handles, pathOf } from './check-machine.ts';
import { compileMachine } from './compile.ts';
import { interpretMachine } from './interpret.ts';
import type { DefinedKind, KindDefinition } from './kind-definition.ts';
import { withUnknownStates } from './unknown-states.ts';
import { candidates, receptionOf } from './wake.ts';
import { builtMachine, nodesOf, type XMachine } from './xstate-internals.ts';

/**
 * Makes a machine a kind. Throws `KindError`, naming the kind, the state and the cure, for anything
 * that could not work: see the table "Errors" in the README.
 *
 * @example
 * export const station = defineKind({
 *   name: 'station', version: 1, machine: stationMachine,
 *   links: { ore: 'stash', bars: 'stash' },
 * });
 */
export function defineKind<Machine extends AnyStateMachine, Predicted extends string = never>(
  definition: KindDefinition<Machine, Predicted>,
): DefinedKind<Machine> {
  const refuse = refusalsOf((definition as { readonly name?: unknown } | undefined)?.name);
  if (typeof definition !== 'object' || definition === null) {
    refuse('BAD_OPTION', 'there is no definition', 'Give { name, version, machine }');
  }
  checkDefinition(definition as unknown as Unchecked, refuse);
  const { machine, links = {}, serverOnly = [], commands = {}, predict = {} } = definition;
  checkVersion(machine, refuse);
  const built = builtMachine(machine);
  checkMachine(built, Object.keys(links), refuse);
  checkServerOnly(built, serverOnly, refuse);
  for (const type of Object.keys(commands)) checkHandled(built, 'commands', type, refuse);
  for (const type of Object.keys(predict)) checkHandled(built, 'predict', type, refuse);

  // The core does not know the types of a kind's context and events; it passes each kind its own.
  const rules = definition as unknown as Partial<Kind>;
  return Object.freeze({
    name: definition.name,
    version: definition.version,
    logic: withUnknownStates(
      definition.compile === false ? interpretMachine(machine) : compileMachine(machine),
    ),
    machine,
    links: Object.freeze({ ...links }),
    relevancy: definition.relevancy ?? 'spatial',
    serverOnly: Object.freeze([...serverOnly]),
    commands: Object.freeze({ ...commands }) as Kind['commands'],
    urgent: definition.urgent ?? false,
    order: definition.order ?? 0,
    step:
      typeof definition.step === 'object'
        ? Object.freeze({ ...definition.step })
        : (definition.step ?? 'events'),
    predict: Object.freeze(Object.entries(predict)) as Kind['predict'],
    advance: rules.advance,
    exact: definition.exact ?? false,
    shiftTimes: rules.shiftTimes,
    migrate: definition.migrate,
    describe: rules.describe,
    warnings: Object.freeze(warningsOf(built, definition.name)),
  });
}

function checkServerOnly(machine: XMachine, keys: readonly string[], refuse: Refuse): void {
  const { context } = machine.config;
  if (typeof context !== 'object' || context === null) return;
  for (const key of keys) {
    if (Object.hasOwn(context, key)) continue;
    refuse(
      'BAD_OPTION',
      `serverOnly names ${shown(key)}, which the context does not have`,
      `It has: ${Object.keys(context).join(', ')}`,
    );
  }
}

function checkHandled(machine: XMachine, option: string, type: string, refuse: Refuse): void {
  if (handles(machine, type)) return;
  refuse(
    'NOT_HANDLED',
    `${option} names '${type}', and no state of machine '${machine.id}' handles it`,
    `Add \`on: { ${type}: … }\` to a state, or take it out of ${option}`,
  );
}

/** What is allowed but seldom meant. */
function warningsOf(machine: XMachine, kind: string): string[] {
  return nodesOf(machine)
    .filter((node) => {
      // Only a `*` that the world's own events would reach; a longer wildcard is tried before it.
      const star = node.transitions.get('*');
      if (star === undefined || receptionOf(star) !== 'heeds') return false;
      return [WAKE, STEP].some((type) => {
        const before = candidates(node, type).filter((transition) => !star.includes(transition));
        return receptionOf(before) === 'passes';
      });
    })
    .map(
      (node) =>
        `Kind '${kind}': state '${pathOf(node)}' handles '*', which also takes '${WAKE}' and '${STEP}'. ` +
        "If it should not, add 'offstage.*': {} beside it.",
    );
}
