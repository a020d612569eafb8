/**
 * Timers that only set themselves anew are run on contexts of their own while nobody looks. With somebody
 * listening to events, or through XState itself, they are run like all others; the three give the same,
 * and what anybody was given stays as it was.
 */
import fc from 'fast-check';
import {
  createWorld,
  type DefinedKind,
  linked,
  now,
  type RecordValue,
  random,
  selfId,
  type World,
} from 'offstage';
import { describe, expect, it } from 'vitest';
import { type ActionArgs, assign, setup } from 'xstate';
import { kindOf } from '../support/small-kinds.ts';

interface Beat {
  readonly n: number;
  readonly period: number;
  readonly way: number;
  readonly left: unknown;
}

type Nudge = { type: 'NUDGE' };
type Args = ActionArgs<Beat, Nudge, Nudge>;

/** What a beat may give for its next `n`; some of it holds on to the context it was given. */
const WAYS: ((beat: Beat) => unknown)[] = [
  ({ n }) => n + 1,
  ({ n }) => n + 0.5,
  ({ n }) => `${n}`.length + (now() % 7),
  ({ n }) => n + selfId().length,
  (beat) => (beat.n % 3 === 2 ? { past: beat, n: beat.n } : Number(numberOf(beat.n)) + 1),
  ({ n }) => {
    if (n === 5) throw new Error('Five is too many.');
    return n + 1;
  },
  ({ n }) => (n % 3 === 2 ? Math.floor(random() * 100) : 0) + n + 1,
  ({ n }) => {
    try {
      return n + (n % 4 === 3 ? Math.floor(random() * 10) : 1);
    } catch {
      return n + 100;
    }
  },
  ({ n }) => (n % 4 === 3 ? linked<Beat>('other')?.context : Number(numberOf(n)) + 1),
  ({ n }) => (n % 5 === 4 ? undefined : Number(n ?? 0) + 1),
];

function numberOf(n: unknown): unknown {
  return typeof n === 'object' ? 0 : n;
}

/** Delays by the period: mostly that, at times one that is none, a zero or what no time can be. */
function delayOf({ period, n }: Beat): number {
  if (period === 13 && n === 4) throw new Error('No delay.');
  if (period === 17 && n === 3) return Number.NaN;
  if (period === 19 && n === 6) return 0;
  if (period === 23 && n === 7) return 1e300;
  return period + 0.25 * (period % 2);
}

const beatMachine = setup({
  types: { context: {} as Beat, input: {} as Beat, events: {} as Nudge },
  actions: {
    count: assign({ n: ({ context }: Args) => WAYS[context.way]?.(context) as number }),
    leave: assign({ left: ({ context }: Args) => context }),
  },
  delays: { period: ({ context }) => delayOf(context) },
}).createMachine({
  id: 'beat',
  context: ({ input }) => input,
  initial: 'on',
  on: { NUDGE: { actions: 'leave' } },
  states: { on: { after: { period: { target: 'on', reenter: true, actions: 'count' } } } },
});

const watcherMachine = setup({ types: { context: {} as { seen: number } } }).createMachine({
  id: 'watcher',
  context: { seen: 0 },
  initial: 'idle',
  states: {
    idle: {
      always: {
        guard: () => Number(linked<Beat>('other')?.context.n ?? 0) > 6,
        target: 'woken',
      },
    },
    woken: {},
  },
});

const compiled = kindOf(beatMachine, { links: { other: 'beat' } });
const interpreted = kindOf(beatMachine, { links: { other: 'beat' }, compile: false });
const watcher = kindOf(watcherMachine, { links: { other: 'beat' } });

const beats = fc.array(
  fc.record({
    period: fc.oneof(fc.integer({ min: 5, max: 40 }), fc.constantFrom(13, 17, 19, 23)),
    way: fc.oneof(fc.nat(3), fc.nat(WAYS.length - 1)),
  }),
  { minLength: 2, maxLength: 6 },
);
const looks = fc.array(
  fc.record({
    look: fc.nat(10),
    whom: fc.nat(5),
    stretch: fc.integer({ min: 0, max: 150 }),
  }),
  { minLength: 2, maxLength: 14 },
);

interface Story {
  readonly beats: readonly { readonly period: number; readonly way: number }[];
  readonly looks: readonly {
    readonly look: number;
    readonly whom: number;
    readonly stretch: number;
  }[];
}

/** Plays a story; gives all that was seen on the way, as it was when it was seen and as it is at the end. */
function played(kind: DefinedKind, isHeard: boolean, story: Story): unknown {
  const world = createWorld({ kinds: [kind, watcher], seed: 'beats' });
  if (isHeard) world.on('event', () => undefined);
  const ids = story.beats.map((_, i) => `b${i}`);
  world.add(
    story.beats.map(({ period, way }, i) => ({
      id: `b${i}`,
      kind: 'beat',
      at: [0, 0],
      links: { other: `b${(i + 1) % story.beats.length}` },
      input: { n: 0, period, way, left: null },
    })),
  );
  const held: unknown[] = [];
  const texts: string[] = [];
  const hold = (value: unknown): void => {
    held.push(value);
    texts.push(JSON.stringify(value));
  };
  const hashes: string[] = [];
  for (const { look, whom, stretch } of story.looks) {
    world.run(stretch);
    const id = ids[whom % ids.length] as string;
    act(world, look, id, hold);
    if (look % 3 === 0) hashes.push(world.hash());
  }
  world.run(200);
  hashes.push(world.hash());
  hold(world.query());
  expect(held.map((value) => JSON.stringify(value))).toEqual(texts);
  return [hashes, texts, world.stats().byKind];
}

function act(world: World, look: number, id: string, hold: (value: unknown) => void): void {
  if (look === 0) hold(world.find(id));
  if (look === 1) world.send(id, { type: 'NUDGE' });
  if (look === 2) hold([...world.snapshot().records()]);
  if (look === 3) {
    // Asked of only after the world has gone on.
    const snapshot = world.snapshot();
    world.run(45);
    hold([snapshot.find(id), snapshot.hash()]);
  }
  if (look === 4 && world.find(`w-${id}`) === undefined)
    world.add({ id: `w-${id}`, kind: 'watcher', at: [0, 0], links: { other: id } });
  if (look === 5) world.shiftTo(world.time + 1000);
  if (look === 6) hold(world.query({ kind: 'beat' }));
  if (look === 7) {
    const before = world.snapshot();
    world.run(60);
    hold([...world.snapshot().records()]);
    hold([...before.records()]);
  }
  if (look === 8) {
    const before = world.snapshot();
    world.run(30);
    const after = world.snapshot();
    hold([...after.changesSince(before)].map((change) => change.slice(1).map(fieldsOf)));
  }
}

function fieldsOf(value: unknown): unknown {
  const { id, revision, advancedTo, dueAt, context } = value as RecordValue;
  return [id, revision, advancedTo, dueAt, context];
}

describe('a timer that only sets itself anew', () => {
  it('gives the same however it is run, whoever looks in between', () => {
    const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 150);
    fc.assert(
      fc.property(fc.record({ beats, looks }), (story) => {
        const unheard = played(compiled, false, story);
        expect(unheard).toEqual(played(compiled, true, story));
        expect(unheard).toEqual(played(interpreted, false, story));
      }),
      { numRuns: RUNS },
    );
  });
});
