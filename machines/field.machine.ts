/**
 * A field: the crop grows in stages while the soil is moist, stops while it is dry, and withers when
 * that lasts. A ripe crop is harvested into the barn; when the barn is full it lies in sheaves until
 * there is room. How moist the soil is, and when it will be dry, the kind says (`soil.ts`).
 */
import { linksOf, now, random } from 'offstage';
import { assign, emit, raise, setup } from 'xstate';
import { badInput, duration, fraction, givenInput, isPositive, wholeNumber } from './input.ts';
import { checkedItem } from './items.ts';
import { dryAt, type Soil } from './soil.ts';
import type { stashMachine } from './stash.machine.ts';

const { linked, tryEdit } = linksOf<{ barn: typeof stashMachine }>();

export interface FieldInput {
  /** The item it yields. */
  readonly crop: string;
  /** The least and the most it yields. */
  readonly yield: readonly [least: number, most: number];
  /** Game milliseconds of each stage of growth. */
  readonly stage: number;
  /** Game milliseconds that a ripe crop stands before it withers. Default: three stages. */
  readonly ripeFor?: number;
  /** Game milliseconds that the ground rests before it is sown again; only SOW sows if left out. */
  readonly fallowFor?: number;
  /** Game milliseconds after which a ripe crop is reaped without a HARVEST; never if left out. */
  readonly reapAfter?: number;
  /** From above 0, dry, to 1, soaked. Default 1. */
  readonly moisture?: number;
  /** Game milliseconds in which the soil loses half its moisture. Default: six stages. */
  readonly halfLife?: number;
  /** The moisture below which nothing grows. Default 0.25. */
  readonly dryBelow?: number;
  /** Game milliseconds of drought that a crop survives. Default: two stages. */
  readonly droughtFor?: number;
}

export interface FieldContext {
  readonly crop: string;
  readonly yield: readonly [least: number, most: number];
  readonly stage: number;
  readonly ripeFor: number;
  readonly fallowFor: number | null;
  readonly reapAfter: number | null;
  readonly droughtFor: number;
  readonly soil: Soil;
  /** How moist the soil is now, from 0 to 1. */
  readonly moisture: number;
  /** What is left of the stage, in game milliseconds, as of the game time `since`; null while it stops. */
  readonly growth: { readonly left: number; readonly since: number | null };
  /** What the ripe crop will give: known when it is reaped, to the server alone until then. */
  readonly promised: number;
  /** All that it ever put into the barn. */
  readonly harvested: number;
}

export type FieldEvent =
  | { readonly type: 'RAIN' | 'WATER'; readonly amount: number }
  | { readonly type: 'DRY' | 'HARVEST' | 'SOW' | 'BARN_FULL' | 'STORED' };

export type FieldNotice =
  | { readonly type: 'RIPENED' | 'DRIED_OUT' | 'WITHERED' | 'BARN_FULL'; readonly crop: string }
  | { readonly type: 'HARVESTED'; readonly crop: string; readonly count: number };

