import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { Kind } from '../../src/core/kind.ts';
import { AllowList } from '../../src/replication/allow-list.ts';
import { lamp } from '../support/meadow.ts';

const list = new AllowList([lamp]);

test('what a kind does not name may not be sent', () => {
  expect(list.allows('lamp', 'TOGGLE')).toBe(true);
  expect(list.allows('lamp', 'xstate.after.1000.lamp.on')).toBe(false);
  expect(list.allows('cart', 'TOGGLE')).toBe(false);
  expect(list.allows('lamp', 'constructor')).toBe(false);
});

test('what comes with an event must fit its schema, and nothing else may come with it', () => {
  expect(list.wrong('lamp', { type: 'DIM', level: 3 })).toBeUndefined();
  expect(list.wrong('lamp', { type: 'DIM', level: 30 })).toMatch(/DIM: level must be <= 10/);
  expect(list.wrong('lamp', { type: 'DIM' })).toMatch(/level/);
  expect(list.wrong('lamp', { type: 'TOGGLE', by: 'Ida' })).toMatch(
    /TOGGLE: it must not have 'by'/,
  );
});

test('inner objects are closed too, and a schema that allows more is left so', () => {
  const commands = {
    PAY: Type.Object({ to: Type.Object({ id: Type.String() }), bids: Type.Array(Type.Object({})) }),
    TAG: Type.Object({ type: Type.Literal('TAG') }, { additionalProperties: true }),
  };
  const shop = new AllowList([{ ...lamp, name: 'shop', commands } as Kind]);
  expect(shop.wrong('shop', { type: 'PAY', to: { id: 'a' }, bids: [{}] })).toBeUndefined();
  expect(shop.wrong('shop', { type: 'PAY', to: { id: 'a', x: 1 }, bids: [] })).toMatch(
    /must not have/,
  );
  expect(shop.wrong('shop', { type: 'PAY', to: { id: 'a' }, bids: [{ x: 1 }] })).toMatch(
    /must not have/,
  );
  expect(shop.wrong('shop', { type: 'TAG', color: 'red' })).toBeUndefined();
});
