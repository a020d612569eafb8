/**
 * Counter-based randomness: a draw is a function of the world's seed, a record's id and how many
 * draws that record has made, so it depends on nothing else that happens in the world.
 */
import { Hasher } from './hash.ts';

const hasher = new Hasher();

/** A number at least 0 and below 1 with 53 random bits. */
export function drawAt(seed: string, id: string, draws: number): number {
  hasher.reset().text(seed).text(id).number(draws).end();
  return ((hasher.low >>> 5) * 67_108_864 + (hasher.high >>> 6)) / 9_007_199_254_740_992;
}

/** The id of the `count`th record that `creator` adds: its kind's name and 64 bits of hash. */
export function addedId(kind: string, creator: string, count: number): string {
  return `${kind}-${hasher.reset().text(creator).number(count).end().hex()}`;
}
