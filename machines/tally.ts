/**
 * Statistics of a value, told one value at a time, each with its weight: 1 for a sample, the time it
 * lasted for a level. Nothing told is kept, so a tally is as small after a million values as after one.
 */

export interface Tally {
  /** How much was told: the number of samples, or game milliseconds. */
  readonly weight: number;
  /** null while nothing was told. */
  readonly mean: number | null;
  /** The standard deviation of what was told. */
  readonly deviation: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** The weight by value, if it was asked for. */
  readonly histogram: Histogram | null;
  /** The weighted sum of squares of the distances from the mean, from which the deviation follows. */
  readonly squares: number;
}

/** Equal buckets from `from` to below `to`, and what lies outside. */
export interface Histogram {
  readonly from: number;
  readonly to: number;
  readonly weights: readonly number[];
  readonly below: number;
  readonly above: number;
}

/** Nothing told yet. */
export function emptyTally(histogram: Histogram | null): Tally {
  return { weight: 0, mean: null, deviation: null, min: null, max: null, histogram, squares: 0 };
}

/** The tally with one value more. A weight of 0 counts for the least and the greatest alone. */
export function tallied(tally: Tally, value: number, added: number): Tally {
  const weight = tally.weight + added;
  const min = tally.min === null ? value : Math.min(tally.min, value);
  const max = tally.max === null ? value : Math.max(tally.max, value);
  if (added === 0) return { ...tally, min, max };
  // The running mean and sum of squares of B. P. Welford, with weights as D. H. D. West has them.
  const before = tally.mean ?? value;
  const mean = before + ((value - before) * added) / weight;
  const squares = tally.squares + added * (value - before) * (value - mean);
  const deviation = Math.sqrt(Math.max(0, squares) / weight);
  const histogram = tally.histogram && withWeight(tally.histogram, value, added);
  return { weight, mean, deviation, min, max, histogram, squares };
}

/** Buckets with nothing in them. */
export function emptyHistogram(from: number, to: number, buckets: number): Histogram {
  return { from, to, weights: Array<number>(buckets).fill(0), below: 0, above: 0 };
}

function withWeight(histogram: Histogram, value: number, added: number): Histogram {
  const { from, to, weights } = histogram;
  if (value < from) return { ...histogram, below: histogram.below + added };
  if (value >= to) return { ...histogram, above: histogram.above + added };
  const place = Math.floor(((value - from) / (to - from)) * weights.length);
  // The last place of all may be rounded up to one that is not there.
  const bucket = Math.min(place, weights.length - 1);
  return { ...histogram, weights: weights.with(bucket, (weights[bucket] as number) + added) };
}
