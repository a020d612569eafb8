/** A world served to plain sockets: replication, loop and WebSocket, and nothing around them. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { World } from 'offstage';
import { type WebSocket, WebSocketServer } from 'ws';
import { Replication } from '../../src/replication/replication.ts';
import { followClient } from '../../src/server/client-socket.ts';
import { Loop, type LoopParts, realTime } from '../../src/server/loop.ts';

export interface ServedWorld {
  readonly replication: Replication;
  readonly loop: Loop;
  readonly http: Server;
  /** Those that have connected, in that order. */
  readonly sockets: readonly WebSocket[];
}

/** `http` listens to no port yet, and the loop has not started. */
export function servedWorld(world: World, framed?: LoopParts['framed']): ServedWorld {
  const sockets: WebSocket[] = [];
  const replication = new Replication({
    world,
    name: 'bench',
    clock: () => loop.clock(),
    secret: () => randomBytes(18).toString('base64url'),
    idOf: (secret) => createHash('sha256').update(secret).digest('base64url'),
    warn: console.error,
    now: () => performance.now(),
    date: () => Date.now(),
  });
  const loop = new Loop({
    world,
    time: realTime,
    flushing: [replication],
    ...(framed === undefined ? {} : { framed }),
    failed: rethrown,
  });
  const http = createServer();
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  http.on('upgrade', (request, stream, head) => {
    server.handleUpgrade(request, stream, head, (socket) => {
      sockets.push(socket);
      followClient(socket, stream, replication, undefined, () => loop.plan());
    });
  });
  return { replication, loop, http, sockets };
}

export function rethrown(error: unknown): never {
  throw error;
}

export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
