import { all, byId, defineKind, edit, linked, random, removeRecord, tryEdit } from 'offstage';
import { stub, testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { assign, createMachine, emit, sendTo, setup } from 'xstate';

const lampMachine = setup({
  types: {
    context: {} as { readonly watts: number; readonly switched: number },
    events: {} as { readonly type: 'SWITCH' } | { readonly type: 'BREAK' },
    input: {} as { readonly watts: number },
  },
}).createMachine({
  id: 'lamp',
  context: ({ input }) => ({ watts: input.watts, switched: 0 }),
  initial: 'off',
  states: {
    off: {
      on: {
        SWITCH: {
          target: 'on',
          actions: assign({ switched: ({ context }) => context.switched + 1 }),
        },
      },
    },
    on: {
      entry: emit({ type: 'LIT' }),
      after: { 60000: 'off' },
      on: {
        SWITCH: 'off',
        BREAK: {
          actions: () => {
            throw new Error('bang');
          },
        },
      },
    },
  },
});
const lamp = defineKind({ name: 'lamp', version: 1, machine: lampMachine });

/** Presses the lamp it links to, in every way there is. */
const handMachine = setup({
  types: {
    context: {} as { readonly missed: number },
    events: {} as {
      readonly type: 'PRESS' | 'TRY' | 'CALL' | 'CALL_LATER' | 'CALL_ALL' | 'TWICE' | 'NOT_TAKEN';
    },
  },
}).createMachine({
  id: 'hand',
  context: { missed: 0 },
  on: {
    PRESS: { actions: edit('lamp', { type: 'SWITCH' }) },
    TRY: { actions: tryEdit('lamp', { type: 'BREAK' }, { else: { type: 'NOT_TAKEN' } }) },
    TWICE: { actions: [edit('lamp', { type: 'SWITCH' }), edit('lamp', { type: 'NONSENSE' })] },
    NOT_TAKEN: { actions: assign({ missed: ({ context }) => context.missed + 1 }) },
    CALL: {
      actions: [sendTo('lamp', { type: 'SWITCH' }), sendTo(() => byId('nobody'), { type: 'HEY' })],
    },
    CALL_LATER: { actions: sendTo('lamp', { type: 'SWITCH' }, { delay: 5000 }) },
    CALL_ALL: { actions: sendTo(() => all({ kind: 'lamp' }), { type: 'SWITCH' }) },
  },
});
const hand = defineKind({
  name: 'hand',
  version: 1,
  machine: handMachine,
  links: { lamp: 'lamp' },
});

describe('a record under test', () => {
  test('runs alone, on game time', () => {
    const t = testKind(lamp, { input: { watts: 40 } });
    expect(t.value).toBe('off');
    expect(t.context).toEqual({ watts: 40, switched: 0 });
    expect(t.nextEventIn).toBeUndefined();
    expect(t.send({ type: 'SWITCH' })).toEqual({ accepted: true });
    expect(t.nextEventIn).toBe(60_000);
    t.advance('59s');
    expect(t.value).toBe('on');
    t.advance(1000);
    expect(t.value).toBe('off');
    expect(t.world.time).toBe(60_000);
  });

  test('goes to its next event, and says how long that was', () => {
    const t = testKind(lamp, { input: { watts: 40 } });
    t.send({ type: 'SWITCH' });
    t.advance('20s');
    expect(t.runToNextEvent()).toBe(40_000);
    expect(t.value).toBe('off');
    expect(() => t.runToNextEvent()).toThrowError(/lamp rests in "off", with no event to come/);
  });

  test('keeps what it emitted, with its time', () => {
    const t = testKind(lamp, { input: { watts: 40 } });
    t.advance('5s');
    t.send({ type: 'SWITCH' });
    expect(t.notices).toMatchObject([
      { id: 'lamp', kind: 'lamp', time: 5000, event: { type: 'LIT' } },
    ]);
  });

  test('says what it would take, and why it did not', () => {
    const t = testKind(lamp, { input: { watts: 40 } });
    expect(t.can({ type: 'BREAK' })).toBe(false);
    expect(t.send({ type: 'BREAK' })).toMatchObject({ accepted: false, code: 'NOT_TAKEN' });
  });

  test('shows the fault it rests with', () => {
    const bomb = defineKind({
      name: 'bomb',
      version: 1,
      machine: createMachine({
        id: 'bomb',
        after: {
          1000: {
            actions: () => {
              throw new Error('bang');
            },
          },
        },
      }),
    });
    const t = testKind(bomb);
    expect(t.fault).toBeNull();
    t.advance('2s');
    expect(t.fault).toMatchObject({ code: 'THREW', message: 'bang', time: 1000 });
  });

  test('stands where it is put and draws from the seed it is given', () => {
    const dice = defineKind({
      name: 'dice',
      version: 1,
      machine: createMachine({
        id: 'dice',
        context: { n: 0 },
        entry: assign({ n: () => random() }),
      }),
    });
    const draw = (seed: string) => testKind(dice, { seed, at: [3, 4] }).context.n;
    expect(testKind(dice, { at: [3, 4] }).record.at).toEqual([3, 4]);
    expect(draw('a')).toBe(draw('a'));
    expect(draw('a')).not.toBe(draw('b'));
  });

  test('is an error when its input is, or when it is gone', () => {
    expect(() => testKind(lamp)).toThrowError();
    const moth = defineKind({
      name: 'moth',
      version: 1,
      machine: createMachine({ id: 'moth', after: { 1000: { actions: removeRecord() } } }),
    });
    const t = testKind(moth);
    t.advance('1s');
    expect(() => t.value).toThrowError(/moth is gone/);
  });

  test('fails an event that changes a Map in place, which no freezing prevents', () => {
    const register = defineKind({
      name: 'register',
      version: 1,
      machine: createMachine({
        id: 'register',
        context: { names: new Map<string, number>() },
        on: { ENTER: { actions: ({ context }) => void context.names.set('a', 1) } },
      }),
    });
    const t = testKind(register);
    expect(t.send({ type: 'ENTER' })).toMatchObject({
      accepted: false,
      code: 'CONTEXT_MUTATED',
      message: expect.stringMatching(/register.*ENTER.*Map/),
    });
  });
});

describe('records that link to each other', () => {
  test('share one world, whichever was made first', () => {
    const it = testKind(lamp, { input: { watts: 40 } });
    const one = testKind(hand, { links: { lamp: it } });
    const other = testKind(hand, { links: { lamp: it } });
    expect([it.id, one.id, other.id]).toEqual(['lamp', 'hand', 'hand-2']);
    expect(one.world).toBe(it.world);
    expect(other.world).toBe(it.world);
    one.send({ type: 'PRESS' });
    expect(it.value).toBe('on');
    other.send({ type: 'PRESS' });
    expect(it.value).toBe('off');
  });

  test('must all be there before anything happens', () => {
    const it = testKind(lamp, { input: { watts: 40 } });
    it.send({ type: 'SWITCH' });
    expect(() => testKind(hand, { links: { lamp: it } })).toThrowError(/lamp: the test has begun/);
  });

  test('must be of the kind that the link wants', () => {
    const it = testKind(hand);
    expect(() => testKind(hand, { links: { lamp: it } })).toThrowError(
      /'lamp' must lead to a lamp, and hand is a hand/,
    );
    expect(() => testKind(hand, { links: { lmap: stub() } })).toThrowError(/no link 'lmap'/);
  });

  test('may be missing', () => {
    const t = testKind(hand);
    expect(t.send({ type: 'PRESS' })).toMatchObject({ accepted: false, code: 'UNKNOWN_RECORD' });
    t.send({ type: 'TRY' });
    expect(t.context.missed).toBe(1);
  });
});

describe('edits', () => {
  test('are kept by who made them and by whom they were made of', () => {
    const it = testKind(lamp, { input: { watts: 40 }, id: 'desk-lamp' });
    const t = testKind(hand, { links: { lamp: it } });
    t.advance('1s');
    t.send({ type: 'PRESS' });
    expect(t.edits).toEqual([
      { from: 'hand', to: 'lamp', event: { type: 'SWITCH' }, time: 1000, taken: true },
    ]);
    expect(it.edited).toMatchObject([{ from: 'hand', to: 'desk-lamp' }]);
    expect(it.edits).toEqual([]);
  });

  test('that a tryEdit lets be refused, or fail further on, are kept as not taken', () => {
    const it = testKind(lamp, { input: { watts: 40 } });
    const t = testKind(hand, { links: { lamp: it } });
    t.send({ type: 'TRY' });
    t.send({ type: 'PRESS' });
    t.send({ type: 'TRY' });
    expect(t.edits.map(({ event, taken }) => [event.type, taken])).toEqual([
      ['BREAK', false],
      ['SWITCH', true],
      ['BREAK', false],
    ]);
  });

  test('of an event that failed did not happen', () => {
    const it = testKind(lamp, { input: { watts: 40 } });
    const t = testKind(hand, { links: { lamp: it } });
    expect(t.send({ type: 'TWICE' })).toMatchObject({ accepted: false, code: 'EDIT_REFUSED' });
    expect(t.edits).toEqual([]);
    expect(it.value).toBe('off');
  });
});

describe('messages', () => {
  test('are kept when they leave, whether or not they arrive', () => {
    const t = testKind(hand, { links: { lamp: testKind(lamp, { input: { watts: 40 } }) } });
    t.send({ type: 'CALL' });
    expect(t.messages).toEqual([
      { from: 'hand', to: 'lamp', event: { type: 'SWITCH' }, time: 0 },
      { from: 'hand', to: 'nobody', event: { type: 'HEY' }, time: 0 },
    ]);
    expect(t.edits).toEqual([]);
  });

  test('sent for later leave later', () => {
    const it = testKind(lamp, { input: { watts: 40 } });
    const t = testKind(hand, { links: { lamp: it } });
    t.send({ type: 'CALL_LATER' });
    t.advance('4s');
    expect(t.messages).toEqual([]);
    t.advance('1s');
    expect(t.messages).toMatchObject([{ to: 'lamp', time: 5000 }]);
    expect(it.value).toBe('on');
  });

  test('to a set name the set', () => {
    const t = testKind(hand, { links: { lamp: testKind(lamp, { input: { watts: 40 } }) } });
    t.send({ type: 'CALL_ALL' });
    expect(t.messages).toMatchObject([{ to: { kind: 'lamp' } }]);
  });
});

describe('a stub', () => {
  test('takes everything, unless told what', () => {
    const t = testKind(hand, { links: { lamp: stub() } });
    expect(t.send({ type: 'PRESS' })).toEqual({ accepted: true });
    const refusing = testKind(hand, { links: { lamp: stub({ can: false }) } });
    expect(refusing.send({ type: 'PRESS' })).toMatchObject({ code: 'EDIT_REFUSED' });
    const choosy = stub({ can: ({ type }) => type === 'BREAK' });
    const other = testKind(hand, { links: { lamp: choosy } });
    expect(other.send({ type: 'PRESS' })).toMatchObject({ code: 'EDIT_REFUSED' });
    other.send({ type: 'TRY' });
    expect(choosy.edited).toMatchObject([{ from: 'hand', event: { type: 'BREAK' }, taken: true }]);
  });

  test('shows a value and a context, and wakes those that link to it when they change', () => {
    const watcher = defineKind({
      name: 'watcher',
      version: 1,
      links: { it: 'something' },
      machine: setup({
        guards: {
          isRed: () =>
            linked<{ n: number }>('it')?.value === 'red' &&
            linked<{ n: number }>('it')?.context.n === 2,
        },
      }).createMachine({
        id: 'watcher',
        initial: 'waiting',
        states: { waiting: { always: { guard: 'isRed', target: 'going' } }, going: {} },
      }),
    });
    const light = stub({ value: 'green', context: { n: 1 } });
    const t = testKind(watcher, { links: { it: light } });
    light.change({ value: 'red' });
    expect(t.value).toBe('waiting');
    light.change({ context: { n: 2 } });
    expect(t.value).toBe('going');
  });

  test('stands beside real records and other stubs', () => {
    const pair = defineKind({
      name: 'pair',
      version: 1,
      links: { a: 'lamp', b: 'lamp', c: 'lamp' },
      machine: createMachine({
        id: 'pair',
        on: {
          GO: {
            actions: [
              edit('a', { type: 'SWITCH' }),
              edit('b', { type: 'SWITCH' }),
              tryEdit('c', { type: 'SWITCH' }),
            ],
          },
        },
      }),
    });
    const a = testKind(lamp, { input: { watts: 40 } });
    const [b, c] = [stub({ id: 'b' }), stub({ can: false })];
    const t = testKind(pair, { links: { a, b, c } });
    t.send({ type: 'GO' });
    expect(a.value).toBe('on');
    expect(t.edits.map(({ to, taken }) => [to, taken])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ]);
  });
});

