/**
 * The process of one world: it makes the world, runs its frames, and serves it to clients and admins.
 * Nothing is decided here; this wires the parts and ends them in the right order.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Logger, pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { SaveError, WorldError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import { NAME_PATTERN } from '../core/names.ts';
import { createWorld, type World } from '../core/world.ts';
import { MOST_BYTES_IN } from '../protocol/messages.ts';
import { checkSizes } from '../replication/interest.ts';
import { Replication } from '../replication/replication.ts';
import {
  type AccessRules,
  adminRefusal,
  checkExposure,
  clientRefusal,
  type Refusal,
} from './access.ts';
import { AdminSessions } from './admin-sessions.ts';
import { followAdmin } from './admin-socket.ts';
import { answers } from './answers.ts';
import { followClient } from './client-socket.ts';
import { type Health, healthOf } from './health.ts';
import { watchLife } from './heartbeat.ts';
import { Loop, type RealTime, realTime } from './loop.ts';
import { readSeed } from './seed-file.ts';

export interface ServeOptions {
  /** The world's name; it starts from `<savesDir>/<world>.seed.json`. */
  readonly world: string;
  readonly kinds: readonly Kind[];
  /** Default 4400; 0 takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string;
  /** Default `saves`. */
  readonly savesDir?: string;
  /** What clients must show. */
  readonly token?: string;
  /** What admins must show; without one, only programs on this machine are admins. */
  readonly adminToken?: string;
  /** Origins of other sites whose pages may connect, such as `https://game.example`. */
  readonly origins?: readonly string[];
  /** Game milliseconds per real millisecond. Default 1. */
  readonly speed?: number;
  /** Where the server's log goes; none without one. */
  readonly log?: Logger;
  /** The real time the loop goes by; for tests. */
  readonly time?: RealTime;
}

/** A running server. */
export interface Server {
  /** `http://host:port`. */
  readonly url: string;
  readonly world: World;
  health(): Health;
  /** Stops it: no frame runs any more, clients are told, and the port is free when this is done. */
  close(): Promise<void>;
}

/** Real milliseconds that clients get to answer a closing before they are cut off. */
const CLOSING_WITHIN = 1000;

/**
 * Serves a world until `close`. Throws `SaveError` if its seed cannot be read, `WorldError` if the
 * world cannot be made of it or the address is not to be had.
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { world: name, port = 4400, host = '127.0.0.1', time = realTime } = options;
  const log = options.log ?? pino({ enabled: false });
  const rules: AccessRules = {
    token: options.token,
    adminToken: options.adminToken,
    origins: options.origins ?? [],
  };
  checkExposure(host, rules);
  const world = await worldFromSeed(options);
  const { speed = 1 } = options;
  if (speed !== world.clock.speed) world.clock.setSpeed(speed);

  const replication = new Replication({
    world,
    name,
    clock: () => loop.clock(),
    secret: () => randomBytes(18).toString('base64url'),
    warn: (message) => log.warn(message),
  });
  const admins = new AdminSessions({
    world,
    surroundings: () => {
      const { clients, cellsWatched } = replication;
      return { name, clock: loop.clock(), clients, cellsWatched };
    },
    warn: (message) => log.warn(message),
  });
  const loop = new Loop({
    world,
    time,
    flushing: [replication, admins],
    failed: (error) => log.error({ err: error }, 'A frame failed; the world goes on.'),
  });
  for (const warning of world.warnings) log.warn(warning);
  world.on('fault', ({ id, kind, code, message, time: at }) =>
    log.warn({ id, kind, code, gameTime: at }, `${id} rests with a fault: ${message}`),
  );

  const health = (): Health => healthOf(name, world, loop.clock(), loop.progress());
  const http = createServer(
    // How often the two below are looked at; by itself only twice a minute.
    { connectionsCheckingInterval: 2000 },
    answers(name, health),
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
  const plan = (): void => loop.plan();
  const followers: Readonly<Record<string, Path>> = {
    '/world': {
      refusal: (request) => clientRefusal(request, rules),
      follow: (socket, stream) => followClient(socket, stream, replication, plan),
    },
    '/admin': {
      refusal: (request) => adminRefusal(request, rules),
      follow: (socket) => followAdmin(socket, admins, () => loop.frame()),
    },
  };
  http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', (error) => log.debug({ err: error }, 'A connection broke.'));
    const [pathname = ''] = (request.url ?? '').split('?');
    const path = Object.hasOwn(followers, pathname) ? followers[pathname] : undefined;
    const refusal = path === undefined ? 404 : path.refusal(request);
    if (path === undefined || refusal !== undefined) {
      log.info({ path: pathname, status: refusal }, 'A connection was refused.');
      stream.end(`HTTP/1.1 ${refusal} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', (error) => log.debug({ err: error }, 'A socket failed.'));
      watchLife(socket);
      path.follow(socket, stream);
    });
  });

  await listening(http, port, host);
  loop.start();
  const { port: taken } = http.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
  log.info(
    { world: name, records: world.size, url },
    `World '${name}' runs; records: ${world.size}.`,
  );

  return {
    url,
    world,
    health,
    close: async () => {
      loop.stop();
      replication.close();
      admins.close();
      await closed(http, sockets);
      log.info({ world: name, gameTime: world.time }, `World '${name}' has stopped.`);
    },
  };
}

/** What is served under one path. */
interface Path {
  refusal(request: IncomingMessage): Refusal;
  follow(socket: WebSocket, stream: Duplex): void;
}

async function worldFromSeed({
  world: name,
  kinds,
  savesDir = 'saves',
}: ServeOptions): Promise<World> {
  if (!NAME_PATTERN.test(name)) {
    throw new SaveError(
      'BAD_NAME',
      `'${name}' is no name of a world; use lower case letters, digits, '-' and '_', a letter or digit first.`,
    );
  }
  const path = join(savesDir, `${name}.seed.json`);
  const { seed, startAt = 0, settings = {}, records } = await readSeed(path, name);
  try {
    // In development a machine that changes its context in place fails at once, and says so.
    const freeze = process.env.NODE_ENV !== 'production';
    const world = createWorld({ kinds, seed, startAt, settings: { freeze, ...settings } });
    checkSizes(world.settings);
    world.add(records);
    return world;
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    throw new WorldError(error.code, `${path}: ${error.message}`, { cause: error });
  }
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

/** Closes sockets with a word, cuts off who does not answer, and frees the port. */
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
