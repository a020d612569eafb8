import { createServer } from 'node:http';
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Socket,
} from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { type Client, connect, type Status } from '../../src/client/index.ts';
import { CommandError, ProtocolError } from '../../src/core/errors.ts';
import { box, meadowKinds } from '../support/meadow.ts';
import { endWithTest, serveMeadow, until } from '../support/serving.ts';

const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

function join(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = connect(url, { view: [50, 50], ...options });
  clients.push(client);
  return client;
}

const records = [
  { id: 'lamp', kind: 'lamp', at: [50, 50] },
  { id: 'far', kind: 'lamp', at: [5000, 0] },
  { id: 'box', kind: 'box', at: [55, 55] },
  { id: 'bell', kind: 'bell', at: [900, 900] },
];

/** Stands between a client and a server; it can hold back what the server says, and cut the line. */
async function cuttableProxy(
  to: string,
): Promise<{ readonly url: string; holdAnswers(): void; cut(): void }> {
  const lines = new Set<Socket>();
  let isHeld = false;
  const { port, hostname } = new URL(to);
  const proxy = createTcpServer((near) => {
    const far = connectTcp(Number(port), hostname);
    for (const line of [near, far]) {
      lines.add(line);
      line.on('error', () => {});
    }
    near.pipe(far);
    far.on('data', (data) => {
      if (!isHeld) near.write(data);
    });
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  endWithTest({ close: () => proxy.close() });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    holdAnswers: () => {
      isHeld = true;
    },
    cut: () => {
      isHeld = false;
      for (const line of lines) line.destroy();
      lines.clear();
    },
  };
}

describe('a client', () => {
  test('is ready when it has everything near it', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url);
    await client.ready;
    expect([...client.records.keys()].sort()).toEqual(['bell', 'box', 'lamp']);
    expect(client.world).toBe('meadow');
    expect(client.records.get('box')?.context).toMatchObject({ size: 3n, items: new Map() });
  });

  test('sees a record live through a ref that it took before the record was there', async () => {
    const { url, world } = await serveMeadow(records);
    const client = join(url);
    const ref = client.record('new');
    expect(ref.getSnapshot()).toBeUndefined();
    const seen: unknown[] = [];
    // Taken apart, as useSelector of @xstate/react does.
    const { unsubscribe } = ref.subscribe((record) => seen.push(record?.value));
    ref.subscribe({ next: (record) => seen.push(record?.id) });
    await client.ready;
    world.add({ id: 'new', kind: 'lamp', at: [0, 0] });
    await until(() => seen.length === 2);
    expect(ref.getSnapshot()).toBe(ref.getSnapshot());
    expect(client.record('new')).toBe(ref);
    unsubscribe();
    world.remove('new');
    await until(() => seen.length === 3);
    expect(seen).toEqual(['off', 'new', undefined]);
  });

  test('gives commands: carried out, not taken, not allowed, not as they must be', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url);
    // Before the connection stands; it waits.
    const done = await client.send('lamp', { type: 'TOGGLE' });
    expect(done.time).toBeGreaterThanOrEqual(0);
    await until(() => client.records.get('lamp')?.value === 'on');
    const codeOf = (error: unknown): string => (error as CommandError).code;
    const failed = await client.send('lamp', { type: 'FAIL' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CommandError);
    expect(codeOf(failed)).toBe('THREW');
    await expect(client.send('bell', { type: 'X' })).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    await expect(client.send('lamp', { type: 'DIM' })).rejects.toMatchObject({ code: 'BAD_EVENT' });
  });

  test('hears of commands through a ref that were not carried out', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url);
    const rejected: unknown[] = [];
    client.on('rejected', ({ id, error }) => rejected.push([id, (error as CommandError).code]));
    client.record('lamp').send({ type: 'FAIL' });
    await until(() => rejected.length > 0);
    expect(rejected).toEqual([['lamp', 'NOT_TAKEN']]);
  });

  test('looks elsewhere: what is there comes, what it left is gone', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url);
    await client.ready;
    const gone: string[] = [];
    client.on('gone', ({ id }) => gone.push(id));
    for (let x = 0; x <= 5000; x += 100) client.moveView([x, 0]);
    await until(() => client.records.has('far') && gone.length === 2);
    expect(gone.sort()).toEqual(['box', 'lamp']);
  });

  test('hears notices, and how the clock goes', async () => {
    const { url, world } = await serveMeadow(records);
    const client = join(url);
    const notices: unknown[] = [];
    client.on('notice', ({ id, event }) => notices.push([id, event]));
    await client.ready;
    world.clock.jump(600);
    await until(() => notices.length > 0);
    expect(notices[0]).toEqual(['bell', { type: 'RING', n: 1 }]);
    world.clock.pause();
    await until(() => client.clock.paused);
    expect(client.clock.now()).toBe(world.clock.time);
  });

  test('says which kinds it has, and gets no others', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url, { kinds: [{ name: 'lamp', version: 3 }, box] });
    await client.ready;
    expect([...client.records.keys()]).toEqual(['box']);
    const all = join(url, { kinds: meadowKinds });
    await all.ready;
    expect(all.records.size).toBe(3);
  });

  test('that a listener throws keeps nobody else from hearing', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url);
    const uncaught: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error.message));
    try {
      client.on('record', () => {
        throw new Error('A listener failed.');
      });
      const heard: string[] = [];
      client.on('record', ({ id }) => heard.push(id));
      await client.ready;
      await until(() => uncaught.length === 3);
      expect(heard).toHaveLength(3);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of before) process.on('uncaughtException', listener);
    }
  });
});

