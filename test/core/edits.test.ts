/**
 * Timers whose steps edit other records give the same with and without a transaction around them. With
 * somebody listening to events a world takes the long way, with nobody the short one.
 */
import fc from 'fast-check';
import { createWorld, linked, offer, type World } from 'offstage';
import { expect, test } from 'vitest';
import { assign, raise, setup } from 'xstate';
import { currentEvent } from '../../src/core/ambient.ts';
import { checkSavable } from '../../src/saves/savable.ts';
import { kindOf } from '../support/small-kinds.ts';

const at = [0, 0];
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 500);

/** What a record does in a step: something to another at the end of a link, or with itself. */
type Deed =
  | {
      readonly do: 'edit' | 'tell' | 'tryEdit' | 'offer' | 'can';
      readonly to: Link;
      readonly type: Poke;
    }
  | { readonly do: 'look'; readonly to: Link }
  | { readonly do: 'try'; readonly deeds: readonly Deed[] }
  | { readonly do: 'fail' | 'draw' | 'spoil' };
type Link = 'a' | 'b';
type Poke = (typeof POKES)[number];

const POKES = ['COUNT', 'ODD', 'AWAKE', 'SLEEP', 'LOOP', 'END'] as const;

interface Context {
  readonly n: number;
  /** Tells what happened in which order. */
  readonly h: number;
  readonly delay: number;
  readonly isSaved: boolean;
  readonly deeds: Readonly<Record<string, readonly Deed[]>>;
}

/** Does what is to be done, and gives a number that tells what came of it. */
function done(deeds: readonly Deed[]): number {
  let h = 7;
  const note = (what: number): void => {
    h = (h * 31 + what) % 1_000_003;
  };
  for (const deed of deeds) {
    switch (deed.do) {
      case 'edit':
        currentEvent('test').edit(deed.to, { type: deed.type });
        break;
      case 'tell':
        currentEvent('test').tell(deed.to, { type: deed.type });
        break;
      case 'tryEdit':
        note(currentEvent('test').tryEdit(deed.to, { type: deed.type }) ? 1 : 2);
        break;
      case 'offer':
        note(['taken', 'refused', 'busy'].indexOf(offer(deed.to, { type: deed.type })));
        break;
      case 'can':
        note(linked(deed.to)?.can({ type: deed.type }) ? 3 : 4);
        break;
      case 'look':
        note((linked(deed.to)?.context as Context | undefined)?.h ?? 5);
        break;
      case 'try':
        try {
          note(done(deed.deeds));
        } catch (error) {
          note(String((error as { code?: unknown }).code).length);
        }
        break;
      case 'fail':
        throw new Error('as asked');
      case 'draw':
        note(Math.floor(currentEvent('test').random() * 100));
        break;
      case 'spoil':
        h = Number.NaN;
        break;
      default:
        deed satisfies never;
    }
  }
  return h;
}

const actorMachine = setup({
  types: { context: {} as Context, input: {} as Context },
  guards: { isOdd: ({ context }) => context.n % 2 === 1 },
  actions: {
    act: assign(({ context, event }) => {
      const h = done(context.deeds[event.type] ?? context.deeds.TIMER ?? []);
      // A function is what a world that is to be saved refuses.
      const left: unknown =
        Number.isNaN(h) && context.isSaved ? () => h : (context.h * 17 + h) % 1_000_003;
      return { n: context.n + 1, h: left as number };
    }),
    loop: raise({ type: 'COUNT' }),
    nap: raise({ type: 'COUNT' }, { delay: 3, id: 'nap' }),
  },
  delays: { delay: ({ context }) => context.delay },
}).createMachine({
  id: 'actor',
  context: ({ input }) => input,
  initial: 'awake',
  on: { COUNT: { actions: 'act' }, END: '.ended' },
  states: {
    awake: {
      after: { delay: { target: 'awake', reenter: true, actions: 'act' } },
      on: {
        ODD: { guard: 'isOdd', actions: 'act' },
        SLEEP: { target: 'asleep', actions: 'act' },
        LOOP: { actions: ['act', 'loop'] },
      },
    },
    asleep: {
      after: {
        delay: [{ guard: 'isOdd', target: 'awake', actions: 'act' }, { target: 'awake' }],
      },
      on: { AWAKE: { target: 'awake', actions: ['act', 'nap'] }, SLEEP: { actions: 'nap' } },
    },
    ended: { type: 'final' },
  },
});

