import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { camp, stash, timer } from '../../kinds/index.ts';
import type { CampInput } from '../../machines/camp.machine.ts';

const MINUTE = 60_000;
const input: CampInput = {
  huts: 3,
  loot: { hide: 2 },
  watchEvery: 5 * MINUTE,
  stage: 10 * MINUTE,
};

function campOf(change: Partial<CampInput> = {}) {
  const t = testKind(camp, {
    id: 'hill',
    at: [1000, 2000],
    input: { ...input, ...change },
    kinds: [stash, timer],
  });
  const ids = () =>
    t.world
      .query()
      .map(({ id }) => id)
      .sort();
  return { t, ids };
}

describe('a camp', () => {
  test('comes with its huts and its watch', () => {
    const { t, ids } = campOf();
    expect(ids()).toEqual(['hill', 'hill.hut-1', 'hill.hut-2', 'hill.hut-3', 'hill.watch']);
    expect(t.world.find('hill.hut-2')).toMatchObject({
      kind: 'stash',
      at: [1210, 2210],
      context: { items: { hide: 2 } },
    });
    expect(t.world.find('hill.watch')?.nextEvent).toBe(5 * MINUTE);
    expect(t.nextEventIn).toBeUndefined();
  });

  test('loses them when it is destroyed, and nobody keeps watch', () => {
    const { t, ids } = campOf();
    expect(t.send({ type: 'DESTROY' })).toEqual({ accepted: true });
    expect(t.value).toBe('ruins');
    expect(ids()).toEqual(['hill']);
    expect(t.notices.map(({ event }) => event.type)).toEqual(['DESTROYED']);
  });

  test('rebuilds in stages, and then has them again', () => {
    const { t, ids } = campOf();
    t.send({ type: 'DESTROY' });
    const seen = [];
    for (let i = 0; i < 3; i += 1) {
      expect(ids()).toEqual(['hill']);
      expect(t.runToNextEvent()).toBe(10 * MINUTE);
      seen.push(t.value);
    }
    expect(seen).toEqual(['clearing', 'building', 'standing']);
    expect(ids()).toHaveLength(5);
    expect(t.world.find('hill.watch')?.nextEvent).toBe(35 * MINUTE);
    expect(t.notices.map(({ event }) => event.type)).toEqual(['DESTROYED', 'REBUILT']);
  });

  test('destroyed while it rebuilds begins again from its ruins', () => {
    const { t } = campOf();
    t.send({ type: 'DESTROY' });
    t.advance('25m');
    expect(t.value).toBe('building');
    t.send({ type: 'DESTROY' });
    expect(t.value).toBe('ruins');
    t.advance('29m');
    expect(t.value).toBe('building');
    t.advance('1m');
    expect(t.value).toBe('standing');
    expect(t.context.timesDestroyed).toBe(2);
  });

  test('in ruins cannot be destroyed', () => {
    const { t } = campOf();
    t.send({ type: 'DESTROY' });
    expect(t.send({ type: 'DESTROY' })).toMatchObject({ accepted: false, code: 'NOT_TAKEN' });
  });

  test('stands again with new huts, whatever was taken from the old', () => {
    const { t } = campOf();
    t.world.send('hill.hut-1', { type: 'TAKE', item: 'hide', count: 2 });
    t.send({ type: 'DESTROY' });
    t.advance('30m');
    expect(t.world.find('hill.hut-1')).toMatchObject({ context: { items: { hide: 2 } } });
  });

  test('needs neither huts nor a watch', () => {
    const { t, ids } = campOf({ huts: 0, watchEvery: undefined as never });
    expect(ids()).toEqual(['hill']);
    t.send({ type: 'DESTROY' });
    t.advance('30m');
    expect(t.value).toBe('standing');
    expect(ids()).toEqual(['hill']);
  });

  test('puts many huts in wider and wider rings', () => {
    const { t } = campOf({ huts: 20 });
    const places = t.world.query({ kind: 'stash' }).map(({ at }) => at.join());
    expect(new Set(places).size).toBe(20);
  });

  test('put back to standing from outside gets what is missing, and keeps what is there', () => {
    const { t, ids } = campOf();
    t.world.send('hill.hut-1', { type: 'TAKE', item: 'hide', count: 2 });
    t.world.remove('hill.hut-2');
    t.world.setState('hill', { value: 'building' });
    t.advance('10m');
    expect(ids()).toHaveLength(5);
    expect(t.world.find('hill.hut-1')).toMatchObject({ context: { items: {} } });
    expect(t.fault).toBeNull();
  });

  test.each([
    [undefined, /camp: input is undefined/],
    [{ ...input, huts: -1 }, /input.huts is -1/],
    [{ ...input, huts: Number.NaN }, /input.huts is NaN/],
    [{ ...input, stage: 0 }, /input.stage is 0/],
    [{ ...input, watchEvery: 0 }, /input.watchEvery is 0/],
    [{ ...input, loot: { hide: -1 } }, /input.loot.hide is -1/],
  ])('is not made of %o', (wrong, message) => {
    expect(() => testKind(camp, { input: wrong as never, kinds: [stash, timer] })).toThrowError(
      message,
    );
  });
});
