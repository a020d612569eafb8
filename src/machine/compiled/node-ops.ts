/** The ops of each state node and transition of a machine, made when first asked for. */

import { checkedDelay } from '../checked-delay.ts';
import type { CopiedTimer } from '../machine-copy.ts';
import {
  afterTimersOf,
  type XAction,
  type XMachine,
  type XNode,
  type XTransition,
} from '../xstate-internals.ts';
import type { Actions } from './actions.ts';
import type { Op } from './op.ts';

export class NodeOps {
  readonly #actions: Actions;
  readonly #machine: XMachine;
  readonly #entry = new Map<XNode, readonly Op[]>();
  readonly #exit = new Map<XNode, readonly Op[]>();
  readonly #transition = new Map<XTransition, readonly Op[]>();

  constructor(machine: XMachine, actions: Actions) {
    this.#machine = machine;
    this.#actions = actions;
  }

  entry(node: XNode): readonly Op[] {
    return remembered(this.#entry, node, () => {
      const afters = new Set<XAction>(afterTimersOf(node).map((timer) => timer.action));
      return node.entry.map((action) => {
        const place = afters.has(action) ? '`after`' : 'an entry action';
        return this.#actions.op(action, `in ${place} of state '${node.id}'`);
      });
    });
  }

  exit(node: XNode): readonly Op[] {
    return remembered(this.#exit, node, () =>
      this.#actions.ops(node.exit, `in an exit action of state '${node.id}'`),
    );
  }

  initial(node: XNode): readonly Op[] {
    return this.transition(node.initial);
  }

  transition(transition: XTransition): readonly Op[] {
    return remembered(this.#transition, transition, () =>
      this.#actions.ops(transition.actions, `in a transition of state '${transition.source.id}'`),
    );
  }

  /** The timers that `after` sets on entry of a node. */
  timers(node: XNode): readonly CopiedTimer[] {
    const where = `in \`after\` of state '${node.id}'`;
    return afterTimersOf(node).map(({ id, event, action }) => ({
      id,
      event,
      delay: checkedDelay(action.delay, this.#machine.implementations, where),
    }));
  }
}

function remembered<Key>(
  known: Map<Key, readonly Op[]>,
  key: Key,
  make: () => readonly Op[],
): readonly Op[] {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
