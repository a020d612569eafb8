/**
 * The power fails at every call that a world makes to its disk. Whatever chance then leaves of what was
 * not synced, the world opens, holds every command that was acknowledged and every game time that was
 * shown, and is exactly what those commands make of it.
 */
import type { CommandReport } from 'offstage';
import { openWorld, type WorldDocument } from 'offstage/saves';
import { expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { createWorld, type World } from '../../src/core/world.ts';
import { type Chance, SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

/** More outcomes of each crash by `OFFSTAGE_FUZZ=n`. */
const OUTCOMES = Number(process.env.OFFSTAGE_FUZZ ?? 60) / 10;
const SEED = Number(process.env.OFFSTAGE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Mulberry32, after T. Ettinger: a new seed each run, told with each failure. */
function chanceOf(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How many of the calls before a crash may be the one that is still under way. */
const LATELY = 16;

const FOLDER = '/saves/valley';
const SETTINGS = { regionSize: 1000 };

/** What somebody outside was told. */
interface Told {
  /** Commands acknowledged. */
  n: number;
  /** Game time shown. */
  time: number;
}

function begin(world: World): void {
  world.add([
    { id: 'store', kind: 'stash', at: [0, 0], input: { capacity: 500, items: { ore: 90 } } },
    { id: 'far', kind: 'stash', at: [5000, 5000], input: { capacity: 500, items: {} } },
    ...[0, 1, 2].map((i) => ({
      id: `station-${i}`,
      kind: 'station',
      at: [i * 900, 10],
      links: { from: 'store', to: 'far' },
      input: {
        recipe: { takes: { ore: 2 }, gives: { item: 'bar', count: 1 }, milliseconds: 700 + i },
      },
    })),
    { id: 'clock', kind: 'timer', at: [9000, 0], input: { every: 100 } },
  ]);
}

async function open(disk: SimulatedDisk, time: StoppedTime): Promise<WorldDocument> {
  return openWorld(FOLDER, { kinds, disk, time, settings: SETTINGS, begin });
}

/** A short life: commands, saves, a restart, and a client who is told of it all. */
async function live(disk: SimulatedDisk, told: Told, heard: CommandReport[] = []): Promise<void> {
  const time = new StoppedTime();
  const show = (document: WorldDocument): void => {
    const { commandCount: n, time: at } = document.world;
    document.whenDurable(() => {
      told.n = Math.max(told.n, n);
      told.time = Math.max(told.time, at);
    });
  };
  const act = (document: WorldDocument, i: number): void => {
    const { world } = document;
    world.send('store', { type: 'PUT', item: 'ore', count: 1 + i });
    show(document);
    if (i % 3 === 0) world.send('store', { type: 'TAKE', item: 'gold', count: 1 });
    if (i === 4) world.add({ id: 'late', kind: 'timer', at: [50, 50], input: { every: 333 } });
    if (i === 7) world.remove('late');
    world.run(150 + i);
    show(document);
  };
  for (let restart = 0; restart < 2; restart += 1) {
    const document = await open(disk, time);
    document.world.on('command', (report) => heard.push(report));
    for (let i = 0; i < 4; i += 1) {
      act(document, restart * 4 + i);
      await time.pause();
    }
    // Commands come while it is being saved, too.
    const saved = document.save();
    act(document, 8);
    await saved;
    act(document, 9);
    await time.advance(1000);
    await document.close({ save: restart === 1 });
  }
}

/** The world after the first `n` commands, at that time. */
function reference(heard: readonly CommandReport[], n: number, time: number): World {
  const world = createWorld({ kinds, settings: SETTINGS });
  begin(world);
  for (const report of heard) {
    if (report.n > n) break;
    world.runUntil(report.time);
    world.execute(report.command, report.source);
  }
  world.runUntil(time);
  return world;
}

it(`the power fails at every call, with every sort of outcome (OFFSTAGE_SEED=${SEED})`, async () => {
  const chance = chanceOf(SEED);
  let behind = 0;
  for (let outcome = 0; outcome < OUTCOMES; outcome += 1) {
    // How long each call takes, and with it the order of those made at the same time.
    const pace = Math.floor(chance() * 2 ** 31);
    const whole = new SimulatedDisk();
    whole.pace = chanceOf(pace);
    const heard: CommandReport[] = [];
    const all: Told = { n: 0, time: 0 };
    await live(whole, all, heard);
    expect(all.n).toBe(heard.at(-1)?.n);
    for (let call = 0; call < whole.calls; call += 1) {
      const where = `call ${call}, outcome ${outcome}, OFFSTAGE_SEED=${SEED}`;
      const told: Told = { n: 0, time: 0 };
      const disk = new SimulatedDisk();
      disk.pace = chanceOf(pace);
      disk.lastCall = call;
      // At times one of the calls before it is still under way.
      if (chance() < 0.5) disk.laggard = call + 1 - Math.floor(chance() * LATELY);
      // It may then need fewer calls in all, and ends with the power.
      await Promise.race([disk.died, live(disk, told)]);
      let found = disk.afterPowerLoss(chance);
      while (chance() < 0.3) {
        // Once more, and at times again and again, while it is being opened or closed; or it is killed then.
        found.pace = chance;
        found.lastCall = Math.floor(chance() * 20);
        const opened = open(found, new StoppedTime()).then((document) => document.close());
        await Promise.race([opened, found.died]);
        found = chance() < 0.7 ? found.afterPowerLoss(chance) : found.afterKill();
      }
      const document = await open(found, new StoppedTime()).catch((error: unknown) => {
        throw new Error(`${where}: the world does not open`, { cause: error });
      });
      const { world, report } = document;
      expect(world.commandCount, `${where}: acknowledged commands`).toBeGreaterThanOrEqual(told.n);
      expect(world.time, `${where}: the time that was shown`).toBeGreaterThanOrEqual(told.time);
      const same = reference(heard, world.commandCount, world.time);
      expect(world.hash(), where).toBe(same.hash());
      const worrying = report.entries.filter(({ type }) => type !== 'JournalEnds');
      expect(worrying, where).toEqual([]);
      if (world.commandCount < all.n) behind += 1;
      await document.close({ save: false });
    }
  }
  expect(behind).toBeGreaterThan(0);
}, 300_000);
