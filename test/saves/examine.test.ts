/** Looking at saved worlds: reading, verifying, replaying, and going back to an earlier generation. */
import { defineKind, type Kind, type World } from 'offstage';
import { openWorld, readWorld, replayWorld, restoreGeneration, verifyWorld } from 'offstage/saves';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

const FOLDER = '/saves/valley';

/** A kind that counts, in one way or the other. */
function counter(by: 1 | 2): Kind {
  const machine = setup({
    types: { context: {} as { n: number }, events: {} as { type: 'ADD'; n: number } },
  }).createMachine({
    id: 'counter',
    context: { n: 0 },
    initial: 'on',
    on: { ADD: { actions: assign({ n: ({ context, event }) => context.n + event.n }) } },
    states: {
      on: {
        after: {
          1000: {
            target: 'on',
            reenter: true,
            actions:
              by === 1
                ? assign({ n: ({ context }) => context.n + 1 })
                : assign({ n: ({ context }) => context.n + 2 }),
          },
        },
      },
    },
  });
  return defineKind({ name: 'counter', version: 1, machine });
}

const kinds = [counter(1)];

/** A world of four generations and some commands behind them, closed. */
async function made(): Promise<{ disk: SimulatedDisk; world: World; generations: number[] }> {
  const disk = new SimulatedDisk();
  const time = new StoppedTime();
  const begin = (world: World): void => {
    world.add({ id: 'a', kind: 'counter', at: [0, 0] });
    world.add({ id: 'b', kind: 'counter', at: [200_000, 0] });
  };
  const document = await openWorld(FOLDER, { kinds, disk, time, begin, autosave: false });
  const generations: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    generations.push(document.generation);
    document.world.send('a', { type: 'ADD', n: 10 });
    document.world.send('a', { type: 'NOTHING' });
    document.world.run(2500);
    for (let second = 0; second < 70; second += 1) {
      document.world.run(100);
      await time.advance(1000);
    }
    if (i < 3) await document.save();
  }
  await document.close({ save: false });
  return { disk: disk.afterKill(), world: document.world, generations };
}

describe('readWorld', () => {
  it('gives the world as it would be opened, and writes nothing', async () => {
    const { disk, world } = await made();
    const before = disk.calls;
    const read = await readWorld(FOLDER, { kinds, disk });
    expect(read.world.hash()).toBe(world.hash());
    expect(read.report).toMatchObject({ isNew: false, records: 2, kept: 0, replayed: 2 });
    expect(disk.calls).toBe(before);
  });

  it('says that there is no world where there is none', async () => {
    await expect(readWorld('/saves/none', { kinds, disk: new SimulatedDisk() })).rejects.toThrow(
      /There is no saved world in \/saves\/none/,
    );
  });
});

describe('verifyWorld', () => {
  it('finds a world well that is, and says how much it looked at', async () => {
    const { disk, world } = await made();
    const report = await verifyWorld(FOLDER, { kinds, disk });
    expect(report).toMatchObject({
      isWell: true,
      world: 'valley',
      problems: [],
      cures: [],
      notes: [],
      replayed: 2,
      stateHash: world.hash(),
    });
    expect(report.generations).toHaveLength(3);
    expect(report.generations[0]).toMatchObject({ records: 2, regions: 2, damages: [] });
    expect(report.compared).toBeGreaterThan(0);
  });

  it('names a flipped bit, and what can be done', async () => {
    const { disk } = await made();
    const file = [...disk.files().keys()]
      .filter((path) => /regions\/0,0/.test(path))
      .sort()
      .at(-1);
    const bytes = Buffer.from(disk.files().get(file as string) as Buffer);
    bytes[100] = (bytes[100] as number) ^ 1;
    disk.put(file as string, bytes);
    const before = disk.calls;
    const report = await verifyWorld(FOLDER, { kinds, disk });
    expect(report.isWell).toBe(false);
    expect(report.problems).toEqual([expect.stringContaining(`${file} is not as it was written`)]);
    expect(report.cures.join(' ')).toMatch(
      /backup.*--damaged earlier.*offstage restore valley --generation \d+/s,
    );
    expect(disk.calls).toBe(before);
  });

  it('finds what was changed in a journal although its sums are right', async () => {
    const { disk } = await made();
    const report = await verifyWorld(FOLDER, { kinds: [counter(2)], disk });
    expect(report.isWell).toBe(false);
    expect(report.notes.join(' ')).toMatch(/Kind 'counter' was changed/);
    expect(report.problems.join(' ')).toMatch(/has the hash [0-9a-f]{16} for the world at \d+ ms/);
  });
});

