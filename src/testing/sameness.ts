/** Whether two values, two records or two performances are the same, and in words where they differ. */
import { stringify } from 'fast-check';
import { entriesOf, RANK } from '../core/pending.ts';
import type { RecordValue } from '../core/record.ts';
import { hashOf } from '../core/state-hash.ts';
import type { World } from '../core/world.ts';
import { inUnits } from './duration.ts';
import type { Happening, Performance } from './performance.ts';

/** What a law expected, and what it got. */
export interface Difference {
  readonly expected: string;
  readonly got: string;
}

/** All that is saved of a record, in 16 hex digits. */
export function digestOf(record: RecordValue): string {
  return hashOf([record], 0, undefined);
}

/** Where two performances differ, first in what happened, then in what it led to. */
export function differenceOf(expected: Performance, got: Performance): Difference | undefined {
  return (
    differenceInHappenings(expected.happenings, got.happenings) ??
    differenceInRecords(expected.world, got.world)
  );
}

/** `later`: by how much later each happening is expected to have come. */
export function differenceInHappenings(
  expected: readonly Happening[],
  got: readonly Happening[],
  later: (happening: Happening, index: number) => number = () => 0,
): Difference | undefined {
  const length = Math.max(expected.length, got.length);
  for (let i = 0; i < length; i += 1) {
    const [a, b] = [expected[i], got[i]];
    const wanted = a && { ...a, time: a.time + later(a, i) };
    if (wanted !== undefined && b !== undefined && keyOf(wanted) === keyOf(b)) continue;
    return { expected: inWords(wanted), got: inWords(b) };
  }
  return undefined;
}

function differenceInRecords(expected: World, got: World): Difference | undefined {
  if (expected.hash() === got.hash()) return undefined;
  const ids = new Set([...expected.values(), ...got.values()].map(({ id }) => id));
  for (const id of [...ids].sort()) {
    const [a, b] = [expected.valueOf(id), got.valueOf(id)];
    if (a !== undefined && b !== undefined && digestOf(a) === digestOf(b)) continue;
    return { expected: recordInWords(id, a), got: recordInWords(id, b) };
  }
  return { expected: `the state hash ${expected.hash()}`, got: `the state hash ${got.hash()}` };
}

function keyOf({ time, id, cause, event, taken, failure, value }: Happening): string {
  return stringify([time, id, cause, event.type, taken, failure?.code, value]);
}

/** A happening in a line. */
export function inWords(happening: Happening | undefined): string {
  if (happening === undefined) return 'nothing more';
  const { time, id, cause, event, taken, failure, value } = happening;
  const became = value === undefined ? 'it is gone' : `it is in ${stringify(value)}`;
  const outcome =
    failure !== undefined
      ? `failed with ${failure.code}: ${failure.message}`
      : taken
        ? became
        : `nothing took it, ${became}`;
  return `at ${inUnits(time)} ${id}, ${cause} ${eventInWords(event)}: ${outcome}`;
}

/** An event by its type, and what came with it. */
export function eventInWords({ type, ...rest }: Happening['event']): string {
  return Object.keys(rest).length === 0 ? type : `${type} ${stringify(rest)}`;
}

/** A record in a line: its state, its context and what is before it. */
export function recordInWords(id: string, record: RecordValue | undefined): string {
  if (record === undefined) return `no record ${id}`;
  const { state, fault } = record;
  const pending = entriesOf(record.pending).map(
    ({ rank, event, at }) =>
      `${rank === RANK.timer ? 'timer' : 'event'} ${event.type} at ${inUnits(at)}`,
  );
  const before = pending.length === 0 ? 'nothing to come' : pending.join(', ');
  const rests = fault === null ? '' : `, resting with ${fault.code}`;
  return `${id} in ${stringify(state.value)}${rests}, context ${stringify(state.context)}, ${before}`;
}

/**
 * Whether two values are the same but for the last bits of numbers: `tolerance` is relative, and
 * absolute below 1.
 */
export function isNear(a: unknown, b: unknown, tolerance: number): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a === 'number' && typeof b === 'number') {
    return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const [as, bs] = [partsOf(a), partsOf(b)];
  if (as === undefined || bs === undefined) return stringify(a) === stringify(b);
  if (as.length !== bs.length) return false;
  return as.every(([key, value], i) => {
    const [otherKey, other] = bs[i] as [unknown, unknown];
    return isNear(key, otherKey, tolerance) && isNear(value, other, tolerance);
  });
}

/** What a value is made of, keys in order; undefined for what is known by its text alone. */
function partsOf(value: object): [unknown, unknown][] | undefined {
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value].map((item) => [null, item]);
  if (value instanceof Date) return [['time', value.getTime()]];
  if (Array.isArray(value)) return value.map((item, i) => [i, item]);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  return Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1));
}
