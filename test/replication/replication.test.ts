import { createWorld, type World } from 'offstage';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/core/ambient.ts';
import type { Replication, ReplicationParts } from '../../src/replication/replication.ts';
import { FakeWire } from '../support/fake-wire.ts';
import { CANARY, meadowKinds } from '../support/meadow.ts';
import { connected, replicate, type TestClient, type TestTime } from '../support/replicating.ts';

let world: World;
let replication: Replication;
let warnings: string[];
let time: TestTime;

function meadow(records: readonly NewRecord[], more: Partial<ReplicationParts> = {}): void {
  world = createWorld({ kinds: meadowKinds, settings: { cellSize: 100, relevancyRadius: 150 } });
  world.add(records);
  warnings = [];
  time = { now: 0 };
  replication = replicate(world, time, { warn: (message) => warnings.push(message), ...more });
}

function join(hello: object = {}): TestClient {
  const client = connected(replication);
  client.say({ type: 'hello', protocol: 1, view: [50, 50], ...hello });
  return client;
}

/** A flush, later than the one before. */
function flush(later = 200): void {
  time.now += later;
  replication.flush(time.now);
}

beforeEach(() => {
  meadow([
    { id: 'lamp', kind: 'lamp', at: [50, 50] },
    { id: 'far-lamp', kind: 'lamp', at: [5000, 5000] },
    { id: 'cart', kind: 'cart', at: [60, 60] },
    { id: 'bell', kind: 'bell', at: [9000, 0] },
  ]);
});

describe('what fails in the server while it does what a client says', () => {
  test('ends that session and goes into the log, and is not thrown', () => {
    const { wire, say } = join();
    world.commands.push = () => {
      throw new Error(`No room; ${CANARY}.`);
    };
    say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } });
    expect(wire.closed).toEqual({ code: 1011, reason: 'THREW' });
    expect(warnings).toEqual([`A client's message failed: No room; ${CANARY}.`]);
    expect(wire.text).not.toContain(CANARY);
  });

  test('an event with an empty type is refused in words', () => {
    const { wire, say } = join();
    say({ type: 'send', seq: 1, id: 'lamp', event: { type: '' } });
    expect(wire.messages.at(-1)).toEqual({
      type: 'reject',
      seq: 1,
      code: 'BAD_EVENT',
      message: 'The event for lamp has an empty type.',
    });
  });
});

describe('a client that comes', () => {
  test('is welcomed with how the world stands', () => {
    const { wire } = join();
    expect(wire.messages).toEqual([
      {
        type: 'welcome',
        protocol: 1,
        world: 'meadow',
        session: expect.stringMatching(/^[\w-]{43}$/),
        resume: 'secret-1',
        clock: { time: 0, speed: 1, paused: false },
        kinds: { lamp: 1, cart: 1, box: 2, bell: 1 },
        cellSize: 100,
        relevancyRadius: 150,
      },
    ]);
  });

  test('gets the cells near it in full, and last what everyone sees, in one write', () => {
    const { wire } = join();
    flush();
    expect(wire.writes).toHaveLength(2);
    const { cells } = wire;
    expect(cells[0]).toMatchObject({ cell: '0,0', full: true, gone: [] });
    expect(cells[0]?.set.map(({ id }) => id).sort()).toEqual(['cart', 'lamp']);
    expect(cells.at(-1)).toMatchObject({ cell: 'always', full: true });
    expect(cells.at(-1)?.set.map(({ id }) => id)).toEqual(['bell']);
    expect(wire.text).not.toContain('far-lamp');
  });

  test('without a view sees only what everyone sees', () => {
    const { wire } = join({ view: undefined });
    flush();
    expect(wire.cells.map(({ cell }) => cell)).toEqual(['always']);
  });

  test('of another protocol is told so and let go', () => {
    const { wire } = join({ protocol: 2 });
    expect(wire.messages).toMatchObject([{ type: 'error', code: 'PROTOCOL_VERSION' }]);
    expect(wire.closed).toEqual({ code: 1002, reason: 'PROTOCOL_VERSION' });
    expect(replication.clients).toBe(0);
  });

  test('must say hello first, and once', () => {
    const wire = new FakeWire();
    const connection = replication.connect(wire);
    replication.receive(connection, '{"type":"view","at":[0,0]}');
    expect(wire.closed).toEqual({ code: 1002, reason: 'NO_HELLO' });
    const second = join();
    second.say({ type: 'hello', protocol: 1 });
    expect(second.wire.closed).toEqual({ code: 1002, reason: 'SECOND_HELLO' });
  });

  test('does not get kinds that it has in another version or not at all; one warning tells of each', () => {
    const { wire } = join({ kinds: { lamp: 7, cart: 1, unheard: 1 } });
    join({ kinds: { lamp: 7, cart: 1 } });
    flush();
    expect([...wire.mirror.records.keys()]).toEqual(['cart']);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(/version 7 of kind 'lamp' and the server 1/);
    world.send('lamp', { type: 'TOGGLE' });
    flush();
    expect(JSON.stringify(wire.cells)).not.toContain('lamp');
  });
});

