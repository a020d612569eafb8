import fc from 'fast-check';
import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { container } from '../../kinds/index.ts';
import { coming, Hall, type Told, type Visit } from '../support/visitor.ts';

const put = (amount: number, more: Partial<Visit> = {}): Visit => ({
  do: 'ask',
  what: { put: amount },
  ...more,
});
const get = (amount: number, more: Partial<Visit> = {}): Visit => ({
  do: 'ask',
  what: { get: amount },
  ...more,
});
const of100 = { kind: 'container', input: { capacity: 100 } };

function served(told: readonly Told[]): readonly (readonly [number, string])[] {
  return told.flatMap(([time, id, what]) => (what === 'granted' ? [[time, id] as const] : []));
}

describe('a container', () => {
  test('lets nobody overtake, however little it asks for', () => {
    // In the order in which they come, a thousandth apart.
    const hall = new Hall(of100, {
      p60: coming(0, put(60)),
      p60more: coming(0.25, put(60)),
      p15: coming(0.5, put(15)),
      p10: coming(0.75, put(10)),
      g60: coming(10, get(60)),
    });
    expect(served(hall.until(99))).toEqual([
      [0, 'p60'],
      [10, 'g60'],
      [10, 'p60more'],
      [10, 'p15'],
      [10, 'p10'],
    ]);
    expect(hall.resource.level).toBe(85);
  });

  test('serves the follower when the head of the line times out', () => {
    const hall = new Hall(
      { kind: 'container', input: { capacity: 100, level: 30 } },
      { big: coming(0, get(60, { patience: 10 })), small: coming(1, get(20)) },
    );
    expect(hall.until(99)).toEqual([
      [10, 'big', 'gave up'],
      [10, 'small', 'granted', 20],
    ]);
  });

  test('gives a request made anew what it asks for now, not what it asked for before', () => {
    for (let i = 0; i < 30; i += 1) {
      const hall = new Hall(of100, {
        [`g${i}`]: coming(0, get(60, { patience: 10 }), get(20)),
        p: coming(10, put(60)),
      });
      const [, ...told] = hall.until(99).filter(([, , what]) => what !== 'gave up');
      const got = hall.told.some(([, , what]) => what === 'gave up') ? 20 : 60;
      expect(hall.told.some(([, id, , what]) => id === `g${i}` && what === got)).toBe(true);
      expect(told.length).toBeLessThan(3);
      expect(hall.resource.level).toBe(got === 20 ? 40 : 0);
    }
  });

  test('forgets a request that was made as another was granted, and taken back before it arrived', () => {
    for (let i = 0; i < 30; i += 1) {
      const hall = new Hall(of100, {
        [`g${i}`]: coming(0, get(1), get(1, { patience: 0 })),
        p: coming(0, put(1)),
      });
      hall.until(9);
      expect(hall.resource.getting?.length).toBe(0);
      expect(hall.resource.level).toBe(0);
    }
  });

  test('grants nothing that is being taken back by a message on its way', () => {
    for (let i = 0; i < 60; i += 1) {
      const hall = new Hall(of100, {
        [`v${i}`]: coming(0, get(1), put(1, { patience: 0 }), get(1)),
        p: coming(0, put(1)),
      });
      const told = hall.until(9).flatMap(([, id, what]) => (id === 'p' ? [] : [what]));
      // What it puts it gets back; having given that up, it waits for the next to put something in.
      expect([
        ['granted', 'granted', 'granted'],
        ['granted', 'gave up'],
      ]).toContainEqual(told);
      expect(hall.resource.level).toBe(0);
      expect(hall.resource.getting?.length).toBe(told.includes('gave up') ? 1 : 0);
      expect(hall.resource.putting?.length).toBe(0);
    }
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 101, '5', undefined])(
    'refuses a request for %s, which it could never grant',
    (amount) => {
      const hall = new Hall(of100, { g: coming(1, get(amount as number)) });
      hall.until(5);
      expect(hall.world.find('g')?.fault).toMatchObject({ code: 'EDIT_REFUSED' });
      expect(hall.resource.getting?.length).toBe(0);
    },
  );

  test('neither loses nor makes any of what it holds, whatever is asked, given up and when', () => {
    const visit = fc.record({
      put: fc.boolean(),
      amount: fc.integer({ min: 1, max: 10 }),
      patience: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
    });
    const visits = fc.array(
      fc.record({ come: fc.integer({ min: 0, max: 4 }), list: fc.array(visit, { maxLength: 5 }) }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(visits, fc.nat(999), (people, salt) => {
        const hall = new Hall(
          { kind: 'container', input: { capacity: 10 } },
          Object.fromEntries(
            people.map(({ come, list }, i) => [
              `v${salt}-${i}`,
              coming(
                come,
                ...list.map(({ put: puts, amount, patience }): Visit => {
                  const asked = puts ? put(amount) : get(amount);
                  return patience === undefined ? asked : { ...asked, patience };
                }),
              ),
            ]),
          ),
        );
        const events = hall.until(1000);
        let level = 0;
        const at = new Map<string, number>();
        for (const [, id, what, amount] of events) {
          const nth = at.get(id) ?? 0;
          at.set(id, nth + 1);
          const { list } = people[Number(id.split('-')[1])] as (typeof people)[number];
          const asked = list[nth] as (typeof list)[number];
          if (what === 'granted') {
            // Each gets what it asked for last, and the level is never below none or above all.
            expect(amount).toBe(asked.amount);
            level += asked.put ? asked.amount : -asked.amount;
          }
        }
        expect(hall.resource.level).toBe(level);
        expect(hall.world.stats()).toMatchObject({ faulted: 0, messagesDropped: 0 });
        // Who waits still is who has not done all it wanted, and the head of each line cannot be served.
        const { putting, getting } = hall.resource as unknown as {
          putting: { length: number; first: { amount: number }[] };
          getting: { length: number; first: { amount: number }[] };
        };
        const unfinished = people.filter(
          ({ list }, i) => list.length > (at.get(`v${salt}-${i}`) ?? 0),
        );
        expect(putting.length + getting.length).toBe(unfinished.length);
        const head = putting.first[0];
        if (head !== undefined) expect(level + head.amount).toBeGreaterThan(10);
        const want = getting.first[0];
        if (want !== undefined) expect(want.amount).toBeGreaterThan(level);
      }),
      { numRuns: Number(process.env.OFFSTAGE_FUZZ ?? 100) },
    );
  });

  test.each([
    [undefined, /container: input is undefined/],
    [{ capacity: 0 }, /capacity is 0/],
    [{ capacity: Number.NaN }, /capacity is NaN/],
    [{ capacity: 5, level: 6 }, /level is 6.*capacity, 5/],
    [{ capacity: 5, level: -1 }, /level is -1/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(container, { input: input as never })).toThrowError(message);
  });
});
