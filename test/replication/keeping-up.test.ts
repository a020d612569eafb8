import { createWorld, defineKind, type World } from 'offstage';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import type { FromServer } from '../../src/protocol/messages.ts';
import { Budget } from '../../src/replication/budget.ts';
import type { Replication, ReplicationParts } from '../../src/replication/replication.ts';
import { FakeWire } from '../support/fake-wire.ts';
import { lamp, meadowKinds } from '../support/meadow.ts';
import { connected, replicate, type TestClient, type TestTime } from '../support/replicating.ts';

// Clients that do not take what they are sent, and clients that are to be sent less.

const siren = defineKind({
  name: 'siren',
  version: 1,
  machine: lamp.machine as AnyStateMachine,
  serverOnly: ['secret'],
  urgent: true,
});

let world: World;
let replication: Replication;
let time: TestTime;

function meadow(more: Partial<ReplicationParts> = {}): void {
  world = createWorld({
    kinds: [...meadowKinds, siren],
    settings: { cellSize: 100, relevancyRadius: 150 },
  });
  world.add([
    { id: 'near', kind: 'lamp', at: [50, 50] },
    { id: 'far', kind: 'lamp', at: [250, 50] },
    { id: 'siren', kind: 'siren', at: [260, 50] },
    { id: 'bell', kind: 'bell', at: [9000, 0] },
  ]);
  time = { now: 0 };
  replication = replicate(world, time, more);
}

function join(wire = new FakeWire()): TestClient {
  const client = connected(replication, wire);
  client.say({ type: 'hello', protocol: 1, view: [50, 50] });
  return client;
}

function flush(later = 200): void {
  time.now += later;
  replication.flush(time.now);
}

beforeEach(() => meadow());

describe('a client that does not take what it is sent', () => {
  test('is sent nothing while it is behind, and then the latest state, once', () => {
    const { wire } = join();
    flush();
    wire.buffered = 70_000;
    for (let level = 2; level <= 5; level += 1) {
      world.send('near', { type: 'DIM', level });
      flush();
    }
    const before = wire.writes.length;
    expect(wire.mirror.records.get('near')?.context).toMatchObject({ level: 1 });
    expect(replication.stats().conflations).toBe(4);
    wire.buffered = 0;
    flush();
    expect(wire.writes).toHaveLength(before + 1);
    expect(wire.mirror.records.get('near')?.context).toMatchObject({ level: 5 });
    expect(replication.dueAt).toBeUndefined();
  });

  test('hears how many notices it did not get', () => {
    const { wire } = join();
    flush();
    wire.buffered = 70_000;
    world.run(1000);
    flush();
    world.run(500);
    flush();
    wire.buffered = 0;
    flush();
    expect(wire.messages).toContainEqual({ type: 'missed', cell: 'always', notices: 3 });
    expect(wire.cells.at(-1)?.notices).toBeUndefined();
    expect(replication.stats().noticesMissed).toBe(3);
  });

  test('changes nothing of what the others are sent, nor when', () => {
    const sent = (isSlow: boolean): FromServer[][][][] => {
      meadow();
      const [first, between, last] = [join(), join(), join()];
      flush();
      const others = isSlow ? [first, last] : [first, between, last];
      if (isSlow) between.wire.buffered = 70_000;
      return Array.from({ length: 40 }, (_, i) => {
        for (const { wire } of others) wire.writes.length = 0;
        world.send('near', { type: 'DIM', level: i });
        flush();
        // What has been written when the flush ends.
        return [first, last].map(({ wire }) => [...wire.writes]);
      });
    };
    const beside = sent(true);
    expect(beside).toEqual(sent(false));
    expect(beside.every((flushed) => flushed.every((writes) => writes.length === 1))).toBe(true);
  });

  test('puts off nothing that the others are to be told', () => {
    const [slow, good] = [join(), join()];
    flush();
    slow.wire.buffered = 70_000;
    world.send('near', { type: 'DIM', level: 2 });
    flush();
    // Nothing is new to anybody else; it is looked at again, in vain.
    expect(replication.dueAt).toBe(time.now + 200);
    flush();
    expect(replication.dueAt).toBe(time.now + 200);
    world.send('near', { type: 'DIM', level: 3 });
    expect(replication.dueAt).toBe(time.now);
    flush(1);
    expect(good.wire.mirror.records.get('near')?.context).toMatchObject({ level: 3 });
    expect(slow.wire.mirror.records.get('near')?.context).toMatchObject({ level: 1 });
    slow.wire.buffered = 0;
    flush();
    expect(slow.wire.mirror.records.get('near')?.context).toMatchObject({ level: 3 });
    expect(replication.dueAt).toBeUndefined();
  });

  test('for ten seconds is let go, and not one that takes a little', () => {
    const [stuck, slow] = [join(), join()];
    flush();
    stuck.wire.buffered = 100_000;
    slow.wire.buffered = 100_000;
    world.send('near', { type: 'TOGGLE' });
    for (let i = 0; i < 52; i += 1) {
      slow.wire.buffered -= 500;
      flush();
    }
    expect(stuck.wire.closed).toEqual({ code: 1013, reason: 'TOO_SLOW' });
    expect(slow.wire.closed).toBeUndefined();
  });

  test('and has a megabyte before it is let go at once; a large cell that is being taken is no reason', () => {
    const [stuck, busy] = [join(), join()];
    flush();
    stuck.wire.buffered = 2_000_000;
    busy.wire.buffered = 2_000_000;
    world.send('near', { type: 'TOGGLE' });
    flush();
    busy.wire.buffered -= 1;
    flush();
    expect(stuck.wire.closed).toEqual({ code: 1013, reason: 'TOO_SLOW' });
    expect(busy.wire.closed).toBeUndefined();
    expect(replication.clients).toBe(1);
  });

  test('and sends commands is not answered without end', () => {
    const { wire, say } = join();
    wire.buffered = 2_000_000;
    say({ type: 'send', seq: 1, id: 'near', event: { type: 'TOGGLE' } });
    world.frame(16);
    expect(wire.closed).toEqual({ code: 1013, reason: 'TOO_SLOW' });
  });
});

