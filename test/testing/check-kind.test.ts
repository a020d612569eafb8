import { type DefinedKind, defineKind, edit, now, tryEdit } from 'offstage';
import { BrokenLaw, type CheckOptions, checkKind, fc, testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, raise, setup } from 'xstate';
import { LAWS } from '../../src/testing/laws/index.ts';
import * as broken from '../support/broken-kinds.ts';
import { kindOf, pile, pool, pulse } from '../support/small-kinds.ts';

const sent = (type: string) => fc.constant({ type });
const ore = testKind(pile, { input: { ore: 2 } });

/** What `checkKind` throws. */
function flaw(kind: DefinedKind, options: CheckOptions<AnyStateMachine> = {}): BrokenLaw {
  try {
    checkKind(kind, options);
  } catch (error) {
    expect(error).toBeInstanceOf(BrokenLaw);
    return error as BrokenLaw;
  }
  throw new Error(`${kind.name} breaks no law.`);
}

const cases: readonly (readonly [
  law: string,
  kind: DefinedKind,
  options: CheckOptions<AnyStateMachine>,
  got: RegExp,
])[] = [
  ['same seed, same hash', broken.visitorBook, { events: sent('VISIT') }, /"visitor":\d+/],
  [
    'a failed event leaves everything as it was',
    broken.clumsySmith,
    { events: sent('FORGE'), links: { ore } },
    /"hammer",[12]/,
  ],
  ['the context survives encoding', broken.purse, {}, /^\{"coin":\{"face":5\}\}$/],
  [
    'the context survives encoding',
    broken.guestList,
    { events: fc.record({ type: fc.constant('INVITE'), name: fc.constantFrom('Ann', 'Bo') }) },
    /CONTEXT_MUTATED/,
  ],
  ['looking changes nothing', broken.shyPond, {}, /"seen",\d+/],
  ['interpreted equals compiled', broken.creakingDoor, { events: sent('KNOCK') }, /KNOCK: it is/],
  ['one step equals many', broken.leakyTank, {}, /"level":/],
  ['one step equals many', broken.eternalSoon, {}, /COME at/],
  ['times move with the record', broken.hourglass, { events: sent('TURN') }, /"turnedAt":/],
  [
    'saved and loaded in the middle',
    broken.forgetfulSphinx,
    { events: sent('ASK') },
    /"answers":\d/,
  ],
  [
    'regions do not compete',
    broken.greedyPair,
    { events: sent('GRAB'), links: { ore } },
    /from greedy-pair\.left\.empty, then TAKE/,
  ],
];

test.each(cases.map(([law, kind, ...rest]) => [law, kind.name, kind, ...rest] as const))(
  'the law "%s" bites a %s',
  (law, _, kind, options, got) => {
    const found = flaw(kind, options);
    expect(found.law, found.message).toBe(law);
    expect(found.got).toMatch(got);
    expect(found.code).toBe('LAW_BROKEN');
  },
);

test('there is a broken kind for each law', () => {
  expect([...new Set(cases.map(([law]) => law))].sort()).toEqual(
    LAWS.map(({ name }) => name).sort(),
  );
});

describe('a counterexample', () => {
  test('is told as a story, as short as it can be', () => {
    const { message, seed } = flaw(broken.hourglass, { events: sent('TURN') });
    expect(message.replace(/-?\d{4,}/g, 'N').replace(/path: '.*'/, "path: 'P'")).toBe(
      `Kind 'hourglass' breaks a law: when the clock is set, every game time in the context moves along.

  hourglass is a hourglass
  1. at 0s hourglass is sent TURN
  - at 0s hourglass, command TURN: it is in {}
  In the end: hourglass in {}, context {"turnedAt":0}, nothing to come

Played again when the clock is set 364d ahead at 0s:
  expected  {"turnedAt":0}
  got       {"turnedAt":N}

What usually causes it: the context keeps a game time that shiftTimes does not move. Move each of them by delta in shiftTimes; timers and predictions move by themselves.
To try this one again: checkKind(hourglass, { …, laws: ['times move with the record'], seed: N, path: 'P' })`,
    );
    expect(message).toContain(String(seed));
  });

  test('comes again from its seed and path', () => {
    const options = { events: sent('TURN'), laws: ['times move with the record'] as const };
    const first = flaw(broken.hourglass, options);
    const again = flaw(broken.hourglass, { ...options, seed: first.seed, path: first.path });
    expect(again.message).toBe(first.message);
  });

  test('shows only the end of a long one', () => {
    const late = defineKind({
      name: 'late',
      version: 1,
      machine: setup({ types: { context: {} as { readonly n: number } } }).createMachine({
        id: 'late',
        context: { n: 0 },
        initial: 'on',
        states: { on: { after: { 10: { target: 'on', reenter: true } } } },
      }),
      advance: ({ n }, { from, to }) => ({ n: from > 900 ? to - from : n }),
    });
    const { message } = flaw(late);
    expect(message).toMatch(/… and \d+ events before these/);
    expect(message.split('\n').length).toBeLessThan(80);
  });
});