describe('a flush', () => {
  test('says what changed, once, however often it did', () => {
    const { wire } = join();
    flush();
    world.send('lamp', { type: 'DIM', level: 2 });
    world.send('lamp', { type: 'DIM', level: 3 });
    flush();
    expect(wire.writes.at(-1)).toEqual([
      {
        type: 'cell',
        cell: '0,0',
        time: 0,
        set: [{ id: 'lamp', context: { set: { level: 3 } } }],
        gone: [],
      },
    ]);
  });

  test('says nothing where nothing changed, and nothing is due', () => {
    const { wire } = join();
    flush();
    const before = wire.writes.length;
    world.send('far-lamp', { type: 'DIM', level: 2 });
    expect(replication.dueAt).toBeUndefined();
    flush();
    expect(wire.writes).toHaveLength(before);
  });

  test('is due a fifth of a second after the last one', () => {
    join();
    flush();
    world.send('lamp', { type: 'TOGGLE' });
    expect(replication.dueAt).toBe(time.now + 200);
  });

  test('sends the same bytes to all', () => {
    const [first, second] = [join(), join()];
    flush();
    world.send('lamp', { type: 'TOGGLE' });
    flush();
    expect(first.wire.bytes.at(-1)).toBe(second.wire.bytes.at(-1));
  });

  test('puts what those are sent who have the same cells in sight together once, and sends it to them one after the other', () => {
    const lists: (readonly Uint8Array[])[] = [];
    class Noting extends FakeWire {
      override write(frames: readonly Uint8Array[]): void {
        lists.push(frames);
        super.write(frames);
      }
    }
    const hellos = [{}, { view: [150, 50] }, { kinds: { lamp: 1 } }];
    for (const hello of [...hellos, ...hellos, ...hellos]) {
      connected(replication, new Noting()).say({
        ...{ type: 'hello', protocol: 1, view: [50, 50] },
        ...hello,
      });
    }
    flush();
    lists.length = 0;
    world.send('lamp', { type: 'TOGGLE' });
    flush();
    expect(lists).toHaveLength(9);
    expect(lists.map((list) => lists.indexOf(list))).toEqual([0, 0, 0, 3, 3, 3, 6, 6, 6]);
  });

  test('brings notices to those near, and of an always-record to all', () => {
    const { wire } = join();
    flush();
    world.run(500);
    flush();
    expect(wire.cells.at(-1)).toMatchObject({
      cell: 'always',
      notices: [
        {
          id: 'bell',
          kind: 'bell',
          at: [9000, 0],
          event: { type: 'RING', n: 1 },
          time: 500,
          order: 0,
        },
      ],
    });
  });

  test('counts the notices that are too many', () => {
    const { wire } = join();
    flush();
    world.run(500 * 300);
    flush();
    expect(wire.cells.at(-1)?.notices).toHaveLength(256);
    expect(wire.messages.at(-1)).toEqual({ type: 'missed', cell: 'always', notices: 44 });
  });
});

