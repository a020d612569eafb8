/**
 * Checks of a kind's machine: everything a record cannot do and everything that is named but not
 * there, as far as it can be seen before the machine runs. What functions do inside (an `assign` that
 * spawns, an action given to `enqueue`) is seen only then, and fails the event.
 */
import type { StateValue } from '../core/logic.ts';
import { type Refuse, shown } from './check-definition.ts';
import { DELAY_RULE, flawOfDelay } from './checked-delay.ts';
import { candidates } from './wake.ts';
import {
  afterTimersOf,
  hasEffect,
  isBuiltIn,
  isCombined,
  nodesOf,
  PARENT_TARGET,
  type XAction,
  type XGuard,
  type XImplementations,
  type XMachine,
  type XNode,
} from './xstate-internals.ts';

interface Checked {
  readonly machine: XMachine;
  readonly implementations: XImplementations;
  /** Names of the kind's links. */
  readonly links: readonly string[];
  readonly refuse: Refuse;
}

/** Whether something is a machine built by XState 5. */
export function checkVersion(machine: unknown, refuse: Refuse): void {
  const found = machine as Partial<
    Record<keyof XMachine | '__xstatenode' | 'initialState', unknown>
  > | null;
  const cure =
    'Give the machine that setup(…).createMachine(…) or createMachine(…) of XState 5 returns';
  if (typeof found !== 'object' || found === null) {
    refuse(
      'BAD_MACHINE',
      machine === undefined ? 'there is no machine' : `machine is ${shown(machine)}`,
      cure,
    );
  }
  if (
    typeof found.implementations === 'object' &&
    typeof found.getInitialSnapshot === 'function' &&
    found.root
  )
    return;
  if (found.__xstatenode === true)
    refuse('BAD_MACHINE', 'the machine was built by another version of XState', cure);
  if ('getSnapshot' in found) refuse('BAD_MACHINE', 'machine is an actor', cure);
  if ('states' in found)
    refuse('BAD_MACHINE', 'machine is a configuration', `Give it to createMachine first. ${cure}`);
  refuse('BAD_MACHINE', 'machine is no state machine', cure);
}

/** Checks a machine whose version is right. */
export function checkMachine(machine: XMachine, links: readonly string[], refuse: Refuse): void {
  const checked: Checked = { machine, implementations: machine.implementations, links, refuse };
  checkContext(machine.config.context, 'context', checked, new Set());
  for (const node of nodesOf(machine)) checkNode(node, checked);
  const { actions, guards, delays } = machine.implementations;
  for (const [name, action] of Object.entries(actions)) {
    if (action !== undefined) checkAction(action, `action '${name}'`, checked);
  }
  for (const [name, guard] of Object.entries(guards)) {
    if (guard !== undefined) checkGuard(guard, `guard '${name}'`, checked);
  }
  for (const [name, delay] of Object.entries(delays)) {
    if (typeof delay !== 'function') checkDelay(delay, `delay '${name}'`, checked);
  }
}

/** The path of a state, for people: `station.crafting`. */
export function pathOf(node: XNode): string {
  return [node.machine.id, ...node.path].join('.');
}

/** Whether some state has a transition that the event would find and that does anything. */
export function handles(machine: XMachine, type: string): boolean {
  return nodesOf(machine).some((node) => candidates(node, type).some(hasEffect));
}

function checkNode(node: XNode, checked: Checked): void {
  const { refuse } = checked;
  const state = `state '${pathOf(node)}'`;
  const [invoked] = node.invoke;
  if (invoked !== undefined) {
    refuse(
      'NO_ACTORS',
      `${state} invokes '${invoked.id}', and a record has no actors under it`,
      'Use `after` or `predict` for what takes time, and a record of its own, linked, for what has states of its own',
    );
  }
  for (const timer of afterTimersOf(node)) {
    const { delay } = timer.action;
    checkDelay(delay, `${state}, after '${timer.key}'`, checked);
  }
  const afters = new Set<XAction>(afterTimersOf(node).map((timer) => timer.action));
  const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  for (const action of node.entry)
    if (!afters.has(action)) checkAction(action, `entry of ${state}`, checked);
  for (const action of node.exit) checkAction(action, `exit of ${state}`, checked);
  for (const action of node.initial.actions) checkAction(action, `initial of ${state}`, checked);
  for (const { eventType, guard, actions } of transitions) {
    const where = `${state}, ${eventType ? `on '${eventType}'` : 'always'}`;
    if (guard !== undefined) checkGuard(guard, where, checked);
    for (const action of actions) checkAction(action, where, checked);
  }
}