describe('replayWorld', () => {
  it('carries out everything since the oldest generation, and finds the same', async () => {
    const { disk, world, generations } = await made();
    const events: number[] = [];
    const report = await replayWorld(FOLDER, {
      kinds,
      disk,
      watch: (replayed) => replayed.on('event', ({ time }) => events.push(time)),
    });
    expect(report).toMatchObject({
      generation: generations[1],
      commands: 6,
      to: world.time,
      stateHash: world.hash(),
      firstDifference: null,
      problems: [],
    });
    expect(report.compared).toBeGreaterThan(3);
    expect(events.length).toBeGreaterThan(30);
  });

  it('stops where it is told to', async () => {
    const { disk } = await made();
    const report = await replayWorld(FOLDER, { kinds, disk, until: 18_000 });
    expect(report).toMatchObject({ to: 18_000, commands: 2, firstDifference: null });
  });

  it('names the first mark at which a changed kind gives something else', async () => {
    const { disk } = await made();
    const report = await replayWorld(FOLDER, { kinds: [counter(2)], disk });
    expect(report.firstDifference?.time).toBeGreaterThan(report.from);
    expect(report.firstDifference?.time).toBeLessThan(report.to);
    expect(report.problems[0]).toContain(report.firstDifference?.expected);
  });
});

describe('restoreGeneration', () => {
  it('goes back to what was saved then', async () => {
    const { disk, generations } = await made();
    const generation = generations[2] as number;
    const report = await restoreGeneration(FOLDER, generation, { disk, time: new StoppedTime() });
    expect(report).toMatchObject({ from: generation, time: 19_000, records: 2 });
    const document = await openWorld(FOLDER, { kinds, disk, time: new StoppedTime() });
    expect(document.world.time).toBe(19_000);
    expect(document.world.find('a')?.context).toEqual({ n: 39 });
    expect(document.report).toMatchObject({ replayed: 0, entries: [] });
    // And it goes on from there like any world.
    document.world.run(1000);
    for (let i = 0; i < 5; i += 1) await document.save();
    await document.close();
    const again = await openWorld(FOLDER, {
      kinds,
      disk: disk.afterKill(),
      time: new StoppedTime(),
    });
    expect(again.world.find('a')?.context).toEqual({ n: 40 });
  });

  it('with the journals loses nothing', async () => {
    const { disk, world, generations } = await made();
    await restoreGeneration(FOLDER, generations[2] as number, {
      disk,
      time: new StoppedTime(),
      withJournals: true,
    });
    const document = await openWorld(FOLDER, { kinds, disk, time: new StoppedTime() });
    expect(document.world.hash()).toBe(world.hash());
    expect(document.report.replayed).toBe(4);
  });

  it('names the generations there are, and refuses one that is not whole or a world in use', async () => {
    const { disk, generations } = await made();
    const time = new StoppedTime();
    await expect(restoreGeneration(FOLDER, 99, { disk, time })).rejects.toThrow(
      /no generation 99 that can be read; it has: 4, 3, 2|no generation 99 .* it has: \d+, \d+, \d+/,
    );
    const newest = generations[3] as number;
    const file = [...disk.files().keys()].find((path) => path.includes(`.${newest}.json`));
    disk.put(file as string, Buffer.from('{}'));
    const names = [...disk.files().keys()];
    await expect(restoreGeneration(FOLDER, newest, { disk, time })).rejects.toMatchObject({
      code: 'DAMAGED',
    });
    expect([...disk.files().keys()]).toEqual(names);
    const document = await openWorld(FOLDER, { kinds, disk, time, damaged: 'earlier' });
    await expect(
      restoreGeneration(FOLDER, document.generation, { disk, time }),
    ).rejects.toMatchObject({ code: 'LOCKED' });
  });
});
