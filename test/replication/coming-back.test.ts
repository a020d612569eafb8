import { createWorld, type World } from 'offstage';
import { beforeEach, describe, expect, test } from 'vitest';
import { RememberedSessions } from '../../src/protocol/remembered-sessions.ts';
import type { Replication, ReplicationParts } from '../../src/replication/replication.ts';
import { FakeWire } from '../support/fake-wire.ts';
import { meadowKinds } from '../support/meadow.ts';
import { connected, replicate, type TestClient, type TestTime } from '../support/replicating.ts';

// A client loses its connection and comes back with its secret.

let world: World;
let replication: Replication;
let time: TestTime;

function meadow(more: Partial<ReplicationParts> = {}): void {
  world = createWorld({ kinds: meadowKinds, settings: { cellSize: 100, relevancyRadius: 150 } });
  world.add([
    { id: 'lamp', kind: 'lamp', at: [50, 50] },
    { id: 'cart', kind: 'cart', at: [60, 60] },
    { id: 'bell', kind: 'bell', at: [9000, 0] },
  ]);
  time = { now: 0 };
  replication = replicate(world, time, more);
}

function join(hello: object = {}, wire = new FakeWire()): TestClient {
  const client = connected(replication, wire);
  client.say({ type: 'hello', protocol: 1, view: [50, 50], ...hello });
  return client;
}

function secretOf({ wire }: TestClient): string {
  const [welcome] = wire.messages;
  if (welcome?.type !== 'welcome') throw new Error('There was no welcome.');
  return welcome.resume;
}

function flush(later = 200): void {
  time.now += later;
  replication.flush(time.now);
}

/** What was sent has certainly arrived. */
function arrived({ connection }: TestClient): void {
  replication.pinged(connection);
  replication.ponged(connection);
}

function answers({ wire }: TestClient): unknown[] {
  return wire.messages.filter(({ type }) => type === 'ack' || type === 'reject');
}

beforeEach(() => meadow());

describe('a client whose kind is loaded in another version', () => {
  const kinds = (lamp: number) =>
    meadowKinds.map((kind) => (kind.name === 'lamp' ? { ...kind, version: lamp } : kind));
  const versions = (lamp: number) =>
    Object.fromEntries(kinds(lamp).map(({ name, version }) => [name, version]));

  test('is let go, and comes again to be told of the others', () => {
    const stale = join({ kinds: versions(1) });
    const any = join();
    flush();
    world.reload(kinds(2), (record) => record);
    expect(stale.wire.closed).toEqual({ code: 1012, reason: 'KINDS_CHANGED' });
    expect(any.wire.closed).toBeUndefined();
    const again = join({ kinds: versions(1), resume: secretOf(stale) });
    flush();
    const told = again.wire.messages.flatMap((message) =>
      message.type === 'cell' ? message.set.map(({ id }) => id) : [],
    );
    expect(told).toContain('cart');
    expect(told).not.toContain('lamp');
  });

  test('that has it in that version is told of it from then on', () => {
    const early = join({ kinds: versions(2) });
    flush();
    world.reload(kinds(2), (record) => record);
    const again = join({ kinds: versions(2), resume: secretOf(early) });
    flush();
    expect(JSON.stringify(again.wire.messages)).toContain('"id":"lamp"');
  });
});

