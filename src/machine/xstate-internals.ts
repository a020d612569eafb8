/**
 * The one bridge to what XState does not document: the shapes of its built nodes, snapshots, action
 * objects and of the scope that `machine.transition` is called with. Everything here was read from
 * the source of XState 5.33; `test/machine/xstate-internals.test.ts` fails where a later version
 * differs. The rest of `src/machine` sees XState through these types only.
 */
import type { AnyStateMachine } from 'xstate';
import type { MachineEvent, StateValue } from '../core/logic.ts';

/** What guards, actions, delays and expressions are called with. */
export interface XArgs {
  readonly context: unknown;
  readonly event: MachineEvent;
  readonly self?: unknown;
  readonly system?: unknown;
}

/** A function of an author's machine. What it is given and gives is between XState and the author. */
export type XFunction = (args: never, params?: unknown) => unknown;

/** An inline guard, or one of `and`, `or`, `not`, `stateIn`, which carry `check`. */
export interface XGuardFunction {
  (args: XArgs, params?: unknown): unknown;
  check?: (snapshot: XSnapshot, args: XArgs, resolved: XGuardFunction) => boolean;
  guards?: readonly XGuard[];
  stateValue?: StateValue;
}

export type XGuard = string | { readonly type: string; readonly params?: unknown } | XGuardFunction;

/** An inline action, or one that XState resolves itself (`assign`, `raise` …), which carries `resolve`. */
export interface XActionFunction {
  (args: XArgs, params?: unknown): unknown;
  type?: string;
  resolve?: unknown;
  id?: unknown;
  event?: unknown;
  delay?: unknown;
  to?: unknown;
  actorRef?: unknown;
  assignment?: unknown;
  sendId?: unknown;
  value?: unknown;
  label?: unknown;
  collect?: (args: XCollectArgs, params?: unknown) => void;
}

export type XAction =
  | string
  | { readonly type: string; readonly params?: unknown }
  | XActionFunction;

/** What the function given to `enqueueActions` is called with. */
export interface XCollectArgs extends XArgs {
  readonly check: (guard: XGuard) => boolean;
  readonly enqueue: XEnqueue;
}

/** `enqueue(action)`, and the two of its methods that take a delay. */
export interface XEnqueue {
  (action: XAction): void;
  readonly raise: (event: unknown, options?: unknown) => void;
  readonly sendTo: (to: unknown, event: unknown, options?: unknown) => void;
}

export interface XTransition {
  readonly source: XNode;
  readonly target: readonly XNode[] | undefined;
  readonly actions: readonly XAction[];
  readonly guard: XGuard | undefined;
  readonly reenter: boolean;
  readonly eventType: string | null;
  readonly delay?: number | string;
}

export interface XNode {
  readonly id: string;
  readonly key: string;
  readonly path: readonly string[];
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Place in document order. */
  readonly order: number;
  readonly parent: XNode | undefined;
  readonly machine: XMachine;
  readonly states: Readonly<Record<string, XNode>>;
  readonly tags: readonly string[];
  readonly meta: unknown;
  readonly entry: readonly XAction[];
  readonly exit: readonly XAction[];
  readonly transitions: ReadonlyMap<string, readonly XTransition[]>;
  readonly always: readonly XTransition[] | undefined;
  readonly initial: XTransition;
  readonly invoke: readonly { readonly id: string }[];
  readonly after: readonly XTransition[];
  readonly history: 'shallow' | 'deep' | false;
  readonly output: unknown;
  readonly config: XConfig;
  /** The first of its transitions that takes the event, remembered per event type. */
  next(snapshot: XSnapshot, event: MachineEvent): readonly XTransition[] | undefined;
}

/** What an author wrote for one state; only what we read of it. */
export interface XConfig {
  readonly context?: unknown;
  readonly invoke?: unknown;
  readonly target?: unknown;
  readonly description?: unknown;
}

export interface XImplementations {
  readonly actions: Readonly<Record<string, XAction | undefined>>;
  readonly guards: Readonly<Record<string, XGuard | undefined>>;
  readonly delays: Readonly<Record<string, number | XFunction | undefined>>;
  readonly actors: Readonly<Record<string, unknown>>;
}

export type XHistory = Readonly<Record<string, readonly XNode[]>>;

