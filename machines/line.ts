/**
 * Those who wait, in the order in which they came: an immutable list that is cheap to join at its end
 * and to leave at its beginning, however long it is. It is held in small parts. Joining makes the last
 * part anew, leaving the first; those between are such a list themselves, whose items are full parts,
 * so that only each fourth change reaches it, and each sixteenth what lies between there.
 */

/** Who waits, and by which name: what it gets is the event `granted.<as>`. */
export interface Ask {
  readonly id: string;
  readonly as: string;
}

interface Parts<T> {
  /** The first of them, at least one. */
  readonly first: readonly T[];
  /** Those between the first and the last, in parts of which none is empty. */
  readonly between: Parts<readonly T[]> | null;
  /** The last of them, if they are not among the others. */
  readonly last: readonly T[];
}

/** A list in parts, and its length. If nobody waits, there is no first. */
export interface Line<A extends Ask = Ask> extends Parts<A> {
  readonly length: number;
}

/** A part of so many is full. */
const PART = 4;

const NONE: readonly never[] = [];

/** Nobody. */
export const NOBODY: Line<never> = { length: 0, first: NONE, between: null, last: NONE };

/**
 * The line with one more at its end, or before the first of those that yield to it: they are at the end
 * of the line, one behind the other. What is asked is whether `other` yields to `ask`.
 */
export function joined<A extends Ask>(
  line: Line<A>,
  ask: A,
  yields: (other: A, ask: A) => boolean = never,
): Line<A> {
  const { length, first, between, last } = line;
  if (length === 0) return { length: 1, first: [ask], between: null, last: NONE };
  if (yields(lastOf(line), ask)) {
    const parts = changed(
      line,
      (other) => yields(other, ask),
      (other) => [ask, other],
    );
    return ofParts(length + 1, parts);
  }
  if (last.length < PART) return { length: length + 1, first, between, last: longer(last, ask) };
  return { length: length + 1, first, between: appended(between, last), last: [ask] };
}

function never(): boolean {
  return false;
}

/** The first, undefined if nobody waits. */
export function headOf<A extends Ask>({ first }: Line<A>): A | undefined {
  return first[0];
}

/** The line without its first. */
export function withoutHead<A extends Ask>(line: Line<A>): Line<A> {
  const { length, first, between, last } = line;
  if (length <= 1) return NOBODY;
  if (first.length > 1) return { length: length - 1, first: shorter(first), between, last };
  return ofParts(length - 1, withoutFirst(line));
}

/** The line without the first request of a record by that name; the same line if there is none. */
export function withoutAsk<A extends Ask>(line: Line<A>, id: string, as: string): Line<A> {
  const parts = changed(
    line,
    (ask) => ask.id === id && ask.as === as,
    () => NONE,
  );
  return parts === line ? line : ofParts(line.length - 1, parts);
}

/** All, the first first. */
export function asksOf<A extends Ask>(line: Line<A>): readonly A[] {
  return itemsOf(line);
}

function ofParts<A extends Ask>(length: number, parts: Parts<A> | null): Line<A> {
  if (parts === null) return NOBODY;
  const { first, between, last } = parts;
  return { length, first, between, last };
}

function lastOf<T>({ first, between, last }: Parts<T>): T {
  const part = last.length > 0 ? last : between === null ? first : lastOf(between);
  return part[part.length - 1] as T;
}

function itemsOf<T>({ first, between, last }: Parts<T>): T[] {
  return between === null ? [...first, ...last] : [...first, ...itemsOf(between).flat(), ...last];
}

function appended<T>(parts: Parts<T> | null, item: T): Parts<T> {
  if (parts === null) return { first: [item], between: null, last: NONE };
  const { first, between, last } = parts;
  return last.length < PART
    ? { first, between, last: longer(last, item) }
    : { first, between: appended(between, last), last: [item] };
}

function prepended<T>(parts: Parts<T> | null, item: T): Parts<T> {
  if (parts === null) return { first: [item], between: null, last: NONE };
  const { first, between, last } = parts;
  return first.length < PART
    ? { first: [item, ...first], between, last }
    : { first: [item], between: prepended(between, first), last };
}

function withoutFirst<T>({ first, between, last }: Parts<T>): Parts<T> | null {
  return first.length > 1 ? { first: shorter(first), between, last } : begun(between, last);
}

/** What begins with the parts between. */
function begun<T>(between: Parts<readonly T[]> | null, last: readonly T[]): Parts<T> | null {
  if (between !== null) {
    return { first: between.first[0] as readonly T[], between: withoutFirst(between), last };
  }
  return last.length > 0 ? { first: last, between: null, last: NONE } : null;
}

/** The list with other items in place of the first that is meant; the same list if none is. */
function changed<T>(
  parts: Parts<T>,
  isMeant: (item: T) => boolean,
  instead: (item: T) => readonly T[],
): Parts<T> | null {
  const { first, between, last } = parts;
  if (first.some(isMeant)) {
    const [one, other] = partsWith(first, isMeant, instead);
    if (one === undefined) return begun(between, last);
    return { first: one, between: other === undefined ? between : prepended(between, other), last };
  }
  if (between !== null) {
    const others = changed(
      between,
      (part) => part.some(isMeant),
      (part) => partsWith(part, isMeant, instead),
    );
    if (others !== between) return { first, between: others, last };
  }
  if (!last.some(isMeant)) return parts;
  const [one = NONE, other] = partsWith(last, isMeant, instead);
  return other === undefined
    ? { first, between, last: one }
    : { first, between: appended(between, one), last: other };
}

/** A part with other items in place of the first that is meant: none if it is empty, two if it was full. */
function partsWith<T>(
  part: readonly T[],
  isMeant: (item: T) => boolean,
  instead: (item: T) => readonly T[],
): readonly (readonly T[])[] {
  const place = part.findIndex(isMeant);
  const items = part.toSpliced(place, 1, ...instead(part[place] as T));
  if (items.length === 0) return NONE;
  return items.length > PART ? [items.slice(0, PART / 2), items.slice(PART / 2)] : [items];
}

// Written out, since a list that is made item by item costs a part of one that is copied.

function longer<T>(list: readonly T[], item: T): readonly T[] {
  switch (list.length) {
    case 0:
      return [item];
    case 1:
      return [list[0] as T, item];
    case 2:
      return [list[0] as T, list[1] as T, item];
    default:
      return [list[0] as T, list[1] as T, list[2] as T, item];
  }
}

function shorter<T>(list: readonly T[]): readonly T[] {
  switch (list.length) {
    case 2:
      return [list[1] as T];
    case 3:
      return [list[1] as T, list[2] as T];
    default:
      return [list[1] as T, list[2] as T, list[3] as T];
  }
}
