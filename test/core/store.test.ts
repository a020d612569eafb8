/** Pages, the id index and snapshots against plain maps. */

import fc from 'fast-check';
import { createWorld } from 'offstage';
import { describe, expect, it } from 'vitest';
import { hash32 } from '../../src/core/hash.ts';
import { IdIndex, type IdIndexSnapshot } from '../../src/core/id-index.ts';
import { Pages, type PagesSnapshot } from '../../src/core/pages.ts';
import { pulse } from '../support/small-kinds.ts';

describe('pages', () => {
  it('hold what was last set, and snapshots what was set when they were taken', () => {
    const operation = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(fc.constant('set'), fc.nat(9000), fc.nat()) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('clear'), fc.nat(9000), fc.nat()) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('snapshot'), fc.nat(9000), fc.nat()) },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const pages = new Pages<number>();
        const model = new Map<number, number>();
        const kept: { snapshot: PagesSnapshot<number>; model: Map<number, number> }[] = [];
        for (const [what, slot, value] of operations) {
          if (what === 'snapshot') kept.push({ snapshot: pages.snapshot(), model: new Map(model) });
          else {
            pages.set(slot, what === 'set' ? value : undefined);
            if (what === 'set') model.set(slot, value);
            else model.delete(slot);
          }
          expect(pages.get(slot)).toBe(model.get(slot));
        }
        for (const { snapshot, model: past } of kept) {
          for (const [, slot] of operations) expect(snapshot.get(slot)).toBe(past.get(slot));
          expect([...snapshot.values()].length).toBe(past.size);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('an item that is put in to be kept', () => {
  it('is kept until it is given out, by whatever way', () => {
    const ways = fc.constantFrom('keep', 'set', 'get', 'values', 'snapshot', 'nothing');
    fc.assert(
      fc.property(fc.array(fc.tuple(ways, fc.nat(200)), { maxLength: 300 }), (operations) => {
        const pages = new Pages<number>();
        const kept = new Map<number, number>();
        const given = new Set<number>();
        for (const [i, [way, slot]] of operations.entries()) {
          if (way === 'keep') {
            pages.keep(slot, i);
            kept.set(slot, i);
          }
          if (way === 'set') pages.set(slot, i);
          if (way === 'get') pages.get(slot);
          if (way === 'set' || way === 'get') kept.delete(slot);
          if (way === 'values') for (const item of pages.values()) given.add(item);
          if (way === 'snapshot') for (const item of pages.snapshot().values()) given.add(item);
          if (way === 'values' || way === 'snapshot') kept.clear();
          for (let each = 0; each <= 200; each += 1) expect(pages.kept(each)).toBe(kept.get(each));
        }
        expect([...kept.values()].filter((item) => given.has(item))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the id index', () => {
  it('finds what is there, now and in snapshots, however often ids come and go', () => {
    const operation = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(fc.constant('toggle'), fc.nat(3000)) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('snapshot'), fc.constant(0)) },
    );
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 4000, minLength: 1500, size: 'max' }),
        (operations) => {
          const ids: (string | undefined)[] = [];
          const index = new IdIndex((slot) => ids[slot]);
          const model = new Map<string, number>();
          const kept: {
            snapshot: IdIndexSnapshot;
            ids: (string | undefined)[];
            slots: Map<string, number>;
          }[] = [];
          const hashOf = (slot: number): number => hash32(ids[slot] as string);
          for (const [what, n] of operations) {
            const id = `record-${n}`;
            if (what === 'snapshot')
              kept.push({ snapshot: index.snapshot(), ids: ids.slice(), slots: new Map(model) });
            else if (model.has(id)) {
              index.remove(hash32(id), model.get(id) as number);
              ids[model.get(id) as number] = undefined;
              model.delete(id);
            } else {
              const slot = ids.length;
              ids.push(id);
              index.add(hash32(id), slot, hashOf);
              model.set(id, slot);
            }
          }
          for (let n = 0; n <= 3000; n += 1)
            expect(index.slotOf(`record-${n}`)).toBe(model.get(`record-${n}`) ?? -1);
          for (const { snapshot, ids: past, slots } of kept.slice(0, 3)) {
            for (let n = 0; n <= 3000; n += 7) {
              expect(snapshot.slotOf(`record-${n}`, (slot) => past[slot])).toBe(
                slots.get(`record-${n}`) ?? -1,
              );
            }
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('a snapshot', () => {
  it('taken before 10,000 further events still reads as it did', () => {
    const world = createWorld({ kinds: [pulse] });
    for (let i = 0; i < 20; i += 1) {
      world.add({ id: `p${i}`, kind: 'pulse', at: [i, 0], input: { every: 100 + i } });
    }
    world.run(5000);
    const hash = world.hash();
    const snapshot = world.snapshot();
    const before = [...snapshot.records()].map((record) => JSON.stringify(record)).sort();
    let events = 0;
    world.on('event', () => {
      events += 1;
    });
    while (events < 10_000) world.run(1000);
    world.remove('p3');
    world.add({ id: 'new', kind: 'pulse', at: [0, 0] });
    expect([...snapshot.records()].map((record) => JSON.stringify(record)).sort()).toEqual(before);
    expect(snapshot.hash()).toBe(hash);
    expect(snapshot.time).toBe(5000);
    expect(snapshot.find('p3')).toMatchObject({ context: { beats: Math.floor(5000 / 103) } });
    expect(snapshot.find('new')).toBeUndefined();
    expect(world.hash()).not.toBe(hash);
  });

  it('shares every page with the store until one is written, and then all but that one', () => {
    const pages = new Pages<number>();
    for (let slot = 0; slot < 100_000; slot += 1) pages.set(slot, slot);
    const rootOf = (of: unknown) => (of as { root: { branches: { leaves: unknown[] }[] } }).root;
    const snapshot = pages.snapshot();
    expect(rootOf(snapshot)).toBe(rootOf(pages));
    pages.set(70_000, -1);
    const leavesOf = (of: unknown): unknown[] =>
      rootOf(of).branches.flatMap((branch) => branch.leaves);
    const now = leavesOf(pages);
    const then = leavesOf(snapshot);
    expect(now.length).toBe(then.length);
    expect(now.filter((leaf, i) => leaf !== then[i])).toHaveLength(1);
  });
});
