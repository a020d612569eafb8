import { createWorld, type World, WorldError } from 'offstage';
import { beforeEach, describe, expect, test } from 'vitest';
import { healthOf } from '../../src/server/health.ts';
import { type Flushing, Loop } from '../../src/server/loop.ts';
import { FakeTime } from '../support/fake-time.ts';
import { meadowKinds } from '../support/meadow.ts';
import { NO_SAVES } from '../support/replicating.ts';

let world: World;
let time: FakeTime;
let loop: Loop;
let errors: unknown[];
let flushing: { dueAt: number | undefined; readonly at: number[] } & Flushing;

beforeEach(() => {
  world = createWorld({ kinds: meadowKinds });
  time = new FakeTime();
  errors = [];
  flushing = {
    dueAt: undefined,
    at: [],
    flush(now) {
      this.at.push(now);
      this.dueAt = undefined;
    },
  };
  loop = new Loop({ world, time, flushing: [flushing], failed: (error) => errors.push(error) });
});

const toggle = (seq: number, at?: number) => ({
  source: { rank: 1, id: 'test' },
  seq,
  command: { type: 'send', id: 'lamp', event: { type: 'TOGGLE' } } as const,
  ...(at === undefined ? {} : { at }),
});

describe('the loop sleeps', () => {
  test('without end while nothing is to come', () => {
    world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
    loop.start();
    time.pass(1000);
    expect(time.sleeps).toBeUndefined();
    expect(loop.progress().frames).toBeLessThanOrEqual(1);
  });

  test('until the next event, by the speed of the clock', () => {
    world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
    loop.start();
    expect(time.sleeps).toBe(500);
    time.pass(500);
    expect(world.find('bell')?.context).toEqual({ rung: 1 });
    world.clock.setSpeed(10);
    expect(time.sleeps).toBe(50);
    time.pass(500);
    expect(world.find('bell')?.context).toEqual({ rung: 11 });
    expect(loop.progress().frames).toBeLessThan(15);
  });

  test('until a command is pushed, whoever pushes it', () => {
    world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
    loop.start();
    time.pass(700);
    world.commands.push(toggle(1));
    expect(time.sleeps).toBe(0);
    time.pass(0);
    expect(world.find('lamp')?.value).toBe('on');
    expect(world.time).toBe(700);
    expect(time.sleeps).toBe(1000);
  });

  test('until the game time that a command is for', () => {
    world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
    loop.start();
    world.commands.push(toggle(1, 5000));
    time.pass(4999);
    expect(world.find('lamp')?.value).toBe('off');
    expect(loop.progress().overdue).toBe(0);
    time.pass(20);
    expect(world.find('lamp')?.value).toBe('on');
  });

  test('until something done to the world between frames makes something due', () => {
    loop.start();
    time.pass(100);
    world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
    // The clock had not been moved since the start, so the bell counts from there.
    time.pass(500);
    expect(world.find('bell')?.context).toEqual({ rung: 1 });
  });

  test('until a flush is due', () => {
    loop.start();
    flushing.dueAt = 70;
    loop.plan();
    time.pass(100);
    expect(flushing.at).toEqual([70]);
    expect(time.sleeps).toBeUndefined();
  });

  test('through a pause; a paused world still does what it is told', () => {
    world.add([
      { id: 'bell', kind: 'bell', at: [0, 0] },
      { id: 'lamp', kind: 'lamp', at: [0, 0] },
    ]);
    loop.start();
    world.clock.pause();
    time.pass(10_000);
    expect(time.sleeps).toBeUndefined();
    world.commands.push(toggle(1));
    time.pass(1);
    expect(world.find('lamp')?.value).toBe('on');
    expect(world.find('bell')?.context).toEqual({ rung: 0 });
    world.clock.resume();
    time.pass(500);
    expect(world.find('bell')?.context).toEqual({ rung: 1 });
  });
});

