import { math, random } from 'offstage';

/** A length of time drawn from the exponential distribution of that mean, in game milliseconds. */
export function exponential(mean: number): number {
  return -mean * math.ln(1 - random());
}
