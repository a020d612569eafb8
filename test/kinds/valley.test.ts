import { readFileSync } from 'node:fs';
import { createWorld, type NewRecord, type RecordSnapshot, type World } from 'offstage';
import { describe, expect, test } from 'vitest';
import { type Items, withMore } from '../../machines/items.ts';
import type { Recipe } from '../../machines/station.machine.ts';
import { starters } from './starters.ts';

interface Seed {
  readonly format: number;
  readonly world: string;
  readonly seed: string;
  readonly startAt: number;
  readonly records: readonly (NewRecord & { readonly id: string })[];
}

const file = new URL('../../saves/valley.seed.json', import.meta.url);
const seed: Seed = JSON.parse(readFileSync(file, 'utf8'));
/** Those of the starter kinds: somebody may have put kinds of their own into the valley. */
const records = seed.records.filter(({ kind }) => starters.some(({ name }) => name === kind));

function valley({ freeze = false } = {}): World {
  const world = createWorld({
    kinds: starters,
    seed: seed.seed,
    startAt: seed.startAt,
    settings: { freeze },
  });
  world.add(records);
  return world;
}

/** Records of a kind with the context they have. */
function contextsOf<Context>(world: World, kind: string): readonly Context[] {
  return world.query({ kind }).map(({ context }) => context as Context);
}

/** Every item in every stash and on every caravan. */
function itemsIn(world: World): Items {
  let items: Items = {};
  for (const stash of contextsOf<{ items: Items }>(world, 'stash')) {
    for (const [item, count] of Object.entries(stash.items)) items = withMore(items, item, count);
  }
  for (const { item, cargo } of contextsOf<{ item: string; cargo: number }>(world, 'caravan')) {
    items = withMore(items, item, cargo);
  }
  return items;
}

/** The game time at which each record that has a next event would have it. */
const waiting = (records: readonly RecordSnapshot[]) =>
  records.filter(({ nextEvent }) => nextEvent !== null);

describe('the valley', () => {
  test('is a seed of about 300 linked records over many cells', () => {
    expect(seed).toMatchObject({ format: 1, world: 'valley', startAt: 0 });
    const world = valley({ freeze: true });
    expect(world.size).toBeGreaterThan(280);
    expect(world.cells().length).toBeGreaterThan(40);
    const linking = records.filter(({ links }) => links !== undefined);
    expect(linking.length).toBeGreaterThan(150);
    for (const kind of ['camp', 'caravan', 'field', 'stash', 'station', 'timer']) {
      expect(world.query({ kind }).length).toBeGreaterThan(5);
    }
  });

  test('names each record once, and gives nothing a record does not take', () => {
    const ids = seed.records.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const record of seed.records) {
      const known = ['id', 'kind', 'at', 'links', 'input', 'relevancy'];
      expect(Object.keys(record).filter((key) => !known.includes(key))).toEqual([]);
    }
  });

  test('has no link that leads nowhere or to a wrong kind', () => {
    const world = valley();
    for (const record of world.query()) {
      const { links = {} } = starters.find(({ name }) => name === record.kind) ?? {};
      for (const [name, id] of Object.entries(record.links)) {
        expect(world.find(id)?.kind, `${record.id}, link ${name}`).toBe(links[name]);
      }
    }
  });

  test('is lively, yet much of it rests', () => {
    const world = valley({ freeze: true });
    world.run(3_600_000);
    const { size } = world;
    const busy = waiting(world.query()).length;
    expect(busy).toBeGreaterThan(size / 4);
    expect(busy).toBeLessThan((size * 3) / 4);
    const seconds = new Set<number>();
    world.on('event', ({ time }) => seconds.add(Math.floor(time / 1000)));
    world.run(600_000);
    expect(seconds.size).toBeGreaterThan(500);
  });

  test('lives for a day with no fault, and no item is lost or made from nothing', () => {
    const world = valley();
    const faults: unknown[] = [];
    let expected = itemsIn(world);
    const add = (item: string, count: number) => {
      expected = withMore(expected, item, count);
    };
    world.on('fault', (fault) => faults.push(fault));
    world.on('notice', ({ id, kind, event }) => {
      const { item, crop, count } = event as { item?: string; crop?: string; count?: number };
      if (kind === 'station' && event.type === 'MADE') add(item as string, count as number);
      if (kind === 'field' && event.type === 'HARVESTED') add(crop as string, count as number);
      if (kind === 'station' && event.type === 'STARTED') {
        const { recipe } = (world.find(id) as RecordSnapshot<{ recipe: Recipe }>).context;
        for (const [taken, many] of Object.entries(recipe.takes)) add(taken, -many);
      }
    });
    world.run(24 * 3_600_000);
    expect(faults).toEqual([]);
    expect(world.stats()).toMatchObject({ faulted: 0, messagesDropped: 0 });
    const { hide: _, ...found } = itemsIn(world);
    // Hides belong to the camps' huts, which come and go.
    const { hide: __, ...counted } = expected;
    expect(found).toEqual(counted);
    expect(waiting(world.query()).length).toBeGreaterThan(50);
  }, 300_000);

  test('is the same valley however it is run', () => {
    const [whole, framed] = [valley(), valley()];
    whole.run(120_000);
    while (framed.time < 120_000) framed.frame(16, { mayGoOn: () => true });
    expect(framed.time).toBe(120_000);
    expect(framed.hash()).toBe(whole.hash());
  });
});
