/**
 * A world restored from what its snapshot holds is the same world: the same hash, and the same in all
 * that happens afterwards, also when it was saved in the middle of an instant.
 */
import fc from 'fast-check';
import { all, defineKind, type NewRecord, type World, WorldError } from 'offstage';
import { describe, expect, it } from 'vitest';
import { sendTo, setup } from 'xstate';
import { kinds } from '../../kinds/index.ts';
import type { Kind } from '../../src/core/kind.ts';
import { savedRecordOf } from '../../src/core/saved-world.ts';
import { createWorld, restoreWorld } from '../../src/core/world.ts';
import { randomWorld, type TimedCommand } from '../support/random-world.ts';

const END = 240_000;
/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 60);

/** The world once more, out of copies of what it holds. */
function restored(world: World, of: readonly Kind[]): World {
  const snapshot = world.snapshot();
  const { time, speed, paused } = world.clock;
  const records = [...snapshot.values()].map((record) => structuredClone(savedRecordOf(record)));
  return restoreWorld(
    { kinds: of, seed: world.seed, settings: world.settings },
    {
      time: snapshot.time,
      instant: structuredClone(snapshot.instant),
      clock: { time, speed, paused },
      commands: world.commandCount,
      // Backwards, so that every record gets another slot.
      records: records.reverse(),
    },
  );
}

function made(records: readonly NewRecord[], settings = {}): World {
  const world = createWorld({ kinds, seed: 'random', settings });
  world.add(records);
  return world;
}

function give(world: World, commands: readonly TimedCommand[]): void {
  commands.forEach(({ at, command }, seq) => {
    world.commands.push({ source: { rank: 1, id: 'tester' }, seq, at, command });
  });
}

describe('a restored world', () => {
  it('has the hash, and goes on the same, wherever it was saved', () => {
    let inInstants = 0;
    fc.assert(
      fc.property(
        randomWorld,
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        ({ records, commands }, pauses, freeze) => {
          const whole = made(records);
          give(whole, commands);
          whole.runUntil(END);

          let world = made(records, { eventsPerFrame: 1, freeze });
          let left = [...commands];
          give(world, left);
          for (const events of pauses) {
            for (let i = 0; i < events && world.time < END - 100; i += 1) world.frame(37);
            // Half of the time in the middle of an instant, if one comes along.
            for (let i = 0; i < (events % 2) * 200 && world.time < END - 100; i += 1) {
              if (world.snapshot().instant !== undefined) break;
              world.frame(37);
            }
            const hash = world.hash();
            if (world.snapshot().instant !== undefined) inInstants += 1;
            const done = world.commandCount - 1;
            const next = restored(world, kinds);
            expect(next.hash()).toBe(hash);
            expect(next.snapshot().hash()).toBe(hash);
            // What waits in the queue is not of the world.
            left = inOrderOf(commands).slice(done);
            give(next, left);
            world = next;
          }
          world.runUntil(END);
          expect(world.hash()).toBe(whole.hash());
          expect(world.commandCount).toBe(whole.commandCount);
        },
      ),
      { numRuns: RUNS },
    );
    expect(inInstants).toBeGreaterThan(0);
  }, 300_000);

  it('loses no message, wake or turn of the instant it was saved in', () => {
    const echo = kindOfEchoes();
    const start = (): World => {
      const world = createWorld({ kinds: [echo], settings: { eventsPerFrame: 1 } });
      world.add(
        Array.from({ length: 5 }, (_, i) => ({ id: `echo-${i}`, kind: 'echo', at: [0, 0] })),
      );
      return world;
    };
    const whole = start();
    whole.runUntil(2000);
    const expected = whole.hash();
    // Saved after every one of its events.
    const world = start();
    world.clock.jump(2000);
    let sawMany = false;
    for (let saves = 0; ; saves += 1) {
      const next = restored(world, [echo]);
      expect(next.hash()).toBe(world.hash());
      const { instant } = world.snapshot();
      expect(next.snapshot().instant).toEqual(instant);
      sawMany ||= instant?.inbox.some(({ isToMany }) => isToMany === true) === true;
      next.runUntil(2000);
      expect(next.hash(), `after ${saves} events`).toBe(expected);
      if (world.frame(0).backlog) continue;
      expect(saves).toBeGreaterThan(100);
      // Whether a message was for one or for many is asked by those who queue.
      expect(sawMany).toBe(true);
      break;
    }
  });

  it('keeps the clock, the pause and the count of commands', () => {
    const world = made([]);
    world.clock.setSpeed(3);
    world.clock.pause();
    world.clock.jump(500);
    const next = restored(world, kinds);
    expect(next.clock.time).toBe(500);
    expect([next.clock.speed, next.clock.paused]).toEqual([3, true]);
    expect(next.commandCount).toBe(4);
    expect(next.time).toBe(0);
  });

  it('refuses records that do not fit it, by name', () => {
    const saved = (records: ReturnType<typeof savedRecordOf>[]) => () =>
      restoreWorld(
        { kinds },
        {
          time: 0,
          instant: undefined,
          clock: { time: 0, speed: 1, paused: false },
          commands: 0,
          records,
        },
      );
    const world = made([{ id: 'a', kind: 'timer', at: [0, 0], input: { every: 1000 } }]);
    const [record] = [...world.snapshot().values()].map(savedRecordOf);
    if (record === undefined) throw new Error('There is no record.');
    expect(saved([record, record])).toThrow(/two saved records a/);
    expect(saved([{ ...record, kind: 'gone' }])).toThrow(/there is no kind 'gone'/);
  });
});

