/**
 * A disk fails at random calls for a while, again and again, under a server that clients give commands;
 * at times its process is killed in the middle of that. Whatever clients were answered and shown stays,
 * and each time the world goes on by itself. What counts is when the server calls the disk, which no seed
 * would repeat; so chance has none. What was found by it has a test of its own in test/saves/faults.test.ts.
 */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readWorld } from '../../src/saves/examine.ts';
import { type Server, serve } from '../../src/server/serve.ts';
import { Guest } from '../support/guest.ts';
import { carriedOut, keyOf, neverKilled } from '../support/never-killed.ts';
import { COINS, coinsIn, type PurseContext, purseKinds, purseSeed } from '../support/purses.ts';
import { type Scratch, scratch } from '../support/scratch.ts';
import { until } from '../support/serving.ts';
import { type DiskCall, SimulatedDisk } from '../support/simulated-disk.ts';

/** More times by `OFFSTAGE_FUZZ`. */
const TIMES = Math.ceil(Number(process.env.OFFSTAGE_FUZZ ?? 60) / 10);
const CODES = ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT', 'EMFILE'];
const CALLS = new Set<DiskCall>(['create', 'write', 'sync', 'rename', 'remove', 'syncFolder']);

let server: Server | undefined;
let folder: Scratch | undefined;
const guests: Guest[] = [];
afterEach(async () => {
  for (const guest of guests.splice(0)) guest.leave();
  await server?.close().catch(() => undefined);
  await folder?.remove();
});

test(`a disk that fails ${TIMES} times (OFFSTAGE_FUZZ) under a server undoes nothing`, async () => {
  folder = await scratch('failing', { outside: true });
  await folder.write({ 'purses.seed.json': JSON.stringify(purseSeed) });
  const savesDir = folder.path;
  const numbers = new Map<string, number>();
  const start = async (disk: SimulatedDisk): Promise<Server> => {
    const started = await serve({
      world: 'purses',
      kinds: purseKinds,
      port: 0,
      savesDir,
      disk,
      speed: 5,
    });
    started.world.on('command', ({ n, source, seq }) => numbers.set(keyOf(source.id, seq), n));
    for (const guest of guests) guest.visit(started.url);
    return started;
  };
  for (let i = 0; i < 3; i += 1) guests.push(new Guest());
  let disk = new SimulatedDisk();
  server = await start(disk);
  let held = 0;
  for (let time = 0; time < TIMES; time += 1) {
    await pause(50 + Math.random() * 150);
    // The first fails altogether.
    const rate = time === 0 || Math.random() < 0.3 ? 1 : Math.random() * 0.3;
    const code = CODES[Math.floor(Math.random() * CODES.length)];
    disk.fault = (call) => (CALLS.has(call) && Math.random() < rate ? code : undefined);
    await pause(50 + Math.random() * 300);
    const { world } = server;
    if (rate === 1) await until(() => world.heldBecause !== undefined);
    if (server.world.heldBecause !== undefined) {
      held += 1;
      expect(server.health()).toMatchObject({ ok: false, saves: { state: 'held' } });
    }
    if (Math.random() < 0.4) {
      // As a process that is killed: the disk has what it has, and nobody hears of it any more.
      for (const guest of guests) guest.leave();
      const killed = server;
      disk = disk.afterKill();
      server = undefined;
      // It would wait for its disk for ever; its sockets are gone before that.
      void killed.close();
      server = await start(disk);
    } else {
      disk.fault = undefined;
      const { document } = server;
      await until(() => document.health.state === 'well');
      expect(server.health().ok).toBe(true);
    }
  }
  for (const guest of guests) guest.rest();
  await until(() => guests.every(({ isAnswered }) => isAnswered));
  await server.close();

  const { world, report } = await readWorld(join(savesDir, 'purses'), { kinds: purseKinds, disk });
  const given = carriedOut(guests, numbers);
  const shown = guests.flatMap((guest) => guest.shown);
  const reference = neverKilled(given, shown, world.time);
  expect(guests.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(reference.untrue).toEqual([]);
  expect(reference.undone).toEqual([]);
  expect(report.entries).toEqual([]);
  expect(world.hash()).toBe(reference.world.hash());
  const purses = world.query({ kind: 'purse' }).map(({ context }) => context as PurseContext);
  expect(coinsIn(purses)).toBe(COINS);
  expect(purses.reduce((sum, { gifts }) => sum + gifts, 0)).toBe(given.length);
  expect(given.length).toBeGreaterThan(TIMES);
  expect(held).toBeGreaterThan(0);
}, 120_000);

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
