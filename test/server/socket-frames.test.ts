import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { framed, writerOf } from '../../src/server/socket-frames.ts';
import { endWithTest, until } from '../support/serving.ts';

// What is written past the sender of ws must be what ws itself would write. If one of these fails
// after ws has changed, src/server/socket-frames.ts has to change with it, or go.

interface Pair {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  /** What arrives at the other end, as bytes. */
  readonly far: Socket;
  received(): Buffer;
}

const UPGRADE =
  'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

async function pair(perMessageDeflate = false): Promise<Pair> {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate });
  const opened = new Promise<{ socket: WebSocket; stream: Duplex }>((resolve) => {
    http.on('upgrade', (request, stream, head) => {
      sockets.handleUpgrade(request, stream, head, (socket) => resolve({ socket, stream }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  endWithTest({ close: () => http.close() });
  const far = connect((http.address() as AddressInfo).port, '127.0.0.1');
  endWithTest({ close: () => far.destroy() });
  const chunks: Buffer[] = [];
  far.on('data', (chunk) => chunks.push(chunk));
  const extensions = perMessageDeflate ? 'Sec-WebSocket-Extensions: permessage-deflate\r\n' : '';
  far.write(`${UPGRADE}${extensions}\r\n`);
  const { socket, stream } = await opened;
  await until(() => chunks.length > 0);
  const head = Buffer.concat(chunks).indexOf('\r\n\r\n') + 4;
  return { socket, stream, far, received: () => Buffer.concat(chunks).subarray(head) };
}

const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].map((length) => 'x'.repeat(length));
const frames = [...texts, 'ä€😀'].map((text) => Buffer.from(text));

describe('frames made once', () => {
  test('are byte for byte what ws sends', async () => {
    const [ours, theirs] = [await pair(), await pair()];
    writerOf(ours.socket, ours.stream)(frames);
    for (const frame of frames) theirs.socket.send(frame, { binary: false });
    const length = frames.reduce((sum, frame) => sum + framed(frame).length, 0);
    await until(() => ours.received().length >= length && theirs.received().length >= length);
    expect(ours.received().equals(theirs.received())).toBe(true);
    expect(theirs.received()).toHaveLength(length);
  });

  test('are in order with what ws sends before and after them', async () => {
    const { socket, stream, received } = await pair();
    const write = writerOf(socket, stream);
    socket.ping('1');
    write([Buffer.from('a'), Buffer.from('b')]);
    socket.send('c');
    write([Buffer.from('d')]);
    socket.close(1001);
    await until(() => received().includes(Buffer.from([0x88, 0x02, 0x03, 0xe9])));
    expect(received().toString('latin1')).toBe(
      '\x89\x011\x81\x01a\x81\x01b\x81\x01c\x81\x01d\x88\x02\x03\xe9',
    );
  });

  test('count as buffered like those of ws', async () => {
    const { socket, stream, far } = await pair();
    far.pause();
    const write = writerOf(socket, stream);
    const frame = Buffer.from('x'.repeat(1_000_000));
    // The system takes some megabytes before anything stays with us.
    for (let i = 0; i < 32; i += 1) write([frame]);
    expect(socket.bufferedAmount).toBeGreaterThan(8_000_000);
  });

  test('are made of the same text once', () => {
    const frame = Buffer.from('again');
    expect(framed(frame)).toBe(framed(frame));
  });
});

test('a socket that compresses gets its frames through ws', async () => {
  const { socket, stream, received } = await pair(true);
  expect(socket.extensions).toBe('permessage-deflate');
  writerOf(socket, stream)([Buffer.from('x'.repeat(10_000))]);
  await until(() => received().length > 0);
  // The first of the three reserved bits says that it is compressed.
  expect((received()[0] as number) & 0x40).toBe(0x40);
});
