/** What resources have in common: who asks, and how a request is granted or denied. */
import { byId, linked, type Offered, offer, sender, WorldError } from 'offstage';
import type { Ask } from './line.ts';

/** Leaves the line, or does nothing where that request was granted or never came. */
export type LeaveEvent = { readonly type: 'LEAVE'; readonly as: string };

/** A resource's event for itself, in the iteration after somebody came: those whose turn it is are served. */
export const SERVE_SOON = [{ type: 'SERVE' }, { delay: 0, id: 'serve' }] as const;

/** Whether something may name a request. */
export function isName(as: unknown): as is string {
  return typeof as === 'string' && as !== '';
}

/** The request that the event at hand makes. Only a record can wait, so a command cannot ask. */
export function askOf(as: string): Ask {
  return { id: askerOf(as), as };
}

/** Who asks, leaves or releases. */
export function askerOf(as: string): string {
  const id = sender();
  if (id !== undefined) return id;
  throw new WorldError(
    'BAD_EVENT',
    `'${as}' was asked for by nobody: a request, and what follows it, comes from the record that waits; see waitFor, queueFor and request.`,
  );
}

/** Gives a record what it asked for, if it can take it. */
export function grant({ id, as }: Ask, what?: unknown): Offered {
  return offer(byId(id), what === undefined ? plainGrant(as) : { type: `granted.${as}`, what });
}

/** Whether there is still such a record. */
export function isThere({ id }: Ask): boolean {
  return linked(byId(id)) !== undefined;
}

/** The events that grant nothing but the name, made once each: names are few, and grants are many. */
const plainGrants = new Map<string, { readonly type: string }>();
const MOST_KEPT = 1000;

function plainGrant(as: string): { readonly type: string } {
  const known = plainGrants.get(as);
  if (known !== undefined) return known;
  if (plainGrants.size >= MOST_KEPT) plainGrants.clear();
  const made = Object.freeze({ type: `granted.${as}` });
  plainGrants.set(as, made);
  return made;
}
