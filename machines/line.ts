/**
 * Those who wait, in the order in which they came: an immutable list that is cheap to join at its end
 * and to leave at its beginning, however long it is. It is held in parts. Joining makes the last part
 * anew, leaving the first; the list of those between changes only when one of the two is full or empty.
 */

/** Who waits, and by which name: what it gets is the event `granted.<as>`. */
export interface Ask {
  readonly id: string;
  readonly as: string;
}

export interface Line<A extends Ask = Ask> {
  readonly length: number;
  /** The first of them; empty only if nobody waits. */
  readonly first: readonly A[];
  /** Those between the first and the last, in parts of which none is empty. */
  readonly between: readonly (readonly A[])[];
  /** The last of them; empty if all are among the first. */
  readonly last: readonly A[];
}

/** A part longer than this is not made any longer. */
const PART = 16;

const NONE: readonly never[] = [];

/** Nobody. */
export const NOBODY: Line<never> = { length: 0, first: NONE, between: NONE, last: NONE };

/**
 * The line with one more at its end, or before the first of those that yield to it from the end on. What
 * is asked is whether `other` yields to `ask`.
 */
export function joined<A extends Ask>(
  line: Line<A>,
  ask: A,
  yields: (other: A, ask: A) => boolean = never,
): Line<A> {
  const { length, first, between, last } = line;
  if (length === 0) return { length: 1, first: [ask], between: NONE, last: NONE };
  const end = last.length === 0 ? first : last;
  if (yields(end[end.length - 1] as A, ask)) return joinedWithin(line, ask, yields);
  if (last.length < PART) return { length: length + 1, first, between, last: longer(last, ask) };
  return { length: length + 1, first, between: longer(between, last), last: [ask] };
}

function never(): boolean {
  return false;
}

/** The line with one more somewhere before its end. */
function joinedWithin<A extends Ask>(
  line: Line<A>,
  ask: A,
  yields: (other: A, ask: A) => boolean,
): Line<A> {
  const parts = partsOf(line);
  let at = parts.length - 1;
  // All of a part yields exactly if its first does, since the line is in order.
  while (at > 0 && yields((parts[at] as readonly A[])[0] as A, ask)) at -= 1;
  const part = parts[at] as readonly A[];
  let place = part.length;
  while (place > 0 && yields(part[place - 1] as A, ask)) place -= 1;
  const changed = part.toSpliced(place, 0, ask);
  if (part.length < PART) return ofParts(parts.with(at, changed));
  return ofParts(parts.toSpliced(at, 1, changed.slice(0, PART), changed.slice(PART)));
}

/** The first, undefined if nobody waits. */
export function headOf<A extends Ask>({ first }: Line<A>): A | undefined {
  return first[0];
}

/** The line without its first. */
export function withoutHead<A extends Ask>({ length, first, between, last }: Line<A>): Line<A> {
  if (length <= 1) return NOBODY;
  if (first.length > 1) return { length: length - 1, first: first.slice(1), between, last };
  const [next, ...rest] = between;
  return next === undefined
    ? { length: length - 1, first: last, between: NONE, last: NONE }
    : { length: length - 1, first: next, between: rest, last };
}

/** The line without the first request of a record by that name; the same line if there is none. */
export function withoutAsk<A extends Ask>(line: Line<A>, id: string, as: string): Line<A> {
  const parts = partsOf(line);
  for (const [at, part] of parts.entries()) {
    const place = part.findIndex((ask) => ask.id === id && ask.as === as);
    if (place >= 0) return ofParts(parts.with(at, part.toSpliced(place, 1)));
  }
  return line;
}

/** All, the first first. */
export function asksOf<A extends Ask>(line: Line<A>): readonly A[] {
  return partsOf(line).flat();
}

function partsOf<A extends Ask>({ first, between, last }: Line<A>): (readonly A[])[] {
  return last.length === 0 ? [first, ...between] : [first, ...between, last];
}

/** The line that is held in those parts, some of which may be empty. */
function ofParts<A extends Ask>(given: readonly (readonly A[])[]): Line<A> {
  const parts = given.filter((part) => part.length > 0);
  const [first, ...others] = parts;
  if (first === undefined) return NOBODY;
  const last = others.pop() ?? NONE;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return { length, first, between: others, last };
}

/** A list with one more at its end, with room for no others. */
function longer<T>(list: readonly T[], item: T): readonly T[] {
  return list.toSpliced(list.length, 0, item);
}
