/**
 * A transaction that nobody hears of uses the values before again, where nobody has them. With somebody
 * listening to events it makes new ones; both give the same, and what somebody has stays as it was.
 */
import fc from 'fast-check';
import { createWorld, edit, type Kind, linked, type World } from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { randomWorld, worldOf } from '../support/random-world.ts';
import { kindOf, pile, smith } from '../support/small-kinds.ts';

const at = [0, 0];

/** What became of a world that was played with, heard and unheard. */
function bothWays(kinds: readonly Kind[], play: (world: World) => void): unknown[] {
  return [false, true].map((isHeard) => {
    const world = createWorld({ kinds, seed: 'renewed' });
    if (isHeard) world.on('event', () => {});
    play(world);
    return [
      world.hash(),
      world.query().map(({ id, revision, advancedTo, value }) => [id, revision, advancedTo, value]),
      world.stats().byKind,
    ];
  });
}

function smithy(world: World): void {
  world.add({ id: 'ore', kind: 'pile', at, input: { ore: 40 } });
  for (let i = 0; i < 7; i += 1) {
    world.add({ id: `s${i}`, kind: 'smith', at, links: { ore: 'ore' } });
  }
}

describe('a value that nobody has', () => {
  it('is used again, and holds what a new one would', () => {
    const [unheard, heard] = bothWays([pile, smith], (world) => {
      smithy(world);
      for (let i = 0; i < 30; i += 1) {
        world.run(137);
        if (i % 5 === 0) world.find('s1');
        if (i % 7 === 0) world.send('ore', { type: 'PUT', count: 3 });
      }
    });
    expect(unheard).toEqual(heard);
  });

  it('is no longer that once somebody asked for it, or took a snapshot', () => {
    const world = createWorld({ kinds: [pile, smith] });
    smithy(world);
    world.run(1000);
    const ids = ['ore', 's0', 's3'];
    const found = ids.map((id) => world.find(id));
    const snapshot = world.snapshot();
    const before = JSON.stringify([found, ids.map((id) => snapshot.find(id))]);
    world.run(5000);
    expect(JSON.stringify([found, ids.map((id) => snapshot.find(id))])).toBe(before);
    expect(JSON.stringify(ids.map((id) => world.find(id)))).not.toBe(JSON.stringify(found));
  });

  it('stays as it was for whoever was given it, whatever happens in random worlds', () => {
    const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 40);
    const steps = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 20_000 })), {
      minLength: 3,
      maxLength: 12,
    });
    let given = 0;
    fc.assert(
      fc.property(randomWorld, steps, (random, looks) => {
        const world = worldOf(random);
        const held: { value: unknown; text: string }[] = [];
        // What records share is no tree, and may learn how it is best met.
        const textOf = (value: unknown): string =>
          JSON.stringify(value, (key, inner) => {
            if (key === 'shape') return inner.value;
            if (key === 'standing') return [inner.id, inner.at, inner.links];
            return key === 'mayBeSolo' || key === 'failures' ? undefined : inner;
          });
        const hold = (value: unknown): void => {
          held.push({ value, text: textOf(value) });
        };
        for (const [look, stretch] of looks) {
          world.run(stretch);
          if (look === 0) hold(world.query());
          if (look === 1) hold(world.values());
          if (look === 2) hold([...world.snapshot().records()]);
          if (look === 3) for (const cell of world.cells()) hold(world.valuesInSquare(cell));
          if (look === 4) world.hash();
        }
        world.run(30_000);
        for (const { value, text } of held) expect(textOf(value)).toBe(text);
        given += held.length;
      }),
      { numRuns: RUNS },
    );
    expect(given).toBeGreaterThan(RUNS);
  });

  it('wakes who begins to heed in the event that changed it', () => {
    const well = kindOf(
      setup({
        types: { context: {} as { level: number }, events: {} as { type: 'FILL' } },
        actions: { fill: assign({ level: ({ context }) => context.level + 1 }) },
      }).createMachine({ id: 'well', context: { level: 0 }, on: { FILL: { actions: 'fill' } } }),
    );
    const carrier = kindOf(
      setup({
        types: { context: {} as { looks: number } },
        actions: {
          fill: edit('well', { type: 'FILL' }),
          look: assign({ looks: ({ context }) => context.looks + 1 }),
        },
        guards: { isFull: () => (linked<{ level: number }>('well')?.context.level ?? 0) >= 3 },
      }).createMachine({
        id: 'carrier',
        context: { looks: 0 },
        initial: 'away',
        states: {
          away: { after: { 100: { target: 'watching', actions: 'fill' } } },
          watching: {
            on: { 'offstage.wake': [{ guard: 'isFull', target: 'done' }, { actions: 'look' }] },
            after: { 50: 'away' },
          },
          done: {},
        },
      }),
      { links: { well: 'well' } },
    );
    const [unheard, heard] = bothWays([well, carrier], (world) => {
      world.add({ id: 'w', kind: 'well', at });
      world.add({ id: 'c', kind: 'carrier', at, links: { well: 'w' } });
      // From then on nobody has its value, until a carrier looks.
      world.send('w', { type: 'FILL' });
      world.run(10);
      world.send('w', { type: 'FILL' });
      world.run(110);
      expect(world.find('c')?.value).toBe('done');
    });
    expect(unheard).toEqual(heard);
  });
});
