/** Machines run through XState itself: what a record relies on in a step, one story for each. */

import { describe, expect, it } from 'vitest';
import { assign, createActor, createMachine, raise } from 'xstate';
import type { MachineEvent, MachineState } from '../../src/core/logic.ts';
import { interpretMachine } from '../../src/machine/interpret.ts';
import { Recorder } from './recorded.ts';
import { failing, Run } from './run.ts';

describe('a step', () => {
  it('gives the same state, and asks for nothing, when nothing takes the event', () => {
    const run = new Run(
      createMachine({ initial: 'a', states: { a: { on: { GO: 'b', NEVER: {} } }, b: {} } }),
    );
    const before = run.state;
    expect(run.send('UNKNOWN')).toEqual([]);
    expect(run.state).toBe(before);
    expect(run.send('NEVER')).toEqual([]);
    expect(run.state).toBe(before);
    run.send('GO');
    expect(run.state.value).toBe('b');
  });

  it('gives a new state when something takes the event, even if all is as before', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        states: { a: { on: { AGAIN: { target: 'a', reenter: true }, NOTE: { actions: 'note' } } } },
      }),
    );
    for (const event of ['AGAIN', 'NOTE']) {
      const before = run.state;
      run.send(event);
      expect(run.state).not.toBe(before);
      expect(run.state).toEqual(before);
    }
  });

  it('gives a new state when only an `always` did something', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        states: {
          a: { always: { guard: ({ event }) => event.type === 'POKE', target: 'b' } },
          b: {},
        },
      }),
    );
    expect(run.logic.can(run.state, { type: 'POKE' })).toBe(false);
    run.send('POKE');
    expect(run.state.value).toBe('b');
  });

  it('takes nothing more once the machine is done, not even at its root', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        on: { ANY: { actions: 'note' } },
        output: ({ context }) => ({ of: context }),
        context: { n: 1 },
        states: { a: { on: { END: 'b' } }, b: { type: 'final' } },
      }),
    );
    run.send('END');
    expect(run.state).toMatchObject({ status: 'done', output: { of: { n: 1 } }, value: 'b' });
    const done = run.state;
    expect(run.logic.can(done, { type: 'ANY' })).toBe(false);
    expect(run.send('ANY')).toEqual([]);
    expect(run.state).toBe(done);
  });

  it('keeps nothing of XState: a state is plain enough to be saved', () => {
    const machine = createMachine({
      initial: 'p',
      context: { n: 1 },
      states: {
        p: {
          tags: ['busy', 'seen'],
          initial: 'x',
          on: { OUT: 'q' },
          states: { x: { on: { NEXT: 'y' } }, y: { tags: 'late' }, back: { type: 'history' } },
        },
        q: { on: { BACK: 'p.back' } },
      },
    });
    const run = new Run(machine);
    run.send('NEXT');
    expect(run.state.tags).toEqual(['busy', 'seen', 'late']);
    run.send('OUT');
    expect(run.state.historyValue).toEqual({ '(machine).p.back': ['(machine).p.y'] });
    const saved: MachineState = JSON.parse(JSON.stringify(run.state));
    const loaded = interpretMachine(machine).step(saved, { type: 'BACK' }, new Recorder());
    expect(loaded.value).toEqual({ p: 'y' });
    // Without its history the state is entered as for the first time.
    const forgotten = { ...saved, historyValue: {} };
    expect(run.logic.step(forgotten, { type: 'BACK' }, new Recorder()).value).toEqual({ p: 'x' });
  });

  it('leaves a history out that names states a changed machine no longer has', () => {
    const run = new Run(
      createMachine({
        initial: 'q',
        states: {
          p: { initial: 'x', states: { x: {}, back: { type: 'history' } } },
          q: { on: { BACK: 'p.back' } },
        },
      }),
    );
    const old = { ...run.state, historyValue: { '(machine).p.back': ['(machine).p.gone'] } };
    expect(run.logic.step(old, { type: 'BACK' }, run.effects).value).toEqual({ p: 'x' });
  });

  it('shares one value and one list of tags among all states that are in the same states', () => {
    const machine = createMachine({
      type: 'parallel',
      states: { a: { initial: 'x', states: { x: { tags: 't' } } }, b: {} },
    });
    const logic = interpretMachine(machine);
    const one = logic.initial(undefined, new Recorder());
    const other = logic.initial(undefined, new Recorder());
    expect(other.value).toBe(one.value);
    expect(other.tags).toBe(one.tags);
    expect(Object.isFrozen(one.value)).toBe(true);
  });

  it('refuses event types that XState keeps for itself', () => {
    const run = new Run(createMachine({}));
    for (const type of ['xstate.stop', 'xstate.init', '*', 'xstate.error.actor.x']) {
      expect(failing(() => run.send(type))).toMatchObject({ code: 'BAD_EVENT' });
      expect(run.logic.can(run.state, { type })).toBe(false);
    }
  });

  it('throws what is thrown on entry, where XState would give a snapshot with an error', () => {
    const broken = createMachine({
      entry: () => {
        throw new Error('no room');
      },
    });
    expect(() => new Run(broken)).toThrow('no room');
  });

  it('throws for a state that the machine does not have, naming it', () => {
    const run = new Run(createMachine({ id: 'm', initial: 'a', states: { a: {}, b: {} } }));
    const old = { ...run.state, value: 'gone' };
    expect(failing(() => run.logic.step(old, { type: 'X' }, run.effects))).toMatchObject({
      code: 'UNKNOWN_STATE',
      message:
        "There is no state 'gone' in the state value \"gone\" of machine 'm'. State 'm' has: a, b.",
    });
    for (const value of ['toString', { a: 'x' }, { constructor: {} }, 7, null]) {
      const bad = { ...run.state, value: value as never };
      expect(failing(() => run.logic.can(bad, { type: 'X' })).code).toBe('UNKNOWN_STATE');
    }
  });
});

