/** What `defineKind` gives, and what it refuses: each with the kind, the state and the cure. */

import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  and,
  assign,
  cancel,
  createActor,
  createMachine,
  enqueueActions,
  forwardTo,
  fromPromise,
  not,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate';
import { KindError } from '../../src/core/errors.ts';
import { defineKind } from '../../src/machine/define-kind.ts';

const plain = createMachine({ id: 'm', initial: 'a', states: { a: { on: { GO: 'b' } }, b: {} } });

/** Defines a kind as a JavaScript author might, and gives the error's code and message. */
function refusal(definition: Record<string, unknown>): string {
  try {
    defineKind({ name: 'station', version: 1, machine: plain, ...definition } as never);
  } catch (error) {
    if (error instanceof KindError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error('it was not refused');
}

/** The same for a machine of one state `busy`, under the id `station`. */
function refusedState(state: object, more: object = {}): string {
  const config = { id: 'station', initial: 'busy', states: { busy: state, idle: {} }, ...more };
  return refusal({ machine: createMachine(config as never) });
}

describe('a kind', () => {
  it('is frozen, keeps its machine, and has a value for every rule', () => {
    const kind = defineKind({ name: 'station', version: 1, machine: plain });
    expect(kind).toMatchObject({
      name: 'station',
      version: 1,
      machine: plain,
      links: {},
      relevancy: 'spatial',
      serverOnly: [],
      commands: {},
      urgent: false,
      order: 0,
      step: 'events',
      predict: [],
      exact: false,
      warnings: [],
    });
    for (const part of [
      kind,
      kind.links,
      kind.serverOnly,
      kind.commands,
      kind.predict,
      kind.warnings,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.keys(kind)).toEqual(
      expect.arrayContaining(['advance', 'shiftTimes', 'migrate', 'describe']),
    );
  });

  it('is typed by its machine', () => {
    const field = setup({
      types: {
        context: {} as { readonly moisture: number; readonly secret: number },
        events: {} as { type: 'DRY' } | { type: 'WATER'; litres: number },
      },
    }).createMachine({
      context: { moisture: 1, secret: 2 },
      on: {
        DRY: { actions: assign({ moisture: 0 }) },
        WATER: { actions: assign({ moisture: 1 }) },
      },
    });
    const kind = defineKind({
      name: 'field',
      version: 2,
      machine: field,
      links: { barn: 'stash', next: '*' },
      serverOnly: ['secret'],
      commands: { WATER: { type: 'object' } },
      predict: { DRY: (context, { time }) => time + context.moisture * 1000 },
      advance: (context, { from, to }) => ({
        ...context,
        moisture: context.moisture - (to - from),
      }),
      shiftTimes: (context, delta) => ({ ...context, secret: context.secret + delta }),
      describe: ({ context }) => `moisture ${context.moisture.toFixed()}`,
      step: { every: 500, phase: 10 },
      compile: false,
    });
    expect(kind.predict.map(([type]) => type)).toEqual(['DRY']);
    expect(kind.machine.id).toBe(field.id);
    const wrong = () => [
      // @ts-expect-error no such key of the context
      defineKind({ name: 'field', version: 1, machine: field, serverOnly: ['secrets'] }),
      // @ts-expect-error no such event
      defineKind({ name: 'field', version: 1, machine: field, predict: { WET: () => 1 } }),
      // @ts-expect-error no such option
      defineKind({ name: 'field', version: 1, machine: field, serveronly: [] }),
    ];
    expect(wrong).toThrow(KindError);
  });

  it('warns of a `*` that would take the world’s own events, and says how it would not', () => {
    const warned = (on: object, child: object = {}) =>
      defineKind({
        name: 'station',
        version: 1,
        machine: createMachine({
          id: 'm',
          on,
          initial: 'a',
          states: { a: { on: child } },
        } as never),
      }).warnings;
    expect(warned({ '*': { actions: () => {} } })).toEqual([
      "Kind 'station': state 'm' handles '*', which also takes 'offstage.wake' and 'offstage.step'. If it should not, add 'offstage.*': {} beside it.",
    ]);
    expect(warned({}, { '*': { target: 'a' } })[0]).toContain("state 'm.a' handles '*'");
    expect(warned({ '*': { actions: () => {} }, 'offstage.*': {} })).toEqual([]);
    expect(warned({ '*': {} })).toEqual([]);
    expect(warned({ '*': { actions: () => {} }, 'offstage.wake': { target: '.a' } })).toHaveLength(
      1,
    );
  });
});

describe('options are refused', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'no name',
      { name: undefined },
      'BAD_NAME Kind undefined: undefined is no name of a kind. A name has up to 64 lower case letters',
    ],
    [
      'a name with capitals',
      { name: 'Station' },
      'BAD_NAME Kind \'Station\': "Station" is no name of a kind.',
    ],
    ['a name with a slash', { name: 'a/b' }, 'BAD_NAME'],
    ['a name that is too long', { name: 'a'.repeat(65) }, 'BAD_NAME'],
    [
      'version 0',
      { version: 0 },
      "BAD_VERSION Kind 'station': version is 0. Give a positive integer; start with 1.",
    ],
    ['half a version', { version: 1.5 }, 'BAD_VERSION'],
    ['no version', { version: undefined }, 'BAD_VERSION'],
    [
      'a typing error',
      { serveronly: [] },
      `UNKNOWN_OPTION Kind 'station': there is no option 'serveronly'. Write serverOnly.`,
    ],
    [
      'an unknown option',
      { colour: 'red' },
      "UNKNOWN_OPTION Kind 'station': there is no option 'colour'. The options are: name, version,",
    ],
    ['links that are a list', { links: ['ore'] }, 'BAD_LINKS Kind \'station\': links is ["ore"].'],
    [
      'a link name with a dot',
      { links: { 'ore.x': 'stash' } },
      "BAD_LINKS Kind 'station': 'ore.x' is no link name.",
    ],
    [
      'a link to nowhere',
      { links: { ore: '' } },
      "BAD_LINKS Kind 'station': link 'ore' leads to \"\". Name a kind, or '*' for any.",
    ],
    [
      'an unknown relevancy',
      { relevancy: 'near' },
      'BAD_OPTION Kind \'station\': relevancy is "near".',
    ],
    ['half an order', { order: 0.5 }, "BAD_OPTION Kind 'station': order is 0.5. Give an integer"],
    ['an order beyond reach', { order: 2e6 }, 'BAD_OPTION'],
    ['a step that never ends', { step: { every: 0 } }, "BAD_STEP Kind 'station': step.every is 0."],
    [
      'a step of NaN',
      { step: { every: Number.NaN } },
      "BAD_STEP Kind 'station': step.every is NaN.",
    ],
    [
      'a negative phase',
      { step: { every: 5, phase: -1 } },
      "BAD_STEP Kind 'station': step.phase is -1.",
    ],
    ['an unknown step', { step: 'sometimes' }, 'BAD_STEP Kind \'station\': step is "sometimes".'],
    [
      'a step with more',
      { step: { every: 5, offset: 1 } },
      "BAD_STEP Kind 'station': step has no 'offset'.",
    ],
    [
      'urgent text',
      { urgent: 'yes' },
      'BAD_OPTION Kind \'station\': urgent is "yes". Give true or false.',
    ],
    [
      'an advance that is none',
      { advance: 5 },
      "BAD_OPTION Kind 'station': advance is 5. Give a function.",
    ],
    [
      'server-only text',
      { serverOnly: 'secret' },
      'BAD_OPTION Kind \'station\': serverOnly is "secret".',
    ],
    [
      'commands without a schema',
      { commands: { GO: true } },
      "BAD_OPTION Kind 'station': commands.GO is true. Give a JSON schema",
    ],
    [
      'a command nobody handles',
      { commands: { RUN: {} } },
      "NOT_HANDLED Kind 'station': commands names 'RUN', and no state of machine 'm' handles it.",
    ],
    [
      'a command of our own',
      { commands: { 'offstage.wake': {} } },
      "BAD_OPTION Kind 'station': commands names 'offstage.wake'.",
    ],
    [
      'a prediction that is a time',
      { predict: { GO: 5 } },
      "BAD_OPTION Kind 'station': predict.GO is 5. Give a function",
    ],
    [
      'a prediction nobody handles',
      { predict: { RUN: () => 1 } },
      "NOT_HANDLED Kind 'station': predict names 'RUN'",
    ],
    [
      'predictions that are a function',
      { predict: () => 1 },
      "BAD_OPTION Kind 'station': predict is a function.",
    ],
  ])('%s', (_, definition, message) => {
    expect(refusal(definition)).toContain(message);
  });

  it('no definition at all', () => {
    expect(() => defineKind(undefined as never)).toThrow('there is no definition');
  });

  it('server-only keys that a given context does not have', () => {
    const machine = createMachine({ context: { open: 1 } });
    expect(refusal({ machine, serverOnly: ['secret'] })).toContain(
      'serverOnly names "secret", which the context does not have. It has: open.',
    );
  });
});