function checkAction(action: XAction, where: string, checked: Checked): void {
  const { implementations, refuse, links } = checked;
  if (typeof action !== 'function') {
    const name = typeof action === 'string' ? action : action.type;
    if (implementations.actions[name] === undefined) {
      refuse(
        'NOT_IMPLEMENTED',
        `${where} names the action '${name}', which is not implemented`,
        'Add it to `actions` of setup()',
      );
    }
    return;
  }
  if (!isBuiltIn(action)) return;
  if (action.type === 'xstate.spawnChild' || action.type === 'xstate.stopChild') {
    const name = action.type.slice('xstate.'.length);
    refuse(
      'NO_ACTORS',
      `${where} uses ${name}, and a record has no actors under it`,
      'Use addRecord and removeRecord, and link the records',
    );
  }
  if (action.type === 'xstate.sendTo' && typeof action.to === 'string') {
    if (action.to === PARENT_TARGET) {
      refuse(
        'NO_ACTORS',
        `${where} sends to a parent, and a record has none`,
        "Send to a link, sendTo('name', …), or answer with sendTo(() => byId(sender()), …)",
      );
    }
    if (!links.includes(action.to)) {
      const declared = links.length === 0 ? 'none' : links.join(', ');
      refuse(
        'BAD_LINKS',
        `${where} sends to '${action.to}', and the kind declares no such link`,
        `Add it to \`links\` of the kind; declared: ${declared}`,
      );
    }
  }
  if (action.delay !== undefined) checkDelay(action.delay, where, checked);
}

function checkGuard(guard: XGuard, where: string, checked: Checked): void {
  const { implementations, machine, refuse } = checked;
  if (typeof guard !== 'function') {
    const name = typeof guard === 'string' ? guard : guard.type;
    if (implementations.guards[name] === undefined) {
      refuse(
        'NOT_IMPLEMENTED',
        `${where} names the guard '${name}', which is not implemented`,
        'Add it to `guards` of setup()',
      );
    }
    return;
  }
  if (!isCombined(guard)) return;
  for (const inner of guard.guards ?? []) checkGuard(inner, where, checked);
  const { stateValue } = guard as { readonly stateValue?: StateValue };
  if (typeof stateValue !== 'string' || !stateValue.startsWith('#')) return;
  const id = stateValue.slice(1);
  const found = machine.idMap.has(id) || machine.idMap.has(id.split('.')[0] as string);
  if (!found)
    refuse(
      'UNKNOWN_STATE',
      `${where} asks stateIn('${stateValue}'), and no state has that id`,
      'Give the id of a state',
    );
}

function checkDelay(delay: unknown, where: string, checked: Checked): void {
  const { implementations, refuse } = checked;
  if (typeof delay === 'function') return;
  if (typeof delay === 'string') {
    if (implementations.delays[delay] === undefined) {
      refuse(
        'NOT_IMPLEMENTED',
        `${where} names the delay '${delay}', which is not implemented`,
        'Add it to `delays` of setup()',
      );
    }
    return;
  }
  const flaw = flawOfDelay(delay);
  if (flaw !== undefined) refuse('BAD_DELAY', `${where}: the delay ${flaw}`, DELAY_RULE);
}

/** Looks through a context that is given as it is; what a function makes is seen only when it runs. */
function checkContext(value: unknown, path: string, checked: Checked, seen: Set<unknown>): void {
  const { refuse } = checked;
  if (path === 'context' && typeof value === 'function') return;
  if (typeof value === 'function' || typeof value === 'symbol') {
    refuse(
      'BAD_CONTEXT',
      `${path} holds a ${typeof value}, which cannot be saved`,
      'Keep plain values in the context',
    );
  }
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if ('sessionId' in value && 'send' in value) {
    refuse(
      'NO_ACTORS',
      `${path} holds an actor, and a record has no actors under it`,
      'Keep the id of a record instead, or a link',
    );
  }
  for (const [key, inner] of Object.entries(value))
    checkContext(inner, `${path}.${key}`, checked, seen);
}