describe('what changed between two snapshots', () => {
  it('is what differs, and nothing else', () => {
    fc.assert(
      fc.property(randomWorld, fc.integer({ min: 0, max: 60_000 }), ({ records, commands }, ms) => {
        const world = made(records);
        give(world, commands);
        world.run(20_000);
        const then = world.snapshot();
        world.run(ms);
        const now = world.snapshot();
        const old = new Map([...then.values()].map((record) => [record.id, record]));
        const expected = new Map<string, unknown>();
        for (const record of now.values()) {
          if (old.get(record.id) !== record) expected.set(record.id, record);
          old.delete(record.id);
        }
        for (const id of old.keys()) if (!expected.has(id)) expected.set(id, undefined);
        const found = new Map<string, unknown>();
        for (const [, before, after] of now.changesSince(then)) {
          if (before !== undefined && before.id !== after?.id && !found.has(before.id))
            found.set(before.id, undefined);
          if (after !== undefined) found.set(after.id, after);
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  }, 300_000);
});

describe('a held world', () => {
  it('moves nothing, refuses commands, and goes on as if nothing had been', () => {
    const records: NewRecord[] = [{ id: 'a', kind: 'timer', at: [0, 0], input: { every: 1000 } }];
    const world = made(records);
    world.frame(2500);
    const hash = world.hash();
    const held = new WorldError('E_JOURNAL', 'The journal cannot be written.');
    const heard: unknown[] = [];
    world.on('command', (report) => heard.push(report));
    world.hold(held);
    expect(world.send('a', { type: 'X' })).toMatchObject({ accepted: false, code: held.code });
    expect(() => world.remove('a')).not.toThrow();
    expect(() => world.run(1000)).toThrow(held);
    expect(() => world.step()).toThrow(held);
    const answers: unknown[] = [];
    world.commands.push({
      source: { rank: 1, id: 'x' },
      seq: 1,
      command: { type: 'remove', id: 'a' },
      done: (result) => answers.push(result),
    });
    expect(world.frame(10_000)).toMatchObject({ time: 2500, events: 0, commands: 1 });
    expect(answers).toMatchObject([{ accepted: false, code: held.code }]);
    expect(heard).toEqual([]);
    expect(world.hash()).toBe(hash);
    world.release();
    world.frame(500);
    const undisturbed = made(records);
    undisturbed.frame(3000);
    expect(world.hash()).toBe(undisturbed.hash());
  });
});

/** The order in which a world takes commands of one source. */
function inOrderOf(commands: readonly TimedCommand[]): TimedCommand[] {
  return [...commands].sort((a, b) => a.at - b.at);
}

/** Records that call to all others at the same times, and answer what they hear, twice over. */
function kindOfEchoes(): Kind {
  const machine = setup({
    types: { events: {} as { type: 'CALL'; deep: number } },
  }).createMachine({
    id: 'echo',
    context: { heard: 0 },
    initial: 'on',
    on: {
      CALL: {
        guard: ({ event }) => event.deep > 0,
        actions: sendTo(
          () => all({ kind: 'echo', within: { at: [0], radius: 1 } }),
          ({ event }) => ({ type: 'CALL', deep: event.deep - 2 }),
        ),
      },
    },
    states: {
      on: {
        after: {
          1000: {
            target: 'on',
            reenter: true,
            actions: sendTo(() => all({ kind: 'echo' }), { type: 'CALL', deep: 1 }),
          },
        },
      },
    },
  });
  return defineKind({ name: 'echo', version: 1, machine });
}
