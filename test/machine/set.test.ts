/** A machine put elsewhere from outside: no entry or exit, timers by the states left and newly active. */

import { describe, expect, it } from 'vitest';
import { assign, createMachine, setup } from 'xstate';
import { failing, Run } from './run.ts';

const timerOf = (state: string, delay: number | string, id = 'm') =>
  `xstate.after.${delay}.${id}.${state}`;

const set = (run: Run, change: Parameters<Run['logic']['set']>[1]) => {
  run.effects.take();
  run.state = run.logic.set(run.state, change, run.effects);
  return run.effects.take();
};

describe('set', () => {
  const machine = setup({
    types: { context: {} as { n: number } },
    actions: { left: () => {}, entered: () => {} },
    delays: { wait: ({ context }) => context.n * 10 },
  }).createMachine({
    id: 'm',
    context: { n: 1 },
    initial: 'a',
    states: {
      a: { after: { 10: 'b' }, exit: 'left' },
      b: {
        entry: ['entered', assign({ n: 99 })],
        initial: 'b1',
        after: { wait: 'a', 5: 'a' },
        states: { b1: { after: { 7: 'b2' } }, b2: { after: { 8: 'b1' } } },
      },
      gone: { always: { guard: ({ context }) => context.n > 5, target: 'end' } },
      end: { type: 'final' },
    },
  });

  it('moves timers, with delays of the new context, and runs no entry or exit action', () => {
    const run = new Run(machine);
    expect(set(run, { value: 'b', context: { n: 3 } })).toEqual([
      ['cancel', timerOf('a', 10)],
      ['schedule', timerOf('b', 5), { type: timerOf('b', 5) }, 5, undefined],
      ['schedule', timerOf('b', 'wait'), { type: timerOf('b', 'wait') }, 30, undefined],
      ['schedule', timerOf('b.b1', 7), { type: timerOf('b.b1', 7) }, 7, undefined],
    ]);
    expect(run.state).toMatchObject({ value: { b: 'b1' }, context: { n: 3 }, status: 'active' });
  });

  it('keeps the timers of states that stay active', () => {
    const run = new Run(machine);
    set(run, { value: 'b' });
    expect(set(run, { value: { b: 'b2' } })).toEqual([
      ['cancel', timerOf('b.b1', 7)],
      ['schedule', timerOf('b.b2', 8), { type: timerOf('b.b2', 8) }, 8, undefined],
    ]);
    expect(set(run, { context: { n: 4 } })).toEqual([]);
    expect(run.state).toMatchObject({ value: { b: 'b2' }, context: { n: 4 } });
  });

  it('then runs `always`, and always gives a new state', () => {
    const run = new Run(machine);
    const before = run.state;
    set(run, {});
    expect(run.state).not.toBe(before);
    expect(run.state).toEqual(before);
    set(run, { value: 'gone' });
    expect(run.state.value).toBe('gone');
    set(run, { context: { n: 6 } });
    expect(run.state).toMatchObject({ value: 'end', status: 'done' });
  });

  it('ends a record and brings one back that had ended', () => {
    const run = new Run(machine);
    expect(set(run, { value: 'end' })).toEqual([['cancel', timerOf('a', 10)]]);
    expect(run.state.status).toBe('done');
    set(run, { context: { n: 2 } });
    expect(run.state).toMatchObject({ status: 'done', context: { n: 2 } });
    expect(set(run, { value: 'a' })).toHaveLength(1);
    expect(run.state).toMatchObject({ status: 'active', value: 'a', output: undefined });
  });

  it('keeps what history remembers', () => {
    const run = new Run(
      createMachine({
        initial: 'p',
        states: {
          p: {
            initial: 'x',
            on: { OUT: 'q' },
            states: { x: { on: { NEXT: 'y' } }, y: {}, back: { type: 'history' } },
          },
          q: {},
          r: { on: { BACK: 'p.back' } },
        },
      }),
    );
    run.send('NEXT');
    run.send('OUT');
    set(run, { value: 'r' });
    run.send('BACK');
    expect(run.state.value).toEqual({ p: 'y' });
  });

  it('refuses states that do not exist', () => {
    const run = new Run(machine);
    const refused = (value: never) => failing(() => set(run, { value })).message;
    expect(refused('nowhere' as never)).toContain("There is no state 'nowhere'");
    expect(refused({ b: 'b9' } as never)).toBe(
      `There is no state 'b9' in the state value {"b":"b9"} of machine 'm'. State 'm.b' has: b1, b2.`,
    );
    expect(refused({ a: {}, b: 'b1' } as never)).toContain('Only one state can be active');
    expect(run.state.value).toBe('a');
  });
});

describe('heedsWake', () => {
  const heeds = (config: Parameters<typeof createMachine>[0]) => {
    const run = new Run(createMachine(config));
    return run.logic.heedsWake(run.state);
  };
  const guard = () => true;

  it.each<[string, Parameters<typeof createMachine>[0], boolean]>([
    ['nothing', {}, false],
    ['other events', { on: { GO: { actions: 'x' } } }, false],
    ['an always of its own', { always: { guard, actions: 'x' } }, true],
    [
      'an always of an ancestor',
      { always: { guard, actions: 'x' }, initial: 'a', states: { a: {} } },
      true,
    ],
    [
      'an always of a state that is not active',
      { initial: 'a', states: { a: {}, b: { always: 'a' } } },
      false,
    ],
    ['a handler', { on: { 'offstage.wake': { actions: 'x' } } }, true],
    ['a wildcard', { on: { 'offstage.*': { actions: 'x' } } }, true],
    ['any event', { on: { '*': { actions: 'x' } } }, true],
    ['a handler that does nothing', { on: { 'offstage.wake': {} } }, false],
    ['any event but ours', { on: { '*': { actions: 'x' }, 'offstage.*': {} } }, false],
    [
      'any event but ours, under a guard',
      { on: { '*': { actions: 'x' }, 'offstage.*': { guard } } },
      true,
    ],
    [
      'a parent’s handler that the child forbids',
      {
        on: { '*': { actions: 'x' } },
        initial: 'a',
        states: { a: { on: { 'offstage.wake': undefined } } },
      },
      false,
    ],
    [
      'a parent’s handler that one region forbids',
      {
        on: { '*': { actions: 'x' } },
        type: 'parallel',
        states: { a: {}, b: { on: { '*': {} } } },
      },
      false,
    ],
    [
      'a handler in one region, forbidden in the other',
      {
        type: 'parallel',
        states: { a: { on: { '*': { actions: 'x' } } }, b: { on: { '*': {} } } },
      },
      true,
    ],
    [
      'wildcards that do not match',
      { on: { 'off*': { actions: 'x' }, 'offstage.wake.*': {}, 'wake.*': {} } as never },
      false,
    ],
  ])('with %s', (_, config, expected) => {
    expect(heeds(config)).toBe(expected);
  });

  it('is false for a record that is done', () => {
    const run = new Run(
      createMachine({
        on: { '*': { actions: 'x' } },
        initial: 'a',
        states: { a: { type: 'final' } },
      }),
    );
    expect(run.logic.heedsWake(run.state)).toBe(false);
  });

  it('never says no where a wake would be taken', () => {
    const run = new Run(
      createMachine({
        on: { 'offstage.wake.*': { actions: 'x' }, 'offstage.wake': [{ guard }, { actions: 'x' }] },
      }),
    );
    // A guarded empty transition may pass, and then forbids; it is not known before.
    expect(run.logic.heedsWake(run.state)).toBe(true);
  });
});
