/** Items in a place that holds only so many. It takes what fits and gives what is there, nothing else. */
import { assign, emit, setup } from 'xstate';
import { badInput, givenInput, wholeNumber } from './input.ts';
import { checkedItems, countOf, type Items, isCount, isItem, totalOf, withMore } from './items.ts';

export interface StashInput {
  /** How many items it holds at the most, of all names together. */
  readonly capacity: number;
  readonly items?: Items;
}

export interface StashContext {
  readonly capacity: number;
  readonly items: Items;
}

export type StashEvent =
  | { readonly type: 'PUT'; readonly item: string; readonly count: number }
  | { readonly type: 'TAKE'; readonly item: string; readonly count: number };

export type StashNotice =
  | { readonly type: 'STORED'; readonly item: string; readonly count: number }
  | { readonly type: 'TAKEN'; readonly item: string; readonly count: number };

export const stashMachine = setup({
  types: {
    context: {} as StashContext,
    events: {} as StashEvent,
    emitted: {} as StashNotice,
    input: {} as StashInput,
  },
  guards: {
    fits: ({ context, event: { item, count } }) =>
      isItem(item) && isCount(count) && totalOf(context.items) + count <= context.capacity,
    isThere: ({ context, event: { item, count } }) =>
      isItem(item) && isCount(count) && countOf(context.items, item) >= count,
  },
  actions: {
    put: assign({
      items: ({ context, event: { item, count } }) => withMore(context.items, item, count),
    }),
    take: assign({
      items: ({ context, event: { item, count } }) => withMore(context.items, item, -count),
    }),
    announceStored: emit(({ event: { item, count } }) => ({ type: 'STORED', item, count })),
    announceTaken: emit(({ event: { item, count } }) => ({ type: 'TAKEN', item, count })),
  },
}).createMachine({
  id: 'stash',
  context: ({ input }) => stashContext(input),
  initial: 'open',
  states: {
    open: {
      on: {
        PUT: { guard: 'fits', actions: ['put', 'announceStored'] },
        TAKE: { guard: 'isThere', actions: ['take', 'announceTaken'] },
      },
    },
  },
});

function stashContext(input: StashInput): StashContext {
  const given = givenInput(input, 'stash', '{ capacity, items? }');
  const capacity = wholeNumber(given.capacity, 'stash: input.capacity');
  const items = checkedItems(given.items ?? {}, 'stash: input.items');
  const total = totalOf(items);
  if (total > capacity) {
    throw badInput('stash: the total of input.items', total, `at most the capacity, ${capacity}`);
  }
  return { capacity, items };
}
