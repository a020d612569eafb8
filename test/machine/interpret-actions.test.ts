/** Actions and guards of a machine: in their place, in their order, with what they are given. */

import { describe, expect, it } from 'vitest';
import { and, assign, createMachine, emit, enqueueActions, log, not, sendTo, setup } from 'xstate';
import { ambient } from '../../src/core/ambient.ts';
import { WorldError } from '../../src/core/errors.ts';
import type { MachineState } from '../../src/core/logic.ts';
import { byId } from '../../src/machine/addresses.ts';
import { Recorder } from './recorded.ts';
import { failing, Run } from './run.ts';

describe('actions', () => {
  it('run in their place: what follows sees what they did', () => {
    let ore = 3;
    const take = () => {
      ore -= 1;
    };
    const run = new Run(
      createMachine({
        context: { seen: [] as number[] },
        initial: 'a',
        states: {
          a: {
            on: {
              GO: {
                target: 'b',
                actions: [
                  take,
                  assign({ seen: ({ context }) => [...context.seen, ore] }),
                  take,
                  assign({ seen: ({ context }) => [...context.seen, ore] }),
                ],
              },
            },
          },
          b: { always: { guard: () => ore === 1, target: 'c' } },
          c: {},
        },
      }),
    );
    run.send('GO');
    expect(run.state).toMatchObject({ value: 'c', context: { seen: [2, 1] } });
  });

  it('come with their name, their parameters and the context as it is at their place', () => {
    const run = new Run(
      setup({
        types: { context: {} as { n: number }, emitted: {} as { type: 'told' } },
        actions: { note: (_, __: { n: number }) => {} },
      }).createMachine({
        context: { n: 1 },
        on: {
          GO: {
            actions: [
              { type: 'note', params: ({ context }) => ({ n: context.n }) },
              assign({ n: 2 }),
              { type: 'note', params: ({ context }) => ({ n: context.n }) },
              function inline() {},
              log('said', 'label'),
              emit({ type: 'told' }),
            ],
          },
        },
      }),
    );
    const event = { type: 'GO' };
    expect(run.send(event)).toEqual([
      ['custom', 'note', { n: 1 }, { n: 1 }, event],
      ['custom', 'note', { n: 2 }, { n: 2 }, event],
      ['custom', 'inline', undefined, { n: 2 }, event],
      ['custom', 'xstate.log', { value: 'said', label: 'label' }, { n: 2 }, event],
      ['emit', { type: 'told' }],
    ]);
  });

  it('send to links by name, to addresses, and to the record itself, on the first entry too', () => {
    const stash = byId('stash-7');
    const run = new Run(
      createMachine({
        entry: [
          sendTo('ore', { type: 'HELLO' }),
          sendTo(() => stash, { type: 'HELLO' }),
          sendTo(({ self }) => self, { type: 'HELLO' }),
          sendTo(() => undefined as unknown as string, { type: 'HELLO' }),
          sendTo('ore', { type: 'LATER' }, { id: 'x', delay: 9 }),
        ],
      }),
    );
    expect(run.effects.take()).toEqual([
      ['send', 'ore', { type: 'HELLO' }],
      ['send', stash, { type: 'HELLO' }],
      ['send', undefined, { type: 'HELLO' }],
      ['send', undefined, { type: 'HELLO' }],
      ['schedule', 'x', { type: 'LATER' }, 9, 'ore'],
    ]);
  });

  it('of enqueueActions check and see what was before their own assigns', () => {
    const run = new Run(
      setup({
        types: { context: {} as { n: number } },
        guards: { isOne: ({ context }) => context.n === 1 },
      }).createMachine({
        context: { n: 1 },
        on: {
          GO: {
            actions: enqueueActions(({ enqueue, check, context }) => {
              enqueue.assign({ n: 2 });
              if (check('isOne') && context.n === 1) enqueue(() => {});
            }),
          },
        },
      }),
    );
    expect(run.send('GO')).toHaveLength(1);
    expect(run.state.context).toEqual({ n: 2 });
  });

  it('may step another record of the same machine in the middle, and then go on', () => {
    const other = new Recorder();
    let state: MachineState | undefined;
    const machine = createMachine({
      context: { n: 0 },
      initial: 'a',
      on: { POKE: { actions: ['poked', assign({ n: 5 }), emit({ type: 'poked' })] } },
      states: {
        a: {
          on: {
            GO: {
              target: 'b',
              actions: [
                'before',
                () => {
                  const begun = run.logic.initial(undefined, other);
                  state = run.logic.step(begun, { type: 'POKE' }, other);
                },
                'after',
                assign({ n: 1 }),
              ],
            },
          },
        },
        b: { entry: 'entered' },
      },
    });
    const run = new Run(machine);
    expect(run.actions('GO')).toEqual(['before', '(anonymous)', 'after', 'entered']);
    expect(run.state).toMatchObject({ value: 'b', context: { n: 1 } });
    expect(state).toMatchObject({ value: 'a', context: { n: 5 } });
    expect(other.take()).toEqual([
      ['custom', 'poked', undefined, { n: 0 }, { type: 'POKE' }],
      ['emit', { type: 'poked' }],
    ]);
  });

  it('that need an actor fail and say what to do instead', () => {
    const child = createMachine({});
    const run = new Run(
      createMachine({
        id: 'm',
        context: {},
        on: {
          SPAWN: { actions: assign({ child: ({ spawn }) => spawn(child) }) },
          TALK: { actions: ({ self }) => self.send({ type: 'X' }) },
          PARENT: { actions: sendTo('#_parent', { type: 'X' }) },
        },
      }),
    );
    expect(failing(() => run.send('SPAWN')).message).toBe(
      "spawn of machine 'm': a record is no actor and has none under it. " +
        'Make what it runs a record of its own, with addRecord.',
    );
    expect(failing(() => run.send('TALK')).message).toContain(
      'Use raise, or sendTo without a target',
    );
    expect(() => run.send('PARENT')).toThrow("Unable to send event to actor '#_parent'");
  });
});

