/**
 * The configurations of a machine: for each state value that was met, the active nodes, the tags, and
 * a snapshot for XState to start from. A state may come from anywhere (a save, the other logic), so
 * all that follows from its value is worked out from the value alone, and remembered.
 *
 * The nodes stand in document order. A running actor keeps them in the order in which they were last
 * entered, and so takes the `always` of two regions in an order that a restored actor does not; a
 * world must go on the same after a save, so here it is always the order of a restored one, which is
 * also SCXML's.
 */
import { WorldError } from '../core/errors.ts';
import type { HistoryValue, MachineState, StateValue } from '../core/logic.ts';
import { machineState } from '../core/logic.ts';
import { withLinks } from './any-link.ts';
import { nodesHeedWake } from './wake.ts';
import type { XHistory, XMachine, XNode, XSnapshot } from './xstate-internals.ts';

export interface Configuration {
  /** One frozen value for all states in this configuration. */
  readonly value: StateValue;
  readonly nodes: readonly XNode[];
  readonly tags: readonly string[];
  readonly heedsWake: boolean;
  /** A snapshot in this configuration, with an empty context and no history. */
  readonly snapshot: XSnapshot;
}

/** How many configurations are remembered; a machine with more of them works some out again. */
const REMEMBERED = 10_000;

const NO_HISTORY: HistoryValue = Object.freeze({});

export class Configurations {
  readonly #machine: XMachine;
  readonly #byKey = new Map<string, Configuration>();
  readonly #byValue = new WeakMap<object, Configuration>();
  // Histories seldom change; both directions are remembered by identity for as long as one lives.
  readonly #history = new WeakMap<object, HistoryValue>();
  readonly #nodesOfHistory = new WeakMap<object, XHistory>();

  constructor(machine: XMachine) {
    this.#machine = machine;
  }

  /** The configuration of a state value. Throws `UNKNOWN_STATE` if the machine has no such state. */
  of(value: StateValue): Configuration {
    if (typeof value === 'string') return this.#byKey.get(value) ?? this.#remember(value, value);
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const key = JSON.stringify(value);
    const configuration = this.#byKey.get(key) ?? this.#remember(key, value);
    this.#byValue.set(value, configuration);
    return configuration;
  }

  /** The snapshot XState starts from. */
  snapshotOf(state: MachineState): XSnapshot {
    const { snapshot } = this.of(state.value);
    const { context, status, output, error } = state;
    const historyValue = this.#toNodes(state.historyValue);
    return { ...snapshot, context, status, output, error, historyValue };
  }

  /** The state to keep of a snapshot: nothing of XState's own. */
  stateOf(snapshot: XSnapshot): MachineState {
    const { value, tags } = this.of(snapshot.value);
    return machineState(
      value,
      snapshot.context,
      snapshot.status === 'stopped' ? 'error' : snapshot.status,
      this.#toIds(snapshot.historyValue),
      snapshot.output,
      snapshot.error,
      tags,
    );
  }

  #remember(key: string, value: StateValue): Configuration {
    if (this.#byKey.size >= REMEMBERED) this.#byKey.clear();
    const workedOut = this.#workedOut(value);
    // A value may be partial or have its regions in another order; all lead to one configuration.
    const full =
      typeof workedOut.value === 'string' ? workedOut.value : JSON.stringify(workedOut.value);
    const configuration = this.#byKey.get(full) ?? workedOut;
    this.#byKey.set(full, configuration).set(key, configuration);
    return configuration;
  }

  #workedOut(value: StateValue): Configuration {
    const root = this.#machine.root;
    checkValue(root, value, value);
    // Once to fill in initial states that the value leaves out, once more with the keys in order.
    const full = this.#machine.resolveState({ value, context: {} }).value;
    // What XState fills in may be a history state, which cannot be active.
    checkValue(root, full, value);
    const ordered = inDocumentOrder(root, full);
    const snapshot = this.#machine.resolveState({ value: ordered, context: {} });
    const nodes = [...snapshot._nodes].sort((a, b) => a.order - b.order);
    return {
      value: frozen(snapshot.value),
      nodes,
      tags: Object.freeze([...new Set(nodes.flatMap((node) => node.tags))]),
      heedsWake: nodesHeedWake(nodes),
      snapshot: { ...withLinks(snapshot), _nodes: nodes },
    };
  }

  #toIds(history: XHistory): HistoryValue {
    const known = this.#history.get(history);
    if (known !== undefined) return known;
    // XState may remember no node at all for a history, and forgets that when a snapshot is restored.
    const sorted = Object.entries(history)
      .filter(([, nodes]) => nodes.length > 0)
      .map(([id, nodes]) => [id, [...nodes].sort((a, b) => a.order - b.order)] as const);
    const ids =
      sorted.length === 0
        ? NO_HISTORY
        : Object.fromEntries(sorted.map(([id, nodes]) => [id, nodes.map((node) => node.id)]));
    this.#history.set(history, ids);
    if (ids !== NO_HISTORY) this.#nodesOfHistory.set(ids, Object.fromEntries(sorted));
    return ids;
  }

  /** Ids that a changed machine no longer has are left out, as XState does it. */
  #toNodes(ids: HistoryValue): XHistory {
    let history = this.#nodesOfHistory.get(ids);
    if (history === undefined) {
      const revived: Record<string, readonly XNode[]> = {};
      for (const [id, list] of Object.entries(ids)) {
        const nodes = list
          .map((node) => this.#machine.idMap.get(node))
          .filter((node) => node !== undefined);
        if (nodes.length > 0) revived[id] = nodes;
      }
      history = revived;
      this.#nodesOfHistory.set(ids, history);
      this.#history.set(history, ids);
    }
    return history;
  }
}

/** Refuses a value that names a state the machine does not have. */
function checkValue(node: XNode, value: unknown, whole: StateValue): void {
  const refuse = (what: string): never => {
    const known = Object.keys(node.states).join(', ');
    throw new WorldError(
      'UNKNOWN_STATE',
      `${what} in the state value ${JSON.stringify(whole)} of machine '${node.machine.id}'. ` +
        (known === ''
          ? `State '${node.id}' has no states within.`
          : `State '${node.id}' has: ${known}.`),
    );
  };
  const child = (key: string): XNode => {
    const found = Object.hasOwn(node.states, key) ? node.states[key] : undefined;
    return found === undefined || found.type === 'history'
      ? refuse(`There is no state '${key}'`)
      : found;
  };
  if (typeof value === 'string') {
    child(value);
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const keys = Object.keys(value);
    if (keys.length > 1 && node.type !== 'parallel') refuse(`Only one state can be active`);
    for (const key of keys) checkValue(child(key), (value as Record<string, unknown>)[key], whole);
  } else {
    refuse(`${JSON.stringify(value)} names no state`);
  }
}

/** The same value with the regions in the order in which the machine defines them. */
function inDocumentOrder(node: XNode, value: StateValue): StateValue {
  if (typeof value === 'string') return value;
  const ordered: Record<string, StateValue> = {};
  for (const [key, child] of Object.entries(node.states)) {
    const inner = value[key];
    if (inner !== undefined) ordered[key] = inDocumentOrder(child, inner);
  }
  return ordered;
}

function frozen(value: StateValue): StateValue {
  if (typeof value === 'object') {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}