/** One for each record: what turned out to need a transaction with one is tried again with another. */
const actors = [0, 1, 2, 3, 4].map((i) =>
  kindOf(actorMachine, { name: `actor${i}`, links: { a: '*', b: '*' } }),
);

/** Counts how often it is woken by the record it links to. */
const watcher = kindOf(
  setup({
    types: { context: {} as { readonly wakes: number } },
    actions: { count: assign({ wakes: ({ context }) => context.wakes + 1 }) },
  }).createMachine({
    id: 'watcher',
    context: { wakes: 0 },
    on: { 'offstage.wake': { actions: 'count' } },
  }),
  { links: { watched: '*' } },
);

const link = fc.constantFrom<Link>('a', 'b');
const { deed } = fc.letrec<{ deed: Deed }>((tie) => ({
  deed: fc.oneof(
    { maxDepth: 2 },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('edit', 'tell', 'tryEdit', 'offer', 'can'),
        to: link,
        // What ends another is rare, or soon nobody would be left.
        type: fc.constantFrom(...POKES, 'COUNT', 'ODD', 'AWAKE', 'SLEEP', 'COUNT', 'SLEEP'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('look'), to: link }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Deed>(
        ...(['fail', 'fail', 'draw', 'spoil'] as const).map((what) => ({ do: what })),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('try'),
        deeds: fc.array(tie('deed'), { maxLength: 2 }),
      }),
    },
  ) as fc.Arbitrary<Deed>,
}));
// Few, since each may bring about as many in another record.
const deeds = fc.array(deed, { maxLength: 2 });
const records = fc.array(
  fc.record({
    delay: fc.constantFrom<number>(0.5, 5, 7, 10),
    a: fc.nat(4),
    b: fc.nat(4),
    deeds: fc.record({ TIMER: deeds, COUNT: deeds, ODD: deeds, SLEEP: deeds, AWAKE: deeds }),
  }),
  { minLength: 2, maxLength: 5 },
);
const steps = fc.array(
  fc.record({
    stretch: fc.constantFrom(0, 1, 5, 15),
    look: fc.constantFrom('nobody', 'nobody', 'values', 'snapshot', 'hash'),
  }),
  { minLength: 1, maxLength: 6 },
);

const setting = fc.record({ isWatched: fc.boolean(), isSaved: fc.boolean() });

interface Setting {
  /** Whether somebody is woken by one of the records. */
  readonly isWatched: boolean;
  /** Whether the world is to be saved. */
  readonly isSaved: boolean;
}

/** What came of it, with all that was given out, which nobody may change. */
function story(
  given: typeof records extends fc.Arbitrary<infer T> ? T : never,
  looks: typeof steps extends fc.Arbitrary<infer T> ? T : never,
  { isWatched, isSaved }: Setting,
  isHeard: boolean,
): { readonly told: unknown[]; readonly events: number } {
  const world: World = createWorld({
    kinds: [...actors, watcher],
    seed: 'edits',
    ...(isSaved ? { savable: checkSavable } : {}),
    settings: { iterationsPerInstant: 5 },
  });
  if (isHeard) world.on('event', () => {});
  const idOf = (i: number): string => `r${i % given.length}`;
  world.add(
    given.map(({ a, b, delay, deeds }, i) => {
      const links = Object.entries({ a: idOf(a), b: idOf(b) }).filter(([, to]) => to !== idOf(i));
      return {
        id: idOf(i),
        kind: `actor${i}`,
        at,
        links: Object.fromEntries(links),
        input: { n: i, h: i, delay, isSaved, deeds },
      };
    }),
  );
  if (isWatched) {
    const links = { watched: idOf(1) };
    world.add({ id: 'w', kind: 'watcher', at, links });
  }
  const told: unknown[] = [];
  const held: { readonly textNow: () => string; readonly text: string }[] = [];
  const hold = (value: () => unknown): void => {
    const textNow = (): string => JSON.stringify(value());
    held.push({ textNow, text: textNow() });
  };
  for (const { stretch, look } of looks) {
    world.run(stretch);
    const snapshot = look === 'snapshot' ? world.snapshot() : undefined;
    if (snapshot !== undefined) hold(() => [...snapshot.records()]);
    const values = look === 'values' ? [...world.values()] : undefined;
    // A shape and what is planned are shared, and learn how they are best met.
    if (values !== undefined)
      hold(() => values.map(({ context, dueAt, revision }) => [context, dueAt, revision]));
    if (look === 'hash') told.push(world.hash());
  }
  for (const { textNow, text } of held) expect(textNow()).toBe(text);
  told.push(world.hash(), world.query(), world.stats());
  return { told, events: world.stats().events };
}

