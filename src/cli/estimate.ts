/** What replications say of a figure: its mean, and how far the true one may be from it. */
import tQuantile from '@stdlib/stats-base-dists-t-quantile';

export interface Estimate {
  readonly mean: number;
  /** Half the width of the confidence interval around the mean; null for a single run, which has none. */
  readonly halfWidth: number | null;
  /** The standard deviation between runs; null for a single run. */
  readonly deviation: number | null;
}

/**
 * The mean of independent runs with its confidence interval, by Student's t distribution.
 *
 * @param confidence - How sure it is to hold the true mean, above 0 and below 1.
 */
export function estimateOf(values: readonly number[], confidence: number): Estimate {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, halfWidth: null, deviation: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  const deviation = Math.sqrt(squares / (n - 1));
  const quantile = tQuantile((1 + confidence) / 2, n - 1);
  return { mean, halfWidth: (quantile * deviation) / Math.sqrt(n), deviation };
}

/** Whether a known value lies in the confidence interval; null where there is none. */
export function holds({ mean, halfWidth }: Estimate, known: number): boolean | null {
  return halfWidth === null ? null : Math.abs(known - mean) <= halfWidth;
}