describe('a macrostep', () => {
  it('tries `always` before what was raised', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        states: {
          a: { on: { GO: 'b' } },
          b: { entry: raise({ type: 'R' }), always: 'c', on: { R: 'wrong' } },
          c: { on: { R: 'd' } },
          d: {},
          wrong: {},
        },
      }),
    );
    run.send('GO');
    expect(run.state.value).toBe('d');
  });

  it('runs a targetless `always` once, and one that re-enters its own state once', () => {
    const run = new Run(
      createMachine({
        type: 'parallel',
        states: {
          a: { always: { actions: 'noted' } },
          b: { always: { target: 'b', reenter: true }, entry: 'entered' },
        },
      }),
    );
    expect(run.actions('X')).toEqual(['noted', 'entered']);
  });

  it('ends a loop of `always` with the states that go round', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'rest',
      states: { rest: { on: { GO: 'a' } }, a: { always: 'b' }, b: { always: 'a' } },
    });
    const run = new Run(machine);
    const before = run.state;
    const error = failing(() => run.send('GO'));
    expect(error.code).toBe('MICROSTEP_LOOP');
    expect(error.message).toMatch(
      /Machine 'm' made 1000 microsteps for one event without coming to rest and is now in "[ab]"/,
    );
    expect(run.state).toBe(before);
    expect(failing(() => new Run(createMachine({ ...machine.config, initial: 'a' }))).code).toBe(
      'MICROSTEP_LOOP',
    );
  });

  it('keeps a limit that the machine sets itself', () => {
    const run = new Run(
      createMachine({
        options: { maxIterations: 5 },
        initial: 'a',
        states: { a: { on: { R: { actions: raise({ type: 'R' }) } } } },
      }),
    );
    expect(failing(() => run.send('R')).message).toContain('made 5 microsteps');
  });

  it('exits inside out, acts, then enters outside in, each node in XState’s own order', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        states: {
          a: {
            initial: 'a1',
            exit: 'exit a',
            states: { a1: { exit: 'exit a1', after: { 100: 'a1' } } },
            on: { GO: { target: 'b', actions: 'going' } },
          },
          b: {
            entry: 'enter b',
            after: { 50: 'a' },
            initial: { target: 'b1', actions: 'initial of b' },
            states: { b1: { entry: 'enter b1' } },
          },
        },
      }),
    );
    const order = run.send('GO').map((call) => (call as unknown[]).slice(0, 2).join(' '));
    expect(order).toEqual([
      'custom exit a1',
      'cancel xstate.after.100.(machine).a.a1',
      'custom exit a',
      'custom going',
      'custom enter b',
      'schedule xstate.after.50.(machine).b',
      'custom initial of b',
      'custom enter b1',
    ]);
  });

  it('keeps the timers of a state that targets itself, and restarts them if it re-enters', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        states: {
          a: { after: { 10: 'a' }, on: { STAY: 'a', AGAIN: { target: 'a', reenter: true } } },
        },
      }),
    );
    expect(run.send('STAY')).toEqual([]);
    const id = 'xstate.after.10.(machine).a';
    expect(run.send('AGAIN')).toEqual([
      ['cancel', id],
      ['schedule', id, { type: id }, 10, undefined],
    ]);
  });

  it('lets a child’s `*` swallow the timer of its parent', () => {
    const run = new Run(
      createMachine({
        initial: 'p',
        states: {
          p: { after: { 10: 'q' }, initial: 'c', states: { c: { on: { '*': {} } } } },
          q: {},
        },
      }),
    );
    const before = run.state;
    run.send('xstate.after.10.(machine).p');
    expect(run.state).toBe(before);
  });

  it('takes the `always` of two regions in the order of the machine, however they were entered', () => {
    const region = (name: string) => ({
      initial: 'x',
      states: {
        x: { on: { [`TO_${name}`]: 'y' } },
        y: {
          always: {
            guard: ({ event }: { event: MachineEvent }) => event.type === 'NOW',
            actions: name,
          },
        },
      },
    });
    const machine = createMachine({ type: 'parallel', states: { a: region('A'), b: region('B') } });
    const run = new Run(machine);
    run.send('TO_B');
    run.send('TO_A');
    const saved: MachineState = JSON.parse(
      // A save may well sort keys in its own way.
      JSON.stringify({ ...run.state, value: { b: 'y', a: 'y' } }),
    );
    expect(run.actions('NOW')).toEqual(['A', 'B']);
    run.state = saved;
    expect(run.actions('NOW')).toEqual(['A', 'B']);
    expect(JSON.stringify(run.state.value)).toBe('{"a":"y","b":"y"}');
  });
});

