/**
 * A caravan: it loads at one stash, walks a route, unloads at another and comes back. It waits where
 * nothing is to carry or no room is left, and is woken by the stash. It moves in strides short enough
 * for whoever stands beside the road to see it pass; the line between two places is in `stride`.
 */
import { at, linksOf, moveTo, now } from 'offstage';
import { assign, emit, enqueueActions, setup } from 'xstate';
import { badInput, givenInput, isPositive, wholeNumber } from './input.ts';
import { checkedItem, countOf, totalOf } from './items.ts';
import { checkedRoute, placeAfter, type Route, stridesOf, timeOfStride } from './route.ts';
import type { stashMachine } from './stash.machine.ts';

const { linked, edit } = linksOf<{ from: typeof stashMachine; to: typeof stashMachine }>();

export interface CaravanInput {
  /** The item it carries. */
  readonly item: string;
  /** How many it carries at the most. */
  readonly hold: number;
  /** With fewer than this it does not set out by itself. Default 1. */
  readonly atLeast?: number;
  /** The way from where it is added: where each leg ends, and how long it takes in game milliseconds. */
  readonly route: readonly { readonly at: readonly number[]; readonly milliseconds: number }[];
  /** The longest way it goes in one move, in world units. Default 2500. */
  readonly strideLength?: number;
}

/** What is between two moves, for drawing: two places and the game times at them. */
export interface Stride {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly since: number;
  readonly until: number;
}

export interface CaravanContext {
  readonly item: string;
  readonly hold: number;
  readonly atLeast: number;
  readonly route: Route;
  /** How many it carries now. */
  readonly cargo: number;
  /** All that it ever delivered. */
  readonly delivered: number;
  /** How many strides from home it is. */
  readonly strides: number;
  /** The stride at hand; null while it stands. */
  readonly stride: Stride | null;
}

/** DEPART sends it on its way with less than it waits for. */
export type CaravanEvent = { readonly type: 'DEPART' };

export type CaravanNotice =
  | { readonly type: 'DEPARTED' | 'UNLOADED'; readonly item: string; readonly count: number }
  | { readonly type: 'ARRIVED' | 'RETURNED' };

export const caravanMachine = setup({
  types: {
    context: {} as CaravanContext,
    events: {} as CaravanEvent,
    emitted: {} as CaravanNotice,
    input: {} as CaravanInput,
  },
  guards: {
    hasEnough: ({ context }) => loadOf(context) >= context.atLeast,
    hasSome: ({ context }) => loadOf(context) > 0,
    isEmpty: ({ context }) => context.cargo === 0,
    hasRoom: ({ context }) => roomFor(context) > 0,
    isNearlyThere: ({ context }) => context.strides + 1 >= stridesOf(context.route),
    isNearlyHome: ({ context }) => context.strides <= 1,
  },
  actions: {
    load: enqueueActions(({ context, enqueue }) => {
      const { item } = context;
      const count = loadOf(context);
      enqueue(edit('from', { type: 'TAKE', item, count }));
      enqueue.assign({ cargo: context.cargo + count });
      enqueue.emit({ type: 'DEPARTED', item, count });
    }),
    unload: enqueueActions(({ context, enqueue }) => {
      const { item } = context;
      const count = roomFor(context);
      enqueue(edit('to', { type: 'PUT', item, count }));
      enqueue.assign({ cargo: context.cargo - count, delivered: context.delivered + count });
      enqueue.emit({ type: 'UNLOADED', item, count });
    }),
    beginStrideOut: assign({ stride: ({ context }) => strideTo(context, context.strides + 1) }),
    beginStrideHome: assign({ stride: ({ context }) => strideTo(context, context.strides - 1) }),
    endStrideOut: assign({ strides: ({ context }) => context.strides + 1, stride: null }),
    endStrideHome: assign({ strides: ({ context }) => context.strides - 1, stride: null }),
    move: moveTo(({ context }) => placeAfter(context.route, context.strides)),
    announceArrived: emit({ type: 'ARRIVED' }),
    announceReturned: emit({ type: 'RETURNED' }),
  },
  delays: {
    stride: ({ context: { stride } }) => (stride === null ? 0 : Math.max(0, stride.until - now())),
  },
}).createMachine({
  id: 'caravan',
  context: ({ input }) => caravanContext(input),
  initial: 'loading',
  states: {
    loading: {
      always: { guard: 'hasEnough', target: 'outbound', actions: 'load' },
      on: { DEPART: { guard: 'hasSome', target: 'outbound', actions: 'load' } },
    },
    outbound: {
      entry: 'beginStrideOut',
      after: {
        stride: [
          {
            guard: 'isNearlyThere',
            target: 'unloading',
            actions: ['endStrideOut', 'move', 'announceArrived'],
          },
          { target: 'outbound', reenter: true, actions: ['endStrideOut', 'move'] },
        ],
      },
    },
    unloading: {
      always: [
        { guard: 'isEmpty', target: 'homebound' },
        { guard: 'hasRoom', actions: 'unload' },
      ],
    },
    homebound: {
      entry: 'beginStrideHome',
      after: {
        stride: [
          {
            guard: 'isNearlyHome',
            target: 'loading',
            actions: ['endStrideHome', 'move', 'announceReturned'],
          },
          { target: 'homebound', reenter: true, actions: ['endStrideHome', 'move'] },
        ],
      },
    },
  },
});

/** How many it would load now. */
function loadOf({ item, hold, cargo }: CaravanContext): number {
  const stash = linked('from');
  return stash === undefined ? 0 : Math.min(hold - cargo, countOf(stash.context.items, item));
}

/** How many of what it carries there is room for at the far end. */
function roomFor({ cargo }: CaravanContext): number {
  const stash = linked('to');
  if (stash === undefined) return 0;
  return Math.min(cargo, stash.context.capacity - totalOf(stash.context.items));
}

function strideTo({ route, strides }: CaravanContext, next: number): Stride {
  return {
    from: placeAfter(route, strides),
    to: placeAfter(route, next),
    since: now(),
    until: now() + timeOfStride(route, Math.min(strides, next)),
  };
}

function caravanContext(input: CaravanInput): CaravanContext {
  const given = givenInput(input, 'caravan', '{ item, hold, route }');
  const hold = wholeNumber(given.hold, 'caravan: input.hold', 1);
  const atLeast = wholeNumber(given.atLeast ?? 1, 'caravan: input.atLeast', 1);
  if (atLeast > hold) {
    throw badInput('caravan: input.atLeast', atLeast, `at most what it holds, ${hold}`);
  }
  const { strideLength = 2500 } = given;
  if (!isPositive(strideLength)) {
    throw badInput('caravan: input.strideLength', strideLength, 'a number of world units above 0');
  }
  return {
    item: checkedItem(given.item, 'caravan: input.item'),
    hold,
    atLeast,
    route: checkedRoute(at(), given.route, strideLength, 'caravan: input.route'),
    cargo: 0,
    delivered: 0,
    strides: 0,
    stride: null,
  };
}
