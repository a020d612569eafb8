/**
 * A machine of XState 5 as XState 4 would define it, for Stately's older inspector, which knows only
 * that: initial states by name, transitions as arrays with targets by id, guards as `cond`, and the
 * names that events of delays and done states had. It is drawn, never run.
 */
import type { AnyStateMachine } from 'xstate';
import type { MachineEvent } from '../../core/logic.ts';
import {
  afterTimersOf,
  builtMachine,
  isBuiltIn,
  nodesOf,
  type XAction,
  type XGuard,
  type XNode,
  type XTransition,
} from '../../machine/xstate-internals.ts';
import { plain } from './plain.ts';
import type { ShownRecord } from './source.ts';

export interface V4Transition {
  readonly target: readonly string[] | undefined;
  readonly cond?: string;
  readonly actions: readonly { readonly type: string }[];
  readonly internal: boolean;
}

export interface V4Node {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly initial?: string;
  readonly history?: string;
  readonly context?: unknown;
  readonly states: Readonly<Record<string, V4Node>>;
  readonly on: Readonly<Record<string, readonly V4Transition[]>>;
  readonly entry: readonly { readonly type: string }[];
  readonly exit: readonly { readonly type: string }[];
  readonly tags: readonly string[];
  readonly order: number;
}

export interface V4Chart {
  readonly definition: V4Node;
  /** The name an event has there. */
  nameOf(type: string): string;
}

export function v4ChartOf(machine: AnyStateMachine): V4Chart {
  const { root } = builtMachine(machine);
  const names = new Map(
    nodesOf(builtMachine(machine)).flatMap((node) =>
      afterTimersOf(node).map(({ id, key }) => [id, `xstate.after(${key})#${node.id}`] as const),
    ),
  );
  const nameOf = (type: string): string =>
    names.get(type) ?? type.replace(/^xstate\.(?=done\.state\.)/, '');
  return { definition: nodeOf(root, nameOf), nameOf };
}

/** A state as XState 4 serializes one. */
export function v4StateOf(
  { value, context, status, tags }: ShownRecord,
  event: MachineEvent,
  sessionId: string,
): object {
  const data = plain(event) as MachineEvent;
  return {
    value,
    context: plain(context),
    event: data,
    _event: { name: data.type, data, $$type: 'scxml', type: 'external' },
    _sessionid: sessionId,
    historyValue: undefined,
    actions: [],
    activities: {},
    meta: {},
    events: [],
    configuration: [],
    transitions: [],
    children: {},
    tags: [...tags],
    done: status !== 'active',
    changed: true,
  };
}

function nodeOf(node: XNode, nameOf: (type: string) => string): V4Node {
  const initial = initialOf(node);
  const after = new Set<XAction>(afterTimersOf(node).map(({ action }) => action));
  const on = Object.fromEntries(
    [...node.transitions].map(([type, list]) => [nameOf(type), list.map(transitionOf)]),
  );
  const always = node.always ?? [];
  return {
    id: node.id,
    key: node.key,
    type: node.type,
    ...(initial === undefined ? {} : { initial }),
    ...(node.history === false ? {} : { history: node.history }),
    states: Object.fromEntries(
      Object.entries(node.states).map(([key, child]) => [key, nodeOf(child, nameOf)]),
    ),
    on: always.length === 0 ? on : { ...on, '': always.map(transitionOf) },
    entry: actionsOf(node.entry.filter((action) => !after.has(action))),
    exit: actionsOf(node.exit.filter((action) => !isCancel(action))),
    tags: node.tags,
    order: node.order,
  };
}

/** The child that the initial state is, or lies in. */
function initialOf({ type, states, initial }: XNode): string | undefined {
  if (type !== 'compound') return undefined;
  const path = initial.target?.[0]?.path ?? [];
  return Object.entries(states).find(([key, child]) => path[child.path.length - 1] === key)?.[0];
}

function transitionOf({ target, guard, actions, reenter }: XTransition): V4Transition {
  return {
    target: target?.map(({ id }) => `#${id}`),
    ...(guard === undefined ? {} : { cond: guardName(guard) }),
    actions: actionsOf(actions),
    internal: !reenter,
  };
}

function actionsOf(actions: readonly XAction[]): { readonly type: string }[] {
  return actions.map((action) => ({ type: nameOfAction(action) }));
}

function nameOfAction(action: XAction): string {
  if (typeof action === 'string') return action;
  if (typeof action !== 'function') return action.type;
  const { type, name } = action as { readonly type?: string; readonly name: string };
  return (isBuiltIn(action) ? type : name) || 'inline';
}

/** A state's own cancelling of its delays, which XState 5 puts among its exits. */
function isCancel(action: XAction): boolean {
  return (
    isBuiltIn(action) &&
    action.type === 'xstate.cancel' &&
    String(action.sendId).startsWith('xstate.after.')
  );
}

function guardName(guard: XGuard): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard !== 'function') return guard.type;
  const inner = guard.guards?.map(guardName).join(', ');
  const name = guard.name || 'inline';
  return inner === undefined ? name : `${name}(${inner})`;
}