describe('what a test gives by mistake is named:', () => {
  const given = (make: (nothing: never) => unknown) => () => make(undefined as never);

  test.each([
    [
      'a kind that was not exported',
      given((nothing) => testKind(nothing)),
      'BAD_KIND',
      'testKind takes a kind made by defineKind; got undefined. Is it exported?',
    ],
    ['a machine', () => testKind(lampMachine as never), 'BAD_KIND', /got an object/],
    ['null', () => testKind(null as never), 'BAD_KIND', /got null/],
    ['options of null', () => testKind(lamp, null as never), 'BAD_OPTION', /got null/],
    [
      'another kind that was not exported',
      given((nothing) => testKind(lamp, { input: { watts: 1 }, kinds: [nothing] })),
      'BAD_KIND',
      /testKind\(lamp\): kinds takes only a kind made by defineKind; got undefined/,
    ],
    [
      'one kind for a list',
      () => testKind(lamp, { input: { watts: 1 }, kinds: lamp as never }),
      'BAD_OPTION',
      /kinds takes a list; got an object/,
    ],
    [
      'a link to nothing',
      given((nothing) => testKind(hand, { links: { lamp: nothing } })),
      'BAD_LINK',
      /link 'lamp' must lead to what testKind or stub gave; got undefined/,
    ],
    [
      'a link by an id',
      () => testKind(hand, { links: { lamp: 'lamp' as never } }),
      'BAD_LINK',
      /got "lamp"/,
    ],
    [
      'a list of links',
      () => testKind(hand, { links: [stub()] as never }),
      'BAD_OPTION',
      /links takes an object of options; got a list/,
    ],
    ['a stub of a value', () => stub('red' as never), 'BAD_OPTION', /stub takes .* got "red"/],
    ['a stub of null', () => stub(null as never), 'BAD_OPTION', /stub takes .* got null/],
    ['a stub that can "TAKE"', () => stub({ can: 'TAKE' as never }), 'BAD_OPTION', /got "TAKE"/],
    [
      'a change to nothing',
      given((nothing) => stub().change(nothing)),
      'BAD_OPTION',
      /stub.change takes/,
    ],
  ] as const)('%s', (_, make, code, message) => {
    expect(make).toThrowError(message);
    expect(make).toThrowError(expect.objectContaining({ code }));
  });
});
