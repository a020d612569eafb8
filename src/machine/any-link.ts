/**
 * The `children` of every snapshot. XState sends to a string only if it names a child; here any name
 * does, and stands for itself, so that `sendTo('ore', …)` reaches the effects as the link `'ore'`.
 */
import type { XSnapshot } from './xstate-internals.ts';

const anyLink: unknown = new Proxy(Object.freeze({}), {
  get: (_, name) => (typeof name === 'string' ? name : undefined),
});

/** The snapshot, with a child for every name. */
export function withLinks(snapshot: XSnapshot): XSnapshot {
  return { ...snapshot, children: anyLink };
}