test('edits by timers come to the same, heard or not, whatever is asked and however it fails', () => {
  let events = 0;
  fc.assert(
    fc.property(records, steps, setting, (given, looks, how) => {
      const unheard = story(given, looks, how, false);
      expect(unheard.told).toEqual(story(given, looks, how, true).told);
      events += unheard.events;
    }),
    { numRuns: RUNS },
  );
  expect(events).toBeGreaterThan(RUNS);
});

test('what was just edited is seen as it is, also if a snapshot has the value it had', () => {
  const looks = [
    { stretch: 0, look: 'snapshot' },
    { stretch: 1, look: 'nobody' },
  ] as const;
  const how = { isWatched: false, isSaved: false };
  const idle = {
    delay: 1,
    a: 0,
    b: 0,
    deeds: { TIMER: [], COUNT: [], ODD: [], SLEEP: [], AWAKE: [] },
  };
  const deeds: Deed[] = [
    { do: 'edit', to: 'b', type: 'COUNT' },
    { do: 'look', to: 'b' },
  ];
  const given = [{ ...idle, b: 1, deeds: { ...idle.deeds, TIMER: deeds } }, idle];
  expect(story(given, [...looks], how, false).told).toEqual(
    story(given, [...looks], how, true).told,
  );
});

test('an offer that would leave what cannot be saved is refused, and its asker goes on', () => {
  const how = { isWatched: false, isSaved: true };
  const idle = { TIMER: [], COUNT: [], ODD: [], SLEEP: [], AWAKE: [] };
  const offering: Deed = { do: 'try', deeds: [{ do: 'offer', to: 'b', type: 'SLEEP' }] };
  const given = [
    { delay: 5, a: 1, b: 1, deeds: { ...idle, TIMER: [offering] } },
    { delay: 7, a: 0, b: 0, deeds: { ...idle, SLEEP: [{ do: 'spoil' } as const] } },
  ];
  const looks = [{ stretch: 15, look: 'nobody' } as const];
  expect(story(given, looks, how, false).told).toEqual(story(given, looks, how, true).told);
});

test('a timer with a guard that would leave what cannot be saved is a fault', () => {
  const how = { isWatched: false, isSaved: true };
  const idle = { TIMER: [], COUNT: [], ODD: [], SLEEP: [], AWAKE: [] };
  const layDown: Deed = { do: 'edit', to: 'a', type: 'SLEEP' };
  const end: Deed = { do: 'tryEdit', to: 'a', type: 'END' };
  const given = [
    { delay: 10, a: 2, b: 1, deeds: { ...idle, TIMER: [layDown] } },
    { delay: 12, a: 0, b: 0, deeds: { ...idle, TIMER: [end] } },
    { delay: 11, a: 0, b: 0, deeds: { ...idle, TIMER: [{ do: 'spoil' } as const] } },
  ];
  const look = { stretch: 15, look: 'nobody' } as const;
  const { told } = story(given, [look, look], how, false);
  expect(told).toEqual(story(given, [look, look], how, true).told);
  expect(told.at(-1)).toMatchObject({ faults: 1, done: 1 });
});
