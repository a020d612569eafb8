/**
 * Those who wait, in the order in which they came: an immutable list that is cheap to join at its end
 * and to leave at its beginning, however long it is. It is held in parts, and a change makes anew the
 * part it falls into and the list of parts.
 */

/** Who waits, and by which name: what it gets is the event `granted.<as>`. */
export interface Ask {
  readonly id: string;
  readonly as: string;
}

export interface Line<A extends Ask = Ask> {
  readonly length: number;
  /** None of them empty. */
  readonly parts: readonly (readonly A[])[];
}

/** A part longer than this is not made any longer. */
const PART = 32;

/** Nobody. */
export const NOBODY: Line<never> = { length: 0, parts: [] };

/** The line with one more at its end, or before the first of those that `yields` to it from the end on. */
export function joined<A extends Ask>(
  line: Line<A>,
  ask: A,
  yields: (other: A) => boolean = never,
): Line<A> {
  const { length, parts } = line;
  let at = parts.length - 1;
  // All of a part yields exactly if its first does, since the line is in order.
  while (at > 0 && yields((parts[at] as readonly A[])[0] as A)) at -= 1;
  if (at < 0) return { length: 1, parts: [[ask]] };
  const part = parts[at] as readonly A[];
  let place = part.length;
  while (place > 0 && yields(part[place - 1] as A)) place -= 1;
  const changed = place === part.length ? [...part, ask] : part.toSpliced(place, 0, ask);
  const cut = place === part.length ? place : PART;
  return {
    length: length + 1,
    parts:
      part.length < PART
        ? parts.with(at, changed)
        : [
            ...parts.slice(0, at),
            changed.slice(0, cut),
            changed.slice(cut),
            ...parts.slice(at + 1),
          ],
  };
}

function never(): boolean {
  return false;
}

/** The first, undefined if nobody waits. */
export function headOf<A extends Ask>({ parts }: Line<A>): A | undefined {
  return parts[0]?.[0];
}

/** The line without its first. */
export function withoutHead<A extends Ask>({ length, parts }: Line<A>): Line<A> {
  const [first = []] = parts;
  if (length <= 1) return NOBODY;
  return {
    length: length - 1,
    parts: first.length === 1 ? parts.slice(1) : parts.with(0, first.slice(1)),
  };
}

/** The line without the first request of a record by that name; the same line if there is none. */
export function withoutAsk<A extends Ask>(line: Line<A>, id: string, as: string): Line<A> {
  const { length, parts } = line;
  for (const [at, part] of parts.entries()) {
    const place = part.findIndex((ask) => ask.id === id && ask.as === as);
    if (place < 0) continue;
    const left = part.toSpliced(place, 1);
    return {
      length: length - 1,
      parts: left.length === 0 ? parts.toSpliced(at, 1) : parts.with(at, left),
    };
  }
  return line;
}

/** All, the first first. */
export function asksOf<A extends Ask>({ parts }: Line<A>): readonly A[] {
  return parts.flat();
}