describe('a client that comes back', () => {
  test('is told what changed meanwhile and what is gone, and nothing else', () => {
    const first = join();
    flush();
    arrived(first);
    replication.disconnect(first.connection);
    world.send('lamp', { type: 'DIM', level: 4 });
    world.remove('cart');
    flush();
    const again = join({ resume: secretOf(first) });
    flush();
    expect(again.wire.messages[0]).toMatchObject({ type: 'welcome', resumed: true });
    expect(again.wire.cells).toMatchObject([
      { cell: '0,0', set: [{ id: 'lamp', context: { set: { level: 4 } } }], gone: ['cart'] },
    ]);
    expect(again.wire.cells[0]?.full).toBeUndefined();
  });

  test('keeps its session and its secret', () => {
    const first = join();
    replication.disconnect(first.connection);
    const again = join({ resume: secretOf(first) });
    const [before, after] = [first.wire.messages[0], again.wire.messages[0]];
    expect(after).toMatchObject({
      session: (before as { session: string }).session,
      resume: secretOf(first),
    });
  });

  test('that answered no ping is sent its cells in full, for nobody knows what it has', () => {
    const first = join();
    flush();
    replication.disconnect(first.connection);
    const again = join({ resume: secretOf(first) });
    flush();
    expect(again.wire.cells.map(({ full }) => full)).toEqual([true, true]);
  });

  test('to another place is told which cells it has left', () => {
    const first = join();
    flush();
    arrived(first);
    replication.disconnect(first.connection);
    const again = join({ resume: secretOf(first), view: [5000, 5000] });
    flush();
    expect(again.wire.messages).toContainEqual({ type: 'leave', cell: '0,0' });
  });

  test('with other kinds than before is sent everything anew', () => {
    const first = join();
    flush();
    arrived(first);
    const again = join({ resume: secretOf(first), kinds: { cart: 1 } });
    expect(again.wire.messages[0]).not.toHaveProperty('resumed');
    flush();
    expect(again.wire.cells.map(({ full }) => full)).toEqual([true, true]);
    expect([...again.wire.mirror.records.keys()]).toEqual(['cart']);
  });

  test('while its old connection still stands takes its place; that one ends late and harms nothing', () => {
    const first = join();
    flush();
    const again = join({ resume: secretOf(first) });
    expect(first.wire.closed).toEqual({ code: 1008, reason: 'RESUMED' });
    replication.disconnect(first.connection);
    expect(replication.clients).toBe(1);
    world.send('lamp', { type: 'TOGGLE' });
    flush();
    expect(again.wire.mirror.records.get('lamp')?.value).toBe('on');
  });

  test('within a minute finds its session, and later a new one of the same name, with all anew', () => {
    const first = join();
    flush();
    arrived(first);
    replication.disconnect(first.connection);
    flush(61_000);
    expect(replication.stats()).toMatchObject({ clients: 0, away: 0, cells: 0 });
    const again = join({ resume: secretOf(first) });
    expect(again.wire.messages[0]).not.toHaveProperty('resumed');
  });

  test('hears how many notices it missed', () => {
    const first = join();
    flush();
    arrived(first);
    replication.disconnect(first.connection);
    world.run(1500);
    flush();
    const again = join({ resume: secretOf(first) });
    flush();
    expect(again.wire.messages).toContainEqual({ type: 'missed', cell: 'always', notices: 3 });
  });

  test('with a secret of somebody else is somebody else, if users are told apart', () => {
    const anna = replication.connect(new FakeWire(), { id: 'anna' });
    replication.receive(anna, '{"type":"hello","protocol":1}');
    const wire = new FakeWire();
    const bert = replication.connect(wire, { id: 'bert' });
    replication.receive(bert, '{"type":"hello","protocol":1,"resume":"secret-1"}');
    expect(wire.messages[0]).not.toHaveProperty('resumed');
    expect(replication.clients).toBe(2);
  });
});

describe('a command that is sent again', () => {
  const toggle = { type: 'send', seq: 7, id: 'lamp', event: { type: 'TOGGLE' } };

  test('counts once and gets its first answer, a rejection too', () => {
    const client = join();
    const fail = { type: 'send', seq: 8, id: 'lamp', event: { type: 'FAIL' } };
    client.say({ ...fail, seq: 1 });
    client.say(toggle);
    world.frame(16);
    client.say(toggle);
    client.say({ ...fail, seq: 1 });
    world.frame(16);
    expect(world.find('lamp')).toMatchObject({ value: 'on', context: { lit: 1 } });
    const [rejected, done, ...again] = answers(client);
    expect(again).toEqual([done, rejected]);
  });

  test('while it still waits is not carried out twice, and is answered over the newest connection', () => {
    const first = join();
    first.say(toggle);
    const again = join({ resume: secretOf(first) });
    again.say(toggle);
    expect(world.commands.size).toBe(1);
    world.frame(16);
    expect(world.find('lamp')?.context).toMatchObject({ lit: 1 });
    expect(answers(first)).toEqual([]);
    expect(answers(again)).toEqual([{ type: 'ack', seq: 7, time: 0 }]);
  });

  test('to a server that was started anew counts once', () => {
    const first = join();
    first.say(toggle);
    world.frame(16);
    const remembered = new RememberedSessions();
    meadow({ remembered });
    const client = join({ resume: secretOf(first) });
    client.say(toggle);
    world.frame(16);
    const saved: unknown = JSON.parse(JSON.stringify(remembered));
    // The process ends here, and the next one has what was saved.
    meadow({ remembered: RememberedSessions.from(saved) });
    const again = join({ resume: secretOf(first) });
    expect(again.wire.messages[0]).toMatchObject({
      session: (client.wire.messages[0] as { session: string }).session,
    });
    again.say(toggle);
    expect(world.commands.size).toBe(0);
    expect(answers(again)).toEqual(answers(client));
  });

  test('of another session with the same number is another command', () => {
    const [anna, bert] = [join(), join()];
    anna.say(toggle);
    bert.say(toggle);
    world.frame(16);
    expect(world.find('lamp')?.value).toBe('off');
    expect([answers(anna), answers(bert)]).toMatchObject([[{ type: 'ack' }], [{ type: 'ack' }]]);
  });
});

