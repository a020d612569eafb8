/**
 * The one door to Stately's pages: a server of our own, on this machine only. It asks where a page comes
 * from, and lets through no frame that the tools behind it would die of: `@xstate/inspect` takes any
 * origin, parses whatever it hears, and ends with the first page that says goodbye.
 */
import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { WorldError } from '../../core/errors.ts';

/** Pages of Stately's that may connect. */
const STATELY = ['https://stately.ai', 'https://www.stately.ai', 'https://statecharts.io'];
/** What a page may say, in bytes. */
const MOST_BYTES_IN = 64 * 1024;
/** A page that is so many bytes behind is let go. */
const MOST_BUFFERED = 8 * 1024 * 1024;
/** Only this machine's own addresses may be asked for: another name could be made to lead here. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/;
const REFUSED = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** A page's socket, as `@xstate/inspect` sees it: it hears only frames that passed. */
class GatedClient extends EventEmitter {
  readonly OPEN = 1;
  private readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    super();
    this.socket = socket;
  }
  get readyState(): number {
    return this.socket.readyState;
  }
  send(text: string): void {
    if (this.socket.bufferedAmount > MOST_BUFFERED) this.socket.terminate();
    else this.socket.send(text);
  }
  terminate(): void {
    this.socket.terminate();
  }
}

/** What `@xstate/inspect` takes for its WebSocket server. */
export class GatedSockets extends EventEmitter {
  readonly clients = new Set<GatedClient>();
  close(): void {
    this.emit('close');
  }
}

export interface GateOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** The page for `/`. */
  page(url: string): string;
  /** Told of what was not let through. */
  refused(message: string): void;
}

export interface Gate {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Pages of Stately's older inspector, which connect to `/`. */
  readonly sockets: GatedSockets;
  /** Says something to the pages that show Stately's current inspector, which connect to `/events` and say nothing. */
  broadcast(text: string): void;
  close(): Promise<void>;
}

/** Opens the gate. Throws `WorldError` `PORT_TAKEN`. */
export async function openGate({ port, page, refused }: GateOptions): Promise<Gate> {
  const sockets = new GatedSockets();
  const watchers = new Set<WebSocket>();
  /** What new watchers have to be told first: the last said of each thing. */
  const history: string[] = [];
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES_IN });
  const http = createServer((request, response) => answer(request, response, page(url())));
  const url = (): string => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const { origin, host = '' } = request.headers;
    const path = (request.url ?? '').split('?')[0];
    if (!OWN_HOST.test(host) || !mayConnect(origin, host)) {
      refused(`A page of ${origin ?? host} may not connect.`);
      stream.end(REFUSED);
      return;
    }
    server.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', (error) => refused(`A page's socket failed: ${error.message}`));
      if (path === '/events') {
        watchers.add(socket);
        socket.on('close', () => watchers.delete(socket));
        for (const text of history) socket.send(text);
        return;
      }
      const client = new GatedClient(socket);
      sockets.clients.add(client);
      sockets.emit('connection', client);
      socket.on('close', () => sockets.clients.delete(client));
      socket.on('message', (data, isBinary) => {
        const flaw = isBinary ? 'it is binary' : flawOf(String(data));
        if (flaw !== undefined) {
          refused(`What a page said was left out: ${flaw}.`);
          return;
        }
        try {
          client.emit('message', data, false);
        } catch (error) {
          refused(`What a page said failed: ${String(error)}`);
        }
      });
    });
  });

  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => {
      reject(
        new WorldError(
          'PORT_TAKEN',
          `The inspector cannot listen on port ${port}: ${error.message}.`,
        ),
      );
    });
    http.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: url(),
    sockets,
    broadcast: (text) => {
      history.push(text);
      if (history.length > MOST_HISTORY) history.shift();
      for (const socket of watchers) {
        if (socket.bufferedAmount > MOST_BUFFERED) socket.terminate();
        else socket.send(text);
      }
    },
    close: () =>
      new Promise((resolve) => {
        sockets.close();
        for (const socket of server.clients) socket.terminate();
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}

/** Lines that a page which comes later is told. */
const MOST_HISTORY = 1000;

/** Programs send no origin; pages may be Stately's or our own. */
function mayConnect(origin: string | undefined, host: string): boolean {
  return origin === undefined || origin === `http://${host}` || STATELY.includes(origin);
}

/** What is wrong with a frame for `@xstate/inspect`; undefined if nothing is. */
function flawOf(text: string): string | undefined {
  const message = parsed(text);
  if (typeof message !== 'object' || message === null) return 'it is no message';
  const { type, event } = message as { readonly type?: unknown; readonly event?: unknown };
  if (type === 'xstate.inspecting') return undefined;
  // Others would end the inspection for every page.
  if (type !== 'xstate.event') return `it is of the type ${JSON.stringify(type)}`;
  const sent = typeof event === 'string' ? parsed(event) : undefined;
  const { origin } = (sent ?? {}) as { readonly origin?: unknown };
  return typeof origin === 'string' ? undefined : 'its event names no record';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answer(request: IncomingMessage, response: ServerResponse, page: string): void {
  const isPage = request.method === 'GET' && request.url === '/';
  if (!isPage || !OWN_HOST.test(request.headers.host ?? '')) {
    response.writeHead(isPage ? 403 : 404).end();
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src ws://${request.headers.host}; frame-src https://stately.ai`,
  });
  response.end(page);
}
