/** What ids, kinds, links and places must look like, and the errors that say so. */
import type { NewRecord } from './ambient.ts';
import { WorldError } from './errors.ts';
import type { Kind, Relevancy } from './kind.ts';
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

/** A frozen copy of a place; the same array if it is frozen already. */
export function checkedPlace(at: unknown, whose: string): readonly number[] {
  if (
    !Array.isArray(at) ||
    at.length < 1 ||
    at.length > 3 ||
    !at.every((n) => Number.isFinite(n))
  ) {
    throw new WorldError(
      'BAD_PLACE',
      `${whose}: ${JSON.stringify(at) ?? String(at)} is no place; a place is one to three finite numbers in world units.`,
    );
  }
  return Object.isFrozen(at) ? at : Object.freeze(at.slice());
}

/** Frozen links with sorted names, checked against the kind. */
export function checkedLinks(
  links: Readonly<Record<string, string>> | undefined,
  id: string,
  kind: Kind,
  kindOf: (id: string) => string | undefined,
): Links {
  if (links === undefined) return NO_LINKS;
  const names = Object.keys(links).sort();
  if (names.length === 0) return NO_LINKS;
  return Object.freeze(
    Object.fromEntries(
      names.map((name) => [name, checkedLink(name, links[name], id, kind, kindOf)]),
    ),
  );
}

/** One link's target. It may lead to a record that is not there yet. */
export function checkedLink(
  name: string,
  target: unknown,
  id: string,
  kind: Kind,
  kindOf: (id: string) => string | undefined,
): string {
  const wanted = Object.hasOwn(kind.links, name) ? kind.links[name] : undefined;
  if (wanted === undefined) {
    throw new WorldError(
      'NO_LINK',
      `${id}: kind '${kind.name}' has no link '${name}'; it has: ${Object.keys(kind.links).join(', ') || 'none'}.`,
    );
  }
  const to = checkedId(target);
  if (to === id)
    throw new WorldError(
      'LINK_TO_SELF',
      `${id}: link '${name}' leads to the record itself; use selfId() instead.`,
    );
  const found = kindOf(to);
  if (found !== undefined && wanted !== '*' && found !== wanted) {
    throw new WorldError(
      'BAD_LINK',
      `${id}: link '${name}' must lead to a ${wanted}, and ${to} is a ${found}.`,
    );
  }
  return to;
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
