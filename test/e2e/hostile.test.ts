import { connect as connectTcp } from 'node:net';
import fc from 'fast-check';
import { createWorld } from 'offstage';
import { describe, expect, test } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { meadowKinds } from '../support/meadow.ts';
import { connected, replicate } from '../support/replicating.ts';
import { endWithTest, RawSocket, serveMeadow, until } from '../support/serving.ts';

// What a server on the open net meets. Each of these has its answer or its close code, and in all of
// them another client goes on as if nothing were.

const records = [{ id: 'lamp', kind: 'lamp', at: [50, 50] }];
const hello = { type: 'hello', protocol: 1, view: [50, 50] };

const at = (url: string, path = '/world'): string => url.replace('http', 'ws') + path;

async function goodClient(url: string, token?: string): Promise<Client> {
  const client = endWithTest(connect(url, { view: [50, 50], ...(token && { token }) }));
  await client.ready;
  return client;
}

/** How often the lamp has been lit, as the client knows it. */
function litOf(client: Client): number {
  const { lit } = (client.records.get('lamp')?.context ?? {}) as { readonly lit?: number };
  return lit ?? -1;
}

/** The others are served, and the world goes on. */
async function isUnharmed(url: string, good: Client): Promise<void> {
  const before = litOf(good);
  await good.send('lamp', { type: 'TOGGLE' });
  if (good.records.get('lamp')?.value === 'off') await good.send('lamp', { type: 'TOGGLE' });
  await until(() => litOf(good) > before);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

async function greeted(url: string): Promise<RawSocket> {
  const socket = await new RawSocket(at(url)).opened();
  socket.say(hello);
  await socket.hears('welcome');
  return socket;
}

describe('a message that is none', () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  test.each([
    ['deep nesting', `{"type":"send","seq":1,"id":"lamp","event":{"type":"NOTE","text":${deep}}}`],
    ['wrong types', '{"type":"send","seq":"1","id":"lamp","event":{"type":"TOGGLE"}}'],
    ['a field too many', '{"type":"view","at":[0,0],"as":"admin"}'],
    ['a constructor', '{"type":"view","at":[0,0],"constructor":{}}'],
    [
      'a prototype in an event',
      '{"type":"send","seq":1,"id":"lamp","event":{"type":"NOTE","__proto__":{"x":1}}}',
    ],
    ['an id that is none', '{"type":"send","seq":1,"id":"__proto__","event":{"type":"TOGGLE"}}'],
    ['a place that is none', '{"type":"view","at":[1e999,0]}'],
    ['nothing', ''],
  ])('ends its connection: %s', async (_, text) => {
    const { url } = await serveMeadow(records);
    const good = await goodClient(url);
    const bad = await greeted(url);
    bad.say(text);
    expect(await bad.closed).toEqual({ code: 1002, reason: 'BAD_MESSAGE' });
    await isUnharmed(url, good);
  });

  test('but an id like a key of every object is only one that is not there', async () => {
    const { url } = await serveMeadow(records);
    const socket = await greeted(url);
    for (const [seq, id] of ['constructor', 'toString', 'hasOwnProperty'].entries()) {
      socket.say({ type: 'send', seq, id, event: { type: 'TOGGLE' } });
      socket.say({ type: 'send', seq: 10 + seq, id: 'lamp', event: { type: id } });
    }
    await until(() => socket.heard.filter(({ type }) => type === 'reject').length === 6);
    const codes = socket.heard.flatMap(({ type, code }) => (type === 'reject' ? [code] : []));
    expect(new Set(codes)).toEqual(new Set(['NOT_ALLOWED']));
  });

  test('of ten thousand sorts ends its connection or is rejected, and harms nothing', () => {
    const world = createWorld({ kinds: meadowKinds });
    world.add(records);
    const warnings: string[] = [];
    const replication = replicate(world, undefined, { warn: (message) => warnings.push(message) });
    const word = fc.constantFrom(
      'type',
      'hello',
      'view',
      'send',
      'seq',
      'id',
      'event',
      'at',
      'lamp',
    );
    const almost = fc.record(
      {
        type: fc.oneof(word, fc.anything()),
        protocol: fc.anything(),
        kinds: fc.anything(),
        view: fc.anything(),
        resume: fc.anything(),
        at: fc.anything(),
        seq: fc.anything(),
        id: fc.oneof(word, fc.anything()),
        event: fc.oneof(fc.record({ type: fc.anything() }), fc.anything()),
        more: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      almost.map(
        (message) =>
          JSON.stringify(message, (_, value) =>
            typeof value === 'bigint' ? String(value) : value,
          ) ?? '',
      ),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (message, isGreeted) => {
        const { wire, connection, say } = connected(replication);
        if (isGreeted) say(hello);
        replication.receive(connection, message);
        const [last] = wire.messages.slice(-1);
        const isRefused = wire.closed !== undefined || last?.type === 'reject';
        if (isRefused) {
          expect([1002, undefined]).toContain(wire.closed?.code);
        } else {
          // Whatever it was, it was a message after all.
          const { type } = JSON.parse(message);
          expect(['hello', 'view', 'send']).toContain(type);
        }
        replication.disconnect(connection);
      }),
      { numRuns: Number(process.env.OFFSTAGE_FUZZ ?? 10_000) },
    );
    expect(warnings.filter((warning) => warning.includes('failed'))).toEqual([]);
    const other = createWorld({ kinds: meadowKinds });
    other.add(records);
    expect(world.frame(16).commands).toBe(0);
    other.frame(16);
    expect(world.hash()).toBe(other.hash());
  });
});