describe('guards', () => {
  it('are under watch while they run, wherever they stand, and nothing else is', () => {
    const seen: string[] = [];
    const watch = (name: string) => {
      seen.push(`${name} ${ambient.inGuard ? 'in a guard' : 'free'}`);
      return true;
    };
    const run = new Run(
      setup({
        types: { context: {} as { n: number } },
        guards: { named: () => watch('named'), nested: and([() => watch('nested')]) },
        delays: { wait: () => (watch('delay') ? 5 : 0) },
      }).createMachine({
        context: { n: 0 },
        initial: 'a',
        states: {
          a: {
            on: {
              GO: {
                guard: and(['named', 'nested', not(not(() => watch('inline'))), 'named']),
                target: 'b',
                actions: [
                  assign({ n: () => (watch('assign') ? 1 : 0) }),
                  () => watch('action'),
                  enqueueActions(({ check }) => {
                    watch('collect');
                    check('named');
                    check(() => watch('checked inline'));
                  }),
                ],
              },
            },
          },
          b: { after: { wait: 'c' }, always: { guard: () => watch('always'), target: 'c' } },
          c: {},
        },
      }),
    );
    run.send('GO');
    expect(seen).toEqual([
      'named in a guard',
      'nested in a guard',
      'inline in a guard',
      'named in a guard',
      'assign free',
      'action free',
      'collect free',
      'named in a guard',
      'checked inline in a guard',
      'delay free',
      'always in a guard',
    ]);
    expect(ambient.inGuard).toBe(false);
  });

  it('throw what they throw when it has a code, and name their place when it has none', () => {
    const run = new Run(
      createMachine({
        id: 'm',
        initial: 'a',
        states: {
          a: {
            on: {
              CODED: {
                target: 'a',
                guard: () => {
                  throw new WorldError('SOME_CODE', 'because');
                },
              },
              PLAIN: {
                target: 'a',
                guard: () => {
                  throw new TypeError('oops');
                },
              },
            },
          },
        },
      }),
    );
    expect(failing(() => run.send('CODED'))).toMatchObject({
      code: 'SOME_CODE',
      message: 'because',
    });
    expect(() => run.send('PLAIN')).toThrow(
      "Unable to evaluate guard in transition for event 'PLAIN' in state node 'm.a':\noops",
    );
    expect(ambient.inGuard).toBe(false);
  });
});