export const fieldMachine = setup({
  types: {
    context: {} as FieldContext,
    events: {} as FieldEvent,
    emitted: {} as FieldNotice,
    input: {} as FieldInput,
  },
  guards: {
    isWater: ({ event }) => 'amount' in event && isPositive(event.amount),
    // Not `moisture > dryBelow`: DRY comes on the grid of game times, which may be a hair too early,
    // and the crop would grow on, dry out and grow on without end.
    isMoist: ({ context }) => dryAt(context.soil) > now() + 1,
    barnHasRoom: ({ context }) =>
      linked('barn')?.can({ type: 'PUT', item: context.crop, count: context.promised }) ?? false,
    isReapedByItself: ({ context }) => context.reapAfter !== null,
    isSownByItself: ({ context }) => context.fallowFor !== null,
  },
  actions: {
    soak: assign(({ context, event }) => {
      const amount = 'amount' in event ? event.amount : 0;
      const moisture = Math.min(1, context.moisture + amount);
      return { moisture, soil: { ...context.soil, wet: moisture, since: now() } };
    }),
    beginStage: assign({ growth: ({ context }) => ({ left: context.stage, since: now() }) }),
    stopGrowth: assign({ growth: ({ context }) => ({ left: leftOf(context), since: null }) }),
    resumeGrowth: assign({ growth: ({ context }) => ({ left: leftOf(context), since: now() }) }),
    endGrowth: assign({ growth: { left: 0, since: null } }),
    ripen: assign({
      promised: ({
        context: {
          yield: [least, most],
        },
      }) => least + Math.floor(random() * (most - least + 1)),
    }),
    store: tryEdit(
      'barn',
      ({ context }) => ({ type: 'PUT', item: context.crop, count: context.promised }),
      { else: { type: 'BARN_FULL' } },
    ),
    // Raised after what `store` raises if the barn refuses, so it is met only where the barn took all.
    confirmStored: raise({ type: 'STORED' }),
    countHarvest: assign({
      harvested: ({ context }) => context.harvested + context.promised,
      promised: 0,
    }),
    announceRipe: emit(({ context }) => ({ type: 'RIPENED', crop: context.crop })),
    announceDry: emit(({ context }) => ({ type: 'DRIED_OUT', crop: context.crop })),
    announceWithered: emit(({ context }) => ({ type: 'WITHERED', crop: context.crop })),
    announceFull: emit(({ context }) => ({ type: 'BARN_FULL', crop: context.crop })),
    announceHarvest: emit(({ context }) => ({
      type: 'HARVESTED',
      crop: context.crop,
      count: context.promised,
    })),
  },
  delays: {
    stage: ({ context }) => leftOf(context),
    ripeFor: ({ context }) => context.ripeFor,
    reapAfter: ({ context }) => context.reapAfter ?? context.ripeFor,
    fallowFor: ({ context }) => context.fallowFor ?? 0,
    droughtFor: ({ context }) => context.droughtFor,
  },
}).createMachine({
  id: 'field',
  context: ({ input }) => fieldContext(input),
  initial: 'growth',
  on: {
    RAIN: { guard: 'isWater', actions: 'soak' },
    WATER: { guard: 'isWater', actions: 'soak' },
  },
  states: {
    growth: {
      initial: 'sown',
      on: { DRY: { target: 'parched', actions: ['stopGrowth', 'announceDry'] } },
      states: {
        sown: { after: { stage: { target: 'sprouting', actions: 'beginStage' } } },
        sprouting: { after: { stage: { target: 'growing', actions: 'beginStage' } } },
        growing: {
          after: {
            stage: { target: '#field.ripe', actions: ['endGrowth', 'ripen', 'announceRipe'] },
          },
        },
        wherever: { type: 'history' },
      },
    },
    parched: {
      always: { guard: 'isMoist', target: 'growth.wherever', actions: 'resumeGrowth' },
      after: { droughtFor: { target: 'withered', actions: 'announceWithered' } },
    },
    ripe: {
      on: { HARVEST: 'reaping' },
      after: {
        reapAfter: { guard: 'isReapedByItself', target: 'reaping' },
        ripeFor: { target: 'withered', actions: 'announceWithered' },
      },
    },
    reaping: {
      entry: ['store', 'confirmStored'],
      on: {
        BARN_FULL: { target: 'sheaves', actions: 'announceFull' },
        STORED: { target: 'fallow', actions: ['announceHarvest', 'countHarvest'] },
      },
    },
    sheaves: {
      always: { guard: 'barnHasRoom', target: 'reaping' },
    },
    withered: {
      entry: 'endGrowth',
      on: { SOW: { target: 'growth.sown', actions: 'beginStage' } },
      after: {
        fallowFor: { guard: 'isSownByItself', target: 'growth.sown', actions: 'beginStage' },
      },
    },
    fallow: {
      on: { SOW: { target: 'growth.sown', actions: 'beginStage' } },
      after: {
        fallowFor: { guard: 'isSownByItself', target: 'growth.sown', actions: 'beginStage' },
      },
    },
  },
});

/** What is left of the stage of growth, in game milliseconds. */
function leftOf({ growth }: FieldContext): number {
  return growth.since === null ? growth.left : Math.max(0, growth.left - (now() - growth.since));
}

function fieldContext(input: FieldInput): FieldContext {
  const given = givenInput(input, 'field', '{ crop, yield: [least, most], stage }');
  const stage = duration(given.stage, 'field: input.stage');
  const optional = (value: number | undefined, name: string): number | null =>
    value === undefined ? null : duration(value, `field: input.${name}`);
  const moisture = fraction(given.moisture ?? 1, 'field: input.moisture');
  return {
    crop: checkedItem(given.crop, 'field: input.crop'),
    yield: checkedYield(given.yield),
    stage,
    ripeFor: duration(given.ripeFor ?? 3 * stage, 'field: input.ripeFor'),
    fallowFor: optional(given.fallowFor, 'fallowFor'),
    reapAfter: optional(given.reapAfter, 'reapAfter'),
    droughtFor: duration(given.droughtFor ?? 2 * stage, 'field: input.droughtFor'),
    soil: {
      wet: moisture,
      since: now(),
      halfLife: duration(given.halfLife ?? 6 * stage, 'field: input.halfLife'),
      dryBelow: fraction(given.dryBelow ?? 0.25, 'field: input.dryBelow'),
    },
    moisture,
    growth: { left: stage, since: now() },
    promised: 0,
    harvested: 0,
  };
}

function checkedYield(given: unknown): readonly [number, number] {
  if (!Array.isArray(given) || given.length !== 2) {
    throw badInput('field: input.yield', given, 'the least and the most: [4, 6]');
  }
  const least = wholeNumber(given[0], 'field: input.yield[0]', 1);
  return [least, wholeNumber(given[1], 'field: input.yield[1]', least)];
}
