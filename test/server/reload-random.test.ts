/** Kinds that are loaded again unchanged change nothing, whenever and however often that happens. */
import fc from 'fast-check';
import type { Kind } from 'offstage';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { bringingUp } from '../../src/server/reload.ts';
import { type RandomWorld, randomWorld, worldOf } from '../support/random-world.ts';

/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 30);
const END = 180_000;
const log = pino({ enabled: false });

/** The same kinds as other objects, as a reload gives them. */
const again = (): readonly Kind[] => kinds.map((kind) => ({ ...kind }));

interface Reload {
  /** Milliseconds after the one before. */
  readonly after: number;
  /** Some events further: mostly into the middle of an instant. */
  readonly events: number;
}

function goesOn(made: RandomWorld, reloads: readonly Reload[]): void {
  const world = worldOf(made);
  for (const { after, events } of reloads) {
    if (world.time < END) world.runUntil(Math.min(END, world.time + after));
    for (let i = 0; i < events && (world.nextEventAt ?? END) < END; i += 1) world.step();
    const hash = world.hash();
    const report = world.reload(again(), bringingUp(world, log));
    expect(report.faulted).toEqual([]);
    expect(world.hash()).toBe(hash);
    expect(world.snapshot().hash()).toBe(hash);
  }
  // The last step may have gone beyond it.
  const end = Math.max(END, world.time);
  world.runUntil(end);
  const plain = worldOf(made);
  plain.runUntil(end);
  expect(world.hash()).toBe(plain.hash());
  expect(world.stats().byKind).toEqual(plain.stats().byKind);
}

test('a world reloaded at random, also in the middle of an instant, goes as one that never was', () => {
  const reload = fc.record({ after: fc.nat({ max: 30_000 }), events: fc.nat({ max: 40 }) });
  fc.assert(fc.property(randomWorld, fc.array(reload, { minLength: 1, maxLength: 6 }), goesOn), {
    numRuns: RUNS,
  });
});

test('so does one whose next event a command took away, so that the step went far', () => {
  const timer = (id: string, every: number) => ({
    id,
    kind: 'timer',
    at: [0, 0],
    input: { every },
  });
  goesOn(
    {
      records: [timer('gone', 50_000), timer('far', 190_000)],
      commands: [{ at: 500, command: { type: 'remove', id: 'gone' } }],
    },
    [
      { after: 0, events: 1 },
      { after: 1000, events: 1 },
    ],
  );
});
