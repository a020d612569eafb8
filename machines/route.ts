/**
 * A way from a home to a far end, in legs, walked in strides. A walker's place follows from how many
 * strides from home it is, so nothing adds up on the way and the ends are met exactly.
 */
import { badInput, duration } from './input.ts';

export interface Leg {
  readonly at: readonly number[];
  /** Game milliseconds of the whole leg. */
  readonly milliseconds: number;
  readonly strides: number;
}

export interface Route {
  readonly home: readonly number[];
  readonly legs: readonly Leg[];
}

/** Strides from one end to the other. */
export function stridesOf({ legs }: Route): number {
  return legs.reduce((sum, { strides }) => sum + strides, 0);
}

/** The place so many strides from home. */
export function placeAfter({ home, legs }: Route, strides: number): readonly number[] {
  let from = home;
  let left = strides;
  for (const leg of legs) {
    if (left < leg.strides) return between(from, leg.at, left / leg.strides);
    left -= leg.strides;
    from = leg.at;
  }
  return from;
}

/** Game milliseconds of the stride between `strides` and one more from home. */
export function timeOfStride({ legs }: Route, strides: number): number {
  let left = strides;
  for (const { milliseconds, strides: inLeg } of legs) {
    if (left < inLeg) return milliseconds / inLeg;
    left -= inLeg;
  }
  return 0;
}

/** The route with each leg cut into strides no longer than `strideLength`. */
export function checkedRoute(
  home: readonly number[],
  given: unknown,
  strideLength: number,
  what: string,
): Route {
  if (!Array.isArray(given) || given.length === 0) {
    throw badInput(what, given, 'one leg or more: [{ at: [x, y], milliseconds }]');
  }
  let from = home;
  const legs = given.map((leg, i) => {
    const at: unknown = leg?.at;
    if (!Array.isArray(at) || at.length !== home.length || !at.every(Number.isFinite)) {
      throw badInput(`${what}[${i}].at`, at, `a place of ${home.length} finite numbers`);
    }
    const strides = Math.max(1, Math.ceil(distance(from, at) / strideLength));
    from = at;
    return { at, milliseconds: duration(leg.milliseconds, `${what}[${i}].milliseconds`), strides };
  });
  return { home, legs };
}

function between(a: readonly number[], b: readonly number[], part: number): readonly number[] {
  return a.map((from, i) => from + ((b[i] as number) - from) * part);
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.sqrt(
    a.reduce((sum, n, i) => sum + (n - (b[i] as number)) * (n - (b[i] as number)), 0),
  );
}
