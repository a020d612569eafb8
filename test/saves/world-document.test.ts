/** A world that is kept on disk: what its users do with it, on a real disk. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { World } from 'offstage';
import { openWorld } from 'offstage/saves';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

let folder: Scratch;
let valley: string;

beforeEach(async () => {
  folder = await scratch('saves', { outside: true });
  valley = join(folder.path, 'valley');
});
afterEach(() => folder.remove());

const TIMER = { id: 'clock', kind: 'timer', at: [0, 0], input: { every: 1000 } };

describe('a world document', () => {
  it('is made where there is none, and goes on where it was closed', async () => {
    const first = await openWorld(valley, { kinds, seed: 'x', begin: (world) => world.add(TIMER) });
    expect(first.report.isNew).toBe(true);
    expect(first.name).toBe('valley');
    first.world.run(2500);
    const hash = first.world.hash();
    await first.close();

    const again = await openWorld(valley, { kinds, begin: () => expect.unreachable() });
    expect(again.report).toMatchObject({ isNew: false, records: 1, replayed: 0, time: 2500 });
    expect(again.report.entries).toEqual([]);
    expect(again.world.seed).toBe('x');
    expect(again.world.hash()).toBe(hash);
    again.world.run(600);
    expect(again.world.find('clock')?.advancedTo).toBe(3000);
    await again.close();
  });

  it('is as far as its last mark after a process that was never closed', async () => {
    const first = await openWorld(valley, { kinds, begin: (world) => world.add(TIMER) });
    first.world.run(700);
    first.world.add({ ...TIMER, id: 'other', input: { every: 300 } });
    first.world.run(5000);
    await new Promise<void>((done) => first.whenDurable(done));
    const hash = first.world.hash();
    await first.close({ save: false });

    const again = await openWorld(valley, { kinds });
    expect(again.report).toMatchObject({ replayed: 1, time: 5700, entries: [] });
    expect(again.world.hash()).toBe(hash);
    await again.close();
  });

  it('lies in the files that it should', async () => {
    const document = await openWorld(valley, { kinds, begin: (world) => world.add(TIMER) });
    const { generation } = document;
    expect((await readdir(valley)).sort()).toEqual([
      'generations',
      'journal',
      'lock',
      'regions',
      'world.json',
    ]);
    expect(await readdir(join(valley, 'regions'))).toEqual([`0,0.${generation}.json`]);
    expect(await readdir(join(valley, 'journal'))).toContain(`${generation}.jsonl`);
    const manifest = JSON.parse(await readFile(join(valley, 'world.json'), 'utf8'));
    expect(manifest).toMatchObject({ format: 1, world: 'valley', generation, commands: 1 });
    expect(manifest.stateHash).toBe(document.world.hash());
    await document.close();
    expect(await readdir(valley)).not.toContain('lock');
  });
});

describe('a world that is opened again', () => {
  const begin = (world: World): void => {
    world.add([0, 1, 2].map((i) => ({ ...TIMER, id: `clock-${i}` })));
  };
  const open = () =>
    openWorld(valley, { kinds, begin, settings: { eventsPerFrame: 2 }, autosave: false });

  it('has the backlog that it had, and does not run it by being opened', async () => {
    const first = await open();
    first.world.frame(9000);
    expect(first.world.clock.time - first.world.time).toBe(8000);
    const hash = first.world.hash();
    await first.close();
    const again = await open();
    expect([again.world.time, again.world.clock.time]).toEqual([1000, 9000]);
    expect(again.world.hash()).toBe(hash);
    await again.close();
  });

  it('is in the middle of the instant in which it was closed, and past it after a crash', async () => {
    const first = await open();
    first.world.frame(1000);
    const { instant } = first.world.snapshot();
    expect(instant?.turns).toHaveLength(1);
    await first.close();
    const again = await open();
    expect(again.world.snapshot().instant).toEqual(instant);
    // What was shown of an instant is not undone: after a crash it is over.
    await new Promise<void>((done) => again.whenDurable(done));
    await again.close({ save: false });
    const third = await open();
    expect(third.world.snapshot().instant).toBeUndefined();
    expect(third.world.time).toBe(1000);
    expect(third.world.query().map(({ advancedTo }) => advancedTo)).toEqual([1000, 1000, 1000]);
    await third.close();
  });

  it('has the hash it had where something was due that had not happened', async () => {
    const first = await open();
    first.world.runUntil(1000, { inclusive: false });
    const hash = first.world.hash();
    await first.close();
    const again = await open();
    expect(again.world.hash()).toBe(hash);
    await again.close({ save: false });
    const third = await open();
    expect(third.report.entries).toEqual([]);
    await third.close();
  });
});

describe('a second opening', () => {
  it('is refused while the first lives, in this process and from another', async () => {
    const document = await openWorld(valley, { kinds });
    await expect(openWorld(valley, { kinds })).rejects.toMatchObject({ code: 'LOCKED' });
    const other = await run('node', [
      '--conditions=offstage-source',
      '--import=tsx',
      '--input-type=module',
      '--eval',
      `import { openWorld } from 'offstage/saves';
       await openWorld(${JSON.stringify(valley)}, { kinds: [] }).catch(({ code, message }) => console.log(code, message));`,
    ]);
    expect(other.output).toMatch(/^LOCKED The world is held by process \d+ on .*\. Stop it/m);
    await document.close();
    await (await openWorld(valley, { kinds })).close();
  });

  it('takes over the lock of a process that has died', async () => {
    const dead = await run('node', [
      '--conditions=offstage-source',
      '--import=tsx',
      '--input-type=module',
      '--eval',
      `import { openWorld } from 'offstage/saves';
       await openWorld(${JSON.stringify(valley)}, { kinds: [] });
       process.exit(7);`,
    ]);
    expect(dead.code).toBe(7);
    expect(await readdir(valley)).toContain('lock');
    const document = await openWorld(valley, { kinds });
    expect(JSON.parse(await readFile(join(valley, 'lock'), 'utf8')).pid).toBe(process.pid);
    await document.close();
  });

  it('takes over a lock whose number another process has by now', async () => {
    await (await openWorld(valley, { kinds })).close();
    // The parent of this process lives, and began at another time.
    const lock = { pid: process.ppid, host: hostname(), started: '1', token: 'x' };
    await writeFile(join(valley, 'lock'), JSON.stringify(lock));
    await (await openWorld(valley, { kinds })).close();
    await writeFile(join(valley, 'lock'), 'what was never finished');
    await (await openWorld(valley, { kinds })).close();
  });

  it('lets only one of many take over', async () => {
    await (await openWorld(valley, { kinds })).close();
    for (let round = 0; round < 5; round += 1) {
      await writeFile(
        join(valley, 'lock'),
        JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: null, token: 'dead' }),
      );
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, () => openWorld(valley, { kinds })),
      );
      const held = all.filter((one) => one.status === 'fulfilled');
      expect(held).toHaveLength(1);
      for (const one of all)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'LOCKED' });
      await held[0]?.value.close();
    }
  });

  it('notices before it commits that its world was taken over', async () => {
    const document = await openWorld(valley, { kinds });
    await writeFile(
      join(valley, 'lock'),
      JSON.stringify({ pid: process.ppid, host: hostname(), started: null, token: 'other' }),
    );
    document.world.run(1000);
    await expect(document.save()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await document.close({ save: false });
    expect(JSON.parse(await readFile(join(valley, 'lock'), 'utf8')).token).toBe('other');
  });

  it('finds a closed document standing still', async () => {
    const document = await openWorld(valley, { kinds, begin: (world) => world.add(TIMER) });
    await document.close();
    await document.close();
    expect(document.health.state).toBe('closed');
    expect(() => document.world.run(1000)).toThrow(/was closed/);
    await expect(document.save()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('many saves', () => {
  it('leave no more files behind than three generations have', async () => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const settings = { regionSize: 100 };
    const document = await openWorld('/saves/valley', {
      kinds,
      disk,
      time,
      settings,
      begin: (world) =>
        world.add([0, 1, 2, 3].map((i) => ({ ...TIMER, id: `t-${i}`, at: [i * 100, 0] }))),
    });
    const counts: number[] = [];
    for (let i = 0; i < 1000; i += 1) {
      document.world.add({ ...TIMER, id: `more-${i}`, at: [i % 400, 0] });
      document.world.remove(`more-${i - 4}`);
      document.world.run(130);
      // One in ten fails, and is not to leave anything either.
      const fails = i % 10 === 3;
      disk.fault = fails
        ? (call, path) => (call === 'sync' && /regions/.test(path) ? 'EIO' : undefined)
        : undefined;
      await document.save().catch(() => undefined);
      disk.fault = undefined;
      counts.push(disk.files().size);
    }
    // 4 regions, a manifest and a journal a generation, world.json, lock; the journals of saves that failed.
    expect(Math.max(...counts)).toBeLessThanOrEqual(3 * 6 + 4);
    expect(Math.max(...counts.slice(-100))).toBeLessThanOrEqual(Math.max(...counts.slice(0, 100)));
    const again = await openWorld('/saves/valley', { kinds, disk: disk.afterKill(), time });
    expect(again.world.hash()).toBe(document.world.hash());
  }, 120_000);
});
