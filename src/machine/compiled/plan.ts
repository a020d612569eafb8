/**
 * What a choice of transitions leads to, worked out once: all there is to do, in order, and where the
 * machine is then. Exits in reverse document order, then the transitions' actions, then entries in
 * document order, each with its initial actions and the done events it causes.
 */
import type { XNode, XTransition } from '../xstate-internals.ts';
import type { Choice } from './choice.ts';
import type { Configuration } from './configuration.ts';
import type { Histories, History } from './history.ts';
import { nodesToEnter, nodesToExit, withoutConflicts } from './moves.ts';
import type { NodeOps } from './node-ops.ts';
import { historiesOf, isAtomic, isBelow, isFinished } from './nodes.ts';
import { DO, type Expression, type Op, op } from './op.ts';

export interface Plan {
  readonly ops: readonly Op[];
  readonly target: Configuration;
  /** Whether other nodes are active then. */
  readonly moves: boolean;
  /** What history states remember from then on, by their ids. */
  readonly recorded: ReadonlyMap<string, readonly XNode[]> | undefined;
  /** Whether the machine ends. */
  readonly ends: boolean;
  /** Whether the ops may raise events or give an output. */
  readonly gathers: boolean;
  /** Whether another history could have led elsewhere. */
  readonly asksHistory: boolean;
}

/** Works out the plan of a choice. For the initial one nothing is left, and the root is entered too. */
export function planOf(
  { configuration, transitions }: Choice,
  history: History,
  nodeOps: NodeOps,
  isInitial: boolean,
): Plan {
  const before = new Set(configuration.nodes);
  let asksHistory = false;
  let recorded: Plan['recorded'];
  const remembered = (id: string) => {
    // Once the exits are known, entries find what these made the history states remember.
    const now = recorded?.get(id);
    if (now !== undefined) return now;
    asksHistory = true;
    return history.lists.get(id);
  };
  const kept = withoutConflicts(transitions, before, remembered);
  const active = new Set(before);
  const ops: Op[] = [];

  const exits = isInitial ? new Set<XNode>() : nodesToExit(kept, active, remembered);
  recorded = recordedBy(exits, active);
  for (const node of [...exits].sort((a, b) => b.order - a.order)) {
    ops.push(...nodeOps.exit(node));
    active.delete(node);
  }
  for (const transition of kept) ops.push(...nodeOps.transition(transition));
  const ends = addEntries(kept, active, isInitial);
  const after = [...active];
  if (ends) {
    after.sort((a, b) => b.order - a.order);
    for (const node of after) ops.push(...nodeOps.exit(node));
  }

  // XState keeps the nodes in their old order where a move leaves the same ones active.
  const moves =
    before.size !== active.size || configuration.nodes.some((node) => !active.has(node));
  const isSame = !moves && recorded === undefined;
  return {
    ops,
    target: isSame ? configuration : configuration.table.ofNodes(after),
    moves,
    recorded,
    ends,
    gathers: ops.some(gathers),
    asksHistory,
  };

  function addEntries(of: readonly XTransition[], into: Set<XNode>, initial: boolean): boolean {
    const { nodes, byDefault } = nodesToEnter(of, remembered);
    const { root } = configuration.machine;
    if (initial) byDefault.add(root);
    const finished = new Set<XNode>();
    let isEnd = false;
    for (const node of [...nodes].sort((a, b) => a.order - b.order)) {
      into.add(node);
      ops.push(...nodeOps.entry(node));
      if (byDefault.has(node)) ops.push(...nodeOps.initial(node));
      if (node.type !== 'final') continue;
      const last = addDone(node, into, finished);
      if (last === undefined) continue;
      isEnd = true;
      ops.push(op(DO.doneMachine, { to: root, call: last }));
    }
    return isEnd;
  }

  /** The events that a final state causes; gives the state whose end is that of the machine, if any. */
  function addDone(node: XNode, into: Set<XNode>, finished: Set<XNode>): XNode | undefined {
    const { parent, output } = node;
    let above = parent?.type === 'parallel' ? parent : parent?.parent;
    let last = above ?? node;
    if (parent?.type === 'compound') {
      ops.push(
        typeof output === 'function'
          ? op(DO.doneState, { id: parent.id, expression: output as Expression })
          : op(DO.doneState, { id: parent.id, value: output }),
      );
    }
    while (above?.type === 'parallel' && !finished.has(above) && isFinished(into, above)) {
      finished.add(above);
      ops.push(op(DO.doneState, { id: above.id }));
      last = above;
      above = above.parent;
    }
    return above === undefined ? last : undefined;
  }
}

/** The history once a plan was carried out. */
export function recordedIn(plan: Plan, history: History, histories: Histories): History {
  return plan.recorded === undefined ? history : histories.with(history, plan.recorded);
}

/** What the history states of nodes that are left remember. */
function recordedBy(
  exits: ReadonlySet<XNode>,
  active: ReadonlySet<XNode>,
): ReadonlyMap<string, readonly XNode[]> | undefined {
  const recorded = new Map<string, readonly XNode[]>();
  for (const node of [...exits].sort((a, b) => b.order - a.order)) {
    for (const history of historiesOf(node)) {
      const nodes = [...active].filter((one) =>
        history.history === 'deep' ? isAtomic(one) && isBelow(one, node) : one.parent === node,
      );
      recorded.set(history.id, nodes);
    }
  }
  return recorded.size === 0 ? undefined : recorded;
}

function gathers(one: Op): boolean {
  switch (one.do) {
    case DO.raise:
    case DO.enqueueActions:
    case DO.doneState:
    case DO.doneMachine:
      return true;
    default:
      return false;
  }
}
