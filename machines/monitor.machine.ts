/**
 * Statistics of something: of samples, each recorded once, or of a level that lasts until it changes
 * and counts for as long as it lasts. Between two changes it does nothing: what it shows of a level is
 * worked out, from the last change, when somebody looks.
 */
import { now } from 'offstage';
import { assign, setup } from 'xstate';
import { badInput, givenInput, wholeNumber } from './input.ts';
import { emptyHistogram, emptyTally, type Histogram, type Tally, tallied } from './tally.ts';

export interface MonitorInput {
  /** `samples`: of values recorded one by one. `level`: of one value that changes, weighted by time. */
  readonly of: 'samples' | 'level';
  /** What a level begins at. Default 0. */
  readonly value?: number;
  /** Equal buckets from `from` to `to`; none if left out. */
  readonly histogram?: { readonly from: number; readonly to: number; readonly buckets: number };
}

/** A level, and what it was before. */
export interface Level {
  readonly value: number;
  /** The game time it is at that value from. */
  readonly since: number;
  /** All that it was before that. */
  readonly settled: Tally;
}

export interface MonitorContext {
  /** The figures: count or time, mean, deviation, min, max, histogram. */
  readonly tally: Tally;
  /** How often something was recorded, or the level set. */
  readonly count: number;
  /** null for samples. */
  readonly level: Level | null;
}

export type MonitorEvent =
  | { readonly type: 'RECORD'; readonly value: number }
  | { readonly type: 'SET'; readonly value: number }
  /** Changes the level by so much. */
  | { readonly type: 'ADD'; readonly by: number }
  /** Forgets all so far; a level stays what it is. */
  | { readonly type: 'RESET' };

export const monitorMachine = setup({
  types: {
    context: {} as MonitorContext,
    events: {} as MonitorEvent,
    input: {} as MonitorInput,
  },
  guards: {
    isLevel: ({ context }) => context.level !== null,
    isFinite: ({ event }) => Number.isFinite('by' in event ? event.by : Object(event).value),
  },
  actions: {
    record: assign(({ context: { tally, count }, event }) => ({
      tally: tallied(tally, (event as { readonly value: number }).value, 1),
      count: count + 1,
    })),
    set: assign(({ context, event }) =>
      atLevel(context, (event as { readonly value: number }).value),
    ),
    add: assign(({ context, event }) =>
      atLevel(context, (context.level as Level).value + (event as { readonly by: number }).by),
    ),
    reset: assign(({ context }) => begun(context)),
  },
}).createMachine({
  id: 'monitor',
  context: ({ input }) => monitorContext(input),
  initial: 'deciding',
  on: {
    RESET: { actions: 'reset' },
  },
  states: {
    deciding: {
      always: [{ guard: 'isLevel', target: 'level' }, { target: 'samples' }],
    },
    samples: {
      on: { RECORD: { guard: 'isFinite', actions: 'record' } },
    },
    level: {
      on: {
        SET: { guard: 'isFinite', actions: 'set' },
        ADD: { guard: 'isFinite', actions: 'add' },
      },
    },
  },
});

/** What a monitor shows at a game time: of a level, all that it was up to then. */
export function shownAt(context: MonitorContext, time: number): MonitorContext {
  const { level } = context;
  if (level === null) return context;
  return { ...context, tally: tallied(level.settled, level.value, time - level.since) };
}

function atLevel({ tally, count }: MonitorContext, value: number): MonitorContext {
  // The tally is as of now: the record was advanced before the event.
  return {
    tally: tallied(tally, value, 0),
    count: count + 1,
    level: { value, since: now(), settled: tally },
  };
}

function begun({ tally: { histogram }, level }: MonitorContext): MonitorContext {
  const empty = emptyTally(
    histogram && emptyHistogram(histogram.from, histogram.to, histogram.weights.length),
  );
  if (level === null) return { tally: empty, count: 0, level };
  const { value } = level;
  return {
    tally: tallied(empty, value, 0),
    count: 0,
    level: { value, since: now(), settled: empty },
  };
}

function monitorContext(input: MonitorInput): MonitorContext {
  const { of, value, histogram } = givenInput(input, 'monitor', "{ of: 'samples' | 'level' }");
  if (of !== 'samples' && of !== 'level') {
    throw badInput('monitor: input.of', of, "'samples' or 'level'");
  }
  const empty = emptyTally(histogram === undefined ? null : checkedHistogram(histogram));
  if (of === 'samples') {
    if (value === undefined) return { tally: empty, count: 0, level: null };
    throw badInput('monitor: input.value', value, 'none: only a level has a value to begin at');
  }
  const first = value ?? 0;
  if (!Number.isFinite(first)) throw badInput('monitor: input.value', value, 'a finite number');
  return {
    tally: tallied(empty, first, 0),
    count: 0,
    level: { value: first, since: now(), settled: empty },
  };
}

function checkedHistogram({
  from,
  to,
  buckets,
}: NonNullable<MonitorInput['histogram']>): Histogram {
  if (!Number.isFinite(from)) {
    throw badInput('monitor: input.histogram.from', from, 'a finite number');
  }
  if (!(Number.isFinite(to) && to > from)) {
    throw badInput('monitor: input.histogram.to', to, `a finite number above ${from}`);
  }
  return emptyHistogram(from, to, wholeNumber(buckets, 'monitor: input.histogram.buckets', 1));
}
