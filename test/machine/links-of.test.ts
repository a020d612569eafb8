/** `linksOf` in types: tsc reads this file, and each `@ts-expect-error` must be one. */

import { describe, expect, expectTypeOf, it } from 'vitest';
import { assign, sendTo, setup } from 'xstate';
import { all, byId } from '../../src/machine/addresses.ts';
import {
  edit as editAny,
  linked as linkedAny,
  linksOf,
  tryEdit as tryAny,
} from '../../src/machine/index.ts';
import { ferryMachine } from './typed-links/ferry.machine.ts';
import { harbourMachine } from './typed-links/harbour.machine.ts';

interface Take {
  readonly type: 'TAKE';
  readonly count: number;
}

const stashMachine = setup({
  types: {
    context: {} as { readonly ore: number },
    events: {} as Take | { type: 'PUT'; count: number },
  },
}).createMachine({
  context: { ore: 0 },
  initial: 'open',
  states: { open: {}, shut: { initial: 'tight', states: { tight: {} } } },
});

const { linked, edit, tryEdit } = linksOf<{
  ore: typeof stashMachine;
  bars: typeof stashMachine;
}>();

describe('linksOf', () => {
  it('gives the same functions as the untyped forms', () => {
    expect([linked, edit, tryEdit]).toEqual([linkedAny, editAny, tryAny]);
  });

  it('types what `linked` gives by the machine at the end of the link', () => {
    type Found = NonNullable<ReturnType<typeof linked<'ore'>>>;
    expectTypeOf<Found['context']>().toEqualTypeOf<{ readonly ore: number }>();
    expectTypeOf<Found['value']>().toEqualTypeOf<'open' | { shut: 'tight' }>();
    expectTypeOf<Parameters<Found['can']>[0]['type']>().toEqualTypeOf<'TAKE' | 'PUT'>();
    expectTypeOf<Found['id']>().toEqualTypeOf<string>();
    const asked = () => {
      linked('ore')?.matches('shut');
      // @ts-expect-error no such state
      linked('ore')?.matches('ajar');
      // @ts-expect-error no such link
      linked('oer');
      // @ts-expect-error no such event
      linked('ore')?.can({ type: 'TAK', count: 1 });
    };
    expect(asked).toThrow();
  });

  it('types the events of `edit` and `tryEdit`, inside setup and inline', () => {
    const station = setup({
      types: {
        context: {} as { readonly need: number; readonly customer: string },
        events: {} as { type: 'GO' } | { type: 'SHORT'; by: number },
      },
      guards: {
        enough: ({ context }) => (linked('ore')?.context.ore ?? 0) >= context.need,
      },
      actions: {
        take: edit('ore', ({ context }) => ({ type: 'TAKE', count: context.need })),
        takeSome: edit('ore', (_, params: { count: number }) => ({
          type: 'TAKE',
          count: params.count,
        })),
        grab: tryEdit('ore', { type: 'TAKE', count: 1 }, { else: { type: 'SHORT', by: 1 } }),
        // @ts-expect-error no such event of the linked machine
        takeWrong: edit('ore', ({ context }) => ({ type: 'TAK', count: context.need })),
        // @ts-expect-error count is a number
        takeText: edit('ore', { type: 'TAKE', count: 'one' }),
        // @ts-expect-error no such link
        takeElsewhere: edit('oer', { type: 'TAKE', count: 1 }),
        // @ts-expect-error no such event of our own
        grabWrong: tryEdit('ore', { type: 'TAKE', count: 1 }, { else: { type: 'LONG' } }),
        tell: sendTo(({ context }) => byId(context.customer), { type: 'SERVED' }),
        tellAll: sendTo(() => all({ kind: 'camp' }), { type: 'SERVED' }),
      },
    }).createMachine({
      context: { need: 1, customer: 'a' },
      initial: 'idle',
      states: {
        idle: {
          on: {
            GO: {
              guard: 'enough',
              target: 'busy',
              actions: [
                'take',
                { type: 'takeSome', params: { count: 1 } },
                edit('bars', ({ context }) => ({ type: 'PUT', count: context.need })),
                tryEdit(
                  'bars',
                  { type: 'PUT', count: 1 },
                  { else: ({ context }) => ({ type: 'SHORT', by: context.need }) },
                ),
              ],
            },
            SHORT: {
              actions: [
                edit('ore', ({ event }) => ({ type: 'TAKE', count: event.by })),
                assign({ need: 2 }),
              ],
            },
          },
        },
        busy: {},
      },
    });
    expect(station.id).toBe('(machine)');
  });

  it('lets two machine files link to each other by their types', () => {
    expect([ferryMachine.id, harbourMachine.id]).toEqual(['ferry', 'harbour']);
  });
});
