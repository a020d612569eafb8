import { connect as connectTcp, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { endWithTest, serveMeadow, until } from '../support/serving.ts';

// A client that stops reading, with a real server and a real socket.

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use, when all that can go has gone. */
function used(): number {
  for (let i = 0; i < 4; i += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A client that is only a stream: says hello, and reads when it likes. */
async function reader(url: string): Promise<{ socket: Socket; read(): string }> {
  const { port, hostname } = new URL(url);
  const socket = endWithTest({
    ...{ tcp: connectTcp(Number(port), hostname) },
    close() {
      this.tcp.destroy();
    },
  }).tcp;
  let text = '';
  socket.on('data', (data) => {
    // The end is enough to see what came last.
    text = (text + data.toString('latin1')).slice(-400_000);
  });
  socket.on('error', () => {});
  socket.write(
    `GET /world HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await until(() => text.includes('\r\n\r\n'));
  const hello = Buffer.from('{"type":"hello","protocol":1,"view":[50,50]}');
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0]), hello]));
  await until(() => text.includes('"cell":"always"'));
  return { socket, read: () => text };
}

const PIECE = 200_000;
const ROUNDS = 100;

test('one that stops reading while 20 MB pass costs no memory and no other client anything; when it reads on it has the latest, and when it does not it is let go', async () => {
  const server = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [50, 50] }], {
    settings: { flushesPerSecond: 50 },
  });
  const { url, world } = server;
  const good = endWithTest(connect(url, { view: [50, 50] }));
  await good.ready;
  const [slow, stuck] = [await reader(url), await reader(url)];
  const noteOf = (): unknown => Object(good.records.get('lamp')?.context).note;
  const say = async (i: number): Promise<void> => {
    const note = `${i}:${'x'.repeat(PIECE)}:${i}`;
    world.send('lamp', { type: 'NOTE', text: note });
    // The one that reads gets every state, and none waits for the other.
    await until(() => noteOf() === note);
  };
  slow.socket.pause();
  stuck.socket.pause();
  for (let i = 0; i < 10; i += 1) await say(i);
  const before = used();
  for (let i = 10; i < ROUNDS; i += 1) await say(i);
  const { replication } = server.stats();
  expect(replication.conflations).toBeGreaterThan(0);
  expect(replication.buffered).toBeLessThan(3 * PIECE);
  expect(used() - before).toBeLessThan(4_000_000);
  const closed = new Promise((resolve) => stuck.socket.on('close', resolve));
  slow.socket.resume();
  await until(() => slow.read().includes(`:${ROUNDS - 1}"`));
  expect(server.stats().clients).toBe(3);
  // Ten seconds, and five more in which it could answer the closing.
  await until(() => server.stats().clients === 2);
  stuck.socket.resume();
  await closed;
  await good.send('lamp', { type: 'TOGGLE' });
});
