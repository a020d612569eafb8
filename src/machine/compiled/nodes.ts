/**
 * How the state nodes of a machine lie to each other, and the state value of a set of them. Each
 * function gives what XState's function of the same purpose gives, also for sets that are no legal
 * configuration: what a machine does there is the same in both ways of running it.
 */
import type { StateValue } from '../../core/logic.ts';
import type { XNode } from '../xstate-internals.ts';

export function isAtomic(node: XNode): boolean {
  return node.type === 'atomic' || node.type === 'final';
}

/** The states within a state that can be active. */
export function childrenOf(node: XNode): readonly XNode[] {
  return Object.values(node.states).filter((child) => child.type !== 'history');
}

export function historiesOf(node: XNode): readonly XNode[] {
  return Object.values(node.states).filter((child) => child.type === 'history');
}

/** Whether a node lies below another; everything lies below nothing, the root too. */
export function isBelow(node: XNode, other: XNode | undefined): boolean {
  let marker = node;
  while (marker.parent !== undefined && marker.parent !== other) marker = marker.parent;
  return marker.parent === other;
}

/** The ancestors of a node from its parent up, without `end` and what is above it. */
export function ancestorsOf(node: XNode, end: XNode | undefined): XNode[] {
  const ancestors: XNode[] = [];
  if (node === end) return ancestors;
  for (let above = node.parent; above !== undefined && above !== end; above = above.parent) {
    ancestors.push(above);
  }
  return ancestors;
}

/** A node with all that is entered by default below it. */
export function initialNodesOf(node: XNode): Set<XNode> {
  const nodes = new Set<XNode>();
  const enter = (one: XNode): void => {
    if (nodes.has(one)) return;
    nodes.add(one);
    if (one.type === 'compound') enter(one.initial.target?.[0] as XNode);
    else if (one.type === 'parallel') for (const child of childrenOf(one)) enter(child);
  };
  enter(node);
  return nodes;
}

/** Whether a node has come to its end with those nodes active. */
export function isFinished(active: ReadonlySet<XNode>, node: XNode): boolean {
  switch (node.type) {
    case 'compound':
      return childrenOf(node).some((child) => child.type === 'final' && active.has(child));
    case 'parallel':
      return childrenOf(node).every((child) => isFinished(active, child));
    default:
      return node.type === 'final';
  }
}

/** The state value of active nodes, with regions in the order of the nodes. */
export function stateValueOf(root: XNode, nodes: Iterable<XNode>): StateValue {
  return valueBelow(root, childrenByParent(completed(nodes)));
}

type Children = Map<XNode, XNode[]>;

function valueBelow(node: XNode, active: Children): StateValue {
  const children = active.get(node);
  if (children === undefined) return {};
  const [first] = children;
  if (node.type === 'compound') {
    if (first === undefined) return {};
    if (isAtomic(first)) return first.key;
  }
  const value: Record<string, StateValue> = {};
  for (const child of children) value[child.key] = valueBelow(child, active);
  return value;
}

function childrenByParent(nodes: Iterable<XNode>): Children {
  const children: Children = new Map();
  const of = (node: XNode): XNode[] => {
    let list = children.get(node);
    if (list === undefined) {
      list = [];
      children.set(node, list);
    }
    return list;
  };
  for (const node of nodes) {
    of(node);
    if (node.parent !== undefined) of(node.parent).push(node);
  }
  return children;
}

/** The nodes with what must be active beside them. */
function completed(nodes: Iterable<XNode>): Set<XNode> {
  const all = new Set(nodes);
  const given = childrenByParent(all);
  const add = (entered: Set<XNode>, end: XNode): void => {
    for (const node of entered) for (const above of ancestorsOf(node, end)) entered.add(above);
    for (const node of entered) all.add(node);
  };
  // The set grows while it is gone through.
  for (const node of all) {
    if (node.type === 'compound' && (given.get(node) ?? []).length === 0) {
      add(initialNodesOf(node), node);
    } else if (node.type === 'parallel') {
      for (const child of childrenOf(node)) if (!all.has(child)) add(initialNodesOf(child), child);
    }
  }
  for (const node of all) for (const above of ancestorsOf(node, undefined)) all.add(above);
  return all;
}
