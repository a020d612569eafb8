import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Ask,
  asksOf,
  headOf,
  joined,
  type Line,
  NOBODY,
  withoutAsk,
  withoutHead,
} from '../../machines/line.ts';

interface Waiting extends Ask {
  readonly priority: number;
}

const someone = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  as: fc.constantFrom('x', 'y'),
  priority: fc.integer({ min: 0, max: 3 }),
});
const change = fc.oneof(
  { weight: 6, arbitrary: someone.map((who) => ({ do: 'join' as const, who })) },
  { weight: 2, arbitrary: fc.constant({ do: 'serve' as const }) },
  { weight: 2, arbitrary: someone.map((who) => ({ do: 'leave' as const, who })) },
);

/** A line as anybody would write it: a list, made anew each time. */
function changedList(
  list: readonly Waiting[],
  step: typeof change extends fc.Arbitrary<infer T> ? T : never,
) {
  switch (step.do) {
    case 'join': {
      const place = list.findLastIndex(({ priority }) => priority <= step.who.priority) + 1;
      return list.toSpliced(place, 0, step.who);
    }
    case 'serve':
      return list.slice(1);
    default: {
      const place = list.findIndex(({ id, as }) => id === step.who.id && as === step.who.as);
      return place < 0 ? list : list.toSpliced(place, 1);
    }
  }
}

/** All lists that a line is made of. */
function listsIn(value: unknown): Set<readonly unknown[]> {
  const found = new Set<readonly unknown[]>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) found.add(part);
    if (typeof part === 'object' && part !== null)
      for (const inner of Object.values(part)) visit(inner);
  };
  visit(value);
  return found;
}

describe('a line', () => {
  test('holds what a plain list would, in the same order, and stays as it was for who kept it', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400, size: 'max' }), (steps) => {
        let line: Line<Waiting> = NOBODY;
        let list: readonly Waiting[] = [];
        for (const step of steps) {
          const before = line;
          const kept = asksOf(before);
          switch (step.do) {
            case 'join':
              line = joined(line, step.who, ({ priority }) => priority > step.who.priority);
              break;
            case 'serve':
              line = withoutHead(line);
              break;
            default:
              line = withoutAsk(line, step.who.id, step.who.as);
          }
          list = changedList(list, step);
          expect(asksOf(before)).toEqual(kept);
          expect(line.length).toBe(list.length);
          expect(headOf(line)).toEqual(list[0]);
        }
        expect(asksOf(line)).toEqual(list);
      }),
      { numRuns: Number(process.env.OFFSTAGE_FUZZ ?? 100) },
    );
  });

  test('of a thousand is joined and left without being copied whole', () => {
    let line: Line = NOBODY;
    for (let i = 0; i < 1000; i += 1) line = joined(line, { id: `w${i}`, as: 'x' });
    const longer = joined(line, { id: 'last', as: 'x' });
    expect(longer.first).toBe(line.first);
    // Of the thousand a few were put elsewhere: all lists that are new are short, and there are few of them.
    const known = listsIn(line);
    const made = [...listsIn(longer)].filter((list) => !known.has(list));
    expect(made.length).toBeLessThanOrEqual(6);
    expect(Math.max(...made.map(({ length }) => length))).toBeLessThanOrEqual(4);
    const shorter = withoutHead(longer);
    const shortest = withoutHead(shorter);
    expect(shortest.between).toBe(shorter.between);
    expect(shortest.last).toBe(longer.last);
  });

  test('that nobody stands in gives nobody', () => {
    expect(headOf(NOBODY)).toBeUndefined();
    expect(withoutHead(NOBODY)).toBe(NOBODY);
    expect(withoutAsk(NOBODY, 'a', 'x')).toBe(NOBODY);
  });
});