test('a command happens at the game time at which it comes, not where the sleeping world stood', () => {
  world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
  loop.start();
  time.pass(3_600_000);
  const told: number[] = [];
  world.commands.push({ ...toggle(1), done: (_, at) => told.push(at) });
  time.pass(0);
  expect(told).toEqual([3_600_000]);
  expect(world.find('lamp')).toMatchObject({ value: 'on', nextEvent: 3_601_000 });
});

test('a command that comes while the world catches up is for where the world is', () => {
  world.configure({ eventsPerFrame: 1 });
  world.add([
    { id: 'bell', kind: 'bell', at: [0, 0] },
    { id: 'lamp', kind: 'lamp', at: [0, 0] },
  ]);
  loop.start();
  world.clock.jump(500 * 100);
  const told: number[] = [];
  world.on('notice', ({ time: at }) => {
    if (at === 2000) world.commands.push({ ...toggle(1), done: (_, when) => told.push(when) });
  });
  time.pass(20);
  expect(told).toEqual([2000]);
});

test('the clock it tells goes on between frames', () => {
  world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
  loop.start();
  time.pass(400);
  expect(world.clock.time).toBe(0);
  expect(loop.clock()).toEqual({ time: 400, speed: 1, paused: false });
});

test('a long backlog is worked off in frames, not in one', () => {
  world.configure({ eventsPerFrame: 10 });
  world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
  loop.start();
  world.clock.jump(500 * 35);
  time.pass(20);
  expect(world.find('bell')?.context).toEqual({ rung: 35 });
  expect(loop.progress().frames).toBe(4);
});

test('what throws in a frame or a flush is told, and the loop goes on', () => {
  world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
  loop.start();
  const stop = world.on('notice', () => {
    throw new Error('A listener failed.');
  });
  flushing.dueAt = 0;
  flushing.flush = () => {
    flushing.dueAt = undefined;
    throw new Error('A flush failed.');
  };
  time.pass(500);
  stop();
  time.pass(500);
  expect(errors.map(String)).toEqual(['Error: A listener failed.', 'Error: A flush failed.']);
  expect(world.find('bell')?.context).toEqual({ rung: 2 });
});

describe('a world that is held', () => {
  beforeEach(() => {
    world.add([
      { id: 'bell', kind: 'bell', at: [0, 0] },
      { id: 'lamp', kind: 'lamp', at: [0, 0] },
    ]);
    loop.start();
    time.pass(700);
    world.hold(new WorldError('E_JOURNAL', 'It cannot be saved.'));
    loop.beginAnew();
  });

  test('sleeps, and its clock stands as if it were paused', () => {
    expect(time.sleeps).toBeUndefined();
    time.pass(60_000);
    expect(loop.clock()).toEqual({ time: 500, speed: 1, paused: true });
    expect(world.find('bell')?.context).toEqual({ rung: 1 });
    expect(loop.progress().overdue).toBe(0);
  });

  test('refuses what it is told, at once', () => {
    const told: unknown[] = [];
    world.commands.push({ ...toggle(1), done: (result) => told.push(result) });
    time.pass(1);
    expect(told).toEqual([{ accepted: false, code: 'E_JOURNAL', message: 'It cannot be saved.' }]);
    expect(world.find('lamp')?.value).toBe('off');
  });

  test('goes on where it stood, with no time passed', () => {
    time.pass(60_000);
    world.release();
    loop.beginAnew();
    expect(loop.clock()).toEqual({ time: 500, speed: 1, paused: false });
    expect(time.sleeps).toBe(500);
    time.pass(500);
    expect(world.time).toBe(1000);
    expect(world.find('bell')?.context).toEqual({ rung: 2 });
  });

  test('goes on with what it had not caught up with', () => {
    world.release();
    loop.beginAnew();
    world.configure({ eventsPerFrame: 1 });
    world.clock.jump(500 * 10);
    time.pass(1);
    const behind = world.clock.time - world.time;
    expect(behind).toBeGreaterThan(0);
    world.hold(new WorldError('E_JOURNAL', 'It cannot be saved.'));
    loop.beginAnew();
    time.pass(5000);
    expect(world.clock.time - world.time).toBe(behind);
    world.release();
    loop.beginAnew();
    time.pass(200);
    expect(world.find('bell')?.context).toMatchObject({ rung: 11 });
  });
});

