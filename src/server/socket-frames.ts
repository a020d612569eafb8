/**
 * Text frames past the sender of `ws`. A client is sent several frames with each flush, and clients
 * who look at the same cells are sent the same ones; `ws` would make each anew for each client and
 * hand it to the system by itself. Here all of a client's go to its socket as one piece of bytes, put
 * together once for all who are sent them one after the other, in memory that is used again as soon as
 * the system has taken them. What is written is what `ws` would write (RFC 6455, 5.2: unmasked, in one
 * piece), and only to a socket with no extension such as compression; any other gets its frames
 * through `ws.send`. `test/server/socket-frames.test.ts` compares the two byte by byte, and so notices
 * if `ws` comes to write otherwise.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** FIN and the opcode of text. */
const WHOLE_TEXT = 0x81;
/** The longest head of a frame from a server. */
const LONGEST_HEAD = 10;
/** Bytes up to which frames are put together; more of them go one by one, and are nowhere copied. */
const MOST_TOGETHER = 64 * 1024;

/** What sends frames over a socket, in one write; `stream` is what the socket writes to. */
export function writerOf(
  socket: WebSocket,
  stream: Duplex,
): (frames: readonly Uint8Array[]) => void {
  // Settled when it was opened; `ws` makes the text anew whenever it is asked.
  const isPlain = socket.extensions === '';
  return (frames) => {
    // Who has not taken what it was sent keeps it in memory, so that must not be more than it is.
    const together = isPlain && stream.writableLength === 0 ? sheet.holding(frames) : undefined;
    if (together !== undefined) {
      stream.write(together);
      if (stream.writableLength > 0) sheet.isTaken();
      return;
    }
    stream.cork();
    if (isPlain) for (const frame of frames) stream.write(framed(frame));
    else for (const frame of frames) socket.send(frame, { binary: false });
    stream.uncork();
  };
}

/** Memory in which frames are put together. */
class Sheet {
  private bytes = Buffer.allocUnsafeSlow(MOST_TOGETHER);
  private frames: readonly Uint8Array[] | undefined;
  private together: Buffer | undefined;

  /** All the frames as one; undefined if they are too long. Good until frames are next put together. */
  holding(frames: readonly Uint8Array[]): Buffer | undefined {
    if (frames !== this.frames) {
      this.frames = frames;
      this.together = this.put(frames);
    }
    return this.together;
  }

  /** Somebody goes on holding what was put together last. */
  isTaken(): void {
    this.bytes = Buffer.allocUnsafeSlow(MOST_TOGETHER);
    this.frames = undefined;
  }

  private put(frames: readonly Uint8Array[]): Buffer | undefined {
    let length = 0;
    for (const text of frames) length += LONGEST_HEAD + text.length;
    if (length > MOST_TOGETHER) return undefined;
    let end = 0;
    for (const text of frames) {
      end = putHead(this.bytes, end, text.length);
      this.bytes.set(text, end);
      end += text.length;
    }
    return this.bytes.subarray(0, end);
  }
}

const sheet = new Sheet();
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
  const bytes = Buffer.allocUnsafe(LONGEST_HEAD + text.length);
  const head = putHead(bytes, 0, text.length);
  bytes.set(text, head);
  return bytes.subarray(0, head + text.length);
}

/** Writes the head of a frame of that length, and gives where it ends. */
function putHead(bytes: Buffer, at: number, length: number): number {
  bytes[at] = WHOLE_TEXT;
  if (length < 126) {
    bytes[at + 1] = length;
    return at + 2;
  }
  if (length < 65_536) {
    bytes[at + 1] = 126;
    return bytes.writeUInt16BE(length, at + 2);
  }
  bytes[at + 1] = 127;
  return bytes.writeBigUInt64BE(BigInt(length), at + 2);
}
