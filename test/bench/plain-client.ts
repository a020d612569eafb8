/**
 * A client as cheap as can be, so that the machine is left to the server: a plain socket that finds the
 * frames in what comes and says where each is, and does nothing else with it.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const TEXT = 1;
const PING = 9;
const PONG = 10;

/** Connects, says hello with that view, and hands on every text message. */
export function plainClient(
  port: number,
  view: readonly number[],
  heard: (text: Buffer) => void,
): Socket {
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
      send(socket, TEXT, Buffer.from(JSON.stringify({ type: 'hello', protocol: 1, view })));
    }
    rest = rest.subarray(take(socket, rest, heard));
  });
  socket.on('error', (error) => {
    throw error;
  });
  return socket;
}

/** Takes the frames that are there whole, and gives how many bytes that was. */
function take(socket: Socket, bytes: Buffer, heard: (text: Buffer) => void): number {
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
    const opcode = (bytes[at] as number) & 15;
    const payload = bytes.subarray(at + head, end);
    if (opcode === PING) send(socket, PONG, payload);
    else if (opcode === TEXT) heard(payload);
    at = end;
  }
  return at;
}

/** A frame from a client is masked; a mask of zeros is one too. */
function send(socket: Socket, opcode: number, payload: Buffer): void {
  const { length } = payload;
  const head = length < 126 ? [length | 128] : [126 | 128, length >> 8, length & 255];
  socket.write(Buffer.concat([Buffer.from([opcode | 128, ...head, 0, 0, 0, 0]), payload]));
}
