/** One admin's socket, made a session. */
import type { WebSocket } from 'ws';
import type { ErrorMessage } from '../protocol/messages.ts';
import { CLOSE } from '../replication/wire.ts';
import type { AdminSessions } from './admin-sessions.ts';
import { NOT_TEXT } from './client-socket.ts';

/** An admin that is this far behind does not read; it would only cost memory. */
const MOST_BUFFERED = 8 * 1024 * 1024;
/** Real milliseconds that such an admin gets to take what it was sent. */
const CUT_OFF_AFTER = 5000;

/** `look` brings the world up to now, so that what is told is not of a while ago. */
export function followAdmin(socket: WebSocket, admins: AdminSessions, look: () => void): void {
  const fail = (closeCode: number, code: string, message: string): void => {
    const error: ErrorMessage = { type: 'error', code, message };
    socket.send(JSON.stringify(error));
    socket.close(closeCode, code);
  };
  const session = admins.connect({
    write: (text) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MOST_BUFFERED) {
        socket.close(CLOSE.tryLater, 'TOO_SLOW');
        // It takes no bytes, so it will not answer a closing either.
        setTimeout(() => socket.terminate(), CUT_OFF_AFTER).unref();
        return;
      }
      socket.send(text);
    },
    fail: (code, message) => fail(CLOSE.protocol, code, message),
  });
  socket.on('message', (data, isBinary) => {
    look();
    if (isBinary) fail(NOT_TEXT, 'NOT_TEXT', 'Messages are text.');
    else admins.receive(session, String(data));
  });
  socket.on('close', () => admins.disconnect(session));
}
