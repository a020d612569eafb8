/** One admin's socket, made a session. */
import type { WebSocket } from 'ws';
import type { ErrorMessage } from '../protocol/messages.ts';
import { CLOSE } from '../replication/session.ts';
import type { AdminSessions } from './admin-sessions.ts';
import { NOT_TEXT } from './client-socket.ts';

/** `look` brings the world up to now, so that what is told is not of a while ago. */
export function followAdmin(socket: WebSocket, admins: AdminSessions, look: () => void): void {
  const fail = (closeCode: number, code: string, message: string): void => {
    const error: ErrorMessage = { type: 'error', code, message };
    socket.send(JSON.stringify(error));
    socket.close(closeCode, code);
  };
  const session = admins.connect({
    write: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text);
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
