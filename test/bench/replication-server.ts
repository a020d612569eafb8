/** The server's half of the replication bench, in a process of its own: a world, and who is told of it. */
import type { AddressInfo } from 'node:net';
import { createWorld, defineKind, type World } from 'offstage';
import { assign, setup } from 'xstate';
import { Loop, realTime } from '../../src/server/loop.ts';
import { collect } from './measure.ts';
import { rethrown, servedWorld, wait } from './served.ts';

/** What serving cost while it was measured. */
export interface Served {
  /** Frames that must come, those before and after the measuring included. */
  readonly sent: number;
  readonly flushes: number;
  readonly frames: number;
  readonly bytes: number;
  /** Microseconds of user and system time of this process. */
  readonly cpu: number;
  readonly seconds: number;
  readonly flushMilliseconds: number;
  readonly frameMilliseconds: number;
  readonly worldFrames: number;
}

const NOTHING: Served = {
  sent: 0,
  flushes: 0,
  frames: 0,
  bytes: 0,
  cpu: 0,
  seconds: 0,
  flushMilliseconds: 0,
  frameMilliseconds: 0,
  worldFrames: 0,
};

/** Cells along a side of the map; clients stand in those that are not at its edge. */
const SIDE = 10;
const CELL = 10_000;
const RECORDS_A_CELL = 5;

const tickMachine = setup({
  types: { context: {} as { n: number; said: string }, input: {} as { first: number } },
  actions: {
    tick: assign({
      n: ({ context }) => context.n + 1,
      said: ({ context }) => `${'tick '.repeat(55)}${context.n}`,
    }),
  },
  delays: { first: ({ event }) => (event as unknown as { input: { first: number } }).input.first },
}).createMachine({
  id: 'tick',
  context: { n: 0, said: '' },
  initial: 'first',
  states: {
    first: { after: { first: { target: 'on', actions: 'tick' } } },
    on: { after: { 200: { target: 'on', reenter: true, actions: 'tick' } } },
  },
});
const tick = defineKind({ name: 'tick', version: 1, machine: tickMachine });

function tickingWorld(): World {
  const world = createWorld({ kinds: [tick], settings: { cellSize: CELL, relevancyRadius: CELL } });
  const records = SIDE * SIDE * RECORDS_A_CELL;
  world.add(
    Array.from({ length: records }, (_, i) => {
      const cell = i % (SIDE * SIDE);
      const [x, y] = [cell % SIDE, Math.floor(cell / SIDE)];
      return {
        id: `tick-${i}`,
        kind: 'tick',
        at: [(x + 0.5) * CELL, (y + 0.5) * CELL],
        input: { first: (i * 7919) % 200 },
      };
    }),
  );
  world.clock.pause();
  return world;
}

const world = tickingWorld();
let frameMilliseconds = 0;
let worldFrames = 0;
const { replication, loop, http, sockets } = servedWorld(world, (milliseconds) => {
  frameMilliseconds += milliseconds;
  worldFrames += 1;
});

/** Runs something for a while and gives what this process spent on it. */
async function spent(run: () => Promise<void>): Promise<{ cpu: number; seconds: number }> {
  collect();
  const begun = performance.now();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, seconds: (performance.now() - begun) / 1000 };
}

async function serveFor(seconds: number): Promise<Served> {
  const begun = replication.stats();
  world.clock.resume();
  await wait(1000);
  const before = replication.stats();
  const [framesBefore, millisecondsBefore] = [worldFrames, frameMilliseconds];
  const cost = await spent(() => wait(seconds * 1000));
  const after = replication.stats();
  const measured = {
    flushMilliseconds: after.flushMilliseconds - before.flushMilliseconds,
    frameMilliseconds: frameMilliseconds - millisecondsBefore,
    worldFrames: worldFrames - framesBefore,
  };
  world.clock.pause();
  await wait(500);
  const ended = replication.stats();
  return {
    // Everyone was also told that the clock goes, and that it stands.
    sent: ended.framesSent - begun.framesSent - 2 * ended.clients,
    flushes: after.flushes - before.flushes,
    frames: after.framesSent - before.framesSent,
    bytes: after.bytesSent - before.bytesSent,
    ...cost,
    ...measured,
  };
}

/** The same world with nobody to tell. */
const twin = tickingWorld();
const twinLoop = new Loop({ world: twin, time: realTime, flushing: [], failed: rethrown });

async function runFor(seconds: number): Promise<Served> {
  twin.clock.resume();
  await wait(1000);
  const cost = await spent(() => wait(seconds * 1000));
  twin.clock.pause();
  return { ...NOTHING, ...cost };
}

/** What a client in the middle is sent with one flush. */
async function sample(): Promise<readonly Uint8Array[]> {
  let last: readonly Uint8Array[] = [];
  const connection = replication.connect({
    buffered: 0,
    write: (frames) => {
      if (frames.length === 9) last = frames;
    },
    close: () => {},
  });
  const view = [(SIDE / 2) * CELL + CELL / 2, (SIDE / 2) * CELL + CELL / 2];
  replication.receive(connection, JSON.stringify({ type: 'hello', protocol: 1, view }));
  world.clock.resume();
  loop.plan();
  await wait(2000);
  world.clock.pause();
  replication.disconnect(connection);
  await wait(500);
  return last;
}

/** As many frames of the same bytes to the same sockets, each with a send of its own. */
async function sendFor(seconds: number, frames: readonly Uint8Array[]): Promise<Served> {
  let flushes = 0;
  const cost = await spent(async () => {
    const begun = performance.now();
    while (performance.now() - begun < seconds * 1000) {
      for (const socket of sockets) {
        for (const frame of frames) socket.send(frame, { binary: false });
      }
      flushes += 1;
      await wait(Math.max(0, begun + flushes * 200 - performance.now()));
    }
  });
  const sent = flushes * sockets.length * frames.length;
  const bytes = (sent / frames.length) * frames.reduce((sum, { length }) => sum + length, 0);
  return { ...NOTHING, sent, flushes, frames: sent, bytes, ...cost };
}

loop.start();
twinLoop.start();
const frames = await sample();
const answers: Readonly<Record<string, (seconds: number) => Promise<Served>>> = {
  world: runFor,
  offstage: serveFor,
  'ws.send': (seconds) => sendFor(seconds, frames),
};
process.on('message', ({ engine, seconds }: { engine: string; seconds: number }) => {
  answers[engine]?.(seconds).then((served) => process.send?.(served));
});
http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port));
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
