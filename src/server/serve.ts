/**
 * The process of one world: it makes the world, runs its frames, and serves it to clients and admins.
 * Nothing is decided here; this wires the parts and ends them in the right order.
 */
import { createHash, randomBytes } from 'node:crypto';
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
import { serverStats } from '../inspect/stats.ts';
import type { ServerStats } from '../protocol/admin.ts';
import { MOST_BYTES_IN } from '../protocol/messages.ts';
import type { Authorize } from '../replication/client-commands.ts';
import type { User } from '../replication/connection.ts';
import { checkSizes } from '../replication/interest.ts';
import { Replication } from '../replication/replication.ts';
import {
  type AccessRules,
  type Admission,
  type Authenticate,
  adminRefusal,
  checkExposure,
  clientAdmission,
} from './access.ts';
import { AdminSessions } from './admin-sessions.ts';
import { followAdmin } from './admin-socket.ts';
import { answers } from './answers.ts';
import { followClient } from './client-socket.ts';
import { type Health, healthOf } from './health.ts';
import { watchLife } from './heartbeat.ts';
import { Loop, type RealTime, realTime } from './loop.ts';
import { FrameCosts, metricsOf } from './metrics.ts';
import { readSeed } from './seed-file.ts';
import { Traffic } from './traffic.ts';

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
  /** Says who a client is, or that it may not connect; asked instead of `token`. */
  readonly authenticate?: Authenticate;
  /** Whether a client may send an event to a record, beside what the record's kind allows. Must answer at once. */
  readonly authorize?: Authorize;
  /** Bytes a second that one client is sent before cells far from it are slowed down. Default: any number. */
  readonly clientBytesPerSecond?: number;
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
  stats(): ServerStats;
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
    authenticate: options.authenticate,
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
    // Of the user too, so that a secret is of no use to anybody else.
    idOf: (secret, user) =>
      createHash('sha256')
        .update(JSON.stringify([secret, user?.id]))
        .digest('base64url'),
    warn: (message) => log.warn(message),
    now: () => time.now(),
    date: () => Date.now(),
    authorize: options.authorize,
    bytesPerSecond: options.clientBytesPerSecond,
    changed: () => loop.plan(),
  });
  const traffic = new Traffic(
    () => time.now(),
    () => replication.stats(),
  );
  const frames = new FrameCosts();
  const admins = new AdminSessions({
    world,
    surroundings: () => ({ name, clock: loop.clock(), replication: traffic.stats() }),
    warn: (message) => log.warn(message),
  });
  const loop = new Loop({
    world,
    time,
    flushing: [replication, admins],
    framed: (milliseconds) => {
      frames.took(milliseconds);
      traffic.look();
    },
    failed: (error) => log.error({ err: error }, 'A frame failed; the world goes on.'),
  });
  for (const warning of world.warnings) log.warn(warning);
  world.on('fault', ({ id, kind, code, message, time: at }) =>
    log.warn({ id, kind, code, gameTime: at }, `${id} rests with a fault: ${message}`),
  );

  const health = (): Health => healthOf(name, world, loop.clock(), loop.progress());
  const stats = (): ServerStats =>
    serverStats(world, { name, clock: loop.clock(), replication: traffic.stats() });
  const http = createServer(
    // How often the two below are looked at; by itself only twice a minute.
    { connectionsCheckingInterval: 2000 },
    answers(name, {
      health,
      metrics: metricsOf(stats, frames),
      isAdmin: (request) => adminRefusal(request, rules) === undefined,
    }),
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
  const paths: Readonly<Record<string, Path>> = {
    '/world': {
      admit: (request) => clientAdmission(request, rules, (message) => log.warn(message)),
      follow: (socket, stream, user) =>
        followClient(socket, stream, replication, user, () => loop.plan()),
    },
    '/admin': {
      admit: async (request) => {
        const refusal = adminRefusal(request, rules);
        return refusal === undefined ? { user: undefined } : { refusal };
      },
      follow: (socket) => {
        watchLife(socket);
        followAdmin(socket, admins, () => loop.frame());
      },
    },
  };
  const upgrades = new Set<Duplex>();
  http.on('upgrade', async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
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
    stats,
    close: async () => {
      for (const stream of upgrades) stream.destroy();
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
  admit(request: IncomingMessage): Promise<Admission>;
  follow(socket: WebSocket, stream: Duplex, user: User | undefined): void;
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
