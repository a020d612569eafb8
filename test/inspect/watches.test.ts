import { createWorld, defineKind } from 'offstage';
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { FaultsWatch } from '../../src/inspect/faults.ts';
import { HappeningsWatch } from '../../src/inspect/happenings.ts';
import { MachinesWatch } from '../../src/inspect/machines.ts';
import { meadowKinds } from '../support/meadow.ts';

const fuse = defineKind({
  name: 'fuse',
  version: 1,
  machine: setup({
    types: { events: {} as { type: 'MEND' | 'LEAVE' } },
    actions: {
      blow: () => {
        throw new Error('It blew.');
      },
    },
  }).createMachine({
    id: 'fuse',
    initial: 'burning',
    states: { burning: { after: { 100: { actions: 'blow' } }, on: { MEND: 'whole' } }, whole: {} },
  }),
});

function meadow() {
  const world = createWorld({ kinds: [...meadowKinds, fuse] });
  world.add([
    { id: 'lamp', kind: 'lamp', at: [0, 0] },
    { id: 'fuse-1', kind: 'fuse', at: [0, 0] },
    { id: 'fuse-2', kind: 'fuse', at: [0, 0] },
    { id: 'bell', kind: 'bell', at: [0, 0] },
  ]);
  return world;
}

test('faults are found that were there before, and followed as they come, are mended and go', () => {
  const world = meadow();
  world.run(100);
  const watch = new FaultsWatch(world);
  const ids = () => watch.news()?.faults.map(({ id }) => id);
  expect(ids()).toEqual(['fuse-1', 'fuse-2']);
  expect(ids()).toBeUndefined();
  world.send('lamp', { type: 'TOGGLE' });
  expect(ids()).toBeUndefined();
  world.send('fuse-1', { type: 'MEND' });
  expect(ids()).toEqual(['fuse-2']);
  world.add({ id: 'fuse-3', kind: 'fuse', at: [0, 0] });
  world.run(100);
  const news = watch.news();
  // The latest first.
  expect(news?.faults.map(({ id, kind, fault }) => [id, kind, fault.code])).toEqual([
    ['fuse-3', 'fuse', 'THREW'],
    ['fuse-2', 'fuse', 'THREW'],
  ]);
  world.remove('fuse-2');
  world.retry('fuse-3');
  expect(watch.news()).toMatchObject({ total: 1 });
  watch.close();
  world.remove('fuse-3');
  expect(watch.news()).toBeUndefined();
});

test('what happens to one record is told in order, notices and failures too', () => {
  const world = meadow();
  const all = new HappeningsWatch(world);
  const bell = new HappeningsWatch(world, 'bell');
  const fuseOne = new HappeningsWatch(world, 'fuse-1');
  world.send('lamp', { type: 'TOGGLE' });
  world.run(500);
  expect(bell.news()).toMatchObject({
    id: 'bell',
    missed: 0,
    // A notice is told with the commit, before the report that the event is over.
    happened: [
      { what: 'notice', event: { type: 'RING', n: 1 } },
      { what: 'event', cause: 'timer', taken: true, time: 500 },
    ],
  });
  expect(bell.news()).toBeUndefined();
  expect(fuseOne.news()?.happened).toMatchObject([
    { fault: { message: expect.stringMatching(/It blew/) } },
  ]);
  expect(all.news()?.happened.map(({ id }) => id)).toContain('lamp');
  for (const watch of [all, bell, fuseOne]) watch.close();
  world.run(500);
  expect(bell.news()).toBeUndefined();
});

test('of more than can be read, the latest are told and the rest counted', () => {
  const world = meadow();
  const bell = new HappeningsWatch(world, 'bell');
  world.run(500 * 400);
  const news = bell.news();
  const told = news?.happened.length ?? 0;
  expect(told).toBeLessThanOrEqual(200);
  expect(told + (news?.missed ?? 0)).toBe(800);
  expect(news?.happened.at(-1)).toMatchObject({ what: 'event', time: 200_000 });
});

test('charts of all kinds are told once, and again when their sources do not load', () => {
  const world = meadow();
  let problem: string | null = null;
  const watch = new MachinesWatch(world, { isDrawable: true, problem: () => problem });
  const first = watch.news();
  expect(first?.machines.map(({ kind }) => kind)).toEqual(['lamp', 'cart', 'box', 'bell', 'fuse']);
  expect(first).toMatchObject({ isDrawable: true, problem: null });
  world.send('lamp', { type: 'TOGGLE' });
  expect(watch.news()).toBeUndefined();
  problem = 'A bracket is missing.';
  expect(watch.news()).toMatchObject({ problem });
  expect(watch.news()).toBeUndefined();
  problem = null;
  expect(watch.news()).toMatchObject({ problem });
});