describe('records that come, go and move', () => {
  test('an added record comes whole, a removed one is gone', () => {
    const { wire } = join();
    flush();
    world.add({ id: 'new-lamp', kind: 'lamp', at: [20, 20] });
    world.remove('lamp');
    flush();
    expect(wire.cells.at(-1)).toMatchObject({
      gone: ['lamp'],
      set: [{ id: 'new-lamp', kind: 'lamp' }],
    });
    expect([...wire.mirror.records.keys()].sort()).toEqual(['bell', 'cart', 'new-lamp']);
  });

  test('a record that moves to another cell in sight is sent by that one before the old one lets go', () => {
    const { wire } = join();
    flush();
    world.send('cart', { type: 'GO', to: [150, 50] });
    flush();
    expect(wire.writes.at(-1)).toMatchObject([
      { cell: '1,0', set: [{ id: 'cart', kind: 'cart', at: [150, 50] }], gone: [] },
      { cell: '0,0', set: [], gone: ['cart'] },
    ]);
    expect(wire.mirror.records.get('cart')?.at).toEqual([150, 50]);
  });

  test('two records that change places are never missing', () => {
    meadow([
      { id: 'a', kind: 'cart', at: [50, 50] },
      { id: 'b', kind: 'cart', at: [150, 50] },
    ]);
    const { wire } = join();
    flush();
    world.send('a', { type: 'GO', to: [150, 50] });
    world.send('b', { type: 'GO', to: [50, 50] });
    flush();
    const gone = wire.cells
      .filter(({ full }) => full !== true)
      .flatMap((cell) => wire.mirror.cell(cell).gone);
    expect(gone).toEqual([]);
    expect(wire.mirror.records.size).toBe(2);
  });

  test('a record that moves out of sight is gone, one that moves in comes whole', () => {
    const near = join();
    const far = join({ view: [5000, 5000] });
    flush();
    world.send('cart', { type: 'GO', to: [5010, 5010] });
    flush();
    expect(near.wire.mirror.records.has('cart')).toBe(false);
    expect(far.wire.mirror.records.get('cart')).toMatchObject({ context: { trips: 1 } });
  });
});

describe('a view that moves', () => {
  test('enters cells in full and leaves others, and the client forgets what was in them', () => {
    const { wire, say } = join();
    flush();
    say({ type: 'view', at: [5000, 5000] });
    flush();
    const last = wire.writes.at(-1) ?? [];
    expect(last.filter(({ type }) => type === 'leave')).toContainEqual({
      type: 'leave',
      cell: '0,0',
    });
    expect([...wire.mirror.records.keys()].sort()).toEqual(['bell', 'far-lamp']);
    world.send('lamp', { type: 'TOGGLE' });
    const before = wire.writes.length;
    flush();
    expect(wire.writes).toHaveLength(before);
  });

  test('sees at once what has long been there and does not change', () => {
    const { wire, say } = join({ view: [9000, 9000] });
    flush();
    say({ type: 'view', at: [50, 50] });
    flush();
    expect(wire.mirror.records.get('lamp')).toMatchObject({ value: 'off', context: { lit: 0 } });
  });

  test('that stops just outside a cell lets go of it after two seconds', () => {
    const { wire, say } = join();
    flush();
    say({ type: 'view', at: [50 + 225, 50] });
    flush();
    expect(wire.mirror.records.has('lamp')).toBe(true);
    expect(replication.dueAt).toBe(time.now + 2000);
    flush(2000);
    expect(wire.mirror.records.has('lamp')).toBe(false);
    expect(replication.dueAt).toBeUndefined();
  });

  test('a client that comes in the middle of changes has what the others have after the next flush', () => {
    const first = join();
    flush();
    world.send('lamp', { type: 'DIM', level: 5 });
    const second = join();
    world.send('lamp', { type: 'DIM', level: 1 });
    flush();
    expect(second.wire.mirror.records.get('lamp')).toEqual(first.wire.mirror.records.get('lamp'));
  });

  test('cells that nobody sees any more are no longer followed', () => {
    const { connection } = join();
    flush();
    expect(replication.cellsWatched).toBeGreaterThan(1);
    replication.disconnect(connection);
    flush(61_000);
    expect(replication.cellsWatched).toBe(0);
    expect(replication.clients).toBe(0);
  });
});

