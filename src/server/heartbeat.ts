/** Finds connections that are open in name only: a phone that lost its net never closes. */
import type { WebSocket } from 'ws';

const PING_EVERY = 15_000;
const DEAD_AFTER = 35_000;

/** Pings a socket and ends it when nothing has come from it for too long. */
export function watchLife(socket: WebSocket): void {
  let heardAt = performance.now();
  const heard = (): void => {
    heardAt = performance.now();
  };
  const timer = setInterval(() => {
    if (performance.now() - heardAt > DEAD_AFTER) socket.terminate();
    else socket.ping();
  }, PING_EVERY);
  // Sockets keep the process alive; their heartbeat alone does not.
  timer.unref();
  socket.on('message', heard).on('pong', heard).on('ping', heard);
  socket.on('close', () => clearInterval(timer));
}
