/**
 * Text frames past the sender of `ws`. A client is sent several frames with each flush and most of
 * them go to many clients, so the bytes of a frame are made once and all of a client's go to its
 * socket in one write; `ws` would make them anew for each client. What is written is what `ws` would
 * write (RFC 6455, 5.2: unmasked, in one piece), and only to a socket with no extension such as
 * compression; any other gets its frames through `ws.send`. `test/server/socket-frames.test.ts`
 * compares the two byte by byte, and so notices if `ws` comes to write otherwise.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** FIN and the opcode of text. */
const WHOLE_TEXT = 0x81;

/** What sends frames over a socket, in one write; `stream` is what the socket writes to. */
export function writerOf(
  socket: WebSocket,
  stream: Duplex,
): (frames: readonly Uint8Array[]) => void {
  return (frames) => {
    // One system call for all of them.
    stream.cork();
    if (socket.extensions === '') for (const frame of frames) stream.write(framed(frame));
    else for (const frame of frames) socket.send(frame, { binary: false });
    stream.uncork();
  };
}

const made = new WeakMap<Uint8Array, Buffer>();

/** The text with the head of a frame before it; the same bytes for the same text. */
export function framed(text: Uint8Array): Buffer {
  let frame = made.get(text);
  if (frame === undefined) {
    frame = withHead(text);
    made.set(text, frame);
  }
  return frame;
}

function withHead(text: Uint8Array): Buffer {
  const { length } = text;
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = WHOLE_TEXT;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(text, head);
  return frame;
}
