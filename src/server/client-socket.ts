/** One client's socket, made a session of the replication. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { User } from '../replication/connection.ts';
import type { Replication } from '../replication/replication.ts';
import { CLOSE, type Wire } from '../replication/wire.ts';
import { watchLife } from './heartbeat.ts';
import { writerOf } from './socket-frames.ts';

/** Real milliseconds within which a client must have said hello. */
const HELLO_WITHIN = 10_000;
/** Real milliseconds that a client gets to take what it was sent when it is let go. */
const CUT_OFF_AFTER = 5000;
/** Close code for what is not text (RFC 6455, 7.4.1). */
export const NOT_TEXT = 1003;

/** `stream` is what the socket writes to; `changed` is called when the session may want a flush. */
export function followClient(
  socket: WebSocket,
  stream: Duplex,
  replication: Replication,
  user: User | undefined,
  changed: () => void,
): void {
  const connection = replication.connect(wireOf(socket, stream), user);
  let hasSpoken = false;
  const deadline = setTimeout(() => {
    if (!hasSpoken) connection.fail(CLOSE.policy, 'NO_HELLO', 'No hello came in time.');
  }, HELLO_WITHIN);
  deadline.unref();
  watchLife(socket, {
    pinged: () => replication.pinged(connection),
    ponged: () => replication.ponged(connection),
  });
  socket.on('message', (data, isBinary) => {
    // Whatever comes first must be hello, and ends the connection if it is not.
    hasSpoken = true;
    if (isBinary) connection.fail(NOT_TEXT, 'NOT_TEXT', 'Messages are text.');
    else replication.receive(connection, String(data));
    changed();
  });
  socket.on('close', () => {
    clearTimeout(deadline);
    replication.disconnect(connection);
  });
}

function wireOf(socket: WebSocket, stream: Duplex): Wire {
  const write = writerOf(socket, stream);
  return {
    get buffered() {
      return stream.writableLength;
    },
    write: (frames) => {
      if (socket.readyState === socket.OPEN) write(frames);
    },
    close: (code, reason) => {
      socket.close(code, reason);
      // Who takes no bytes does not answer a closing either.
      setTimeout(() => socket.terminate(), CUT_OFF_AFTER).unref();
    },
  };
}
