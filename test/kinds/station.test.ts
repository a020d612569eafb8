import fc from 'fast-check';
import { stub, testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { stash, station } from '../../kinds/index.ts';
import { countOf } from '../../machines/items.ts';

const smelt = {
  takes: { ore: 2, coal: 1 },
  gives: { item: 'bar', count: 1 },
  milliseconds: 60_000,
};

function smelter(items = {}, { capacity = 99 } = {}) {
  const from = testKind(stash, { id: 'heap', input: { capacity: 99, items } });
  const to = testKind(stash, { id: 'bars', input: { capacity } });
  const t = testKind(station, { input: { recipe: smelt }, links: { from, to } });
  return { from, to, t };
}

describe('a station', () => {
  test('takes its ingredients, works a round, and puts what it made', () => {
    const { from, to, t } = smelter({ ore: 2, coal: 1 });
    expect(t.value).toBe('working');
    expect(from.context.items).toEqual({});
    expect(t.nextEventIn).toBe(60_000);
    t.advance('60s');
    expect(to.context.items).toEqual({ bar: 1 });
    expect(t.edits.map(({ to: link, event }) => [link, event])).toEqual([
      ['from', { type: 'TAKE', item: 'ore', count: 2 }],
      ['from', { type: 'TAKE', item: 'coal', count: 1 }],
      ['to', { type: 'PUT', item: 'bar', count: 1 }],
    ]);
    expect(t.notices.map(({ event }) => event)).toEqual([
      { type: 'STARTED', doneAt: 60_000 },
      { type: 'MADE', item: 'bar', count: 1 },
    ]);
  });

  test('goes on round after round while nobody looks', () => {
    const { from, to, t } = smelter({ ore: 20, coal: 20 });
    t.advance('1d');
    expect(to.context.items).toEqual({ bar: 10 });
    expect(from.context.items).toEqual({ coal: 10 });
    expect(t.context.rounds).toBe(10);
    expect(t.value).toBe('waiting');
  });

  test('rests while an ingredient is missing, and starts the moment it is there', () => {
    const { from, t } = smelter({ ore: 9 });
    expect(t.value).toBe('waiting');
    expect(t.nextEventIn).toBeUndefined();
    t.advance('3h');
    from.send({ type: 'PUT', item: 'coal', count: 1 });
    expect(t.value).toBe('working');
    expect(t.nextEventIn).toBe(60_000);
    expect(from.context.items).toEqual({ ore: 7 });
  });

  test('takes nothing while only a part is there', () => {
    const { from, t } = smelter({ ore: 1, coal: 5 });
    t.advance('1h');
    expect(from.context.items).toEqual({ ore: 1, coal: 5 });
  });

  test('rests with its work in hand while there is no room, and stores it the moment there is', () => {
    const { from, to, t } = smelter({ ore: 9, coal: 9 }, { capacity: 1 });
    t.advance('1h');
    expect(t.value).toBe('storing');
    expect(t.nextEventIn).toBeUndefined();
    expect(from.context.items).toEqual({ ore: 5, coal: 7 });
    to.send({ type: 'TAKE', item: 'bar', count: 1 });
    expect(to.context.items).toEqual({ bar: 1 });
    expect(t.value).toBe('working');
  });

  test('may take from and put into the same stash', () => {
    const shared = testKind(stash, { input: { capacity: 3, items: { ore: 2, coal: 1 } } });
    const t = testKind(station, { input: { recipe: smelt }, links: { from: shared, to: shared } });
    t.advance('1h');
    expect(shared.context.items).toEqual({ bar: 1 });
  });

  test('whose recipe takes nothing is a mine', () => {
    const to = testKind(stash, { input: { capacity: 5 } });
    const recipe = { ...smelt, takes: {}, gives: { item: 'ore', count: 2 } };
    const t = testKind(station, { input: { recipe }, links: { to } });
    t.advance('1h');
    expect(to.context.items).toEqual({ ore: 4 });
    expect(t.value).toBe('storing');
  });

  test('rests while a stash is not there yet', () => {
    const t = testKind(station, { input: { recipe: smelt }, links: { to: stub() } });
    t.advance('1h');
    expect(t.value).toBe('waiting');
    expect(t.fault).toBeNull();
  });

  test('two of them and one last ore: exactly one gets it, always the same one', () => {
    const winnerOf = (reversed: boolean) => {
      const from = testKind(stash, { input: { capacity: 9 } });
      const input = { recipe: { ...smelt, takes: { ore: 1 } } };
      const ids = reversed ? ['west', 'east'] : ['east', 'west'];
      const both = ids.map((id) => testKind(station, { id, input, links: { from, to: stub() } }));
      from.send({ type: 'PUT', item: 'ore', count: 1 });
      expect(from.context.items).toEqual({});
      const working = both.filter(({ value }) => value === 'working').map(({ id }) => id);
      expect(working).toHaveLength(1);
      expect(both.map(({ fault }) => fault)).toEqual([null, null]);
      return working[0];
    };
    expect(winnerOf(false)).toBe(winnerOf(true));
  });

  test('can be hurried once a round: what is left takes half the time', () => {
    const { to, t } = smelter({ ore: 4, coal: 2 });
    t.advance('20s');
    expect(t.send({ type: 'RUSH' }).accepted).toBe(true);
    expect(t.nextEventIn).toBe(20_000);
    expect(t.send({ type: 'RUSH' })).toMatchObject({ code: 'NOT_TAKEN' });
    t.runToNextEvent();
    expect(to.context.items).toEqual({ bar: 1 });
    expect(t.nextEventIn).toBe(60_000);
    expect(t.can({ type: 'RUSH' })).toBe(true);
  });

  test('cannot be hurried while it rests', () => {
    expect(smelter().t.send({ type: 'RUSH' })).toMatchObject({ code: 'NOT_TAKEN' });
  });

  test('makes as many bars as its ingredients allow, and loses none on the way', () => {
    const delivery = fc.record({
      item: fc.constantFrom('ore', 'coal'),
      count: fc.integer({ min: 1, max: 5 }),
      wait: fc.integer({ min: 0, max: 200_000 }),
      rush: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(delivery, { maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        (deliveries, capacity) => {
          const { from, to, t } = smelter({}, { capacity });
          const given = { ore: 0, coal: 0 };
          for (const { item, count, wait, rush } of deliveries) {
            from.send({ type: 'PUT', item, count });
            given[item as 'ore'] += count;
            if (rush) t.send({ type: 'RUSH' });
            t.advance(wait);
          }
          const check = () => {
            const bars = countOf(to.context.items, 'bar') + (t.value === 'waiting' ? 0 : 1);
            expect(countOf(from.context.items, 'ore') + 2 * bars).toBe(given.ore);
            expect(countOf(from.context.items, 'coal') + bars).toBe(given.coal);
          };
          check();
          t.advance('1d');
          check();
          const possible = Math.min(Math.floor(given.ore / 2), given.coal);
          expect(countOf(to.context.items, 'bar')).toBe(Math.min(possible, capacity));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('keeps the time of its round when the clock is set', () => {
    const { t } = smelter({ ore: 2, coal: 1 });
    t.advance('15s');
    t.world.shiftTo(9_000_000);
    expect(t.context.doneAt).toBe(9_045_000);
    t.send({ type: 'RUSH' });
    expect(t.nextEventIn).toBe(22_500);
  });

  test('works on from the state it is put into from outside', () => {
    const { to, t } = smelter();
    t.world.setState('station', { value: 'working' });
    expect(t.nextEventIn).toBe(60_000);
    t.advance('60s');
    expect(to.context.items).toEqual({ bar: 1 });
    t.world.setState('station', { value: 'storing' });
    expect(to.context.items).toEqual({ bar: 2 });
    expect(t.fault).toBeNull();
  });

  test.each([
    [undefined, /station: input is undefined/],
    [{}, /recipe of it.* undefined/],
    [{ recipe: { ...smelt, milliseconds: 0 } }, /recipe.milliseconds is 0/],
    [{ recipe: { ...smelt, milliseconds: Number.NaN } }, /recipe.milliseconds is NaN/],
    [{ recipe: { ...smelt, takes: { ore: 0 } } }, /recipe.takes.ore is 0.* at least 1/],
    [{ recipe: { ...smelt, takes: { ore: -1 } } }, /recipe.takes.ore is -1/],
    [{ recipe: { ...smelt, gives: { item: 'bar', count: 0 } } }, /recipe.gives.count is 0/],
    [{ recipe: { ...smelt, gives: { item: 'constructor', count: 1 } } }, /"constructor"/],
    [{ recipe: { ...smelt, gives: undefined } }, /recipe.gives.item is undefined/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(station, { input: input as never })).toThrowError(message);
  });
});
