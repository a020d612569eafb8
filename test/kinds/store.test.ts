import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { store } from '../../kinds/index.ts';
import { coming, Hall, type Visit } from '../support/visitor.ts';

const put = (object: unknown, more: Partial<Visit> = {}): Visit => ({
  do: 'ask',
  what: { put: object },
  ...more,
});
const get = (pattern: unknown, more: Partial<Visit> = {}): Visit => ({
  do: 'ask',
  what: { get: pattern },
  ...more,
});

const red = { colour: 'red' };
const blue = { colour: 'blue' };

describe('a store', () => {
  test('gives who waits the first object that came', () => {
    const hall = new Hall(
      { kind: 'store' },
      { g: coming(0, get({}), get({})), p: coming(5, put(red), put(blue)) },
    );
    expect(hall.until(99)).toEqual([
      [5, 'p', 'granted', red],
      [5, 'g', 'granted', red],
      [5, 'p', 'granted', blue],
      [5, 'g', 'granted', blue],
    ]);
  });

  test('gives by what the object is like; who waits for another holds nobody up', () => {
    const hall = new Hall(
      { kind: 'store' },
      {
        wantsBlue: coming(0, get(blue)),
        wantsAny: coming(1, get({})),
        wantsRed: coming(2, get(red)),
        p: coming(
          5,
          put({ ...red, n: 1 }),
          { do: 'hold', for: 5 },
          put({ ...blue, n: 2 }),
          put(red),
        ),
      },
    );
    expect(hall.until(99).filter(([, id]) => id !== 'p')).toEqual([
      [5, 'wantsAny', 'granted', { ...red, n: 1 }],
      [10, 'wantsBlue', 'granted', { ...blue, n: 2 }],
      [10, 'wantsRed', 'granted', red],
    ]);
    expect(hall.resource.objects).toEqual([]);
  });

  test('among those whom an object fits, the first who came gets it', () => {
    const hall = new Hall(
      { kind: 'store' },
      {
        a: coming(0, get(red)),
        b: coming(1, get({})),
        c: coming(2, get(red)),
        p: coming(5, put(red)),
      },
    );
    expect(hall.until(99).at(-1)).toEqual([5, 'a', 'granted', red]);
  });

  test('takes in only so many, and whoever waits to put is served as room is made', () => {
    const hall = new Hall(
      { kind: 'store', input: { capacity: 2, objects: [1, 2] } },
      { p: coming(0, put(3), put(4)), g: coming(10, get(2), { do: 'hold', for: 5 }, get({})) },
    );
    expect(hall.until(99)).toEqual([
      [10, 'g', 'granted', 2],
      [10, 'p', 'granted', 3],
      [15, 'g', 'granted', 1],
      [15, 'p', 'granted', 4],
    ]);
    expect(hall.resource.objects).toEqual([3, 4]);
  });

  test('keeps the object that was put at the instant the one who waited for it gave up', () => {
    for (let i = 0; i < 30; i += 1) {
      const hall = new Hall(
        { kind: 'store' },
        { [`g${i}`]: coming(0, get(red, { patience: 5 })), p: coming(5, put(red)) },
      );
      const got = hall.until(99).some(([, id, what]) => id !== 'p' && what === 'granted');
      expect(hall.resource.objects).toEqual(got ? [] : [red]);
      expect(hall.told).toHaveLength(2);
    }
  });

  test('refuses a request that is for nothing', () => {
    const hall = new Hall({ kind: 'store' }, { p: coming(1, put(undefined)) });
    hall.until(9);
    expect(hall.world.find('p')?.fault).toMatchObject({ code: 'EDIT_REFUSED' });
  });

  test.each([
    [{ capacity: 0 }, /store: input.capacity is 0/],
    [{ objects: 'ab' }, /input.objects is "ab"/],
    [{ capacity: 1, objects: [1, 2] }, /input.objects is 2.*capacity, 1/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(store, { input: input as never })).toThrowError(message);
  });
});
