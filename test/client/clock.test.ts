import { expect, test } from 'vitest';
import { ClockEstimate } from '../../src/client/clock.ts';

test('the clock goes on by its speed, stands while it is paused, and is never behind what the server said', () => {
  let real = 1000;
  const clock = new ClockEstimate(() => real);
  expect(clock.now()).toBe(0);
  clock.set({ time: 500, speed: 2, paused: false });
  real += 100;
  expect(clock.now()).toBe(700);
  clock.atLeast(650);
  expect(clock.now()).toBe(700);
  clock.atLeast(720);
  real += 10;
  expect(clock.now()).toBe(740);
  clock.set({ time: 740, speed: 2, paused: true });
  real += 1000;
  expect(clock.now()).toBe(740);
});
