/**
 * The process of one world: it opens the world, runs its frames, saves it, and serves it to clients and
 * admins. Nothing is decided here; this wires the parts and ends them in the right order. What clients
 * and admins are shown or answered waits until no crash can undo it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { WorldError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import type { World } from '../core/world.ts';
import { type Surroundings, serverStats } from '../inspect/stats.ts';
import type { SaveStats, ServerStats } from '../protocol/admin.ts';
import type { Authorize } from '../replication/client-commands.ts';
import { Replication } from '../replication/replication.ts';
import type { Disk } from '../saves/disk.ts';
import type { Damaged, Trouble, WorldDocument } from '../saves/document.ts';
import { nodeDisk } from '../saves/node-disk.ts';
import {
  type AccessRules,
  type Authenticate,
  adminRefusal,
  checkExposure,
  clientAdmission,
} from './access.ts';
import { removeAddress, writeAddress } from './address-file.ts';
import { AdminSessions } from './admin-sessions.ts';
import { followAdmin } from './admin-socket.ts';
import { answers } from './answers.ts';
import { followClient } from './client-socket.ts';
import { DrawingBoard } from './drawing/drawing-board.ts';
import { openFront } from './front.ts';
import { type Health, healthOf } from './health.ts';
import { watchLife } from './heartbeat.ts';
import { openKeptWorld } from './kept-world.ts';
import { type LiveReloadOptions, liveReload } from './live-reload.ts';
import { Loop, type RealTime, realTime } from './loop.ts';
import { Marks } from './marks.ts';
import { FrameCosts, Longest, metricsOf } from './metrics.ts';
import { inspectorPage } from './page.ts';
import { Traffic } from './traffic.ts';

export interface ServeOptions {
  /** The world's name. It is kept in `<savesDir>/<world>/`, and goes on where it was. */
  readonly world: string;
  readonly kinds: readonly Kind[];
  /** Default 4400; 0 takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string;
  /** Default `saves`. */
  readonly savesDir?: string;
  /** The file that a world begins with which is not kept yet. Default `<savesDir>/<world>.seed.json`. */
  readonly seed?: string;
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
  /**
   * What to do about files of the world that are not as they were written. Default: `refuse`. `earlier`
   * takes the newest generation that is whole, and what the journals have of the time since; `without`
   * leaves out the records of damaged regions.
   */
  readonly damaged?: Damaged;
  /** Game milliseconds per real millisecond. Default: as the world went last, 1 for a new one. */
  readonly speed?: number;
  /** Where the server's log goes; none without one. */
  readonly log?: Logger;
  /** Loads the kinds again whenever their files change; for development. */
  readonly reload?: LiveReloadOptions;
  /** The real time the loop goes by; for tests. */
  readonly time?: RealTime;
  /** Where the world's files are; for tests. */
  readonly disk?: Disk;
}

/** A running server. */
export interface Server {
  /** `http://host:port`. */
  readonly url: string;
  readonly world: World;
  /** The world as it is kept: `save()` and what came of loading it. */
  readonly document: WorldDocument;
  health(): Health;
  stats(): ServerStats;
  /**
   * Stops it: no frame runs any more, clients are told, the port is free and the world saved when this
   * is done. Rejects with `SaveError` if the world could not be saved; all that happened is then in its
   * journal, and everything else is over all the same.
   */
  close(): Promise<void>;
}

/** Real milliseconds that answers under way get to become durable before clients are let go. */
const ANSWERS_WITHIN = 1000;

