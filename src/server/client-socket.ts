/** One client's socket, made a session of the replication. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Replication } from '../replication/replication.ts';
import { CLOSE, type Wire } from '../replication/session.ts';

/** Real milliseconds within which a client must have said hello. */
const HELLO_WITHIN = 10_000;
/** Close code for what is not text (RFC 6455, 7.4.1). */
export const NOT_TEXT = 1003;

/** `stream` is what the socket writes to; `changed` is called when the session may want a flush. */
export function followClient(
  socket: WebSocket,
  stream: Duplex,
  replication: Replication,
  changed: () => void,
): void {
  const session = replication.connect(wireOf(socket, stream));
  const deadline = setTimeout(() => {
    if (!session.isOpen) session.fail(CLOSE.policy, 'NO_HELLO', 'No hello came in time.');
  }, HELLO_WITHIN);
  deadline.unref();
  socket.on('message', (data, isBinary) => {
    if (isBinary) session.fail(NOT_TEXT, 'NOT_TEXT', 'Messages are text.');
    else replication.receive(session, String(data));
    changed();
  });
  socket.on('close', () => {
    clearTimeout(deadline);
    replication.disconnect(session);
  });
}

function wireOf(socket: WebSocket, stream: Duplex): Wire {
  return {
    get buffered() {
      return socket.bufferedAmount;
    },
    write: (frames) => {
      if (socket.readyState !== socket.OPEN) return;
      // One system call for all of them.
      stream.cork();
      for (const frame of frames) socket.send(frame, { binary: false });
      stream.uncork();
    },
    close: (code, reason) => socket.close(code, reason),
  };
}