describe('bytes that are no message', () => {
  test('ten thousand tiny pieces of one end the connection', async () => {
    const { url } = await serveMeadow(records);
    const good = await goodClient(url);
    const bad = await greeted(url);
    for (let i = 0; i < 10_000; i += 1) {
      bad.sendBytes(Buffer.from('x'), { binary: false, fin: false });
    }
    expect((await bad.closed).code).toBe(1008);
    await isUnharmed(url, good);
  });

  test.each([
    ['garbage', Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff])],
    ['a frame that is not masked', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    [
      'a length of exabytes',
      Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ],
    ['a close with a code that is none', Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0, 1])],
  ])('in the stream end the connection: %s', async (_, bytes) => {
    const { url } = await serveMeadow(records);
    const good = await goodClient(url);
    const { port, hostname } = new URL(url);
    const socket = connectTcp(Number(port), hostname);
    const ended = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    let isOpen = false;
    socket.on('data', () => {
      if (!isOpen) socket.write(bytes);
      isOpen = true;
    });
    socket.write(
      `GET /world HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await ended;
    expect(isOpen).toBe(true);
    await isUnharmed(url, good);
  });
});

describe('a crowd', () => {
  test('of five hundred at once gets in, and out again', async () => {
    const server = await serveMeadow(records);
    const good = await goodClient(server.url);
    const crowd = await Promise.all(Array.from({ length: 500 }, () => greeted(server.url)));
    await Promise.all(crowd.map((one) => one.hears('cell')));
    expect(server.stats().clients).toBe(501);
    await isUnharmed(server.url, good);
    for (const one of crowd) one.close();
    await until(() => server.stats().clients === 1);
    await isUnharmed(server.url, good);
  });

  test('that comes, goes and comes back leaves one session each, and no end of them away', async () => {
    const server = await serveMeadow(records);
    const good = await goodClient(server.url);
    for (let storm = 0; storm < 5; storm += 1) {
      const crowd = await Promise.all(Array.from({ length: 60 }, () => greeted(server.url)));
      const resumes = crowd.map(({ heard }) => heard[0]?.resume);
      const again = await Promise.all(
        resumes.map(async (resume) => {
          const socket = await new RawSocket(at(server.url)).opened();
          socket.say({ ...hello, resume });
          await socket.hears('welcome');
          return socket;
        }),
      );
      // Whose session went on elsewhere is let go.
      for (const one of crowd) expect(await one.closed).toEqual({ code: 1008, reason: 'RESUMED' });
      expect(server.stats().clients).toBe(61);
      for (const one of again) one.close();
      await until(() => server.stats().clients === 1);
    }
    expect(server.stats().replication.away).toBeLessThanOrEqual(1000);
    await isUnharmed(server.url, good);
  });

  test('of a thousand wrong tokens is kept out, one by one', async () => {
    const { url } = await serveMeadow(records, { token: 'sesame' });
    const good = await goodClient(url, 'sesame');
    for (let batch = 0; batch < 10; batch += 1) {
      const guesses = Array.from(
        { length: 100 },
        (_, i) => new RawSocket(at(url, `/world?token=guess-${batch}-${i}`)),
      );
      for (const guess of guesses) expect((await guess.closed).reason).toContain('401');
    }
    await isUnharmed(url, good);
  });
});

test('a client of kinds nobody has, or in versions nobody has, gets what is left', async () => {
  const { url } = await serveMeadow(records);
  const socket = await new RawSocket(at(url)).opened();
  const kinds = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`kind-${i}`, i]));
  socket.say({ ...hello, kinds: { ...kinds, lamp: 999, bell: -1 } });
  await until(() => socket.heard.some(({ cell }) => cell === 'always'));
  expect(socket.heard.flatMap(({ set = [] }) => set)).toEqual([]);
});

test('a socket that says nothing after its upgrade is let go', async () => {
  const { url } = await serveMeadow(records);
  const socket = await new RawSocket(at(url)).opened();
  expect(await socket.closed).toEqual({ code: 1008, reason: 'NO_HELLO' });
});

describe("a server's own authentication", () => {
  const users = new Map([
    ['a-token', { id: 'anna' }],
    ['b-token', { id: 'bert' }],
  ]);
  const authenticate = async ({ token }: { readonly token: string }) => {
    if (token === 'broken') throw new Error('The list of users is gone; sesame.');
    return users.get(token);
  };

  test('lets in whom it knows, also after a while, and nobody else', async () => {
    const { url } = await serveMeadow(records, { authenticate });
    await goodClient(url, 'a-token');
    for (const [token, status] of [
      ['c-token', '401'],
      ['', '401'],
      ['broken', '503'],
    ]) {
      const socket = new RawSocket(at(url, `/world?token=${token}`));
      expect((await socket.closed).reason).toContain(status);
    }
  });

  test('tells the rule for commands who asks', async () => {
    const { url } = await serveMeadow(records, {
      authenticate,
      authorize: ({ user }, record) => record.id === 'lamp' && user?.id === 'anna',
    });
    const [anna, bert] = [await goodClient(url, 'a-token'), await goodClient(url, 'b-token')];
    await anna.send('lamp', { type: 'TOGGLE' });
    await expect(bert.send('lamp', { type: 'TOGGLE' })).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    });
  });

  test('that never answers holds up nobody who closes the server', async () => {
    const server = await serveMeadow(records, { authenticate: () => new Promise(() => {}) });
    const socket = new RawSocket(at(server.url));
    await until(() => server.health().ok);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.close();
    expect((await socket.closed).code).toBe(0);
  });
});