describe('the author’s machine', () => {
  it('is left as it is: an actor of it runs as before', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { after: { 1000: 'b' }, on: { GO: { guard: () => true, target: 'b' } } },
        b: {},
      },
    });
    const { entry, exit } = machine.states.a as unknown as Record<'entry' | 'exit', unknown[]>;
    new Run(machine).send('GO');
    expect([entry.length, exit.length]).toEqual([1, 1]);
    expect(machine.options.maxIterations).toBe(Number.POSITIVE_INFINITY);
    const actor = createActor(machine).start();
    actor.send({ type: 'GO' });
    expect(actor.getSnapshot().value).toBe('b');
    actor.stop();
  });

  it('may be asked with any number of event types: memory does not grow with them', async () => {
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const run = new Run(
      createMachine({
        context: { n: 0 },
        on: { '*': { actions: assign({ n: ({ context }) => context.n + 1 }) } },
      }),
    );
    const used = () => {
      for (let i = 0; i < 4; i += 1) collect();
      return process.memoryUsage().heapUsed;
    };
    for (let i = 0; i < 2000; i += 1) run.send(`warm-${i}`);
    const before = used();
    for (let i = 0; i < 50_000; i += 1) run.send(`type-${i}`);
    expect(run.state.context).toEqual({ n: 52_000 });
    expect(used() - before).toBeLessThan(2_000_000);
  });
});
