import fc from 'fast-check';
import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { stash } from '../../kinds/index.ts';
import { totalOf } from '../../machines/items.ts';

describe('a stash', () => {
  test('takes what fits and gives what is there', () => {
    const t = testKind(stash, { input: { capacity: 5 } });
    expect(t.send({ type: 'PUT', item: 'ore', count: 3 })).toEqual({ accepted: true });
    expect(t.send({ type: 'PUT', item: 'coal', count: 2 })).toEqual({ accepted: true });
    expect(t.context.items).toEqual({ ore: 3, coal: 2 });
    expect(t.send({ type: 'TAKE', item: 'ore', count: 3 })).toEqual({ accepted: true });
    expect(t.context.items).toEqual({ coal: 2 });
  });

  test('that is full refuses one more, of whatever it is', () => {
    const t = testKind(stash, { input: { capacity: 3, items: { ore: 3 } } });
    expect(t.send({ type: 'PUT', item: 'ore', count: 1 })).toMatchObject({ code: 'NOT_TAKEN' });
    expect(t.send({ type: 'PUT', item: 'coal', count: 1 })).toMatchObject({ code: 'NOT_TAKEN' });
    expect(t.context.items).toEqual({ ore: 3 });
  });

  test('gives nothing that is not there, and nothing in part', () => {
    const t = testKind(stash, { input: { capacity: 9, items: { ore: 2 } } });
    expect(t.send({ type: 'TAKE', item: 'ore', count: 3 })).toMatchObject({ code: 'NOT_TAKEN' });
    expect(t.send({ type: 'TAKE', item: 'gold', count: 1 })).toMatchObject({ code: 'NOT_TAKEN' });
    expect(t.context.items).toEqual({ ore: 2 });
  });

  test('tells what was stored and taken', () => {
    const t = testKind(stash, { input: { capacity: 9 } });
    t.send({ type: 'PUT', item: 'ore', count: 2 });
    t.send({ type: 'TAKE', item: 'ore', count: 1 });
    t.send({ type: 'TAKE', item: 'ore', count: 9 });
    expect(t.notices.map(({ event }) => event)).toEqual([
      { type: 'STORED', item: 'ore', count: 2 },
      { type: 'TAKEN', item: 'ore', count: 1 },
    ]);
  });

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined, null])(
    'neither takes nor gives a count of %o',
    (count) => {
      const t = testKind(stash, { input: { capacity: 9, items: { ore: 3 } } });
      expect(t.send({ type: 'PUT', item: 'ore', count } as never).accepted).toBe(false);
      expect(t.send({ type: 'TAKE', item: 'ore', count } as never).accepted).toBe(false);
      expect(t.context.items).toEqual({ ore: 3 });
    },
  );

  test.each(['', 'constructor', '__proto__', 'toString', 'Ore', 'iron ore', 7, undefined])(
    'knows no item of the name %o',
    (item) => {
      const t = testKind(stash, { input: { capacity: 9 } });
      expect(t.send({ type: 'PUT', item, count: 1 } as never)).toMatchObject({ code: 'NOT_TAKEN' });
      expect(t.send({ type: 'TAKE', item, count: 1 } as never)).toMatchObject({
        code: 'NOT_TAKEN',
      });
    },
  );

  test('that holds nothing is a stash too', () => {
    const t = testKind(stash, { input: { capacity: 0, items: { ore: 0 } } });
    expect(t.context.items).toEqual({});
    expect(t.can({ type: 'PUT', item: 'ore', count: 1 })).toBe(false);
  });

  test('conserves: what went in and did not come out is there, and never more than fits', () => {
    const move = fc.record({
      type: fc.constantFrom('PUT' as const, 'TAKE' as const),
      item: fc.constantFrom('ore', 'coal', 'bread'),
      count: fc.integer({ min: -2, max: 9 }),
    });
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.array(move, { maxLength: 30 }), (capacity, moves) => {
        const t = testKind(stash, { input: { capacity } });
        const held: Record<string, number> = { ore: 0, coal: 0, bread: 0 };
        for (const event of moves) {
          const wasThere = held[event.item] ?? 0;
          const possible =
            event.count > 0 &&
            (event.type === 'PUT'
              ? totalOf(held) + event.count <= capacity
              : wasThere >= event.count);
          expect(t.send(event).accepted).toBe(possible);
          if (possible) held[event.item] = wasThere + (event.type === 'PUT' ? 1 : -1) * event.count;
        }
        expect({ ore: 0, coal: 0, bread: 0, ...t.context.items }).toEqual(held);
        expect(Object.values(t.context.items)).not.toContain(0);
      }),
    );
  });

  test('keeps its items when it is put elsewhere from outside', () => {
    const t = testKind(stash, { input: { capacity: 9, items: { ore: 3 } } });
    t.world.setState('stash', { value: 'open', at: [5, 5] });
    expect(t.record).toMatchObject({ at: [5, 5], context: { items: { ore: 3 } } });
    t.world.setState('stash', { context: { capacity: 9, items: { ore: 8 } } });
    expect(t.send({ type: 'PUT', item: 'ore', count: 2 }).accepted).toBe(false);
    expect(t.send({ type: 'PUT', item: 'ore', count: 1 }).accepted).toBe(true);
  });

  test.each([
    [undefined, /stash: input is undefined; give { capacity/],
    [{}, /input.capacity is undefined; give a whole number/],
    [{ capacity: -1 }, /input.capacity is -1/],
    [{ capacity: Number.NaN }, /input.capacity is NaN/],
    [{ capacity: 9, items: { ore: -1 } }, /input.items.ore is -1/],
    [{ capacity: 9, items: { Ore: 1 } }, /an item of stash: input.items is "Ore"/],
    [{ capacity: 9, items: [1] }, /input.items is \[1\]/],
    [{ capacity: 2, items: { ore: 2, coal: 1 } }, /total of input.items is 3; give at most .* 2/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(stash, { input: input as never })).toThrowError(message);
  });
});
