/**
 * A place of work: it takes ingredients from one stash, works a round, and puts what it made into
 * another. It rests while an ingredient or room is missing, and is woken by the stash. A recipe that
 * takes nothing makes it a mine.
 */
import { linksOf, now } from 'offstage';
import { assign, emit, enqueueActions, setup } from 'xstate';
import { duration, givenInput, wholeNumber } from './input.ts';
import { checkedItem, checkedItems, type Items } from './items.ts';
import type { stashMachine } from './stash.machine.ts';

const { linked, edit } = linksOf<{ from: typeof stashMachine; to: typeof stashMachine }>();

export interface Recipe {
  readonly takes: Items;
  readonly gives: { readonly item: string; readonly count: number };
  /** Game milliseconds of one round. */
  readonly milliseconds: number;
}

export interface StationInput {
  readonly recipe: Recipe;
}

export interface StationContext {
  readonly recipe: Recipe;
  /** Rounds finished and stored. */
  readonly rounds: number;
  /** The game time at which the round at hand is done; null between rounds. */
  readonly doneAt: number | null;
  /** Whether the round at hand was hurried; each may be once. */
  readonly rushed: boolean;
}

/** RUSH halves what is left of the round at hand. */
export type StationEvent = { readonly type: 'RUSH' };

export type StationNotice =
  | { readonly type: 'STARTED'; readonly doneAt: number }
  | { readonly type: 'MADE'; readonly item: string; readonly count: number };

export const stationMachine = setup({
  types: {
    context: {} as StationContext,
    events: {} as StationEvent,
    emitted: {} as StationNotice,
    input: {} as StationInput,
  },
  guards: {
    hasIngredients: ({ context }) =>
      Object.entries(context.recipe.takes).every(
        ([item, count]) => linked('from')?.can({ type: 'TAKE', item, count }) ?? false,
      ),
    hasRoom: ({ context }) => linked('to')?.can({ type: 'PUT', ...context.recipe.gives }) ?? false,
    isUnhurried: ({ context }) => !context.rushed,
  },
  actions: {
    takeIngredients: enqueueActions(({ context, enqueue }) => {
      for (const [item, count] of Object.entries(context.recipe.takes)) {
        enqueue(edit('from', { type: 'TAKE', item, count }));
      }
    }),
    begin: assign({
      doneAt: ({ context }) => now() + context.recipe.milliseconds,
      rushed: false,
    }),
    hurry: assign({
      doneAt: ({ context }) => now() + untilDone(context) / 2,
      rushed: true,
    }),
    putProduct: edit('to', ({ context }) => ({ type: 'PUT', ...context.recipe.gives })),
    end: assign({ rounds: ({ context }) => context.rounds + 1, doneAt: null, rushed: false }),
    announceStarted: emit(({ context }) => ({
      type: 'STARTED',
      doneAt: now() + untilDone(context),
    })),
    announceMade: emit(({ context }) => ({ type: 'MADE', ...context.recipe.gives })),
  },
  delays: {
    round: ({ context }) => untilDone(context),
  },
}).createMachine({
  id: 'station',
  context: ({ input }) => stationContext(input),
  initial: 'waiting',
  states: {
    waiting: {
      always: {
        guard: 'hasIngredients',
        target: 'working',
        actions: ['takeIngredients', 'begin', 'announceStarted'],
      },
    },
    working: {
      after: { round: 'storing' },
      on: {
        RUSH: { guard: 'isUnhurried', target: 'working', reenter: true, actions: 'hurry' },
      },
    },
    storing: {
      always: {
        guard: 'hasRoom',
        target: 'waiting',
        actions: ['putProduct', 'end', 'announceMade'],
      },
    },
  },
});

/** Game milliseconds to the end of the round; a whole round if none was begun. */
function untilDone({ doneAt, recipe }: StationContext): number {
  return doneAt === null ? recipe.milliseconds : Math.max(0, doneAt - now());
}

function stationContext(input: StationInput): StationContext {
  const { recipe } = givenInput(input, 'station', '{ recipe: { takes, gives, milliseconds } }');
  const { takes, gives, milliseconds } = givenInput(
    recipe,
    'station: the recipe of it',
    '{ recipe: { takes: { ore: 2 }, gives: { item, count }, milliseconds } }',
  );
  return {
    recipe: {
      takes: checkedItems(takes, 'station: input.recipe.takes', 1),
      gives: {
        item: checkedItem(gives?.item, 'station: input.recipe.gives.item'),
        count: wholeNumber(gives?.count, 'station: input.recipe.gives.count', 1),
      },
      milliseconds: duration(milliseconds, 'station: input.recipe.milliseconds'),
    },
    rounds: 0,
    doneAt: null,
    rushed: false,
  };
}
