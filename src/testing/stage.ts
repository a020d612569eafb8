/**
 * The world of a test: a few records, from the members that were put on the stage. When another test
 * record joins, the world is made anew with all of them, so it must not have begun to move.
 */
import type { Notice } from '../core/commit.ts';
import { WorldError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import { createWorld, type World } from '../core/world.ts';
import { Traffic } from './traffic.ts';

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

export class Stage {
  readonly world: World;
  readonly traffic = new Traffic();
  readonly notices: Notice[] = [];
  readonly seed: string;
  private readonly members: readonly Member[];
  private readonly hashAtStart: string;

  constructor(members: readonly Member[], seed: string) {
    this.seed = seed;
    this.members = members;
    const { traffic } = this;
    const kinds = kindsOf(members);
    this.world = createWorld({
      kinds: kinds.map((kind) => traffic.watched(withOpenLinks(kind, kinds, members))),
      seed,
      settings: { freeze: true },
    });
    traffic.listenTo(this.world);
    this.world.on('notice', (notice) => this.notices.push(notice));
    const ids = idsOf(members);
    this.world.add(
      members.map((member, i) => ({
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
    );
    this.hashAtStart = this.world.hash();
    for (const [i, member] of members.entries()) {
      member.stage = this;
      member.id = ids[i] as string;
    }
  }

  /** The members, to be put on a new stage; an error if anything has happened on this one. */
  leave(): readonly Member[] {
    if (this.world.hash() !== this.hashAtStart) {
      const ids = this.members.map(({ id }) => id).join(', ');
      throw new WorldError(
        'TEST_BEGUN',
        `${ids}: the test has begun, so another test record can no longer link to it. Make all test records before the first advance or send; later, use t.world.add.`,
      );
    }
    return this.members;
  }
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