describe('a kind that keeps the laws', () => {
  test.each([pulse, pool, pile])('such as $name', (kind) => {
    checkKind(kind, { runs: 30 });
  });

  test('may predict what is between two ticks, and a year later is rounded to the other', () => {
    // A hair before the middle; of a late game time so small a part is lost.
    const SPAN = 1000 + 0.5 / 1024 - 1e-7;
    const YEAR = 364 * 86_400_000;
    expect(Math.round((YEAR + SPAN) * 1024) - Math.round(SPAN * 1024)).toBe(YEAR * 1024 + 1);
    const egg = defineKind({
      name: 'egg',
      version: 1,
      machine: setup({
        types: {
          context: {} as { readonly since: number; readonly late: number },
          events: {} as { type: 'DONE' },
        },
        actions: {
          turn: assign({
            late: ({ context }) => now() - context.since - 1000,
            since: () => now(),
          }),
        },
      }).createMachine({
        id: 'egg',
        context: () => ({ since: now(), late: 0 }),
        on: { DONE: { actions: 'turn' } },
      }),
      predict: { DONE: ({ since }) => since + SPAN },
      shiftTimes: (context, delta) => ({ ...context, since: context.since + delta }),
    });
    const laws = ['times move with the record'] as const;
    checkKind(egg, { runs: 30, laws });
    // While one that forgets to move times, only where they are 0, is still found.
    const forgetful = defineKind({
      name: 'forgetful-egg',
      version: 1,
      machine: egg.machine as AnyStateMachine,
      predict: { DONE: ({ since }) => since + SPAN },
      shiftTimes: ({ since, late }, delta) => ({ since: since && since + delta, late }),
    });
    expect(flaw(forgetful, { laws }).law).toBe(laws[0]);
  });

  test('may have regions that try', () => {
    const polite = kindOf(
      setup({
        actions: { takeOre: tryEdit('ore', { type: 'TAKE', count: 1 }) },
      }).createMachine({
        id: 'polite-pair',
        type: 'parallel',
        states: {
          left: { on: { GRAB: { actions: 'takeOre' } } },
          right: { on: { GRAB: { actions: 'takeOre' } } },
        },
      }),
      { links: { ore: 'pile' } },
    );
    checkKind(polite, {
      events: sent('GRAB'),
      links: { ore },
      runs: 30,
    });
  });

  test('may have a region that edits twice, and regions that edit one after the other', () => {
    const orderly = defineKind({
      name: 'orderly-pair',
      version: 1,
      links: { ore: 'pile' },
      machine: setup({
        types: { events: {} as { type: 'GRAB' | 'NEXT' } },
        actions: { take: edit('ore', { type: 'TAKE', count: 0 }), next: raise({ type: 'NEXT' }) },
      }).createMachine({
        id: 'orderly-pair',
        type: 'parallel',
        states: {
          left: { on: { GRAB: { actions: ['take', 'take', 'next'] } } },
          // A microstep of its own, whose guards would see what the left hand took.
          right: { on: { NEXT: { actions: 'take' } } },
        },
      }),
    });
    checkKind(orderly, {
      events: fc.constant({ type: 'GRAB' as const }),
      links: { ore },
      runs: 30,
    });
  });
});

describe('what is given by mistake is named:', () => {
  const check = (kind: unknown, options?: unknown) => () =>
    checkKind(kind as never, options as never);
  test.each([
    ['no kind', check(undefined), 'BAD_KIND', /checkKind takes a kind/],
    ['no options', check(pulse, null), 'BAD_OPTION', /got null/],
    [
      'a value as input',
      check(pulse, { input: { every: 5 } }),
      'BAD_OPTION',
      /input takes an arbitrary/,
    ],
    ['a law that is none', check(pulse, { laws: ['gravity'] }), 'BAD_OPTION', /'gravity'/],
    [
      'events for a link that is not there',
      check(pulse, { linkEvents: { ore: sent('TAKE') } }),
      'BAD_OPTION',
      /linkEvents names 'ore'/,
    ],
    [
      'an input that it cannot begin with',
      check(pulse, { input: fc.constant({ every: -1 }) }),
      'BAD_DELAY',
      /with input \{"every":-1\}/,
    ],
  ] as const)('%s', (_, run, code, message) => {
    expect(run).toThrowError(message);
    expect(run).toThrowError(expect.objectContaining({ code }));
  });
});

test('what a kind throws while a law is tried is told with its story', () => {
  const grumpy = defineKind({
    name: 'grumpy',
    version: 1,
    machine: setup({}).createMachine({ id: 'grumpy', context: {} }),
    describe: () => {
      throw new Error('not today');
    },
  });
  const { got, law } = flaw(grumpy);
  expect(got).toBe('an error: not today');
  expect(law).toBe('looking changes nothing');
});
