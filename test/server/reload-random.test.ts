/** Kinds that are loaded again unchanged change nothing, whenever and however often that happens. */
import fc from 'fast-check';
import type { Kind } from 'offstage';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { bringingUp } from '../../src/server/reload.ts';
import { randomWorld, worldOf } from '../support/random-world.ts';

/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 30);
const END = 180_000;
const log = pino({ enabled: false });

/** The same kinds as other objects, as a reload gives them. */
const again = (): readonly Kind[] => kinds.map((kind) => ({ ...kind }));

test('a world reloaded at random, also in the middle of an instant, goes as one that never was', () => {
  fc.assert(
    fc.property(
      randomWorld,
      fc.array(fc.record({ after: fc.nat({ max: 30_000 }), events: fc.nat({ max: 40 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (made, reloads) => {
        const plain = worldOf(made);
        plain.runUntil(END);
        const world = worldOf(made);
        for (const { after, events } of reloads) {
          world.runUntil(Math.min(END, world.time + after));
          // Some events further: mostly into the middle of an instant.
          for (let i = 0; i < events && (world.nextEventAt ?? END) < END; i += 1) world.step();
          const hash = world.hash();
          const report = world.reload(again(), bringingUp(world, log));
          expect(report.faulted).toEqual([]);
          expect(world.hash()).toBe(hash);
          expect(world.snapshot().hash()).toBe(hash);
        }
        world.runUntil(END);
        expect(world.hash()).toBe(plain.hash());
        expect(world.stats().byKind).toEqual(plain.stats().byKind);
      },
    ),
    { numRuns: RUNS },
  );
});
