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
  /** How much of it there is. */
  count(): number;
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
  let count = 0;
  far.on('data', (chunk) => {
    chunks.push(chunk);
    count += chunk.length;
  });
  const extensions = perMessageDeflate ? 'Sec-WebSocket-Extensions: permessage-deflate\r\n' : '';
  far.write(`${UPGRADE}${extensions}\r\n`);
  const { socket, stream } = await opened;
  await until(() => chunks.length > 0);
  const head = Buffer.concat(chunks).indexOf('\r\n\r\n') + 4;
  return {
    ...{ socket, stream, far },
    received: () => Buffer.concat(chunks).subarray(head),
    count: () => count - head,
  };
}

const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].map((length) => 'x'.repeat(length));
const frames = [...texts, 'ä€😀'].map((text) => Buffer.from(text));

/** The far end of a pair, once it has all that. */
async function arrived({ received, count }: Pair, length: number): Promise<Buffer> {
  await until(() => count() >= length);
  return received();
}

const lengthOf = (list: readonly Buffer[]): number =>
  list.reduce((sum, frame) => sum + framed(frame).length, 0);

describe('frames made once', () => {
  const short = frames.filter(({ length }) => length < 1000);

  test.each([
    ['all at once', [frames]],
    ['one by one', frames.map((frame) => [frame])],
    ['few enough to be put together', [short, short]],
  ])('are byte for byte what ws sends: %s', async (_, writes) => {
    const [ours, theirs] = [await pair(), await pair()];
    const write = writerOf(ours.socket, ours.stream);
    for (const list of writes) write(list);
    for (const frame of writes.flat()) theirs.socket.send(frame, { binary: false });
    const length = lengthOf(writes.flat());
    const expected = await arrived(theirs, length);
    expect(expected).toHaveLength(length);
    expect((await arrived(ours, length)).equals(expected)).toBe(true);
  });

  test('and few leave in one piece, the same for all who are sent them', async () => {
    const [first, second] = [await pair(), await pair()];
    const pieces: unknown[] = [];
    for (const { socket, stream } of [first, second]) {
      const write = stream.write.bind(stream) as (piece: unknown) => boolean;
      stream.write = (piece: unknown) => {
        pieces.push(piece);
        return write(piece);
      };
      writerOf(socket, stream)(short);
    }
    expect(pieces).toHaveLength(2);
    expect(pieces[0]).toBe(pieces[1]);
    const length = lengthOf(short);
    expect((await arrived(first, length)).equals(await arrived(second, length))).toBe(true);
  });

  test('are not written over while a socket has not taken them, and keep no other waiting', async () => {
    const [slow, good] = [await pair(), await pair()];
    slow.far.pause();
    const [toSlow, toGood] = [slow, good].map(({ socket, stream }) => writerOf(socket, stream));
    const sent: Buffer[] = [];
    const say = (): void => {
      const list = [Buffer.from(`${sent.length}`.padStart(6).repeat(10_000)), Buffer.from('.')];
      sent.push(...list);
      toSlow?.(list);
      toGood?.(list);
      // It has all left with the call.
      expect(good.stream.writableLength).toBe(0);
    };
    for (let after = 0; after < 10; after += slow.stream.writableLength > 0 ? 1 : 0) {
      say();
      await until(() => good.count() === lengthOf(sent));
    }
    slow.far.resume();
    const expected = Buffer.concat(sent.map((frame) => framed(frame)));
    expect((await arrived(slow, expected.length)).equals(expected)).toBe(true);
    expect(good.received().equals(expected)).toBe(true);
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
