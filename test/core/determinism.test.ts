/**
 * The result never depends on how a world was run: budgets, frames, reads, snapshots, listeners and
 * the order in which records were added all give the same hash at the same game time.
 */

import fc from 'fast-check';
import type { World } from 'offstage';
import { expect, it } from 'vitest';
import { randomWorld, worldOf } from '../support/random-world.ts';

const END = 180_000;
/** Beyond the first event after a minute, however far that is. */
const LATE = 1_000_000;
/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 60);

/** Runs a world to the end in frames, looking at each step. */
function inFrames(world: World, frame: number, look: (world: World) => void = () => {}): string {
  while (world.clock.time < END) {
    world.frame(Math.min(frame, END - world.clock.time));
    look(world);
  }
  while (world.frame(0).backlog) look(world);
  expect(world.time).toBe(END);
  return world.hash();
}

function lookAround(world: World): void {
  world.snapshot().hash();
  for (const record of world.query({ within: { at: [0, 0], radius: 20_000 } })) {
    record.can({ type: 'HARVEST' });
    world.linkers(record.id);
  }
  world.hash();
  world.stats();
  world.upcoming(5);
}

it('frames, budgets, reads, listeners and the order of adding change nothing', () => {
  let heard = 0;
  fc.assert(
    fc.property(
      randomWorld,
      fc.constantFrom(1, 7, 2000, Number.POSITIVE_INFINITY),
      fc.constantFrom(1, 16, 333, 5000, 3_600_000),
      (random, eventsPerFrame, frame) => {
        const whole = worldOf(random);
        whole.runUntil(END);
        const expected = whole.hash();
        expect(whole.snapshot().hash()).toBe(expected);

        // A frame a millisecond long is run over a shorter stretch, by running the rest at once.
        const framed = worldOf(random, { settings: { eventsPerFrame } });
        if (frame === 1) {
          for (let i = 0; i < 2000; i += 1) framed.frame(1);
          framed.frame(8000);
          framed.runUntil(END);
          expect(framed.hash()).toBe(expected);
        } else {
          expect(inFrames(framed, frame)).toBe(expected);
        }

        const watched = worldOf(random, {
          settings: { eventsPerFrame, freeze: true },
          reversed: true,
        });
        for (const what of [
          'commit',
          'added',
          'removed',
          'notice',
          'fault',
          'wake',
          'command',
          'event',
          'read',
        ] as const) {
          watched.on(what, () => {
            heard += 1;
          });
        }
        expect(inFrames(watched, 2711, lookAround)).toBe(expected);
      },
    ),
    { numRuns: RUNS },
  );
  expect(heard).toBeGreaterThan(0);
}, 300_000);

it('every record is the same, not only the hash', () => {
  fc.assert(
    fc.property(randomWorld, (random) => {
      const one = worldOf(random);
      const other = worldOf(random, { settings: { eventsPerFrame: 3 }, reversed: true });
      one.runUntil(END);
      inFrames(other, 777);
      const records = (world: World): unknown[] =>
        world
          .query()
          .map(({ id, at, value, context, timers, fault, nextEvent, advancedTo, links }) => ({
            id,
            at,
            value,
            context,
            timers,
            fault,
            nextEvent,
            advancedTo,
            links,
          }));
      expect(records(other)).toEqual(records(one));
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  );
}, 300_000);

it('one step at a time gives what a run gives', () => {
  fc.assert(
    fc.property(randomWorld, (random) => {
      const whole = worldOf(random);
      whole.runUntil(LATE);
      const stepped = worldOf(random);
      while (stepped.time < 60_000) if (stepped.step() === undefined) break;
      stepped.runUntil(LATE);
      expect(stepped.hash()).toBe(whole.hash());
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  );
}, 300_000);

it('a budget that stops inside an instant leaves the same world as stepping to there', () => {
  fc.assert(
    fc.property(randomWorld, (random) => {
      const withoutCommands = { ...random, commands: [] };
      const stepped = worldOf(withoutCommands);
      const framed = worldOf(withoutCommands, { settings: { eventsPerFrame: 1 } });
      framed.clock.jump(END);
      for (let i = 0; i < 300; i += 1) {
        if (stepped.step() === undefined || stepped.time > END) break;
        if (!framed.frame(0).backlog) break;
        expect(framed.hash()).toBe(stepped.hash());
        expect(framed.snapshot().instant).toEqual(stepped.snapshot().instant);
        expect(framed.snapshot().hash()).toBe(framed.hash());
      }
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  );
}, 300_000);
