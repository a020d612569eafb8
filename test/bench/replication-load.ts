/**
 * The clients' half of the replication bench, in a process of its own: plain sockets that count the
 * frames of cells and do nothing else with them, so that the machine is left to the server.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const CELL = 10_000;
const ACROSS = 8;
const TEXT = 1;
const PING = 9;
const PONG = 10;
/** How a message of a cell begins. */
const HEAD = Buffer.from('{"type":"cell"');
const ALL = Buffer.from('{"type":"cell","cell":"always"');

const clients = Number(process.argv[2]);
const counts = new Uint32Array(clients);
let ready = 0;
let whenReady: (() => void) | undefined;

function client(port: number, i: number): void {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(
      `GET /world HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
  });
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = false;
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!isOpen) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      isOpen = true;
      rest = rest.subarray(end + 4);
      const [x, y] = [1 + (i % ACROSS), 1 + (Math.floor(i / ACROSS) % ACROSS)];
      // Anywhere near the middle; the cells in sight are the same nine.
      const view = [x, y].map((cell) => (cell + 0.4 + Math.random() / 5) * CELL);
      send(socket, TEXT, Buffer.from(JSON.stringify({ type: 'hello', protocol: 1, view })));
    }
    rest = rest.subarray(take(socket, i, rest));
  });
  socket.on('error', (error) => {
    throw error;
  });
}

/** Takes the frames that are there whole, and gives how many bytes that was. */
function take(socket: Socket, i: number, bytes: Buffer): number {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = (bytes[at + 1] as number) & 127;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < head) break;
    const length =
      short === 126
        ? bytes.readUInt16BE(at + 2)
        : short === 127
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short;
    const end = at + head + length;
    if (bytes.length < end) break;
    heard(socket, i, (bytes[at] as number) & 15, bytes.subarray(at + head, end));
    at = end;
  }
  return at;
}

function heard(socket: Socket, i: number, opcode: number, payload: Buffer): void {
  if (opcode === PING) send(socket, PONG, payload);
  if (opcode !== TEXT || payload.compare(HEAD, 0, HEAD.length, 0, HEAD.length) !== 0) return;
  counts[i] = (counts[i] as number) + 1;
  if (payload.compare(ALL, 0, ALL.length, 0, ALL.length) !== 0) return;
  // The last of what a client gets first.
  ready += 1;
  if (ready === clients) whenReady?.();
}

/** A frame from a client is masked; a mask of zeros is one too. */
function send(socket: Socket, opcode: number, payload: Buffer): void {
  const { length } = payload;
  const head = length < 126 ? [length | 128] : [126 | 128, length >> 8, length & 255];
  socket.write(Buffer.concat([Buffer.from([opcode | 128, ...head, 0, 0, 0, 0]), payload]));
}

async function counted(until: number): Promise<{ received: number; fewest: number }> {
  const received = (): number => counts.reduce((sum, count) => sum + count, 0);
  for (let i = 0; i < 100 && received() < until; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { received: received(), fewest: Math.min(...counts) };
}

type Asked = 'begin' | { readonly connect: number } | { readonly until: number };
process.on('message', async (asked: Asked) => {
  if (asked === 'begin') {
    counts.fill(0);
    process.send?.('begun');
  } else if ('connect' in asked) {
    whenReady = () => process.send?.('ready');
    for (let i = 0; i < clients; i += 1) client(asked.connect, i);
  } else process.send?.(await counted(asked.until));
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
