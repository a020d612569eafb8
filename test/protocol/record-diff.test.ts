import fc from 'fast-check';
import { createWorld, type RecordValue } from 'offstage';
import { describe, expect, test } from 'vitest';
import type { FullRec, Rec } from '../../src/protocol/messages.ts';
import { fullRec, recDiff } from '../../src/protocol/record-diff.ts';
import { isFull, type RecordView, viewOf, viewWith } from '../../src/protocol/record-view.ts';
import { CANARY, meadowKinds } from '../support/meadow.ts';

/** Over the wire and back. */
function sent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

function applied(view: RecordView, rec: Rec | undefined): RecordView {
  if (rec === undefined) return view;
  const arrived = sent(rec);
  return isFull(arrived) ? viewOf(arrived) : viewWith(view, arrived);
}

function meadow() {
  const world = createWorld({ kinds: meadowKinds, settings: { freeze: true } });
  world.add([
    { id: 'lamp', kind: 'lamp', at: [1, 2] },
    { id: 'cart', kind: 'cart', at: [3, 4] },
    { id: 'box', kind: 'box', at: [5, 6] },
    { id: 'bell', kind: 'bell', at: [0, 0] },
  ]);
  const of = (id: string): RecordValue => world.valueOf(id) as RecordValue;
  return { world, of };
}

describe('a record whole', () => {
  test('says what a client may know, and no more', () => {
    const { of } = meadow();
    expect(fullRec(of('lamp'))).toEqual({
      id: 'lamp',
      kind: 'lamp',
      v: 1,
      at: [1, 2],
      time: 0,
      next: null,
      value: 'off',
      context: { level: 1, lit: 0, note: '' },
      tags: ['dark'],
    });
  });

  test('comes back with a Map, a Date and a bigint as they were', () => {
    const { world, of } = meadow();
    world.send('box', { type: 'PUT', item: 'rope' });
    const view = viewOf(sent(fullRec(of('box'))));
    expect(view.context).toEqual({
      items: new Map([['rope', 1]]),
      since: new Date(0),
      size: 3n,
      name: 'box',
    });
    expect(view.version).toBe(2);
  });
});

describe('a record changed', () => {
  test('says only what changed: state, context by key, and what comes next', () => {
    const { world, of } = meadow();
    const before = of('lamp');
    world.run(10);
    world.send('lamp', { type: 'TOGGLE' });
    expect(recDiff(before, of('lamp'))).toEqual({
      id: 'lamp',
      time: 10,
      next: 1010,
      value: 'on',
      context: { set: { lit: 1 } },
      tags: [],
    });
  });

  test('names a key that is no longer there', () => {
    const { world, of } = meadow();
    const before = of('lamp');
    world.setState('lamp', { context: { level: 1, lit: 0, secret: CANARY } });
    expect(recDiff(before, of('lamp'))).toEqual({ id: 'lamp', context: { unset: ['note'] } });
  });

  test('is nothing where only a server-only key changed', () => {
    const { world, of } = meadow();
    const before = of('lamp');
    world.send('lamp', { type: 'NOTE' });
    expect(of('lamp').state.context).toMatchObject({ secret: `${CANARY}-again` });
    expect(recDiff(before, of('lamp'))).toBeUndefined();
  });

  test('sends of a context that JSON cannot hold only the keys that changed', () => {
    const { world, of } = meadow();
    const before = of('box');
    world.send('box', { type: 'NAME', name: 'crate' });
    expect(recDiff(before, of('box'))).toEqual({
      id: 'box',
      context: { set: { name: 'crate' } },
    });
    const named = of('box');
    world.send('box', { type: 'PUT', item: 'rope' });
    const view = applied(viewOf(sent(fullRec(named))), recDiff(named, of('box')));
    expect(view).toEqual(viewOf(sent(fullRec(of('box')))));
  });

  test('of another kind comes whole', () => {
    const { of } = meadow();
    expect(recDiff(of('lamp'), of('cart'))).toEqual(fullRec(of('cart')));
  });
});

test('a change applied to what was known gives what is, for any two values of a context', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(undefined, Number.NaN, -0, Number.POSITIVE_INFINITY),
    fc.date({ noInvalidDate: true }),
    fc.bigInt(),
    fc.array(fc.string()).map((items) => new Set(items)),
    fc.dictionary(fc.string(), fc.integer()).map((items) => new Map(Object.entries(items))),
  );
  const key = fc.oneof(
    fc.constantFrom('a', 'b', 'secret', 'toString', 'hasOwnProperty'),
    // superjson refuses these on purpose, and the world refuses to commit them.
    fc.string().filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name)),
  );
  const context = fc.dictionary(key, value, { noNullPrototype: true });
  const { world, of } = meadow();
  const withContext = (given: unknown): RecordValue => {
    try {
      world.setState('lamp', { context: given });
    } catch (error) {
      // Deeper down the values may hold such a key too.
      expect(error).toMatchObject({ code: 'NOT_SAVABLE' });
      fc.pre(false);
    }
    return of('lamp');
  };
  fc.assert(
    fc.property(context, context, (first, second) => {
      const [before, after] = [withContext(first), withContext(second)];
      const known = viewOf(sent<FullRec>(fullRec(before)));
      expect(applied(known, recDiff(before, after))).toEqual(viewOf(sent<FullRec>(fullRec(after))));
    }),
    { numRuns: 500 },
  );
});