export interface XSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly output: unknown;
  readonly error: unknown;
  readonly machine: XMachine;
  readonly context: unknown;
  readonly _nodes: readonly XNode[];
  readonly value: StateValue;
  readonly tags: ReadonlySet<string>;
  readonly children: unknown;
  readonly historyValue: XHistory;
  can(event: MachineEvent): boolean;
  matches(value: StateValue): boolean;
}

export interface XMachine {
  readonly id: string;
  readonly config: XConfig;
  readonly root: XNode;
  readonly idMap: ReadonlyMap<string, XNode>;
  readonly implementations: XImplementations;
  readonly options: { readonly maxIterations?: number } | undefined;
  transition(snapshot: XSnapshot, event: MachineEvent, scope: XScope): XSnapshot;
  getInitialSnapshot(scope: XScope, input: unknown): XSnapshot;
  getStateNodeById(id: string): XNode;
  resolveState(config: { value: StateValue; context: unknown }): XSnapshot;
  _getPreInitialState(scope: XScope, event: MachineEvent, queue: MachineEvent[]): XSnapshot;
}

/** An action that XState hands out to be carried out, after it worked out its parameters. */
export interface XExecutable {
  readonly type: string;
  readonly info: unknown;
  readonly params: unknown;
  readonly exec: ((info: unknown, params: unknown) => void) | undefined;
}

/** XState's report of a microstep, the only kind of inspection event that a pure step sends. */
export interface XMicrostep {
  readonly snapshot: XSnapshot;
  readonly _transitions: readonly XTransition[];
}

/** What `machine.transition` asks of the actor it believes to run in. */
export interface XScope {
  readonly self: object;
  readonly id: string;
  readonly sessionId: string;
  readonly system: object;
  readonly logger: () => void;
  readonly defer: (task: () => void) => void;
  readonly emit: () => void;
  readonly stopChild: () => void;
  /** XState itself puts a wrapper here during each microstep. */
  actionExecutor: (action: XExecutable) => void;
}

/** The event under which a machine is entered; XState selects no transitions for it, only `always`. */
export const INIT: MachineEvent = Object.freeze({ type: 'xstate.init' });

/**
 * Whether XState keeps an event type for itself: it would restart, stop or fail the machine. A record
 * is no actor and has none under it, so such an event never comes from XState here.
 */
export function isReserved(type: string): boolean {
  return (
    type === INIT.type ||
    type === 'xstate.stop' ||
    type === '*' ||
    type.startsWith('xstate.error.actor')
  );
}

/** A machine as XState built it. */
export function builtMachine(machine: AnyStateMachine): XMachine {
  return machine as unknown as XMachine;
}

/** Whether an action is one that XState resolves itself. */
export function isBuiltIn(action: XAction): action is XActionFunction {
  return typeof action === 'function' && 'resolve' in action;
}

/** Whether a guard is one of `and`, `or`, `not` and `stateIn`. */
export function isCombined(guard: XGuard): guard is XGuardFunction {
  return typeof guard === 'function' && 'check' in guard;
}

/** Whether a transition does anything: it leads somewhere or acts. `E: {}` only forbids E. */
export function hasEffect(transition: XTransition): boolean {
  return transition.target !== undefined || transition.actions.length > 0;
}

/** The special target by which `sendParent` names a parent actor. */
export const PARENT_TARGET = '#_parent';

/** A timer that `after` sets when its state is entered. */
export interface AfterTimer {
  /** Also the type of its event. */
  readonly id: string;
  readonly event: MachineEvent;
  /** As written: milliseconds or the name of a delay. */
  readonly key: string;
  /** The action among the state's entry actions that sets it. */
  readonly action: XActionFunction;
}

/** The timers of `after` of one state, in the order in which XState sets them. */
export function afterTimersOf(node: XNode): readonly AfterTimer[] {
  const timers: AfterTimer[] = [];
  for (const action of node.entry) {
    if (!isBuiltIn(action) || action.type !== 'xstate.raise') continue;
    const key = String(action.delay);
    if (action.id !== `xstate.after.${key}.${node.id}`) continue;
    timers.push({ id: action.id, event: action.event as MachineEvent, key, action });
  }
  return timers;
}

/** All nodes of a machine in document order. */
export function nodesOf(machine: XMachine): readonly XNode[] {
  const nodes: XNode[] = [];
  const visit = (node: XNode): void => {
    nodes.push(node);
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return nodes;
}
