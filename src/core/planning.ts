/**
 * What a record has before it beside its timers: predictions, asked again after every commit that
 * changes the record and after a wake, and the steps of stepped kinds.
 */
import type { Draft } from './draft.ts';
import { WorldError } from './errors.ts';
import type { Kind } from './kind.ts';
import { STEP } from './logic.ts';
import {
  advancedState,
  linkedView,
  type Records,
  resolveAddress,
  whileLooking,
} from './looking.ts';
import { findPending, type PendingList, RANK, withoutId, withPending } from './pending.ts';
import { LAST_TIME, roundTime } from './time.ts';

/** The settings that say how far apart `coarse` and `frame` steps are, in game milliseconds. */
export interface StepSizes {
  readonly coarse: number;
  readonly frame: number;
}

/**
 * Asks each prediction when its event will happen. One that gives the time it gave before stays as
 * it is; a past time means now, which is the next iteration.
 */
export function replanPredictions(draft: Draft, records: Records, iteration: number): void {
  const { kind } = draft;
  if (kind.predict.length === 0) return;
  if (draft.status !== 'active') {
    draft.pending = undefined;
    return;
  }
  const { time } = records;
  const { context, value } = advancedState(records, draft);
  const args = {
    at: draft.at,
    time,
    value,
    linked: (name: string) => {
      const id = resolveAddress(draft, name);
      return id === undefined ? undefined : linkedView(records, records.find(id));
    },
  };
  for (const [type, when] of kind.predict) {
    const asked = whileLooking(records, draft, () => when(context, args));
    const at = predictedTime(asked, time, draft, type);
    const planned = findPending(draft.pending, RANK.prediction, type);
    if (planned !== undefined && planned.at === at) continue;
    if (planned !== undefined) draft.pending = withoutId(draft.pending, RANK.prediction, type);
    if (at === undefined) continue;
    draft.pending = withPending(
      draft.pending,
      RANK.prediction,
      type,
      { type },
      at,
      at === time ? iteration + 1 : 0,
    );
  }
}

/** A time at or after now; undefined for never. */
function predictedTime(
  asked: unknown,
  time: number,
  draft: Draft,
  type: string,
): number | undefined {
  if (asked === undefined || asked === Number.POSITIVE_INFINITY) return undefined;
  if (typeof asked !== 'number' || Number.isNaN(asked)) {
    throw new WorldError(
      'BAD_PREDICTION',
      `${draft.id} (${draft.kind.name}): predict.${type} gave ${String(asked)}; give a game time in milliseconds, or undefined for no event.`,
    );
  }
  return asked > LAST_TIME ? undefined : Math.max(time, roundTime(asked));
}

/** Game milliseconds between the steps of a kind, on the grid of game times; undefined for a kind that goes by events alone. */
function stepSize(kind: Kind, sizes: StepSizes): number | undefined {
  switch (kind.step) {
    case 'events':
      return undefined;
    case 'coarse':
      return roundTime(sizes.coarse);
    case 'frame':
      return roundTime(sizes.frame);
    default:
      return roundTime(kind.step.every);
  }
}

/** The list with the first step after `time`: steps are at `phase + n * every`, whoever they are of. */
export function withNextStep(
  list: PendingList,
  kind: Kind,
  time: number,
  sizes: StepSizes,
): PendingList {
  const every = stepSize(kind, sizes);
  if (every === undefined) return list;
  const phase = typeof kind.step === 'object' ? roundTime(kind.step.phase ?? 0) : 0;
  const at = phase + (Math.floor((time - phase) / every) + 1) * every;
  return withPending(list, RANK.step, STEP, { type: STEP, dt: at - time }, at, 0);
}
