/**
 * A restart is not to be seen: a world that was saved, killed and opened again at random times is the
 * world that never was, and a timer that came due meanwhile fires at its own game time.
 */
import fc from 'fast-check';
import { defineKind, now, type World } from 'offstage';
import { openWorld, type WorldDocument } from 'offstage/saves';
import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { kinds } from '../../kinds/index.ts';
import type { TimerContext } from '../../machines/timer.machine.ts';
import { createWorld } from '../../src/core/world.ts';
import { type RandomWorld, randomWorld, type TimedCommand } from '../support/random-world.ts';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

const FOLDER = '/saves/random';
const HOUR = 3_600_000;
/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Math.ceil(Number(process.env.OFFSTAGE_FUZZ ?? 60) / 4);

/** The commands in the order in which a world takes them. */
function inOrder({ commands }: RandomWorld): readonly TimedCommand[] {
  return commands
    .map((timed, seq) => ({ ...timed, seq }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq);
}

/** Gives a world what it has not had of its commands. */
function give(world: World, random: RandomWorld, had: number): void {
  inOrder(random)
    .slice(had)
    .forEach(({ at, command }, seq) => {
      world.commands.push({ source: { rank: 2, id: 'tester' }, seq, at, command });
    });
}

/** One stretch of a world's life: how far it runs, in frames of how many events, and how it ends. */
const stretch = fc.record({
  frames: fc.integer({ min: 0, max: 60 }),
  frame: fc.constantFrom(40, 700, 9000),
  events: fc.constantFrom(1, 7, 2000),
  save: fc.constantFrom('none', 'during', 'end'),
  end: fc.constantFrom('close', 'kill', 'power'),
});

describe('a world of an hour', () => {
  it('with restarts is the one without', async () => {
    let inInstants = 0;
    let restarts = 0;
    await fc.assert(
      fc.asyncProperty(
        randomWorld,
        fc.array(stretch, { minLength: 1, maxLength: 5 }),
        async (random, stretches) => {
          const begin = (world: World): void => {
            world.add(random.records);
            give(world, random, 0);
          };
          const whole = createWorld({ kinds, seed: 'random' });
          begin(whole);
          whole.runUntil(HOUR);

          let disk = new SimulatedDisk();
          const time = new StoppedTime();
          const open = async (eventsPerFrame: number): Promise<WorldDocument> => {
            const document = await openWorld(FOLDER, {
              kinds,
              seed: 'random',
              disk,
              time,
              begin,
              settings: { eventsPerFrame },
              autosave: false,
            });
            const { report, world } = document;
            expect(report.entries.filter(({ type }) => type !== 'JournalEnds')).toEqual([]);
            // The first command added the records; what waited in the queue is not of the world.
            if (!report.isNew) give(world, random, world.commandCount - 1);
            return document;
          };
          for (const { frames, frame, events, save, end } of stretches) {
            const document = await open(events);
            const { world } = document;
            let saved: Promise<unknown> | undefined;
            for (let i = 0; i < frames && world.clock.time < HOUR - 10_000; i += 1) {
              world.frame(frame);
              if (save === 'during' && i === frames >> 1) saved = document.save();
              if (i % 4 === 0) await time.pause();
            }
            await saved;
            // In frames of one event it is left in the middle of an instant, if one comes along.
            for (let i = 0; events === 1 && i < 300 && world.clock.time < HOUR - 10_000; i += 1) {
              if (world.snapshot().instant !== undefined) break;
              world.frame(frame);
            }
            const hash = world.hash();
            const isInInstant = world.snapshot().instant !== undefined;
            if (isInInstant) inInstants += 1;
            restarts += 1;
            if (save === 'end') await document.save();
            if (end === 'close') await document.close();
            else {
              await new Promise<void>((done) => document.whenDurable(done));
              disk = end === 'kill' ? disk.afterKill() : disk.afterPowerLoss(Math.random);
            }
            if (end !== 'close' && isInInstant) continue;
            // It is found at the very place, but after a crash in an instant: that is then over.
            const again = await open(events);
            expect(again.world.hash()).toBe(hash);
            await again.close();
          }
          const document = await open(2000);
          document.world.runUntil(HOUR);
          expect(document.world.hash()).toBe(whole.hash());
          await document.close();
        },
      ),
      { numRuns: RUNS },
    );
    expect(restarts).toBeGreaterThan(RUNS);
    expect(inInstants).toBeGreaterThan(0);
  }, 300_000);
});

describe('a timer', () => {
  const machine = setup({
    types: { context: {} as { rung: readonly number[] }, emitted: {} as { type: 'RING' } },
    actions: { ring: assign({ rung: ({ context }) => [...context.rung, now()] }) },
  }).createMachine({
    id: 'bell',
    context: { rung: [] },
    initial: 'hanging',
    states: {
      hanging: {
        after: {
          60000: { target: 'hanging', reenter: true, actions: ['ring', emit({ type: 'RING' })] },
        },
      },
    },
  });
  const bell = defineKind({ name: 'bell', version: 1, machine });
  const begin = (world: World): void => world.add({ id: 'bell', kind: 'bell', at: [0, 0] });

  it('that comes due while nobody is there fires after the start, at its own game time', async () => {
    let disk = new SimulatedDisk();
    const time = new StoppedTime();
    const open = () => openWorld(FOLDER, { kinds: [bell], disk, time, begin });
    const first = await open();
    first.world.run(59_000);
    await first.close();
    disk = disk.afterKill();
    await time.advance(HOUR);
    const second = await open();
    // No game time has passed.
    expect(second.world.time).toBe(59_000);
    expect(second.world.find('bell')?.timers).toMatchObject([{ at: 60_000 }]);
    second.world.frame(5000);
    expect(second.world.find('bell')?.context).toEqual({ rung: [60_000] });
    expect(second.world.find('bell')?.timers).toMatchObject([{ at: 120_000 }]);
    await second.close();
  });

  it('neither starts over nor drifts, however often the world is opened', async () => {
    let disk = new SimulatedDisk();
    const time = new StoppedTime();
    for (let i = 0; i < 20; i += 1) {
      const document = await openWorld(FOLDER, { kinds: [bell], disk, time, begin });
      document.world.frame(17_000);
      if (i % 3 === 0) await document.close();
      else await new Promise<void>((done) => document.whenDurable(done));
      disk = disk.afterKill();
    }
    const document = await openWorld(FOLDER, { kinds: [bell], disk, time, begin });
    expect(document.world.time).toBe(340_000);
    expect(document.world.find('bell')?.context).toEqual({
      rung: [60_000, 120_000, 180_000, 240_000, 300_000],
    });
  });
});

describe('the time a world was away', () => {
  const field = { every: 60_000, count: 100 };
  const begin = (world: World): void =>
    world.add({ id: 'clock', kind: 'timer', at: [0, 0], input: field });
  const settings = { offlineCatchUp: { upToHours: 8 } } as const;
  const fired = ({ world }: WorldDocument) =>
    (world.query({ kind: 'timer' })[0]?.context as TimerContext | undefined)?.fired;

  it('is caught up before anyone comes, up to so many hours, and the clock stays', async () => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const open = () => openWorld(FOLDER, { kinds, disk, time, begin, settings });
    const first = await open();
    first.world.run(30_000);
    await first.close();
    await time.advance(10 * 60_000);
    const second = await open();
    expect(second.report.entries).toMatchObject([{ type: 'Offline', milliseconds: 600_000 }]);
    expect(second.world.time).toBe(30_000);
    expect(second.world.clock.time).toBe(30_000);
    expect(fired(second)).toBe(10);
    // The next is due as far from now as it was before.
    expect(second.world.nextEventAt).toBe(60_000);
    await second.close();
    await time.advance(30 * HOUR);
    const third = await open();
    expect(third.report.entries).toMatchObject([{ type: 'Offline', milliseconds: 8 * HOUR }]);
    await third.close();
    // No time has passed since.
    const fourth = await open();
    expect(fourth.report.entries).toEqual([]);
    await fourth.close();
  });

  it('is never paid twice, wherever the catching up is cut off', async () => {
    const whole = new SimulatedDisk();
    const time = new StoppedTime();
    const first = await openWorld(FOLDER, { kinds, disk: whole, time, begin, settings });
    first.world.run(30_000);
    await first.close();
    const left = whole.afterKill();
    const later = 1_700_000_000_000 + 20 * 60_000;
    const open = (disk: SimulatedDisk) =>
      openWorld(FOLDER, {
        kinds,
        disk,
        time: new StoppedTime(later),
        begin,
        settings: { ...settings, eventsPerFrame: 1 },
      });
    const undisturbed = left.afterKill();
    const expected = (await open(undisturbed)).world.hash();
    for (let call = 0; call < undisturbed.calls + 3; call += 1) {
      const disk = left.afterKill();
      disk.lastCall = call;
      const opened = open(disk).then((document) => document.world.hash());
      const died = disk.died.then(() => undefined);
      await Promise.race([opened, died]);
      const document = await open(disk.afterPowerLoss(Math.random));
      expect(document.world.hash(), `cut off at call ${call}`).toBe(expected);
      expect(fired(document)).toBe(20);
    }
  });

  it('does not pass for a world that stands still, nor where it is not asked for', async () => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const open = (more = {}) => openWorld(FOLDER, { kinds, disk, time, begin, ...more });
    const first = await open();
    first.world.clock.pause();
    await first.close();
    await time.advance(HOUR);
    const second = await open({ settings });
    expect(second.report.entries).toEqual([]);
    second.world.clock.resume();
    await second.close();
    await time.advance(HOUR);
    const third = await open({ settings: { offlineCatchUp: 'none' } });
    expect(third.report.entries).toEqual([]);
    expect(fired(third)).toBe(0);
  });

  it('can be any other: every time moves along', async () => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const first = await openWorld(FOLDER, { kinds, disk, time, begin });
    first.world.run(90_000);
    await first.close();
    const second = await openWorld(FOLDER, { kinds, disk, time, at: 1_000_000 });
    expect(second.report.entries).toMatchObject([{ type: 'Shifted', by: 910_000 }]);
    expect(second.world.time).toBe(1_000_000);
    expect(second.world.nextEventAt).toBe(1_030_000);
    const again = await openWorld(FOLDER, { kinds, disk: disk.afterKill(), time });
    expect(again.world.time).toBe(1_000_000);
    expect(again.world.hash()).toBe(second.world.hash());
  });
});
