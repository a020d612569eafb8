/**
 * The records of a test as a world takes them: which kinds it needs, and what each record is added
 * with. A member is only a plan, so the same members can be put into any number of worlds.
 */
import type { NewRecord } from '../core/ambient.ts';
import type { Kind } from '../core/kind.ts';
import type { Stage } from './stage.ts';

/** A record of a test, before it is in a world. */
export interface Member {
  readonly kind: Kind;
  /** Whether it only stands in for a record of another kind. */
  readonly isStub: boolean;
  /** As asked for; undefined for the name of its kind. */
  readonly wantedId: string | undefined;
  readonly at: readonly number[];
  readonly input: unknown;
  readonly links: Readonly<Record<string, Member>>;
  /** Kinds of the records it may add. */
  readonly kinds: readonly Kind[];
  /** Where it stands now, and under which id. */
  stage: Stage;
  id: string;
}

/** What it takes to make a world of members. */
export interface Cast {
  /** With links that may also lead to stubs and to kinds that are not there. */
  readonly kinds: readonly Kind[];
  /** In the order of the members. */
  readonly records: readonly (NewRecord & { readonly id: string })[];
}

/** The cast of members that link to each other. */
export function castOf(members: readonly Member[]): Cast {
  const kinds = kindsOf(members);
  const ids = idsOf(members);
  return {
    kinds: kinds.map((kind) => withOpenLinks(kind, kinds, members)),
    records: members.map((member, i) => ({
      id: ids[i] as string,
      kind: member.kind.name,
      at: member.at,
      input: member.input,
      links: Object.fromEntries(
        Object.entries(member.links).map(([name, to]) => [
          name,
          ids[members.indexOf(to)] as string,
        ]),
      ),
    })),
  };
}

/** The kinds of all members and of what they may add, each once. */
function kindsOf(members: readonly Member[]): readonly Kind[] {
  return [...new Set(members.flatMap(({ kind, kinds }) => [kind, ...kinds]))];
}

/** A kind whose links may also lead to stubs and to kinds that are not in this test. */
function withOpenLinks(kind: Kind, kinds: readonly Kind[], members: readonly Member[]): Kind {
  const stubbed = new Set(
    members
      .filter((member) => member.kind === kind)
      .flatMap(({ links }) => Object.keys(links).filter((name) => links[name]?.isStub)),
  );
  const open = Object.entries(kind.links).map(([name, wanted]) => [
    name,
    stubbed.has(name) || !kinds.some((there) => there.name === wanted) ? '*' : wanted,
  ]);
  return { ...kind, links: Object.fromEntries(open) };
}

/** The ids asked for; else the kind's name, numbered where it is taken. */
function idsOf(members: readonly Member[]): readonly string[] {
  const taken = new Set(members.map(({ wantedId }) => wantedId));
  return members.map(({ wantedId, kind }) => {
    if (wantedId !== undefined) return wantedId;
    let id = kind.name;
    for (let n = 2; taken.has(id); n += 1) id = `${kind.name}-${n}`;
    taken.add(id);
    return id;
  });
}
