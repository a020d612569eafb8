/**
 * A world in which nothing may get lost: purses in a ring, far from each other, give coins to the next,
 * at once or by a messenger who is under way for a while. Whatever happens, the coins in purses and
 * under way are as many as there were.
 */
import { defineKind, edit } from 'offstage';
import { Type } from 'typebox';
import { assign, sendTo, setup } from 'xstate';
import { stash } from '../../kinds/stash.kind.ts';
import { station } from '../../kinds/station.kind.ts';
import { timer } from '../../kinds/timer.kind.ts';

export interface PurseContext {
  readonly coins: number;
  /** Coins that ever left by messenger, and that ever came by one. */
  readonly posted: number;
  readonly arrived: number;
  /** Commands that were carried out. */
  readonly gifts: number;
}

interface Coins {
  readonly type: 'GIVE' | 'POST' | 'RECEIVE' | 'ARRIVE';
  readonly count: number;
}

const purseMachine = setup({
  types: {
    context: {} as PurseContext,
    events: {} as Coins,
    input: {} as { readonly coins: number },
  },
  guards: { hasEnough: ({ context, event }) => context.coins >= event.count },
  actions: {
    give: edit('next', ({ event }) => ({ ...event, type: 'RECEIVE' })),
    post: sendTo('next', ({ event }) => ({ type: 'ARRIVE', count: event.count }), { delay: 300 }),
    lose: assign({
      coins: ({ context, event }) => context.coins - event.count,
      gifts: ({ context }) => context.gifts + 1,
    }),
    notePosted: assign({ posted: ({ context, event }) => context.posted + event.count }),
    gain: assign({ coins: ({ context, event }) => context.coins + event.count }),
    noteArrived: assign({ arrived: ({ context, event }) => context.arrived + event.count }),
  },
}).createMachine({
  id: 'purse',
  context: ({ input }) => ({ coins: input.coins, posted: 0, arrived: 0, gifts: 0 }),
  on: {
    GIVE: { guard: 'hasEnough', actions: ['lose', 'give'] },
    POST: { guard: 'hasEnough', actions: ['lose', 'notePosted', 'post'] },
    RECEIVE: { actions: 'gain' },
    ARRIVE: { actions: ['gain', 'noteArrived'] },
  },
});

const count = Type.Object({ count: Type.Integer({ minimum: 1 }) });

const purse = defineKind({
  name: 'purse',
  version: 1,
  machine: purseMachine,
  links: { next: 'purse' },
  commands: { GIVE: count, POST: count },
});

export const purseKinds = [purse, stash, station, timer];

export const PURSES = 6;
const COINS_EACH = 40;
export const COINS = PURSES * COINS_EACH;

/** The coins in purses and under way. */
export function coinsIn(purses: readonly PurseContext[]): number {
  return purses.reduce((sum, { coins, posted, arrived }) => sum + coins + posted - arrived, 0);
}

/** Small regions and cells, so that a save has many files and a flush many messages. */
export const purseSeed = {
  format: 1,
  world: 'purses',
  seed: 'purses',
  settings: {
    regionSize: 100,
    cellSize: 100,
    relevancyRadius: 2000,
    autosaveSeconds: 0.05,
    flushesPerSecond: 30,
  },
  records: [
    ...Array.from({ length: PURSES }, (_, i) => ({
      id: `purse-${i}`,
      kind: 'purse',
      at: [i * 150, 0],
      links: { next: `purse-${(i + 1) % PURSES}` },
      input: { coins: COINS_EACH },
    })),
    { id: 'fast', kind: 'timer', at: [0, 300], input: { every: 37 } },
    { id: 'slow', kind: 'timer', at: [300, 300], input: { every: 1999 } },
    { id: 'mine', kind: 'stash', at: [0, 500], input: { capacity: 9000, items: { ore: 8000 } } },
    { id: 'store', kind: 'stash', at: [500, 500], input: { capacity: 9000 } },
    {
      id: 'forge',
      kind: 'station',
      at: [250, 500],
      links: { from: 'mine', to: 'store' },
      input: {
        recipe: { takes: { ore: 2 }, gives: { item: 'bar', count: 1 }, milliseconds: 111 },
      },
    },
  ],
};