describe('machines are refused', () => {
  const cure =
    'Give the machine that setup(…).createMachine(…) or createMachine(…) of XState 5 returns.';

  it.each<[string, unknown, string]>([
    ['none', undefined, 'there is no machine'],
    ['text', 'm', 'machine is "m"'],
    [
      'a configuration',
      { initial: 'a', states: { a: {} } },
      'machine is a configuration. Give it to createMachine first',
    ],
    ['an actor', createActor(plain), 'machine is an actor'],
    [
      'one of XState 4',
      { __xstatenode: true, id: 'm', states: {}, initialState: {} },
      'the machine was built by another version of XState',
    ],
    ['something else', {}, 'machine is no state machine'],
  ])('%s', (_, machine, message) => {
    expect(refusal({ machine })).toContain(`BAD_MACHINE Kind 'station': ${message}`);
    expect(refusal({ machine })).toContain(cure);
  });

  it('that invoke', () => {
    const loader = fromPromise(async () => 1);
    expect(refusedState({ invoke: { src: loader, id: 'loader' } })).toBe(
      `NO_ACTORS Kind 'station': state 'station.busy' invokes 'loader', and a record has no actors under it. ` +
        'Use `after` or `predict` for what takes time, and a record of its own, linked, for what has states of its own.',
    );
    expect(refusal({ machine: createMachine({ id: 'm', invoke: { src: loader } }) })).toContain(
      "state 'm' invokes '0.m'",
    );
  });

  it.each<[string, object, string]>([
    ['on entry', { entry: spawnChild(plain) }, "entry of state 'station.busy' uses spawnChild"],
    ['on exit', { exit: stopChild('x') }, "exit of state 'station.busy' uses stopChild"],
    [
      'in a transition',
      { on: { GO: { actions: spawnChild(plain) } } },
      "state 'station.busy', on 'GO' uses spawnChild",
    ],
    [
      'in a later choice',
      { on: { GO: [{ target: 'idle' }, { actions: spawnChild(plain) }] } },
      "on 'GO' uses spawnChild",
    ],
    [
      'in always',
      { always: { actions: spawnChild(plain) } },
      "state 'station.busy', always uses spawnChild",
    ],
    [
      'in after',
      { after: { 5: { actions: spawnChild(plain) } } },
      "on 'xstate.after.5.station.busy' uses spawnChild",
    ],
    [
      'in initial',
      { initial: { target: 'x', actions: spawnChild(plain) }, states: { x: {} } },
      "initial of state 'station.busy' uses spawnChild",
    ],
    [
      'in onDone',
      { onDone: { actions: spawnChild(plain) }, initial: 'x', states: { x: {} } },
      "on 'xstate.done.state.station.busy' uses spawnChild",
    ],
    [
      'deep inside',
      { initial: 'x', states: { x: { entry: spawnChild(plain) } } },
      "entry of state 'station.busy.x' uses spawnChild",
    ],
  ])('that make actors %s', (_, state, message) => {
    expect(refusedState(state)).toContain(
      `${message}, and a record has no actors under it. Use addRecord and removeRecord, and link the records.`,
    );
  });

  it('that make actors in a named action', () => {
    const machine = setup({
      actors: { plain },
      actions: { hire: spawnChild('plain') },
    }).createMachine({});
    expect(refusal({ machine })).toContain("action 'hire' uses spawnChild");
  });

  it('that hold an actor in their context', () => {
    const machine = createMachine({ context: { crew: [createActor(plain)] } });
    expect(refusal({ machine })).toContain(
      "NO_ACTORS Kind 'station': context.crew.0 holds an actor, and a record has no actors under it. Keep the id of a record instead, or a link.",
    );
    expect(refusal({ machine: createMachine({ context: { act: () => {} } }) })).toContain(
      "BAD_CONTEXT Kind 'station': context.act holds a function, which cannot be saved.",
    );
  });

  it('that talk to a parent, or to a link the kind does not declare', () => {
    expect(refusedState({ entry: sendParent({ type: 'X' }) })).toContain(
      `NO_ACTORS Kind 'station': entry of state 'station.busy' sends to a parent, and a record has none. Send to a link, sendTo('name', …), or answer with sendTo(() => byId(sender()), …).`,
    );
    expect(refusedState({ entry: sendTo('#_parent', { type: 'X' }) })).toContain(
      'sends to a parent',
    );
    expect(refusedState({ exit: forwardTo('ore') })).toContain(
      "BAD_LINKS Kind 'station': exit of state 'station.busy' sends to 'ore', and the kind declares no such link. Add it to `links` of the kind; declared: none.",
    );
    const machine = createMachine({ entry: sendTo('ore', { type: 'X' }) });
    expect(refusal({ machine, links: { bars: 'stash' } })).toContain('declared: bars.');
    expect(defineKind({ name: 'a', version: 1, machine, links: { ore: '*' } }).name).toBe('a');
  });

  it.each<[string, object, string]>([
    [
      'a guard',
      { on: { GO: { guard: 'lost', target: 'idle' } } },
      "state 'station.busy', on 'GO' names the guard 'lost'",
    ],
    [
      'a guard with parameters',
      { on: { GO: { guard: { type: 'lost', params: {} } } } },
      "names the guard 'lost'",
    ],
    [
      'a guard within others',
      { always: { guard: and([not('lost'), () => true]), target: 'idle' } },
      "always names the guard 'lost'",
    ],
    ['an action', { entry: 'lost' }, "entry of state 'station.busy' names the action 'lost'"],
    [
      'an action with parameters',
      { exit: { type: 'lost', params: {} } },
      "exit of state 'station.busy' names the action 'lost'",
    ],
    [
      'a delay',
      { after: { lost: 'idle' } },
      "state 'station.busy', after 'lost' names the delay 'lost'",
    ],
    [
      'a delay of a raise',
      { entry: raise({ type: 'X' }, { delay: 'lost' as never }) },
      "entry of state 'station.busy' names the delay 'lost'",
    ],
  ])('that name %s which is not there', (_, state, message) => {
    const refused = refusedState(state);
    expect(refused).toContain("NOT_IMPLEMENTED Kind 'station': ");
    expect(refused).toContain(message);
    expect(refused).toMatch(
      /, which is not implemented\. Add it to `(guards|actions|delays)` of setup\(\)\.$/,
    );
  });

  it('that name in their implementations what is not there', () => {
    const machine = (of: object) => ({ machine: setup(of as never).createMachine({}) });
    expect(
      refusal(machine({ guards: { both: and(['here', 'lost']), here: () => true } })),
    ).toContain("guard 'both' names the guard 'lost'");
    expect(
      refusal(machine({ actions: { later: raise({ type: 'X' }, { delay: 'lost' as never }) } })),
    ).toContain("action 'later' names the delay 'lost'");
    expect(refusedState({ on: { GO: { guard: stateIn('#lost'), target: 'idle' } } })).toContain(
      "UNKNOWN_STATE Kind 'station': state 'station.busy', on 'GO' asks stateIn('#lost'), and no state has that id.",
    );
  });

  it.each<[string, AnyStateMachine, string]>([
    [
      'below zero',
      createMachine({ after: { '-5': {} } }),
      "state '(machine)', after '-5': the delay is -5",
    ],
    [
      'of Infinity',
      createMachine({ after: { Infinity: {} } } as never),
      "after 'Infinity': the delay is Infinity",
    ],
    [
      'of NaN',
      createMachine({ entry: raise({ type: 'X' }, { delay: Number.NaN }) }),
      "entry of state '(machine)': the delay is NaN",
    ],
    [
      'of a message',
      createMachine({ entry: sendTo('ore', { type: 'X' }, { delay: -1 }) }),
      'the delay is -1',
    ],
    ['by name', setup({ delays: { wait: -1 } }).createMachine({}), "delay 'wait': the delay is -1"],
  ])('with a delay %s', (_, machine, message) => {
    expect(refusal({ machine, links: { ore: '*' } })).toContain(`BAD_DELAY Kind 'station': `);
    expect(refusal({ machine, links: { ore: '*' } })).toContain(message);
    expect(refusal({ machine, links: { ore: '*' } })).toContain(
      'A delay is a finite number of game milliseconds, 0 or more.',
    );
  });

  it('not for what only looks unusual', () => {
    const machine = setup({
      types: { context: {} as { n: number } },
      delays: { wait: 5, dynamic: ({ context }) => context.n },
      guards: { ok: () => true, both: and(['ok', () => true]) },
      actions: { act: () => {}, more: enqueueActions(({ enqueue }) => enqueue('act')) },
    }).createMachine({
      context: ({ input }) => ({ n: (input as { n: number }).n }),
      initial: 'a',
      entry: [
        cancel('x'),
        sendTo(({ self }) => self, { type: 'X' }),
        raise({ type: 'Y' }, { delay: 'wait' }),
      ],
      states: {
        a: {
          after: { wait: 'b', dynamic: 'b', 0: 'b', 1.5: 'b' },
          always: { guard: stateIn({ b: 'x' }), actions: 'more' },
          on: { 'a.*': { guard: 'both', target: 'hist' }, E: undefined },
        },
        b: { initial: 'x', states: { x: { type: 'final' } } },
        hist: { type: 'history' },
      },
    });
    expect(defineKind({ name: 'odd', version: 1, machine }).warnings).toEqual([]);
  });
});
