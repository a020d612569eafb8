import { readdirSync } from 'node:fs';
import { createWorld } from 'offstage';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import * as registry from '../../kinds/index.ts';
import { starters } from './starters.ts';

const { kinds } = registry;

describe('the registry', () => {
  test('holds each kind that has a file, under its name', () => {
    const files = readdirSync(new URL('../../kinds', import.meta.url))
      .filter((file) => file.endsWith('.kind.ts'))
      .map((file) => file.replace('.kind.ts', ''));
    expect(kinds.map(({ name }) => name).sort()).toEqual(files.sort());
    const { kinds: _, ...named } = registry;
    expect(new Set(Object.values(named))).toEqual(new Set(kinds));
    for (const [constant, { name }] of Object.entries(named)) {
      expect(constant.toLowerCase()).toContain(name.replace(/[-_]/g, ''));
    }
  });

  test('makes a world: every link leads to a kind that is there', () => {
    expect(createWorld({ kinds }).kinds.size).toBe(kinds.length);
  });

  test('holds nothing that defineKind warns of', () => {
    expect(kinds.flatMap(({ warnings }) => warnings)).toEqual([]);
  });
});

describe('what a client may send to the starter kinds', () => {
  test('is this and nothing else', () => {
    const commands = starters.map(({ name, commands: own }) => [name, Object.keys(own)]);
    expect(Object.fromEntries(commands)).toEqual({
      camp: ['DESTROY'],
      caravan: ['DEPART'],
      container: [],
      facility: [],
      field: ['WATER', 'HARVEST', 'SOW'],
      monitor: [],
      signal: ['FLASH', 'SUSTAIN', 'CLEAR'],
      stash: [],
      station: ['RUSH'],
      store: [],
      timer: [],
    });
  });

  test.each([
    [0.5, true],
    [1, true],
    [0, false],
    [-1, false],
    [1.5, false],
    ['1', false],
    [Number.NaN, false],
    [undefined, false],
  ])('water of the amount %o: %s', (amount, allowed) => {
    const check = Compile(registry.field.commands.WATER as object);
    expect(check.Check({ amount })).toBe(allowed);
  });
});

test('each starter kind says in a line what a record does, in every state of its machine', () => {
  const contexts: Record<string, unknown> = {
    camp: { huts: 3, timesDestroyed: 1 },
    caravan: { item: 'bread', cargo: 2, hold: 9 },
    container: { level: 3, capacity: 9, putting: { length: 0 }, getting: { length: 2 } },
    facility: { users: ['a'], servers: 2, line: { length: 0 } },
    field: { crop: 'wheat', moisture: 0.5 },
    monitor: { tally: { mean: 2.5 }, count: 4 },
    signal: { waiting: { length: 3 }, queue: { length: 1 } },
    store: { objects: [1], putting: { length: 0 }, getting: { length: 2 } },
    stash: { items: { ore: 2 }, capacity: 9 },
    station: { recipe: { gives: { item: 'bar' } }, rounds: 4 },
    timer: { fired: 1, count: null, every: 1000 },
  };
  const lines = starters.flatMap((kind) => {
    const { name, machine, describe: line } = kind as (typeof starters)[0];
    return Object.keys(machine.states).map((value) => {
      const shown = value === 'growth' ? { growth: 'sown' } : value;
      const record = { id: 'x', at: [0, 0], links: {}, value: shown, context: contexts[name] };
      return `${name}: ${line?.(record as never)}`;
    });
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "camp: standing, 3 huts",
      "camp: ruins, times destroyed: 1",
      "camp: clearing, times destroyed: 1",
      "camp: building, times destroyed: 1",
      "caravan: loading, 2 of 9 bread",
      "caravan: outbound, 2 of 9 bread",
      "caravan: unloading, 2 of 9 bread",
      "caravan: homebound, 2 of 9 bread",
      "container: 3 of 9, 0 wait to put, 2 to get",
      "facility: 1 of 2 in use, 0 wait",
      "field: wheat, sown, soil 50% moist",
      "field: wheat, parched, soil 50% moist",
      "field: wheat, ripe, soil 50% moist",
      "field: wheat, reaping, soil 50% moist",
      "field: wheat, sheaves, soil 50% moist",
      "field: wheat, withered, soil 50% moist",
      "field: wheat, fallow, soil 50% moist",
      "monitor: mean 2.5 of 4",
      "monitor: mean 2.5 of 4",
      "monitor: mean 2.5 of 4",
      "signal: passive, 3 wait, 1 queue",
      "signal: sustained, 3 wait, 1 queue",
      "stash: 2 of 9: 2 ore",
      "station: lacks what it needs for bar",
      "station: makes bar, 4 rounds done",
      "station: has no room for its bar",
      "store: 1 in it, 0 wait to put, 2 to get",
      "timer: ticks: 1, every 1 s",
      "timer: ticks: 1, every 1 s",
    ]
  `);
});
