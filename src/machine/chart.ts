/**
 * A kind and its statechart as values that JSON holds, for tools that draw them. They show what the
 * author wrote: what XState adds by itself (the timers of `after` among the entry actions, their
 * cancelling among the exit actions) is left out. States and transitions are in document order, a
 * parent before its children; the first state is the root.
 */

import type { AnyStateMachine } from 'xstate';
import type { Kind, StepRule } from '../core/kind.ts';
import {
  afterTimersOf,
  builtMachine,
  isBuiltIn,
  nodesOf,
  type XAction,
  type XGuard,
  type XMachine,
  type XNode,
  type XTransition,
} from './xstate-internals.ts';

/** What an action, guard or delay is called; `inline` if it is a function without a name. */
export interface Named {
  readonly name: string;
  readonly inline?: true;
}

export interface ChartState {
  /** Its id in the machine, such as `station.working`. */
  readonly id: string;
  readonly key: string;
  /** Keys from the root on, the root's own left out. */
  readonly path: readonly string[];
  /** Null for the root. */
  readonly parent: string | null;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly history?: 'shallow' | 'deep';
  /** Id of the state it begins in. */
  readonly initial?: string;
  readonly entry: readonly Named[];
  readonly exit: readonly Named[];
  readonly tags: readonly string[];
  readonly description?: string;
}

/** What makes a transition happen. */
export type Trigger =
  | { readonly type: 'event'; readonly event: string }
  /** `after`: milliseconds or the name of a delay, and the type of the event its timer brings. */
  | { readonly type: 'after'; readonly delay: string; readonly event: string }
  | { readonly type: 'always' }
  | { readonly type: 'done'; readonly event: string };

export interface ChartTransition {
  /** Unique in the chart: source, trigger, and its place among those of that trigger. */
  readonly id: string;
  readonly source: string;
  readonly trigger: Trigger;
  /** Its place among the transitions of its trigger, the first tried first. */
  readonly place: number;
  /** Ids of states; none for one that only acts. */
  readonly targets: readonly string[];
  readonly guard?: Named;
  readonly actions: readonly Named[];
  readonly reenter: boolean;
}

export interface KindChart {
  readonly kind: string;
  readonly version: number;
  readonly machine: string;
  readonly links: Readonly<Record<string, string>>;
  readonly step: StepRule;
  /** JSON schemas of the events that clients may send. */
  readonly commands: Readonly<Record<string, unknown>>;
  /** Events that come at a time which the kind predicts. */
  readonly predicted: readonly string[];
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
  /** Names that `setup` gives; what an editor may choose from. */
  readonly names: {
    readonly actions: readonly string[];
    readonly guards: readonly string[];
    readonly delays: readonly string[];
  };
  /** Milliseconds of those delays that are numbers; the others are worked out. */
  readonly delays: Readonly<Record<string, number>>;
}

/** The statechart of a kind that `defineKind` made. */
export function chartOf(kind: Kind): KindChart {
  const machine = builtMachine(kind.machine as AnyStateMachine);
  const nodes = nodesOf(machine);
  const { actions, guards, delays } = machine.implementations;
  return {
    kind: kind.name,
    version: kind.version,
    machine: machine.id,
    links: kind.links,
    step: kind.step,
    commands: kind.commands,
    predicted: kind.predict.map(([type]) => type),
    states: nodes.map((node) => stateOf(node, machine)),
    transitions: nodes.flatMap(transitionsOf),
    names: {
      actions: Object.keys(actions).sort(),
      guards: Object.keys(guards).sort(),
      delays: Object.keys(delays).sort(),
    },
    delays: Object.fromEntries(
      Object.entries<unknown>(delays).filter(
        (delay): delay is [string, number] => typeof delay[1] === 'number',
      ),
    ),
  };
}

function stateOf(node: XNode, { root }: XMachine): ChartState {
  const afters = new Set<XAction>(afterTimersOf(node).map(({ action }) => action));
  const initial = node.type === 'compound' ? node.initial.target?.[0] : undefined;
  const { description } = node.config;
  return {
    id: node.id,
    key: node.key,
    path: node.path,
    parent: node === root ? null : (node.parent?.id ?? null),
    type: node.type,
    ...(node.type === 'history' ? { history: node.history || 'shallow' } : {}),
    ...(initial === undefined ? {} : { initial: initial.id }),
    entry: node.entry.filter((action) => !afters.has(action)).map(namedAction),
    exit: node.exit.filter((action) => !isTimerEnd(action)).map(namedAction),
    tags: node.tags,
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** Exit actions by which XState cancels the timers of `after`. */
function isTimerEnd(action: XAction): boolean {
  if (!isBuiltIn(action) || action.type !== 'xstate.cancel') return false;
  return String(action.sendId).startsWith('xstate.after.');
}

function transitionsOf(node: XNode): ChartTransition[] {
  const delays = new Map(afterTimersOf(node).map(({ id, key }) => [id, key]));
  const drawn: ChartTransition[] = [];
  const add = (trigger: Trigger, key: string, all: readonly XTransition[]): void => {
    for (const [place, transition] of all.entries()) {
      const { guard, target, actions, reenter } = transition;
      drawn.push({
        id: `${node.id} ${key} ${place}`,
        source: node.id,
        trigger,
        place,
        targets: (target ?? []).map(({ id }) => id),
        ...(guard === undefined ? {} : { guard: namedGuard(guard) }),
        actions: actions.map(namedAction),
        reenter,
      });
    }
  };
  add({ type: 'always' }, 'always', node.always ?? []);
  for (const [event, all] of node.transitions) {
    const delay = delays.get(event);
    if (delay !== undefined) add({ type: 'after', delay, event }, `after ${delay}`, all);
    else if (event.startsWith('xstate.done.')) add({ type: 'done', event }, 'onDone', all);
    else add({ type: 'event', event }, `on ${event}`, all);
  }
  return drawn;
}

function namedAction(action: XAction): Named {
  if (typeof action === 'string') return { name: action };
  if (typeof action !== 'function') return { name: action.type };
  // What XState and we make has a type: `xstate.assign`, `offstage.edit`.
  const name = action.type?.replace(/^(xstate|offstage)\./, '') ?? action.name;
  return { name: name === '' ? 'inline' : name, inline: true };
}

function namedGuard(guard: XGuard): Named {
  if (typeof guard === 'string') return { name: guard };
  if (typeof guard !== 'function') return { name: guard.type };
  const name = guard.name === '' ? 'inline' : guard.name;
  const parts = (guard.guards ?? []).map((part) => namedGuard(part).name);
  return { name: parts.length === 0 ? name : `${name}(${parts.join(', ')})`, inline: true };
}
