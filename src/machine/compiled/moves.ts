/**
 * Which nodes transitions leave and enter, worked out as XState works it out (it follows SCXML's
 * algorithm with changes of its own). Runs once for each move that is met, never for each event.
 */
import type { XMachine, XNode, XTransition } from '../xstate-internals.ts';
import { ancestorsOf, childrenOf, isBelow } from './nodes.ts';

/** The nodes that a history state remembers. */
export type Remembered = (historyId: string) => readonly XNode[] | undefined;

/** Takes out transitions that would leave the same nodes: the earlier wins unless the later lies deeper. */
export function withoutConflicts(
  transitions: readonly XTransition[],
  active: ReadonlySet<XNode>,
  remembered: Remembered,
): readonly XTransition[] {
  if (transitions.length < 2) return transitions;
  const kept = new Map<XTransition, ReadonlySet<XNode>>();
  for (const transition of transitions) {
    const leaves = nodesToExit([transition], active, remembered);
    const beaten: XTransition[] = [];
    let isBeaten = false;
    for (const [other, otherLeaves] of kept) {
      if (![...leaves].some((node) => otherLeaves.has(node))) continue;
      isBeaten = !isBelow(transition.source, other.source);
      if (isBeaten) break;
      beaten.push(other);
    }
    if (isBeaten) continue;
    for (const other of beaten) kept.delete(other);
    kept.set(transition, leaves);
  }
  return [...kept.keys()];
}

export function nodesToExit(
  transitions: readonly XTransition[],
  active: ReadonlySet<XNode>,
  remembered: Remembered,
): Set<XNode> {
  const exits = new Set<XNode>();
  for (const transition of transitions) {
    if (transition.target === undefined || transition.target.length === 0) continue;
    const domain = domainOf(transition, remembered);
    if (transition.reenter && transition.source === domain) exits.add(domain);
    for (const node of active) if (isBelow(node, domain)) exits.add(node);
  }
  return exits;
}

export interface Entries {
  readonly nodes: Set<XNode>;
  /** Those whose initial actions run too. */
  readonly byDefault: Set<XNode>;
}

export function nodesToEnter(transitions: readonly XTransition[], remembered: Remembered): Entries {
  const entries: Entries = { nodes: new Set(), byDefault: new Set() };
  for (const transition of transitions) {
    const { source, reenter } = transition;
    const domain = domainOf(transition, remembered);
    for (const target of transition.target ?? []) {
      // A transition to its own source leaves it, and so enters it, only if it re-enters.
      if (
        target.type !== 'history' &&
        (source !== target || source !== domain || transition.reenter)
      ) {
        entries.nodes.add(target);
        entries.byDefault.add(target);
      }
      addBelow(target, remembered, entries);
    }
    for (const target of effectiveTargets(transition, remembered)) {
      const above = ancestorsOf(target, domain);
      if (domain?.type === 'parallel') above.push(domain);
      const within = source.parent === undefined && reenter ? undefined : domain;
      addAncestors(above, within, remembered, entries);
    }
  }
  return entries;
}

function addBelow(node: XNode, remembered: Remembered, entries: Entries): void {
  const { nodes, byDefault } = entries;
  if (node.type === 'history') {
    const parent = node.parent as XNode;
    const before = remembered(node.id);
    const fallback = before === undefined ? historyDefault(node) : undefined;
    const targets = before ?? fallback?.target ?? [];
    for (const target of targets) {
      nodes.add(target);
      if (fallback !== undefined && fallback === parent.initial) byDefault.add(parent);
      addBelow(target, remembered, entries);
    }
    for (const target of targets) {
      addAncestors(ancestorsOf(target, parent), undefined, remembered, entries);
    }
  } else if (node.type === 'compound') {
    const initial = node.initial.target?.[0] as XNode;
    if (initial.type !== 'history') {
      nodes.add(initial);
      byDefault.add(initial);
    }
    addBelow(initial, remembered, entries);
    addAncestors(ancestorsOf(initial, node), undefined, remembered, entries);
  } else if (node.type === 'parallel') {
    for (const child of childrenOf(node)) {
      if (isSomeBelow(nodes, child)) continue;
      nodes.add(child);
      byDefault.add(child);
      addBelow(child, remembered, entries);
    }
  }
}

function addAncestors(
  ancestors: readonly XNode[],
  within: XNode | undefined,
  remembered: Remembered,
  entries: Entries,
): void {
  for (const above of ancestors) {
    if (within === undefined || isBelow(above, within)) entries.nodes.add(above);
    if (above.type !== 'parallel') continue;
    for (const child of childrenOf(above)) {
      if (isSomeBelow(entries.nodes, child)) continue;
      entries.nodes.add(child);
      addBelow(child, remembered, entries);
    }
  }
}

function isSomeBelow(nodes: ReadonlySet<XNode>, other: XNode): boolean {
  for (const node of nodes) if (isBelow(node, other)) return true;
  return false;
}

/** The node within which a transition moves; undefined if it leaves the root too. */
function domainOf(transition: XTransition, remembered: Remembered): XNode | undefined {
  const { source, reenter } = transition;
  const targets = effectiveTargets(transition, remembered);
  if (!reenter && targets.every((target) => target === source || isBelow(target, source))) {
    return source;
  }
  const [head, ...tail] = [...targets, source];
  const common = ancestorsOf(head as XNode, undefined).find((ancestor) =>
    tail.every((node) => isBelow(node, ancestor)),
  );
  return common ?? (reenter ? undefined : source.machine.root);
}

/** The targets, with what is remembered in the place of history states. */
function effectiveTargets(
  transition: Pick<XTransition, 'target'>,
  remembered: Remembered,
): XNode[] {
  const targets = new Set<XNode>();
  for (const target of transition.target ?? []) {
    if (target.type !== 'history') {
      targets.add(target);
      continue;
    }
    const nodes = remembered(target.id) ?? effectiveTargets(historyDefault(target), remembered);
    for (const node of nodes) targets.add(node);
  }
  return [...targets];
}

/** Where a history state leads that remembers nothing. */
function historyDefault(history: XNode): Pick<XTransition, 'target'> {
  const parent = history.parent as XNode;
  const { target } = history.config;
  if (target === undefined || target === '') {
    return parent.type === 'parallel' ? { target: [parent] } : parent.initial;
  }
  const targets = Array.isArray(target) ? target : [target];
  return {
    target: targets.map((one) => (typeof one === 'string' ? nodeAt(parent, one) : (one as XNode))),
  };
}

/** The node that a path names from another: `a.b`, or `#id.a`. */
function nodeAt(from: XNode, path: string): XNode {
  const { machine } = from;
  if (path.startsWith('#') && isNode(machine, path)) return machine.getStateNodeById(path);
  let node = from;
  for (const key of segmentsOf(path)) {
    if (key === '') break;
    const child = key.startsWith('#') ? machine.getStateNodeById(key) : node.states[key];
    if (child === undefined) throw new Error(`Child state '${key}' does not exist on '${node.id}'`);
    node = child;
  }
  return node;
}

/** A path at its dots; a backslash keeps the character after it. */
function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  let segment = '';
  for (let i = 0; i < path.length; i += 1) {
    if (path[i] === '.') {
      segments.push(segment);
      segment = '';
      continue;
    }
    if (path[i] === '\\') i += 1;
    segment += path[i] ?? '';
  }
  return [...segments, segment];
}

function isNode(machine: XMachine, id: string): boolean {
  try {
    machine.getStateNodeById(id);
    return true;
  } catch {
    return false;
  }
}
