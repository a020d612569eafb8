/**
 * Which transitions an event selects: children before their ancestors, in each node the exact type
 * before wildcards, and in a parallel state those of all regions, its own only if no region has any.
 * What can be known before is laid out as lists, so that only guards remain to be asked.
 */
import { ambient } from '../../core/ambient.ts';
import { codeOf } from '../../core/errors.ts';
import type { MachineEvent, StateValue } from '../../core/logic.ts';
import { candidates } from '../wake.ts';
import type { XArgs, XNode, XTransition } from '../xstate-internals.ts';
import { type Choice, choiceOf } from './choice.ts';
import type { Configuration } from './configuration.ts';
import type { EventClass } from './event-class.ts';
import { evaluate, type Guards } from './guards.ts';
import { ancestorsOf, isAtomic } from './nodes.ts';

/** What may take an event at some nodes. */
export interface Selection {
  /** Asked first, all of them. */
  readonly regions: readonly Selection[];
  /** Asked in this order if no region selected anything, up to the first that is enabled. */
  readonly list: readonly Choice[];
  /** What is selected in any case, if there is nothing to ask. */
  readonly certain: Choice | undefined;
  readonly isEmpty: boolean;
}

/** The selection of a configuration for a class of events. */
export function selectionFor(
  configuration: Configuration,
  { index, type }: EventClass,
  guards: Guards,
): Selection {
  let selection = configuration.selections[index];
  if (selection === undefined) {
    // A table without holes, whichever class comes first.
    while (configuration.selections.length < index) configuration.selections.push(undefined);
    const at = (node: XNode) => candidates(node, type);
    selection = within(configuration.machine.root, configuration.value, configuration, at, guards);
    configuration.selections[index] = selection;
  }
  return selection;
}

/** The transitions that the event selects. */
export function selected(
  selection: Selection,
  configuration: Configuration,
  context: unknown,
  event: MachineEvent,
): Choice | undefined {
  if (selection.certain !== undefined) return selection.certain;
  if (selection.isEmpty) return undefined;
  const { inGuard } = ambient;
  ambient.inGuard = true;
  try {
    return selectedWith(undefined, selection, configuration, { context, event });
  } finally {
    ambient.inGuard = inGuard;
  }
}

/** Whether anything in a configuration is tried after every event. */
export function hasAlways(configuration: Configuration, guards: Guards): boolean {
  if (configuration.always === undefined) configuration.always = alwaysOf(configuration, guards);
  return configuration.always !== null;
}

/** The `always` transitions that are enabled. */
export function selectedAlways(
  configuration: Configuration,
  context: unknown,
  event: MachineEvent,
  guards: Guards,
): Choice | undefined {
  if (!hasAlways(configuration, guards)) return undefined;
  const always = configuration.always as readonly Selection[];
  const { inGuard } = ambient;
  ambient.inGuard = true;
  try {
    const args = { context, event };
    let choice: Choice | undefined;
    for (let i = 0; i < always.length; i += 1) {
      const { list } = always[i] as Selection;
      for (let k = 0; k < list.length; k += 1) {
        const one = list[k] as Choice;
        if (one.guard !== undefined && !evaluate(one.guard, args, configuration)) continue;
        choice = choice === undefined ? one : choice.with(one);
        break;
      }
    }
    return choice;
  } finally {
    ambient.inGuard = inGuard;
  }
}

function selectedWith(
  before: Choice | undefined,
  { regions, list }: Selection,
  configuration: Configuration,
  args: XArgs,
): Choice | undefined {
  let choice = before;
  for (let i = 0; i < regions.length; i += 1) {
    choice = selectedWith(choice, regions[i] as Selection, configuration, args);
  }
  if (choice !== before) return choice;
  for (let i = 0; i < list.length; i += 1) {
    const one = list[i] as Choice;
    if (one.guard === undefined || isEnabled(one, configuration, args)) {
      return before === undefined ? one : before.with(one);
    }
  }
  return before;
}

/** The place in a list of the choice that is selected, −1 if none is. */
export function placeOfSelected(
  list: readonly Choice[],
  configuration: Configuration,
  context: unknown,
  event: MachineEvent,
): number {
  const { inGuard } = ambient;
  ambient.inGuard = true;
  let place = 0;
  try {
    const args = { context, event };
    for (; place < list.length; place += 1) {
      const { guard } = list[place] as Choice;
      if (guard === undefined || evaluate(guard, args, configuration)) return place;
    }
    return -1;
  } catch (error) {
    const [transition] = (list[place] as Choice).transitions;
    throw guardFailure(error, transition as XTransition, event);
  } finally {
    ambient.inGuard = inGuard;
  }
}

function isEnabled(
  { guard, transitions }: Choice,
  configuration: Configuration,
  args: XArgs,
): boolean {
  try {
    return Boolean(evaluate(guard as NonNullable<typeof guard>, args, configuration));
  } catch (error) {
    throw guardFailure(error, transitions[0] as XTransition, args.event);
  }
}

/** What XState throws for an error in a guard; an error with a code of ours stays what it is. */
function guardFailure(
  error: unknown,
  { guard, source }: XTransition,
  event: MachineEvent,
): unknown {
  if (error instanceof Error && codeOf(error) !== 'THREW') return error;
  const name = typeof guard === 'string' ? guard : typeof guard === 'object' ? guard.type : '';
  return new Error(
    `Unable to evaluate guard ${name === '' ? '' : `'${name}' `}in transition for event '${event.type}' in state node '${source.id}':\n${(error as Error).message}`,
    { cause: error },
  );
}

type TransitionsAt = (node: XNode) => readonly XTransition[];

function within(
  node: XNode,
  value: StateValue,
  configuration: Configuration,
  at: TransitionsAt,
  guards: Guards,
): Selection {
  const choices = (...nodes: XNode[]) =>
    nodes.flatMap(at).map((transition) => choiceOf(configuration, transition, guards));
  if (typeof value === 'string') {
    return selectionOf([], choices(node.states[value] as XNode, node));
  }
  // XState takes a value with one key for that of a compound state, which makes no difference here.
  const inner = Object.entries(value)
    .filter(([, below]) => below !== '')
    .map(([key, below]) => within(node.states[key] as XNode, below, configuration, at, guards));
  const [only] = inner;
  if (only !== undefined && inner.length === 1) {
    return selectionOf(only.regions, [...only.list, ...choices(node)]);
  }
  return selectionOf(inner, choices(node));
}

function selectionOf(regions: readonly Selection[], list: readonly Choice[]): Selection {
  const asked = regions.filter((region) => !region.isEmpty);
  // Nothing is asked after what is enabled in any case.
  const end = list.findIndex((choice) => choice.guard === undefined);
  const ending = end < 0 ? list : list.slice(0, end + 1);
  return {
    regions: asked,
    list: ending,
    certain: asked.length === 0 && end === 0 ? list[0] : undefined,
    isEmpty: asked.length === 0 && list.length === 0,
  };
}

function alwaysOf(configuration: Configuration, guards: Guards): readonly Selection[] | null {
  const lists = configuration.nodes
    .filter(isAtomic)
    .map((node) => [node, ...ancestorsOf(node, undefined)].flatMap((one) => one.always ?? []))
    .filter((list) => list.length > 0)
    .map((list) =>
      selectionOf(
        [],
        list.map((transition) => choiceOf(configuration, transition, guards)),
      ),
    );
  return lists.length === 0 ? null : lists;
}
