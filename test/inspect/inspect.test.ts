import { createWorld } from 'offstage';
import { describe, expect, test } from 'vitest';
import { timer } from '../../kinds/timer.kind.ts';
import { inspectedRecord, matchingRecords, upcomingEvents } from '../../src/inspect/records.ts';
import { timersToSpawn } from '../../src/inspect/spawn-timers.ts';
import { serverStats } from '../../src/inspect/stats.ts';
import { brittleKinds } from '../support/brittle-kinds.ts';
import { CANARY, meadowKinds } from '../support/meadow.ts';
import { NOTHING_SENT } from '../support/replicating.ts';

function meadow() {
  const world = createWorld({ kinds: [...meadowKinds, timer] });
  world.add([
    { id: 'lamp-2', kind: 'lamp', at: [250, 0] },
    { id: 'lamp-1', kind: 'lamp', at: [0, 0] },
    { id: 'box', kind: 'box', at: [0, 0] },
    { id: 'bell', kind: 'bell', at: [0, 0] },
  ]);
  return world;
}

test('a record is shown with all it holds, secrets too, and looking changes nothing', () => {
  const world = meadow();
  world.send('lamp-1', { type: 'TOGGLE' });
  const hash = world.hash();
  expect(inspectedRecord(world, 'lamp-1')).toMatchObject({
    id: 'lamp-1',
    kind: 'lamp',
    value: 'on',
    context: { lit: 1, secret: CANARY },
    nextEvent: 1000,
    timers: [{ at: 1000 }],
    linkedBy: [],
    fault: null,
    description: 'lit 1 times',
  });
  expect(inspectedRecord(world, 'box')).toHaveProperty('rich');
  expect(inspectedRecord(world, 'nobody')).toBeNull();
  expect(world.hash()).toBe(hash);
});

test('records are found by a part of their id, kind or state, in the order of ids', () => {
  const world = meadow();
  const found = (filter: string, limit = 10) => {
    const { records, total } = matchingRecords(world, filter, limit);
    return [records.map(({ id }) => id), total];
  };
  expect(found('')).toEqual([['bell', 'box', 'lamp-1', 'lamp-2'], 4]);
  expect(found('LAMP')).toEqual([['lamp-1', 'lamp-2'], 2]);
  expect(found('hanging')).toEqual([['bell'], 1]);
  expect(found('', 1)).toEqual([['bell'], 4]);
  expect(found('unicorn')).toEqual([[], 0]);
});

test('what comes next is told in order', () => {
  const world = meadow();
  world.send('lamp-1', { type: 'TOGGLE' });
  expect(upcomingEvents(world, 5).map(({ id, at }) => [id, at])).toEqual([
    ['bell', 500],
    ['lamp-1', 1000],
  ]);
});

test('timers are spawned in a square around the middle, with ids that are free', () => {
  const world = meadow();
  const spawn = (count: number) =>
    timersToSpawn(world, { type: 'spawnTimers', count, interval: 100, spacing: 10 });
  const first = spawn(4);
  expect(first.records.map(({ id, at }) => [id, at])).toEqual([
    ['spawned-1', [-5, -5]],
    ['spawned-2', [5, -5]],
    ['spawned-3', [-5, 5]],
    ['spawned-4', [5, 5]],
  ]);
  world.execute(first);
  world.remove('spawned-2');
  expect(world.execute(spawn(2))).toEqual({ accepted: true });
  expect(world.find('spawned-6')).toBeDefined();
  world.run(100);
  const { byKind } = serverStats(world, {
    name: 'meadow',
    clock: { time: world.time, speed: 1, paused: false },
    ...NOTHING_SENT,
  });
  expect(byKind.timer).toMatchObject({ records: 5, events: 5 });
});

test('a world without the kind has no timers to spawn, and says so', () => {
  const world = createWorld({ kinds: meadowKinds });
  expect(() => timersToSpawn(world, { type: 'spawnTimers', count: 1, interval: 1 })).toThrow(
    /no kind 'timer'/,
  );
});

describe('a kind whose own functions throw when a record is looked at', () => {
  function brittle() {
    const world = createWorld({ kinds: [...meadowKinds, ...brittleKinds, timer] });
    world.add([
      { id: 'lamp', kind: 'lamp', at: [0, 0] },
      { id: 'mute', kind: 'mute', at: [0, 0] },
      { id: 'oak', kind: 'rotten', at: [0, 0], links: { beside: 'mute' } },
    ]);
    world.run(1000);
    return world;
  }

  test('hides no other record, and its own are shown as they are stored, with what was thrown', () => {
    const { records, total } = matchingRecords(brittle(), '', 10);
    expect(total).toBe(3);
    expect(records).toMatchObject([
      { id: 'lamp', description: 'lit 0 times' },
      { id: 'mute', description: 'describe failed: It has no words.', linkedBy: ['oak'] },
      { id: 'oak', context: { age: 0 }, advancedTo: 0, time: 1000 },
    ]);
    expect(records[2]?.description).toMatch(/oak \(rotten\): advance .* It fell to dust/);
  });

  test('is found by the state it is in, and one at a time', () => {
    const world = brittle();
    expect(matchingRecords(world, 'standing', 10).total).toBe(2);
    expect(inspectedRecord(world, 'mute')?.description).toContain('no words');
    expect(inspectedRecord(world, 'oak')?.value).toBe('standing');
  });

  test('does not keep timers from being spawned', () => {
    expect(
      timersToSpawn(brittle(), { type: 'spawnTimers', count: 1, interval: 100 }).records,
    ).toHaveLength(1);
  });
});