describe('what is not durable yet', () => {
  let waiting: (() => void)[];
  beforeEach(() => {
    waiting = [];
    meadow({ whenDurable: (run) => waiting.push(run) });
  });
  const stored = (): void => {
    for (const run of waiting.splice(0)) run();
  };

  test('no client is told: neither what changed, nor that its command was carried out', () => {
    const client = join();
    client.say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } });
    world.frame(16);
    flush();
    expect(client.wire.messages.map(({ type }) => type)).toEqual(['welcome']);
    stored();
    expect(client.wire.messages[1]).toEqual({ type: 'ack', seq: 1, time: 0 });
    expect(client.wire.mirror.records.get('lamp')?.value).toBe('on');
  });

  test('keeps further flushes from being made; what changes meanwhile comes with the next', () => {
    const client = join();
    flush();
    world.send('lamp', { type: 'DIM', level: 2 });
    expect(replication.dueAt).toBeUndefined();
    flush();
    expect(waiting).toHaveLength(1);
    stored();
    expect(client.wire.mirror.records.get('lamp')?.context).toMatchObject({ level: 1 });
    expect(replication.dueAt).toBe(400);
    flush();
    stored();
    expect(client.wire.mirror.records.get('lamp')?.context).toMatchObject({ level: 2 });
  });

  test('is not counted as arrived by a ping that overtook it', () => {
    const first = join();
    flush();
    replication.pinged(first.connection);
    stored();
    replication.ponged(first.connection);
    const again = join({ resume: secretOf(first) });
    flush();
    stored();
    expect(again.wire.cells.map(({ full }) => full)).toEqual([true, true]);
  });
});

test('while nothing can be stored, commands are refused, and may come again', () => {
  let refusal: { code: string; message: string } | undefined = {
    code: 'E_JOURNAL',
    message: 'The disk is full.',
  };
  meadow({ refusing: () => refusal });
  const client = join();
  const toggle = { type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } };
  client.say(toggle);
  expect(answers(client)).toEqual([{ type: 'reject', seq: 1, ...refusal }]);
  refusal = undefined;
  client.say(toggle);
  world.frame(16);
  expect(answers(client).at(-1)).toEqual({ type: 'ack', seq: 1, time: 0 });
});

describe('the rule of a server for who may command what', () => {
  test('refuses as if the record were not there, and is told who asks, what, and of what', () => {
    const asked: unknown[] = [];
    meadow({
      authorize: (session, record, event) => {
        asked.push([session.user?.id, record.id, record.value, event.type]);
        return event.type !== 'TOGGLE';
      },
    });
    const wire = new FakeWire();
    const connection = replication.connect(wire, { id: 'anna' });
    const say = (message: object): void => replication.receive(connection, JSON.stringify(message));
    say({ type: 'hello', protocol: 1 });
    say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } });
    say({ type: 'send', seq: 2, id: 'none', event: { type: 'TOGGLE' } });
    say({ type: 'send', seq: 3, id: 'lamp', event: { type: 'NOTE' } });
    world.frame(16);
    expect(asked).toEqual([
      ['anna', 'lamp', 'off', 'TOGGLE'],
      ['anna', 'lamp', 'off', 'NOTE'],
    ]);
    const [first, second, third] = wire.messages.slice(1) as { message: string }[];
    expect(second).toEqual({
      ...first,
      seq: 2,
      message: first?.message.replace('lamp', 'none'),
    });
    expect(third).toMatchObject({ type: 'ack', seq: 3 });
  });

  test('that fails allows nothing and is logged', () => {
    const warnings: string[] = [];
    meadow({
      authorize: () => {
        throw new Error('The list of owners is gone.');
      },
      warn: (message) => warnings.push(message),
    });
    const client = join();
    client.say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } });
    expect(answers(client)).toMatchObject([{ type: 'reject', code: 'NOT_ALLOWED' }]);
    expect(warnings[0]).toContain('The list of owners is gone.');
    expect(client.wire.text).not.toContain('owners');
  });
});
