/** What ids, kinds, links and places must look like, and the errors that say so. */
import type { Selection } from './address.ts';
import type { NewRecord } from './ambient.ts';
import { WorldError } from './errors.ts';
import type { Kind, Relevancy } from './kind.ts';
import type { MachineEvent } from './logic.ts';
import { type Links, NO_LINKS } from './record.ts';

/** Names of worlds, regions and kinds. */
export const NAME_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Ids of records. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function checkedId(id: unknown): string {
  if (typeof id !== 'string' || !ID_PATTERN.test(id)) {
    throw new WorldError(
      'BAD_ID',
      `${JSON.stringify(id) ?? String(id)} is no record id; an id starts with a letter or digit and has up to 128 letters, digits, '.', '_', ':' or '-'.`,
    );
  }
  return id;
}

/** The farthest a place may be from the origin, in world units: 2^40, so that cells stay whole numbers. */
const FARTHEST = 1_099_511_627_776;

/** A frozen copy of a place; the same array if it is frozen already. */
export function checkedPlace(at: unknown, whose: string): readonly number[] {
  if (
    !Array.isArray(at) ||
    at.length < 1 ||
    at.length > 3 ||
    !at.every((n) => typeof n === 'number' && Math.abs(n) <= FARTHEST)
  ) {
    throw new WorldError(
      'BAD_PLACE',
      `${whose}: ${JSON.stringify(at) ?? String(at)} is no place; a place is one to three numbers in world units, none beyond ${FARTHEST}.`,
    );
  }
  return Object.isFrozen(at) ? at : Object.freeze(at.slice());
}

/** Frozen links with sorted names. Where they lead is checked when the transaction is over. */
export function checkedLinks(
  links: Readonly<Record<string, string>> | undefined,
  id: string,
  kind: Kind,
): Links {
  if (links === undefined) return NO_LINKS;
  if (typeof links !== 'object' || links === null) {
    throw new WorldError(
      'BAD_LINK',
      `${id}: links is ${String(links)}; give { name: 'id of a record' }.`,
    );
  }
  const names = Object.keys(links).sort();
  if (names.length === 0) return NO_LINKS;
  return Object.freeze(
    Object.fromEntries(names.map((name) => [name, checkedLink(name, links[name], id, kind)])),
  );
}

/** One link's target. It may lead to a record that is not there yet. */
export function checkedLink(name: string, target: unknown, id: string, kind: Kind): string {
  checkedLinkName(name, id, kind);
  const to = checkedId(target);
  if (to === id) {
    throw new WorldError(
      'LINK_TO_SELF',
      `${id}: link '${name}' leads to the record itself; use selfId() instead.`,
    );
  }
  return to;
}

/** The name of a link that records of the kind have. */
export function checkedLinkName(name: string, id: string, kind: Kind): string {
  if (Object.hasOwn(kind.links, name)) return name;
  throw new WorldError(
    'NO_LINK',
    `${id} (${kind.name}) has no link '${name}'; kind '${kind.name}' has: ${Object.keys(kind.links).join(', ') || 'none'}.`,
  );
}

/** Refuses a link that leads to a record of a kind it may not lead to. */
export function checkLinkKind(
  id: string,
  kind: Kind,
  name: string,
  to: string,
  found: string,
): void {
  const wanted = Object.hasOwn(kind.links, name) ? kind.links[name] : '*';
  if (wanted === '*' || wanted === found) return;
  throw new WorldError(
    'BAD_LINK',
    `${id}: link '${name}' must lead to a ${wanted}, and ${to} is a ${found}.`,
  );
}

export function checkedRelevancy(
  relevancy: NewRecord['relevancy'],
  id: string,
  kind: Kind,
): Relevancy {
  if (relevancy === undefined) return kind.relevancy;
  if (relevancy !== 'none' && relevancy !== 'spatial' && relevancy !== 'always') {
    throw new WorldError(
      'BAD_RECORD',
      `${id}: relevancy is '${String(relevancy)}'; it must be 'none', 'spatial' or 'always'.`,
    );
  }
  return relevancy;
}

/** An event from outside or from a machine. */
export function checkedEvent(event: unknown, whose: string): MachineEvent {
  if (
    typeof event !== 'object' ||
    event === null ||
    typeof (event as MachineEvent).type !== 'string'
  ) {
    throw new WorldError(
      'BAD_EVENT',
      `${whose}: ${JSON.stringify(event) ?? String(event)} is no event; an event is an object with a type.`,
    );
  }
  return event as MachineEvent;
}

/** A selection of records. */
export function checkedSelection<T extends Selection>(selection: T, whose: string): T {
  const wrong = (what: string): WorldError => new WorldError('BAD_ADDRESS', `${whose}: ${what}`);
  if (typeof selection !== 'object' || selection === null) throw wrong('a selection is an object.');
  const { kind, within, except } = selection;
  if (kind !== undefined && typeof kind !== 'string')
    throw wrong('kind must be the name of a kind.');
  if (within !== undefined) {
    checkedPlace(within?.at, `${whose}, within.at`);
    const { radius } = within;
    if (typeof radius !== 'number' || !(radius >= 0)) {
      throw wrong(
        `within.radius is ${String(radius)}; it must be a number of world units, 0 or more.`,
      );
    }
  }
  const ids = typeof except === 'string' ? [except] : (except ?? []);
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw wrong('except must be an id or an array of ids.');
  }
  return selection;
}
