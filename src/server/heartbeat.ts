/**
 * Finds connections that are open in name only: a phone that lost its net never closes. An answer to
 * a ping also shows that what was sent before it has arrived.
 */
import type { WebSocket } from 'ws';

const PING_EVERY = 15_000;
const DEAD_AFTER = 35_000;

export interface Pulse {
  /** A ping is about to be sent. */
  pinged(): void;
  /** The answer to the last ping has come. */
  ponged(): void;
}

/** Pings a socket and ends it when nothing has come from it for too long. */
export function watchLife(socket: WebSocket, pulse?: Pulse): void {
  let heardAt = performance.now();
  let pings = 0;
  const heard = (): void => {
    heardAt = performance.now();
  };
  const ping = (): void => {
    pings += 1;
    pulse?.pinged();
    socket.ping(String(pings));
  };
  const timer = setInterval(() => {
    if (performance.now() - heardAt > DEAD_AFTER) socket.terminate();
    else if (socket.readyState === socket.OPEN) ping();
  }, PING_EVERY);
  // Sockets keep the process alive; their heartbeat alone does not.
  timer.unref();
  socket.on('message', heard).on('ping', heard);
  socket.on('pong', (data) => {
    heard();
    if (String(data) === String(pings)) pulse?.ponged();
  });
  socket.on('close', () => clearInterval(timer));
}
