/**
 * Soil that dries: in every `halfLife` it loses half of its moisture. All is worked out from how wet
 * it was when water last came, never from the step before, so one step equals many bit for bit.
 */
import { math } from 'offstage';

export interface Soil {
  /** How wet it was at the game time `since`: from 0 to 1. */
  readonly wet: number;
  readonly since: number;
  /** Game milliseconds. */
  readonly halfLife: number;
  /** The moisture below which nothing grows. */
  readonly dryBelow: number;
}

/** How moist it is at a game time, from 0 to 1. */
export function moistureAt({ wet, since, halfLife }: Soil, time: number): number {
  return wet * math.exp((-Math.LN2 * (time - since)) / halfLife);
}

/** Game times are whole parts of a millisecond, so many to each. */
const TICKS = 1024;

/** The game time at which the moisture reaches `dryBelow`; in the past if it is below. */
export function dryAt({ wet, since, halfLife, dryBelow }: Soil): number {
  const span = (halfLife * math.ln(wet / dryBelow)) / Math.LN2;
  // Rounded before it is added: a late game time would swallow other bits of it than an early one.
  return since + Math.round(span * TICKS) / TICKS;
}
