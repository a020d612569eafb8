import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { WorldError } from '../../src/core/errors.ts';
import type { InspectedRecord, ServerStats } from '../../src/protocol/admin.ts';
import { brittleKinds } from '../support/brittle-kinds.ts';
import { FakeTime } from '../support/fake-time.ts';
import { CANARY, meadowKinds } from '../support/meadow.ts';
import { endWithTest, overTcp, RawSocket, serveMeadow, until } from '../support/serving.ts';

// A real server on a free port of this machine, and real sockets.

const records = [
  { id: 'lamp', kind: 'lamp', at: [50, 50] },
  { id: 'cart', kind: 'cart', at: [60, 60] },
  { id: 'bell', kind: 'bell', at: [900, 900] },
];
const hello = { type: 'hello', protocol: 1, view: [50, 50] };

function address(url: string, path: string): string {
  return url.replace('http', 'ws') + path;
}

async function health(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/healthz`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('several clients of one world', () => {
  test('see the same, as one of them acts and a record moves from one to another', async () => {
    const { url } = await serveMeadow(records);
    const near = endWithTest(connect(url, { view: [50, 50] }));
    const far = endWithTest(connect(url, { view: [5000, 5000] }));
    await Promise.all([near.ready, far.ready]);
    await near.send('lamp', { type: 'TOGGLE' });
    await until(() => near.records.get('lamp')?.value === 'on');
    expect(far.records.has('lamp')).toBe(false);
    await far.send('cart', { type: 'GO', to: [5010, 5010] });
    await until(() => far.records.has('cart') && !near.records.has('cart'));
    expect(far.records.get('cart')).toMatchObject({ at: [5010, 5010], context: { trips: 1 } });
  });

  test('a record with no client near it goes on, and is as it should be when one comes', async () => {
    const { url } = await serveMeadow(
      [{ id: 'tower', kind: 'bell', at: [99_000, 0], relevancy: 'spatial' }],
      { speed: 100 },
    );
    const client = endWithTest(connect(url, { view: [0, 0] }));
    await client.ready;
    expect(client.records.size).toBe(0);
    await until(() => client.clock.now() > 2000);
    client.moveView([99_000, 0]);
    await until(() => client.records.has('tower'));
    const context = client.records.get('tower')?.context as { readonly rung: number } | undefined;
    expect(context?.rung).toBeGreaterThanOrEqual(4);
  });
});

describe('figures for Prometheus', () => {
  const figure = (page: string, name: string): number =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(page)?.[1]);

  test('say how clients are served, and what the world does', async () => {
    const { url, world } = await serveMeadow(records);
    const client = endWithTest(connect(url, { view: [50, 50] }));
    await client.ready;
    await client.send('lamp', { type: 'TOGGLE' });
    await client.send('lamp', { type: 'PEEK' }).catch(() => {});
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    const page = await response.text();
    expect(figure(page, 'offstage_clients')).toBe(1);
    expect(figure(page, 'offstage_records')).toBe(world.size);
    expect(figure(page, 'offstage_cells_watched')).toBe(2);
    expect(figure(page, 'offstage_client_commands_total')).toBe(1);
    expect(figure(page, 'offstage_rejects_total{code="NOT_ALLOWED"}')).toBe(1);
    expect(figure(page, 'offstage_sent_frames_total')).toBeGreaterThanOrEqual(4);
    expect(figure(page, 'offstage_sent_bytes_total')).toBeGreaterThan(500);
    expect(figure(page, 'offstage_flushes_total')).toBeGreaterThanOrEqual(1);
    expect(figure(page, 'offstage_frame_seconds_count')).toBeGreaterThanOrEqual(1);
    for (const name of ['buffered_bytes', 'backlog', 'conflations_total', 'notices_missed_total']) {
      expect(figure(page, `offstage_${name}`)).toBe(0);
    }
    for (const name of ['sent_bytes_per_second', 'sent_frames_per_second']) {
      expect(figure(page, `offstage_${name}`)).toBeGreaterThanOrEqual(0);
    }
  });

  test('count on from one look to the next, and are for admins only', async () => {
    const { url } = await serveMeadow(records, { adminToken: 'master' });
    expect((await fetch(`${url}/metrics`)).status).toBe(403);
    const headers = { authorization: 'Bearer master' };
    const look = async (): Promise<string> => (await fetch(`${url}/metrics`, { headers })).text();
    await look();
    const client = endWithTest(connect(url, { view: [50, 50] }));
    await client.ready;
    const before = figure(await look(), 'offstage_sent_frames_total');
    await client.send('lamp', { type: 'TOGGLE' });
    await until(() => client.records.get('lamp')?.value === 'on');
    expect(figure(await look(), 'offstage_sent_frames_total')).toBeGreaterThan(before);
  });
});

describe('what never leaves the server', () => {
  test('server-only keys: in no byte sent, no answer to a client, no health, no log', async () => {
    const logged: string[] = [];
    const log = pino(
      { level: 'trace' },
      new Writable({
        write: (chunk, _, done) => {
          logged.push(String(chunk));
          done();
        },
      }),
    );
    const { url, world } = await serveMeadow(records, { log });
    const socket = await new RawSocket(address(url, '/world')).opened();
    socket.say(hello);
    await socket.hears('cell');
    const events = [
      { type: 'NOTE', text: 'x' },
      { type: 'FAIL' },
      { type: 'TOGGLE' },
      { type: 'FAIL' },
      { type: 'DIM', level: -1 },
      { type: 'PEEK' },
    ];
    for (const [seq, event] of events.entries())
      socket.say({ type: 'send', seq, id: 'lamp', event });
    await until(() => socket.heard.filter(({ seq }) => seq !== undefined).length === events.length);
    await until(() => JSON.stringify(socket.heard).includes('"note":"x"'));
    expect(JSON.stringify(world.find('lamp')?.context)).toContain(CANARY);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const told = JSON.stringify([socket.heard, await health(url), metrics, logged]);
    expect(told).not.toContain(CANARY);
    expect(told).not.toContain('"secret"');
  });

  test('tokens: in no log, also when they are wrong', async () => {
    const logged: string[] = [];
    const stream = new Writable({
      write: (chunk, _, done) => {
        logged.push(String(chunk));
        done();
      },
    });
    const log = pino({ level: 'trace' }, stream);
    const { url } = await serveMeadow(records, { token: 'sesame', log });
    const wrong = new RawSocket(address(url, '/world?token=guess'));
    expect((await wrong.closed).reason).toContain('401');
    const right = await new RawSocket(address(url, '/world?token=sesame')).opened();
    right.say(hello);
    await right.hears('welcome');
    expect(logged.join()).not.toMatch(/sesame|guess/);
  });
});

describe('what a socket may not do ends it, with its own close code, and nobody else notices', () => {
  const spoken = async (url: string): Promise<RawSocket> => {
    const socket = await new RawSocket(address(url, '/world')).opened();
    socket.say(hello);
    await socket.hears('welcome');
    return socket;
  };

  test.each<[string, number, (socket: RawSocket) => void]>([
    ['text that is not JSON', 1002, (socket) => socket.say('hello?')],
    [
      'a message with a field too many',
      1002,
      (socket) => socket.say({ type: 'view', at: [0, 0], z: 1 }),
    ],
    ['a second hello', 1002, (socket) => socket.say(hello)],
    ['a message of the server', 1002, (socket) => socket.say({ type: 'ack', seq: 1 })],
    [
      'a way into prototypes',
      1002,
      (socket) => socket.say('{"type":"view","at":[0,0],"__proto__":{}}'),
    ],
    ['binary', 1003, (socket) => socket.sendBytes(Buffer.from('{}'), { binary: true })],
    [
      'bytes that are not UTF-8',
      1007,
      (socket) => socket.sendBytes(Buffer.from([0xff, 0xfe]), { binary: false }),
    ],
    ['more than 16 KB', 1009, (socket) => socket.say(`"${'x'.repeat(17_000)}"`)],
    [
      'a message in more than 16 pieces',
      1008,
      (socket) => {
        for (let i = 0; i < 40; i += 1) {
          socket.sendBytes(Buffer.from(i === 0 ? '"' : 'x'), { binary: false, fin: false });
        }
      },
    ],
  ])('%s: %d', async (_, code, misbehave) => {
    const { url, world } = await serveMeadow(records);
    const good = endWithTest(connect(url, { view: [50, 50] }));
    await good.ready;
    const bad = await spoken(url);
    misbehave(bad);
    expect((await bad.closed).code).toBe(code);
    await good.send('lamp', { type: 'TOGGLE' });
    expect(world.find('lamp')?.value).toBe('on');
    expect((await health(url)).status).toBe(200);
  });

  test('says before it closes what was wrong', async () => {
    const { url } = await serveMeadow(records);
    const socket = await new RawSocket(address(url, '/world')).opened();
    socket.say({ ...hello, protocol: 99 });
    expect(await socket.closed).toEqual({ code: 1002, reason: 'PROTOCOL_VERSION' });
    expect(socket.heard).toEqual([
      {
        type: 'error',
        code: 'PROTOCOL_VERSION',
        message: expect.stringContaining('speaks protocol 1'),
      },
    ]);
  });

  test('a command before hello', async () => {
    const { url } = await serveMeadow(records);
    const socket = await new RawSocket(address(url, '/world')).opened();
    socket.say({ type: 'send', seq: 1, id: 'lamp', event: { type: 'TOGGLE' } });
    expect(await socket.closed).toEqual({ code: 1002, reason: 'NO_HELLO' });
  });

  test('a foreign page, a path that is none, and an upgrade that is none are answered over HTTP', async () => {
    const { url } = await serveMeadow(records);
    const foreign = new RawSocket(address(url, '/world'), { origin: 'https://evil.example' });
    expect((await foreign.closed).reason).toContain('403');
    const admin = new RawSocket(address(url, '/admin'), { origin: 'https://evil.example' });
    expect((await admin.closed).reason).toContain('403');
    const lost = new RawSocket(address(url, '/toString'));
    expect((await lost.closed).reason).toContain('404');
    expect(
      await overTcp(
        url,
        'GET /world HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1\.1 400/);
    expect((await fetch(`${url}/secrets`)).status).toBe(404);
  });
});

describe('an admin', () => {
  test('has commands carried out, and hears why one was not', async () => {
    const { url, world } = await serveMeadow(records);
    const admin = await new RawSocket(address(url, '/admin')).opened();
    expect(await admin.hears('welcome')).toMatchObject({
      world: 'meadow',
      protocol: 1,
      kinds: { lamp: 1 },
    });
    admin.say({ type: 'do', seq: 1, command: { type: 'jump', milliseconds: 5000 } });
    expect(await admin.hears('done')).toMatchObject({ seq: 1 });
    admin.say({ type: 'do', seq: 2, command: { type: 'remove', id: 'nobody' } });
    expect(await admin.hears('refused')).toMatchObject({ seq: 2, code: 'UNKNOWN_RECORD' });
    admin.say({
      type: 'do',
      seq: 3,
      command: { type: 'add', records: [{ id: 'new', kind: 'lamp', at: [1, 1] }] },
    });
    await until(() => world.find('new') !== undefined);
    await until(() => admin.heard.some(({ seq, added }) => seq === 3 && added === 1));
    expect(world.find('bell')?.context).toEqual({ rung: 10 });
  });

  test('watches figures, a record and what comes next, each told again when it has changed', async () => {
    const { url, world } = await serveMeadow(records);
    const admin = await new RawSocket(address(url, '/admin')).opened();
    admin.say({ type: 'watch', what: 'record', id: 'lamp' });
    admin.say({ type: 'watch', what: 'stats' });
    admin.say({ type: 'watch', what: 'next', count: 1 });
    expect(await admin.hears('next')).toMatchObject({
      events: [{ id: 'bell', kind: 'bell', at: 500 }],
    });
    const { stats } = (await admin.hears('stats')) as { stats: ServerStats };
    expect(stats).toMatchObject({ world: 'meadow', records: 3, clients: 0 });
    expect((await admin.hears('record')) as unknown).toMatchObject({
      id: 'lamp',
      record: { value: 'off', description: 'lit 0 times', context: { secret: CANARY } },
    });
    world.send('lamp', { type: 'TOGGLE' });
    const last = (): InspectedRecord | undefined =>
      admin.heard.findLast(({ type }) => type === 'record')?.record as InspectedRecord | undefined;
    await until(() => last()?.value === 'on');
    admin.say({ type: 'unwatch', what: 'record', id: 'lamp' });
    admin.say({ type: 'query', seq: 4, what: 'records', filter: 'LAM' });
    expect(await admin.hears('records')).toMatchObject({ total: 1, records: [{ id: 'lamp' }] });
  });

  test('is let go after a message that is none', async () => {
    const { url } = await serveMeadow(records);
    const admin = await new RawSocket(address(url, '/admin')).opened();
    admin.say({ type: 'do', seq: 1, command: { type: 'explode' } });
    expect(await admin.closed).toEqual({ code: 1002, reason: 'BAD_MESSAGE' });
  });

  test('on a server of others, with the token of clients, is none', async () => {
    const { url } = await serveMeadow(records, { token: 'sesame', adminToken: 'master' });
    const client = new RawSocket(address(url, '/admin?token=sesame'));
    expect((await client.closed).reason).toContain('401');
    const admin = await new RawSocket(address(url, '/admin?token=master')).opened();
    await admin.hears('welcome');
  });
});

describe('kinds whose own functions throw when a record is looked at', () => {
  const brittle = [
    { id: 'lamp', kind: 'lamp', at: [50, 50] },
    { id: 'mute', kind: 'mute', at: [50, 50] },
    { id: 'oak', kind: 'rotten', at: [50, 50] },
  ];
  const kinds = [...meadowKinds, ...brittleKinds];

  test('cost an admin nothing but their description: it asks, watches, and the server goes on', async () => {
    const { url, world } = await serveMeadow(brittle, { kinds });
    const admin = await new RawSocket(address(url, '/admin')).opened();
    world.clock.jump(1000);
    for (const { id } of brittle) admin.say({ type: 'watch', what: 'record', id });
    admin.say({ type: 'query', seq: 1, what: 'records' });
    expect(await admin.hears('records')).toMatchObject({ seq: 1, total: 3 });
    const told = admin.heard.filter(({ type }) => type === 'record').map(({ id }) => id);
    expect(told).toEqual(expect.arrayContaining(['lamp', 'mute', 'oak']));
    world.send('lamp', { type: 'TOGGLE' });
    await until(() => JSON.stringify(admin.heard).includes('lit 1 times'));
    expect((await health(url)).status).toBe(200);
  });

  test('cost a client nothing: it enters the cell that holds them', async () => {
    const { url, world } = await serveMeadow(brittle, { kinds });
    world.clock.jump(1000);
    const client = endWithTest(connect(url, { view: [50, 50] }));
    await client.ready;
    expect([...client.records.keys()].sort()).toEqual(['lamp', 'mute', 'oak']);
    expect((await health(url)).status).toBe(200);
  });
});

test('a line of the log has one real time, also where it tells of the game clock', async () => {
  const logged: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  const kinds = [...meadowKinds, ...brittleKinds];
  const fuse = { id: 'fuse', kind: 'fuse', at: [0, 0] };
  const server = await serveMeadow([fuse], { kinds, log: pino(stream) });
  server.world.clock.jump(1000);
  await until(() => logged.join('').includes('It blew.'));
  await server.close();
  const lines = logged.join('').trim().split('\n');
  expect(lines.filter((line) => line.split('"time":').length !== 2)).toEqual([]);
  expect(lines.filter((line) => line.includes('"gameTime":'))).toHaveLength(3);
});

describe('the health check', () => {
  test('turns red when the loop stalls, though the process answers, and green when it goes on', async () => {
    const time = new FakeTime();
    const { url, world } = await serveMeadow(records, { time });
    time.pass(1000);
    expect(await health(url)).toMatchObject({ status: 200, body: { ok: true, world: 'meadow' } });
    time.isStalled = true;
    time.pass(10_000);
    const { status, body } = await health(url);
    expect(status).toBe(503);
    expect(body).toMatchObject({ ok: false, time: world.time });
    expect(String(body.problem)).toContain('does not advance');
    time.isStalled = false;
    time.pass(1);
    expect((await health(url)).status).toBe(200);
  });
});

describe('a server', () => {
  test('that stops says so to its clients, frees its port, and moves the world no more', async () => {
    const server = await serveMeadow(records);
    const socket = await new RawSocket(address(server.url, '/world')).opened();
    socket.say(hello);
    await socket.hears('welcome');
    await server.close();
    expect((await socket.closed).code).toBe(1001);
    expect(socket.heard.at(-1)).toMatchObject({ type: 'error', code: 'CLOSING' });
    const { time } = server.world;
    expect(() => server.world.clock.jump(10_000)).toThrow(/was closed/);
    expect(server.world.time).toBe(time);
    const again = createServer();
    await new Promise<void>((resolve) =>
      again.listen(Number(new URL(server.url).port), '127.0.0.1', resolve),
    );
    again.close();
  });

  test('does not wait for a client that never answers its closing', async () => {
    const server = await serveMeadow(records);
    const { port } = new URL(server.url);
    const upgrade =
      `GET /world HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
    const ended = overTcp(server.url, upgrade);
    await until(() => server.health().ok);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.close();
    expect(await ended).toContain('101 Switching Protocols');
  });

  test('that others could reach does not start without a token', async () => {
    await expect(serveMeadow(records, { host: '0.0.0.0' })).rejects.toThrow(/no token is set/);
  });

  test('on a port that is taken says so', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(serveMeadow(records, { port })).rejects.toThrow(WorldError);
    await expect(serveMeadow(records, { port })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    taken.close();
  });
});

describe('a browser that opens the address', () => {
  test('is told what runs there and how to see it; anywhere else, where things are', async () => {
    const { url } = await serveMeadow(records);
    const root = await fetch(url);
    expect(root.status).toBe(200);
    const text = await root.text();
    expect(text).toContain("the world 'meadow'");
    expect(text).toContain(`npx offstage watch ${url}`);
    const elsewhere = await fetch(`${url}/nowhere`);
    expect(elsewhere.status).toBe(404);
    expect(await elsewhere.text()).toContain('/healthz');
  });
});

test('in development contexts are frozen, so that a machine that changes one in place fails at once', async () => {
  expect((await serveMeadow(records)).world.settings.freeze).toBe(true);
  expect((await serveMeadow(records, { settings: { freeze: false } })).world.settings.freeze).toBe(
    false,
  );
});
