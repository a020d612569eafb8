/**
 * Whether a wake could do anything in a state. A record for which it could not is skipped at no cost,
 * so a stash with thousands of stations wakes only those that wait for it.
 */
import { WAKE } from '../core/logic.ts';
import { hasEffect, type XNode, type XTransition } from './xstate-internals.ts';

/** What happens to an event at a node: something may take it, something forbids it, or neither. */
type Reception = 'heeds' | 'forbids' | 'passes';

/**
 * Whether a wake may do something while those nodes are active: one of them has an `always`, or a
 * handler reached by the wake (`offstage.wake`, `offstage.*`, `*`) that leads somewhere or acts.
 */
export function nodesHeedWake(nodes: readonly XNode[]): boolean {
  const root = nodes[0];
  if (root === undefined) return false;
  if (nodes.some((node) => node.always !== undefined && node.always.length > 0)) return true;
  return reception(root, new Set(nodes)) === 'heeds';
}

/** As XState selects: children first, and ancestors only where no child selected anything. */
function reception(node: XNode, active: ReadonlySet<XNode>): Reception {
  let below: Reception = 'passes';
  for (const child of Object.values(node.states)) {
    if (!active.has(child)) continue;
    const one = reception(child, active);
    if (one === 'heeds') return one;
    if (one === 'forbids') below = one;
  }
  return below === 'passes' ? receptionOf(candidates(node, WAKE)) : below;
}

/** What a list of candidates, tried in order, makes of the event; a guard may pass or not. */
export function receptionOf(list: readonly XTransition[]): Reception {
  for (const transition of list) {
    if (hasEffect(transition)) return 'heeds';
    if (transition.guard === undefined) return 'forbids';
  }
  return 'passes';
}

/**
 * The transitions of one node for an event type, in XState's order: those of the exact type, then
 * those of wildcards, the longer first.
 */
export function candidates(node: XNode, type: string): readonly XTransition[] {
  const exact = node.transitions.get(type) ?? [];
  const wild = [...node.transitions.keys()]
    .filter((descriptor) => descriptor !== type && matchesDescriptor(type, descriptor))
    .sort((a, b) => b.length - a.length)
    .flatMap((descriptor) => node.transitions.get(descriptor) ?? []);
  return [...exact, ...wild];
}

/** Whether a descriptor of `on` matches an event type, as XState decides it. */
export function matchesDescriptor(type: string, descriptor: string): boolean {
  if (descriptor === type || descriptor === '*') return true;
  if (!descriptor.endsWith('.*')) return false;
  const tokens = descriptor.split('.');
  const given = type.split('.');
  const star = tokens.indexOf('*');
  return (
    star === tokens.length - 1 && tokens.slice(0, star).every((token, i) => token === given[i])
  );
}
