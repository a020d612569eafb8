/** The kinds of a world, checked against each other. */
import { copiesOfOffstage } from './ambient.ts';
import { KindError } from './errors.ts';
import type { Kind } from './kind.ts';

/** What is seldom meant, about kinds and package. */
export function warningsOf(kinds: readonly Kind[]): readonly string[] {
  const warnings = kinds.flatMap((kind) => kind.warnings ?? []);
  const copies = copiesOfOffstage();
  return copies === 1
    ? warnings
    : [
        ...warnings,
        `${copies} copies of the package 'offstage' are loaded; errors of one are not instances of the other's classes. Have one version of it (npm ls offstage).`,
      ];
}

/** Kinds by name, each name once and each link to a kind that is there. */
export function checkedKinds(kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  if (!Array.isArray(kinds as unknown)) {
    throw new KindError('BAD_KIND', `createWorld takes { kinds: [ … ] }; got ${typeof kinds}.`);
  }
  const byName = new Map<string, Kind>();
  for (const kind of kinds) {
    if (typeof kind?.name !== 'string' || typeof kind.logic?.step !== 'function') {
      throw new KindError(
        'BAD_KIND',
        'createWorld({ kinds }) takes kinds made by defineKind, and got something else.',
      );
    }
    if (byName.has(kind.name)) {
      throw new KindError(
        'DUPLICATE_KIND',
        `There are two kinds '${kind.name}'; give one of them another name.`,
      );
    }
    byName.set(kind.name, kind);
  }
  for (const kind of kinds) {
    for (const [link, target] of Object.entries(kind.links)) {
      if (target !== '*' && !byName.has(target)) {
        throw new KindError(
          'UNKNOWN_KIND',
          `Kind '${kind.name}': link '${link}' leads to kind '${target}', which is not in the registry; add it to kinds, or use '*'.`,
        );
      }
    }
  }
  return byName;
}