/**
 * Serves a world until `close`: the one kept in its folder, or a new one from its seed. Rejects with
 * `SaveError` if it cannot be opened (`LOCKED`, `DAMAGED`, `NO_SEED`, …), `WorldError` if it cannot be
 * made of its seed or the address is not to be had.
 *
 * @example
 * const server = await serve({ world: 'valley', kinds });
 * console.log(`listening on ${server.url}`);
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const {
    world: name,
    kinds,
    savesDir = 'saves',
    host = '127.0.0.1',
    disk,
    damaged = 'refuse',
  } = options;
  const log = options.log ?? pino({ enabled: false });
  const rules: AccessRules = {
    token: options.token,
    authenticate: options.authenticate,
    adminToken: options.adminToken,
    origins: options.origins ?? [],
  };
  checkExposure(host, rules);
  const seed = options.seed ?? join(savesDir, `${name}.seed.json`);
  const document = await openKeptWorld({ name, kinds, savesDir, seed, damaged, disk, log });
  try {
    return await served(document, options, rules, log);
  } catch (error) {
    await document.close({ save: false });
    throw error;
  }
}

async function served(
  document: WorldDocument,
  options: ServeOptions,
  rules: AccessRules,
  log: Logger,
): Promise<Server> {
  const { port = 4400, host = '127.0.0.1', time = realTime, disk = nodeDisk, speed } = options;
  const { world, name, folder } = document;
  if (speed !== undefined && speed !== world.clock.speed) world.clock.setSpeed(speed);
  const warn = (message: string): void => log.warn(message);
  const whenDurable = (run: () => void): void => document.whenDurable(run);

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
    warn,
    now: () => time.now(),
    date: () => Date.now(),
    remembered: document.sessions,
    authorize: options.authorize,
    bytesPerSecond: options.clientBytesPerSecond,
    whenDurable,
    refusing: () => refusalOf(world),
    changed: () => loop.plan(),
  });
  const traffic = new Traffic(
    () => time.now(),
    () => replication.stats(),
  );
  const frames = new FrameCosts();
  const longest = new Longest(() => time.now());
  const surroundings = (): Surroundings => {
    const { heapUsed, rss: resident } = process.memoryUsage();
    return {
      name,
      clock: loop.clock(),
      replication: traffic.stats(),
      saves: saveStats(document),
      frames: { ...frames.totals(), longest: longest.lately() },
      memory: { heapUsed, resident },
    };
  };
  const drawing =
    options.reload && new DrawingBoard({ folders: options.reload.folders, from: process.cwd() });
  const admins = new AdminSessions({
    world,
    surroundings,
    warn,
    drawing,
    whenDurable,
    save: async () => {
      loop.frame();
      const { generation, records, regionsWritten, bytesWritten, took } = await document.save();
      return { generation, records, regionsWritten, bytesWritten, took };
    },
    changed: () => loop.plan(),
  });
  const marks = new Marks(
    { world, mark: () => document.mark(), isWatched: () => replication.clients > 0 },
    time.now(),
  );
  const loop = new Loop({
    world,
    time,
    flushing: [replication, admins, marks],
    framed: (milliseconds) => {
      frames.took(milliseconds);
      longest.took(milliseconds);
      traffic.look();
    },
    failed: (error) => log.error({ err: error }, 'A frame failed; the world goes on.'),
  });
  world.on('fault', ({ id, kind, code, message, time: at }) =>
    log.warn({ id, kind, code, gameTime: at }, `${id} rests with a fault: ${message}`),
  );
  followTrouble(document, log, () => {
    loop.beginAnew();
    replication.clockChanged();
  });

  const health = (): Health =>
    healthOf(name, world, loop.clock(), loop.progress(), saveStats(document));
  const stats = (): ServerStats => serverStats(world, surroundings());
  const front = await openFront({
    host,
    port,
    log,
    answer: answers(name, {
      health,
      metrics: metricsOf(stats, frames),
      adminRefusal: (request) => adminRefusal(request, rules),
      page: inspectorPage(warn),
    }),
    paths: {
      '/world': {
        admit: (request) => clientAdmission(request, rules, warn),
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
    },
  });
  const { url } = front;
  await writeAddress(disk, folder, url).catch((error: Error) => warn(error.message));
  loop.start();
  const stopReloading =
    options.reload &&
    (await liveReload({
      ...options.reload,
      tried: (problem) => {
        drawing?.tried(problem);
        admins.changed();
      },
      world,
      loop,
      log,
      save: async () => {
        await document.save();
      },
    }));

  const end = async (): Promise<void> => {
    // Up to now, and everything that was done is answered. What comes from here on is not carried out
    // and not answered, so clients send it again to the next server.
    await stopReloading?.();
    loop.frame();
    loop.stop();
    if (world.heldBecause === undefined) {
      await Promise.race([
        new Promise<void>((done) => whenDurable(done)),
        pause(ANSWERS_WITHIN, undefined, { ref: false }),
      ]);
    }
    replication.close();
    admins.close();
    await front.close();
    await removeAddress(disk, folder);
    await document.close();
    log.info(
      { world: name, generation: document.generation, gameTime: world.time },
      `World '${name}' is saved and has stopped.`,
    );
  };
  let ending: Promise<void> | undefined;
  return {
    url,
    world,
    document,
    health,
    stats,
    close: () => {
      ending ??= end();
      return ending;
    },
  };
}

/** What clients are told while the world is held. Why it is held is for those who look after it. */
function refusalOf({ heldBecause }: World): { code: string; message: string } | undefined {
  return (
    heldBecause && {
      code: heldBecause.code,
      message: 'The world stands still until it can be saved; send this again later.',
    }
  );
}

function saveStats({ health }: WorldDocument): SaveStats {
  const { state, trouble, generation, savedAt, waiting } = health;
  const { code = null, message = null } = trouble ?? {};
  return { state, code, message, generation, savedAt, waiting };
}

/** Puts what becomes of the files into the log; `turned` is called when the world is held or goes on. */
function followTrouble(document: WorldDocument, log: Logger, turned: () => void): void {
  const { world } = document;
  let isHeld = false;
  const look = (): void => {
    if (isHeld === (world.heldBecause !== undefined)) return;
    isHeld = !isHeld;
    turned();
  };
  document.on('saved', ({ generation, regionsWritten, bytesWritten, took }) =>
    log.debug(
      { generation, regionsWritten, bytesWritten, took },
      `Saved generation ${generation}: ${regionsWritten} regions, ${bytesWritten} bytes, in ${Math.round(took)} ms.`,
    ),
  );
  document.on('trouble', ({ code, message }: Trouble) => {
    log.error({ code }, message);
    // Another process has the world; what happened in this one would be nobody's.
    if (code === 'LOCK_LOST') world.hold(new WorldError(code, message));
    look();
  });
  document.on('recovered', ({ after }) => {
    log.info({ code: after.code }, 'The world can be saved again.');
    look();
  });
}