describe('a connection', () => {
  test('to a port that reads like a refusal is tried again', async () => {
    const client = join('http://127.0.0.1:404');
    const states: string[] = [];
    client.on('status', ({ state }) => states.push(state));
    await until(() => states.length >= 3);
    expect(states.slice(0, 3)).toEqual(['connecting', 'waiting', 'connecting']);
  });

  test('that is lost is made again, and then shows the world as it is', async () => {
    const first = await serveMeadow(records);
    const { port } = new URL(first.url);
    const client = join(first.url);
    const states: string[] = [];
    client.on('status', ({ state }) => states.push(state));
    await client.ready;
    await first.close();
    await until(() => states.includes('waiting'));
    expect(client.records.has('lamp')).toBe(true);
    const waits = client.send('lamp', { type: 'TOGGLE' }).catch((error: unknown) => error);
    const gone: string[] = [];
    client.on('gone', ({ id }) => gone.push(id));
    await serveMeadow([{ id: 'other', kind: 'lamp', at: [50, 50] }], { port: Number(port) });
    await until(() => client.records.has('other'));
    expect(gone.sort()).toEqual(['bell', 'box', 'lamp']);
    expect(await waits).toMatchObject({ code: 'NOT_ALLOWED' });
    expect(states.filter((state) => state === 'open')).toHaveLength(2);
  });

  test('that is lost with a command under way sends it again over the next, and it counts once', async () => {
    const { url, world } = await serveMeadow(records);
    const proxy = await cuttableProxy(url);
    const client = join(proxy.url);
    await client.ready;
    await client.send('lamp', { type: 'TOGGLE' });
    // It arrives, is carried out, and the answer is lost.
    proxy.holdAnswers();
    const answer = client.send('lamp', { type: 'TOGGLE' });
    await until(() => world.find('lamp')?.value === 'off');
    const states: string[] = [];
    client.on('status', ({ state }) => states.push(state));
    const gone: string[] = [];
    client.on('gone', ({ id }) => gone.push(id));
    proxy.cut();
    await answer;
    expect(states).toEqual(['waiting', 'connecting', 'open']);
    await until(() => client.records.get('lamp')?.value === 'off');
    expect(world.find('lamp')?.context).toMatchObject({ lit: 1 });
    // What it had stayed shown, and nothing of it went.
    expect(gone).toEqual([]);
    expect(client.records.size).toBe(3);
  });

  test('carries as many commands at once as the server remembers answers to, and then the others', async () => {
    const { url, world } = await serveMeadow(records);
    const client = join(url);
    await client.ready;
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => client.send('lamp', { type: 'DIM', level: i % 10 })),
    );
    const done = results.filter(({ status }) => status === 'fulfilled');
    expect(done.length).toBeGreaterThanOrEqual(60);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'E_RATE' });
    }
    expect(world.stats().commands).toBeGreaterThanOrEqual(done.length);
  });

  test('that is lost for good leaves unanswered commands in doubt, and says so', async () => {
    const server = await serveMeadow(records);
    const client = join(server.url, { reconnect: false });
    await client.ready;
    // Never answered: it is for a game time that does not come.
    const { push } = server.world.commands;
    server.world.commands.push = (command) =>
      push.call(server.world.commands, { ...command, at: 1e9 });
    const answer = client.send('lamp', { type: 'TOGGLE' }).catch((error: unknown) => error);
    await until(() => server.world.commands.size === 1);
    await server.close();
    expect(await answer).toMatchObject({ code: 'DISCONNECTED' });
  });

  test('to nothing is tried again, or given up if so wished', async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    const url = `ws://127.0.0.1:${port}`;
    const once = join(url, { reconnect: false });
    await expect(once.ready).rejects.toMatchObject({ code: 'DISCONNECTED' });
    const again = join(url);
    const waits: Status[] = [];
    again.on('status', (status) => waits.push(status));
    await until(() => waits.filter(({ state }) => state === 'waiting').length === 2);
    again.close();
    await expect(again.ready).rejects.toBeInstanceOf(ProtocolError);
  });

  test('with a wrong token is refused for good', async () => {
    const { url } = await serveMeadow(records, { token: 'sesame' });
    await expect(join(url).ready).rejects.toMatchObject({ code: 'REFUSED' });
    const client = join(url, { token: 'sesame' });
    await client.ready;
    expect(client.records.size).toBe(3);
  });

  test('closed by its user rejects what still waits', async () => {
    const { url } = await serveMeadow(records);
    const client = join(url);
    const waits = client.send('lamp', { type: 'TOGGLE' }).catch((error: unknown) => error);
    client.close();
    expect(await waits).toMatchObject({ code: 'CLOSED' });
    endWithTest(client);
  });
});
