/** Timers of a machine: `after`, delayed raises and messages, and delays that cannot be waited for. */

import { describe, expect, it } from 'vitest';
import { assign, cancel, createMachine, enqueueActions, raise, sendTo, setup } from 'xstate';
import { failing, Run } from './run.ts';

describe('timers', () => {
  it('are set one for each delay key, whole numbers first, after the entry actions of the state', () => {
    const run = new Run(
      setup({
        types: { context: {} as { n: number }, events: {} as { type: 'GO'; by: number } },
        delays: {
          byContext: ({ context }) => context.n * 100,
          byEvent: ({ event }) => event.by,
        },
      }).createMachine({
        context: { n: 1 },
        initial: 'a',
        states: {
          a: { on: { GO: 'b' } },
          b: {
            entry: assign({ n: 7 }),
            after: {
              byContext: 'a',
              30: 'a',
              byEvent: [{ guard: () => false, target: 'a' }],
              20: 'a',
            },
          },
        },
      }),
    );
    const delays = run.send({ type: 'GO', by: 3 }).map((call) => (call as unknown[])[3]);
    expect(delays).toEqual([20, 30, 700, 3]);
  });

  it('are set and cancelled again by a state that is passed through', () => {
    const run = new Run(
      createMachine({
        initial: 'a',
        states: { a: { on: { GO: 'b' } }, b: { after: { 10: 'a' }, always: 'c' }, c: {} },
      }),
    );
    const id = 'xstate.after.10.(machine).b';
    expect(run.send('GO')).toEqual([
      ['schedule', id, { type: id }, 10, undefined],
      ['cancel', id],
    ]);
  });

  it('of raise and cancel share their ids with those of sendTo; undelayed raises set none', () => {
    const run = new Run(
      createMachine({
        on: {
          GO: {
            actions: [
              raise({ type: 'LATER' }, { id: 'one', delay: 5 }),
              sendTo('ore', { type: 'TAKE' }, { id: 'two', delay: 6 }),
              cancel('one'),
              raise({ type: 'NOW' }),
              raise({ type: 'NAMELESS' }, { delay: 0 }),
            ],
          },
          NOW: { actions: 'now' },
        },
      }),
    );
    expect(run.send('GO')).toEqual([
      ['schedule', 'one', { type: 'LATER' }, 5, undefined],
      ['schedule', 'two', { type: 'TAKE' }, 6, 'ore'],
      ['cancel', 'one'],
      // Without an id of its own, a timer has the empty one, which no save has to draw at random.
      ['schedule', '', { type: 'NAMELESS' }, 0, undefined],
      ['custom', 'now', undefined, {}, { type: 'NOW' }],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['NaN', Number.NaN, 'is NaN'],
    ['a negative number', -1, 'is -1'],
    ['Infinity', Number.POSITIVE_INFINITY, 'is Infinity'],
    ['nothing', undefined, 'is undefined, not a number'],
    ['text', '5', "is '5', not a number"],
  ])('fail with a delay of %s, which XState would take', (_, given, flaw) => {
    const run = new Run(
      setup({ delays: { round: () => given as number } }).createMachine({
        id: 'station',
        initial: 'idle',
        states: {
          idle: {
            on: {
              GO: 'busy',
              RAISE: { actions: raise({ type: 'X' }, { delay: 'round' }) },
              ENQUEUE: {
                actions: enqueueActions(({ enqueue }) => {
                  enqueue.raise({ type: 'X' }, { delay: () => given as number });
                }),
              },
            },
          },
          busy: { after: { round: 'idle' } },
        },
      }),
    );
    const rule = 'A delay is a finite number of game milliseconds, 0 or more.';
    expect(failing(() => run.send('GO'))).toMatchObject({
      code: 'BAD_DELAY',
      message: `The delay 'round' in \`after\` of state 'station.busy' ${flaw}. ${rule}`,
    });
    expect(failing(() => run.send('RAISE')).message).toBe(
      `The delay 'round' in a transition of state 'station.idle' ${flaw}. ${rule}`,
    );
    expect(failing(() => run.send('ENQUEUE')).code).toBe('BAD_DELAY');
    expect(run.state.value).toBe('idle');
  });

  it('fail with a delay that is named but not there', () => {
    const run = new Run(
      createMachine({
        id: 'm',
        initial: 'a',
        states: { a: { on: { GO: 'b' } }, b: { after: { lost: 'a' } } },
      } as never),
    );
    expect(failing(() => run.send('GO'))).toMatchObject({
      code: 'BAD_DELAY',
      message:
        "The delay 'lost' in `after` of state 'm.b' is not implemented. Add it to `delays` of setup().",
    });
  });
});
