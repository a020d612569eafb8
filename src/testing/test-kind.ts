/** One record of a kind in a world of its own: no server, no clock, no fake timers. */
import type { AnyStateMachine, ContextFrom, EventFrom, InputFrom } from 'xstate';
import { WorldError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import type { DefinedKind } from '../machine/kind-definition.ts';
import type { Member } from './cast.ts';
import { Stage } from './stage.ts';
import { TestRecord } from './test-record.ts';
import { checkKind, checkList, checkOptions, shown } from './wrong.ts';

export interface TestOptions<Input = unknown> {
  readonly input?: Input;
  /** What it links to: other test records, or stubs. They then share one world. */
  readonly links?: Readonly<Record<string, TestRecord<unknown, never>>>;
  /** Where it stands, in world units. Default `[0, 0]`. */
  readonly at?: readonly number[];
  /** What randomness is drawn from. Default `'offstage'`. */
  readonly seed?: string;
  /** Default: the name of the kind, numbered where it is taken. */
  readonly id?: string;
  /** Kinds of the records it adds. */
  readonly kinds?: readonly Kind[];
}

/**
 * Puts one record of a kind into a world of its own, or into that of the test records it links to.
 * Contexts are frozen. Throws `KindError` `BAD_KIND` or `BAD_OPTION` for what is none, else what `world.add` throws.
 *
 * @example
 * const t = testKind(station, { input, links: { from: testKind(stash, { input: { capacity: 9 } }), to: stub() } });
 * t.advance('10m');
 * t.value; // 'waiting'
 */
export function testKind<Machine extends AnyStateMachine>(
  kind: DefinedKind<Machine>,
  options: TestOptions<InputFrom<Machine>> = {},
): TestRecord<ContextFrom<Machine>, EventFrom<Machine>> {
  const members = membersFor(kind, options);
  const { seed = 'offstage' } = options;
  const member = members.at(-1) as Member;
  for (const stage of new Set(members.slice(0, -1).map((one) => one.stage))) stage.leave();
  new Stage(members, seed);
  return new TestRecord(member);
}

/** What `testKind` puts on a stage: the members that the record's links lead to, and last itself. */
export function membersFor(kind: Kind, options: TestOptions): readonly Member[] {
  checkKind('testKind takes', kind);
  checkOptions('testKind', options);
  const { links = {}, at = [0, 0], id, input, kinds = [] } = options;
  checkOptions(`testKind(${kind.name}): links`, links);
  checkList(`testKind(${kind.name}): kinds`, kinds);
  for (const other of kinds) checkKind(`testKind(${kind.name}): kinds takes only`, other);
  const linked = Object.entries(links).map(([name, to]) => {
    const member = checkedMember(kind, name, to);
    checkLink(kind, name, member);
    return [name, member] as const;
  });
  const member = {
    kind,
    isStub: false,
    wantedId: id,
    at,
    input,
    links: Object.fromEntries(linked),
    kinds,
  } as unknown as Member;
  const stages = new Set(linked.map(([, { stage }]) => stage));
  return [...[...stages].flatMap(({ members }) => members), member];
}

function checkedMember(kind: Kind, name: string, to: unknown): Member {
  if (to instanceof TestRecord) return to.member;
  throw new WorldError(
    'BAD_LINK',
    `testKind(${kind.name}): link '${name}' must lead to what testKind or stub gave; got ${shown(to)}.`,
  );
}

function checkLink(kind: Kind, name: string, to: Member): void {
  const wanted = kind.links[name];
  if (wanted === undefined || wanted === '*' || to.isStub || to.kind.name === wanted) return;
  throw new WorldError(
    'BAD_LINK',
    `testKind(${kind.name}): link '${name}' must lead to a ${wanted}, and ${to.id} is a ${to.kind.name}.`,
  );
}