describe('a command', () => {
  test('waits for the next frame and is acknowledged with the game time', () => {
    const { wire, say } = join();
    say({ type: 'send', seq: 9, id: 'lamp', event: { type: 'TOGGLE' } });
    expect(world.find('lamp')?.value).toBe('off');
    world.frame(16);
    expect(world.find('lamp')?.value).toBe('on');
    expect(wire.messages.at(-1)).toEqual({ type: 'ack', seq: 9, time: 0 });
  });

  test('for no record, or one that a client may not command, gives the same answer', () => {
    const { wire, say } = join({ kinds: { lamp: 1, bell: 1 } });
    say({ type: 'send', seq: 1, id: 'nobody', event: { type: 'TOGGLE' } });
    say({ type: 'send', seq: 2, id: 'bell', event: { type: 'TOGGLE' } });
    say({ type: 'send', seq: 3, id: 'cart', event: { type: 'TOGGLE' } });
    const answers = wire.messages.slice(1).map((message) =>
      JSON.stringify(message)
        .replace(/nobody|bell|cart/, 'it')
        .replace(/"seq":\d/, ''),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('NOT_ALLOWED');
  });

  test('that is not as its kind wants it is rejected before it comes in', () => {
    const { wire, say } = join();
    say({ type: 'send', seq: 2, id: 'lamp', event: { type: 'DIM', level: 99 } });
    expect(world.commands.size).toBe(0);
    expect(wire.messages.at(-1)).toMatchObject({ type: 'reject', seq: 2, code: 'BAD_EVENT' });
  });

  test('that is not taken, or fails, is rejected with a code and no word of the machine', () => {
    const { wire, say } = join();
    say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'FAIL' } });
    world.frame(16);
    expect(wire.messages.at(-1)).toMatchObject({ type: 'reject', seq: 1, code: 'NOT_TAKEN' });
    say({ type: 'send', seq: 2, id: 'lamp', event: { type: 'TOGGLE' } });
    say({ type: 'send', seq: 3, id: 'lamp', event: { type: 'FAIL' } });
    world.frame(16);
    expect(wire.messages.at(-1)).toMatchObject({ type: 'reject', seq: 3, code: 'THREW' });
    expect(wire.text).not.toContain(CANARY);
  });

  test('to a record that goes before its turn comes is answered as if it had never been', () => {
    const { wire, say } = join();
    say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } });
    world.remove('lamp');
    world.frame(16);
    expect(wire.messages.at(-1)).toMatchObject({ type: 'reject', seq: 1, code: 'NOT_ALLOWED' });
  });

  test('too many at once is E_RATE, and the session goes on', () => {
    const { wire, say } = join();
    for (let seq = 0; seq <= 60; seq += 1) {
      say({ type: 'send', seq, id: 'lamp', event: { type: 'DIM', level: 1 } });
    }
    expect(world.commands.size).toBe(60);
    expect(wire.messages.at(-1)).toMatchObject({ type: 'reject', seq: 60, code: 'E_RATE' });
    expect(wire.closed).toBeUndefined();
    // It was not carried out, so that it may come again.
    time.now += 40;
    say({ type: 'send', seq: 60, id: 'lamp', event: { type: 'DIM', level: 1 } });
    expect(world.commands.size).toBe(61);
  });

  test('of a client that goes on sending far too many ends its connection', () => {
    const { wire, say } = join();
    for (let seq = 0; seq < 2000; seq += 1) {
      say({ type: 'send', seq, id: 'lamp', event: { type: 'TOGGLE' } });
    }
    expect(wire.closed).toEqual({ code: 1008, reason: 'E_RATE' });
    expect(world.commands.size).toBe(60);
  });
});

test('every client hears when the clock is paused, and how it goes', () => {
  const { wire } = join();
  world.clock.pause();
  world.clock.setSpeed(4);
  expect(wire.messages.filter(({ type }) => type === 'clock')).toHaveLength(2);
});

test('cells of another size: all is left, and sent again in the new cells', () => {
  const { wire } = join();
  flush();
  world.configure({ cellSize: 40 });
  flush();
  expect(wire.mirror.records.has('lamp')).toBe(true);
  expect(wire.messages).toContainEqual({ type: 'leave', cell: '0,0' });
  world.send('lamp', { type: 'TOGGLE' });
  flush();
  expect(wire.mirror.records.get('lamp')?.value).toBe('on');
});

test('a client that does not keep up is let go, and no other notices', () => {
  const [slow, quick] = [join(), join()];
  flush();
  slow.wire.buffered = 2 ** 21;
  world.send('lamp', { type: 'TOGGLE' });
  flush();
  flush();
  expect(slow.wire.closed).toEqual({ code: 1013, reason: 'TOO_SLOW' });
  expect(quick.wire.mirror.records.get('lamp')?.value).toBe('on');
});

test('a server-only key is in nothing that is sent, whatever happens to its record', () => {
  const { wire, say } = join();
  flush();
  const events = [{ type: 'NOTE', text: 'x' }, { type: 'TOGGLE' }, { type: 'FAIL' }];
  for (const [seq, event] of events.entries()) {
    say({ type: 'send', seq, id: 'lamp', event });
    world.frame(16);
    flush();
  }
  world.setState('lamp', { context: { level: 1, lit: 1, secret: CANARY, note: '' } });
  world.setState('lamp', { value: 'off' });
  flush();
  expect(wire.text).toContain('"note"');
  expect(wire.text).not.toContain(CANARY);
  expect(wire.text).not.toContain('secret":');
});
