import { createWorld, WorldError } from 'offstage';
import { expect, test } from 'vitest';
import { Loop } from '../../src/server/loop.ts';
import { Marks } from '../../src/server/marks.ts';
import { FakeTime } from '../support/fake-time.ts';
import { meadowKinds } from '../support/meadow.ts';

/** A world in which nothing is to come, and the game times at which its journal heard of it. */
function asleep() {
  const world = createWorld({ kinds: meadowKinds, settings: { autosaveSeconds: 60 } });
  world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
  const time = new FakeTime();
  const marked: number[] = [];
  const seen = { isWatched: false };
  const marks = new Marks(
    { world, mark: () => marked.push(world.time), isWatched: () => seen.isWatched },
    time.now(),
  );
  const loop = new Loop({
    world,
    time,
    flushing: [marks],
    failed: (error) => expect.unreachable(String(error)),
  });
  loop.start();
  return { world, time, marked, seen, loop };
}

test('a world asleep that nobody sees is put down as often as it is saved', () => {
  const { time, marked, loop } = asleep();
  time.pass(200_000);
  expect(marked).toEqual([60_000, 120_000, 180_000]);
  expect(loop.progress().frames).toBe(3);
});

test('one whose clock somebody sees is put down each second', () => {
  const { time, marked, seen, loop } = asleep();
  time.pass(10_500);
  seen.isWatched = true;
  loop.plan();
  time.pass(3000);
  expect(marked).toEqual([10_500, 11_500, 12_500, 13_500]);
});

test('one that stands still has nothing to put down: paused, slowed to nothing, or held', () => {
  const { world, time, marked, loop } = asleep();
  world.clock.pause();
  time.pass(100_000);
  world.clock.resume();
  world.clock.setSpeed(0);
  time.pass(100_000);
  world.clock.setSpeed(1);
  world.hold(new WorldError('E_JOURNAL', 'It cannot be saved.'));
  loop.beginAnew();
  time.pass(100_000);
  expect(marked).toEqual([]);
  world.release();
  loop.beginAnew();
  time.pass(60_000);
  // At once, since the last was long ago, and from then on as ever.
  expect(marked).toEqual([0, 60_000]);
});
