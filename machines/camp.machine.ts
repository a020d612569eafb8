/**
 * A camp on a hill, with huts and a watch. Destroyed, it loses them, lies in ruins and rebuilds in
 * stages; then it has them again.
 */
import { addRecord, at, byId, linked, removeRecord, selfId } from 'offstage';
import { assign, emit, enqueueActions, setup } from 'xstate';
import { duration, givenInput, wholeNumber } from './input.ts';
import { checkedItems, type Items, totalOf } from './items.ts';

export interface CampInput {
  readonly huts: number;
  /** What each hut holds when it is built. */
  readonly loot?: Items;
  /** Game milliseconds between two rounds of the watch; no watch if left out. */
  readonly watchEvery?: number;
  /** Game milliseconds of each stage of rebuilding. */
  readonly stage: number;
}

export interface CampContext {
  readonly huts: number;
  readonly loot: Items;
  readonly watchEvery: number | null;
  readonly stage: number;
  readonly timesDestroyed: number;
}

export type CampEvent = { readonly type: 'DESTROY' };

export type CampNotice = { readonly type: 'DESTROYED' | 'REBUILT' };

/** Where the first eight huts stand around the middle, in world units. */
const RING: readonly (readonly [number, number])[] = [
  [300, 0],
  [210, 210],
  [0, 300],
  [-210, 210],
  [-300, 0],
  [-210, -210],
  [0, -300],
  [210, -210],
];

export const campMachine = setup({
  types: {
    context: {} as CampContext,
    events: {} as CampEvent,
    emitted: {} as CampNotice,
    input: {} as CampInput,
  },
  actions: {
    addWhatBelongs: enqueueActions(({ context, enqueue }) => {
      // What is there already (a camp put back to standing from outside) stays as it is.
      for (const record of belongings(context)) {
        if (linked(byId(record.id)) === undefined) enqueue(addRecord(record));
      }
    }),
    removeWhatBelongs: enqueueActions(({ context, enqueue }) => {
      for (const { id } of belongings(context)) enqueue(removeRecord(id));
    }),
    countDestroyed: assign({ timesDestroyed: ({ context }) => context.timesDestroyed + 1 }),
    announceDestroyed: emit({ type: 'DESTROYED' }),
    announceRebuilt: emit({ type: 'REBUILT' }),
  },
  delays: {
    stage: ({ context }) => context.stage,
  },
}).createMachine({
  id: 'camp',
  context: ({ input }) => campContext(input),
  initial: 'standing',
  states: {
    standing: {
      entry: 'addWhatBelongs',
      on: {
        DESTROY: {
          target: 'ruins',
          actions: ['removeWhatBelongs', 'countDestroyed', 'announceDestroyed'],
        },
      },
    },
    ruins: {
      after: { stage: 'clearing' },
    },
    clearing: {
      after: { stage: 'building' },
      on: { DESTROY: { target: 'ruins', actions: ['countDestroyed', 'announceDestroyed'] } },
    },
    building: {
      after: { stage: { target: 'standing', actions: 'announceRebuilt' } },
      on: { DESTROY: { target: 'ruins', actions: ['countDestroyed', 'announceDestroyed'] } },
    },
  },
});

/** The records of a standing camp. */
function belongings({ huts, loot, watchEvery }: CampContext) {
  const camp = selfId();
  const capacity = Math.max(10, totalOf(loot));
  const all: { id: string; kind: string; at: readonly number[]; input: unknown }[] = [];
  for (let n = 0; n < huts; n += 1) {
    all.push({
      id: `${camp}.hut-${n + 1}`,
      kind: 'stash',
      at: hutPlace(n),
      input: { capacity, items: loot },
    });
  }
  if (watchEvery !== null) {
    all.push({ id: `${camp}.watch`, kind: 'timer', at: at(), input: { every: watchEvery } });
  }
  return all;
}

function hutPlace(n: number): readonly number[] {
  const [x = 0, y = 0, ...height] = at();
  const [dx, dy] = RING[n % RING.length] as readonly [number, number];
  const ring = 1 + Math.floor(n / RING.length);
  return [x + dx * ring, y + dy * ring, ...height];
}

function campContext(input: CampInput): CampContext {
  const given = givenInput(input, 'camp', '{ huts, stage }');
  const { watchEvery } = given;
  return {
    huts: wholeNumber(given.huts, 'camp: input.huts'),
    loot: checkedItems(given.loot ?? {}, 'camp: input.loot'),
    watchEvery: watchEvery === undefined ? null : duration(watchEvery, 'camp: input.watchEvery'),
    stage: duration(given.stage, 'camp: input.stage'),
    timesDestroyed: 0,
  };
}
