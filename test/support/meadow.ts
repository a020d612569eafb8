/**
 * A few small kinds for tests of what lies around the world: a lamp with a timer, commands and a
 * secret, a cart that moves, a box of what JSON cannot hold, a bell that everyone hears.
 */
import { defineKind, moveTo } from 'offstage';
import { Type } from 'typebox';
import { assign, emit, setup } from 'xstate';

/** Stands in every server-only field here; it must never leave a server. */
export const CANARY = 'canary-7f3a9c';

const lampMachine = setup({
  types: {
    context: {} as { level: number; lit: number; secret: string; note: string },
    events: {} as
      | { type: 'TOGGLE' }
      | { type: 'DIM'; level: number }
      | { type: 'NOTE'; text?: string }
      | { type: 'FAIL' },
  },
  actions: {
    fail: () => {
      throw new Error(`The lamp broke; ${CANARY}.`);
    },
  },
}).createMachine({
  id: 'lamp',
  context: { level: 1, lit: 0, secret: CANARY, note: '' },
  initial: 'off',
  on: {
    DIM: { actions: assign({ level: ({ event }) => event.level }) },
    NOTE: {
      actions: assign({
        secret: `${CANARY}-again`,
        note: ({ context, event }) => event.text ?? context.note ?? '',
      }),
    },
  },
  states: {
    off: {
      tags: ['dark'],
      on: { TOGGLE: { target: 'on', actions: assign({ lit: ({ context }) => context.lit + 1 }) } },
    },
    on: { after: { 1000: 'off' }, on: { TOGGLE: 'off', FAIL: { actions: 'fail' } } },
  },
});

export const lamp = defineKind({
  name: 'lamp',
  version: 1,
  machine: lampMachine,
  serverOnly: ['secret'],
  commands: {
    TOGGLE: Type.Object({}),
    DIM: Type.Object({ level: Type.Number({ minimum: 0, maximum: 10 }) }),
    NOTE: Type.Object({ text: Type.Optional(Type.String()) }),
    FAIL: Type.Object({}),
  },
  describe: ({ context }) => `lit ${context.lit} times`,
});

const cartMachine = setup({
  types: {
    context: {} as { trips: number },
    events: {} as { type: 'GO'; to: readonly number[] },
  },
  actions: {
    go: moveTo(({ event }) => (event as unknown as { to: readonly number[] }).to),
  },
}).createMachine({
  id: 'cart',
  context: { trips: 0 },
  on: { GO: { actions: ['go', assign({ trips: ({ context }) => context.trips + 1 })] } },
});

export const cart = defineKind({
  name: 'cart',
  version: 1,
  machine: cartMachine,
  commands: { GO: Type.Object({ to: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }) }) },
});

const boxMachine = setup({
  types: {
    context: {} as { items: ReadonlyMap<string, number>; since: Date; size: bigint; name: string },
    events: {} as { type: 'PUT'; item: string } | { type: 'NAME'; name: string },
  },
}).createMachine({
  id: 'box',
  context: () => ({ items: new Map(), since: new Date(0), size: 3n, name: 'box' }),
  on: {
    PUT: {
      actions: assign({
        items: ({ context, event }) =>
          new Map(context.items).set(event.item, (context.items.get(event.item) ?? 0) + 1),
      }),
    },
    NAME: { actions: assign({ name: ({ event }) => event.name }) },
  },
});

export const box = defineKind({ name: 'box', version: 2, machine: boxMachine });

const bellMachine = setup({
  types: { context: {} as { rung: number }, emitted: {} as { type: 'RING'; n: number } },
}).createMachine({
  id: 'bell',
  context: { rung: 0 },
  initial: 'hanging',
  states: {
    hanging: {
      after: {
        500: {
          target: 'hanging',
          reenter: true,
          actions: [
            assign({ rung: ({ context }) => context.rung + 1 }),
            emit(({ context }) => ({ type: 'RING', n: context.rung })),
          ],
        },
      },
    },
  },
});

const bell = defineKind({
  name: 'bell',
  version: 1,
  machine: bellMachine,
  relevancy: 'always',
});

export const meadowKinds = [lamp, cart, box, bell];
