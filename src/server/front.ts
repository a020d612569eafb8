/**
 * What others can reach of a server: an address that answers HTTP, and paths under it that become
 * WebSockets for those who are let in. Knows nothing of worlds.
 */
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { WorldError } from '../core/errors.ts';
import { MOST_BYTES_IN } from '../protocol/messages.ts';
import type { User } from '../replication/connection.ts';
import type { Admission } from './access.ts';

/** What is served under one path. */
export interface Path {
  admit(request: Parameters<RequestListener>[0]): Promise<Admission>;
  follow(socket: WebSocket, stream: Duplex, user: User | undefined): void;
}

export interface FrontParts {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly answer: RequestListener;
  readonly paths: Readonly<Record<string, Path>>;
  readonly log: Logger;
}

export interface Front {
  /** `http://host:port`. */
  readonly url: string;
  /** Lets nobody in any more, closes sockets with a word, cuts off who does not answer, and frees the port. */
  close(): Promise<void>;
}

/** Real milliseconds that clients get to answer a closing before they are cut off. */
const CLOSING_WITHIN = 1000;

/** Listens. Rejects with `WorldError`: `PORT_TAKEN`, or `NO_ADDRESS` if it is no address of this machine. */
export async function openFront({ host, port, answer, paths, log }: FrontParts): Promise<Front> {
  const http = createServer(
    // How often the two below are looked at; by itself only twice a minute.
    { connectionsCheckingInterval: 2000 },
    answer,
  );
  // A request that never ends its header or its body does not hold a socket for long.
  http.headersTimeout = 10_000;
  http.requestTimeout = 15_000;

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_BYTES_IN,
    maxFragments: 16,
    perMessageDeflate: false,
  });
  const upgrades = new Set<Duplex>();
  http.on('upgrade', async (request, stream, head) => {
    stream.on('error', (error) => log.debug({ err: error }, 'A connection broke.'));
    const [pathname = ''] = (request.url ?? '').split('?');
    const path = Object.hasOwn(paths, pathname) ? paths[pathname] : undefined;
    upgrades.add(stream);
    const admission = (await path?.admit(request)) ?? { refusal: 404 };
    upgrades.delete(stream);
    if (path === undefined || 'refusal' in admission) {
      const { refusal } = admission as { readonly refusal: number };
      log.info({ path: pathname, status: refusal }, 'A connection was refused.');
      stream.end(`HTTP/1.1 ${refusal} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', (error) => log.debug({ err: error }, 'A socket failed.'));
      path.follow(socket, stream, admission.user);
    });
  });

  await listening(http, port, host);
  const { port: taken } = http.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: async () => {
      for (const stream of upgrades) stream.destroy();
      await closed(http, sockets);
    },
  };
}

function listening(http: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new WorldError(
              'PORT_TAKEN',
              `Port ${port} is taken. Is a server running already? Stop it, or give another port (--port 0 takes a free one).`,
            )
          : new WorldError('NO_ADDRESS', `Cannot listen on ${host}:${port}: ${error.message}`),
      );
    });
    http.listen(port, host, resolve);
  });
}

async function closed(http: HttpServer, sockets: WebSocketServer): Promise<void> {
  const isClosed = new Promise<void>((resolve) => {
    http.close(() => resolve());
  });
  for (const socket of sockets.clients) socket.close(1001, 'CLOSING');
  const cutOff = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
  }, CLOSING_WITHIN);
  http.closeIdleConnections();
  await isClosed;
  clearTimeout(cutOff);
}