test('a stopped loop moves nothing and listens to nothing', () => {
  world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
  loop.start();
  loop.stop();
  time.pass(1000);
  world.commands.push(toggle(1));
  expect(time.sleeps).toBeUndefined();
  expect(world.time).toBe(0);
});

describe('the health of a world', () => {
  const health = (saves = NO_SAVES) =>
    healthOf('meadow', world, loop.clock(), loop.progress(), saves);

  test('is good while it idles, however long', () => {
    world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
    loop.start();
    time.pass(1_000_000);
    expect(health()).toMatchObject({ ok: true, overdue: 0, behind: 0, records: 1 });
  });

  test('is good when it wakes from a long sleep', () => {
    world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
    loop.start();
    time.pass(1_000_000);
    time.isStalled = true;
    world.commands.push(toggle(1));
    time.pass(100);
    expect(health()).toMatchObject({ ok: true, overdue: 100 });
  });

  test('turns bad when an event is due and the alarms are dead, though the process answers', () => {
    world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
    loop.start();
    time.pass(600);
    time.isStalled = true;
    time.pass(5000);
    expect(health().ok).toBe(true);
    time.pass(1000);
    expect(health()).toMatchObject({ ok: false, time: 500 });
    expect(health().problem).toMatch(/due for \d+ ms and the world does not advance/);
    time.isStalled = false;
    time.pass(1);
    expect(health().ok).toBe(true);
  });

  test('turns bad when commands wait and nobody takes them', () => {
    world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
    loop.start();
    time.pass(10_000);
    time.isStalled = true;
    world.commands.push(toggle(1));
    time.pass(6000);
    expect(health().ok).toBe(false);
  });

  test('is good while a backlog is worked off', () => {
    world.configure({ eventsPerFrame: 1 });
    world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
    loop.start();
    world.clock.jump(500 * 100);
    const soon = time.after.bind(time);
    // Each frame takes a second of real time here.
    time.after = (milliseconds, run) => soon(milliseconds + 1000, run);
    loop.plan();
    time.pass(20_000);
    const now = health();
    expect(now.overdue).toBeGreaterThan(5000);
    expect(now.behind).toBeGreaterThan(0);
    expect(now.ok).toBe(true);
  });

  test('is bad while the world is held, with the reason and nothing of the disk', () => {
    loop.start();
    world.hold(new WorldError('E_JOURNAL', 'The journal of /home/me/saves cannot be written.'));
    const red = health({ ...NO_SAVES, state: 'held', code: 'NO_SPACE', message: '/home/me/saves' });
    expect(red).toMatchObject({ ok: false, saves: { state: 'held', code: 'NO_SPACE' } });
    expect(red.problem).toBe(
      'E_JOURNAL: the world stands still, since it cannot be saved (NO_SPACE).',
    );
    expect(JSON.stringify(red)).not.toContain('/home/me');
    world.release();
    expect(health().ok).toBe(true);
  });

  test('is good while the clock is paused', () => {
    world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
    loop.start();
    world.clock.pause();
    time.isStalled = true;
    time.pass(60_000);
    expect(health().ok).toBe(true);
  });
});

test('a command given by a call to a world asleep happens now, not at the last frame', () => {
  loop.start();
  time.pass(30_000);
  expect(world.time).toBe(0);
  world.add({ id: 'bell', kind: 'bell', at: [0, 0] });
  expect(world.time).toBe(30_000);
  expect(world.find('bell')?.nextEvent).toBe(30_500);
});