test('cells too large for one flush come over several, the nearest first, and `always` last', () => {
  const text = 'x'.repeat(300_000);
  for (const [id, x] of [
    ['a', 50],
    ['b', 150],
    ['c', 250],
  ] as const) {
    world.add({ id, kind: 'lamp', at: [x, 50] });
    world.send(id, { type: 'NOTE', text });
  }
  const { wire } = join();
  flush();
  expect(wire.cells.map(({ cell }) => cell)).toHaveLength(2);
  expect(wire.cells.map(({ cell }) => cell)).not.toContain('always');
  flush();
  expect(wire.cells.map(({ cell }) => cell).at(-1)).toBe('always');
  expect(wire.mirror.records.size).toBe(7);
});

describe('a client with a budget', () => {
  /** How often each cell was sent in ten seconds of changes everywhere. */
  function sent(bytesPerSecond: number | undefined, change = 'x'.repeat(200)): Map<string, number> {
    meadow({ bytesPerSecond });
    const { wire } = join();
    for (let i = 0; i < 20; i += 1) flush();
    const before = wire.cells.length;
    for (let i = 0; i < 50; i += 1) {
      for (const id of ['near', 'far']) world.send(id, { type: 'NOTE', text: `${change}${i}` });
      flush();
    }
    const counts = new Map<string, number>();
    for (const { cell } of wire.cells.slice(before)) counts.set(cell, (counts.get(cell) ?? 0) + 1);
    return counts;
  }

  test('that is large enough is sent every cell with every flush', () => {
    expect(Object.fromEntries(sent(100_000))).toEqual({ '0,0': 50, '2,0': 50 });
  });

  test('that is not gets the far cell less often, and the near one as before', () => {
    const counts = sent(2600);
    expect(counts.get('0,0')).toBe(50);
    expect(counts.get('2,0')).toBeLessThan(45);
    expect(counts.get('2,0')).toBeGreaterThanOrEqual(10);
  });

  test('that is far too small gets all once a second, and no less', () => {
    const counts = sent(50);
    for (const cell of ['0,0', '2,0']) {
      expect(counts.get(cell)).toBeLessThanOrEqual(15);
      expect(counts.get(cell)).toBeGreaterThanOrEqual(9);
    }
  });

  test('gets what is urgent at once, also out of a cell that waits, and all of it in the end', () => {
    meadow({ bytesPerSecond: 50 });
    const { wire } = join();
    for (let i = 0; i < 10; i += 1) {
      world.send('far', { type: 'DIM', level: i });
      flush();
    }
    for (let i = 0; i < 10; i += 1) {
      world.send('siren', { type: 'TOGGLE' });
      world.send('far', { type: 'DIM', level: 9 - i });
      flush();
      expect(wire.mirror.records.get('siren')?.value).toBe(world.find('siren')?.value);
    }
    for (let i = 0; i < 6; i += 1) flush();
    expect(wire.mirror.records.get('far')?.context).toMatchObject({ level: 0 });
    expect(replication.dueAt).toBeUndefined();
  });
});

test('a budget slows the farthest first, to two and then one a second, and lets up one by one', () => {
  const budget = new Budget(1000);
  const turns = (place: number): number => {
    let count = 0;
    for (let flush = 100; flush < 110; flush += 1) {
      if (budget.hasTurn(place, 3, { flush, flushesPerSecond: 5 })) count += 1;
    }
    return count;
  };
  const seen: number[][] = [];
  budget.begin(0, 3);
  for (let i = 1; i <= 7; i += 1) {
    seen.push([turns(0), turns(1), turns(2)]);
    budget.spend(1250);
    budget.begin(i * 200, 3);
  }
  expect(seen[0]).toEqual([10, 10, 10]);
  // Two seconds: 10 flushes, 4 turns of two a second, 2 of one a second.
  for (const [near = 0, middle = 0, far = 0] of seen) {
    expect(near).toBeGreaterThanOrEqual(middle);
    expect(middle).toBeGreaterThanOrEqual(far);
    expect([10, 4, 2]).toContain(far);
  }
  expect(seen.at(-1)).toEqual([2, 2, 2]);
  for (let i = 0; i < 6; i += 1) budget.begin(10_000 + i * 1000, 3);
  expect([turns(0), turns(1), turns(2)]).toEqual([10, 10, 10]);
});
