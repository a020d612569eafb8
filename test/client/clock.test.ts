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

test('the clock follows a server that goes slower than it thought, and does not go back on the way', () => {
  let real = 0;
  const clock = new ClockEstimate(() => real);
  clock.set({ time: 0, speed: 1, paused: false });
  const shown: number[] = [];
  // The server's clock loses a tenth; it says so five times a second.
  for (; real <= 120_000; real += 200) {
    clock.atLeast(real * 0.9);
    shown.push(clock.now());
  }
  expect(shown).toEqual([...shown].sort((a, b) => a - b));
  // Two windows of half a minute are believed at the most, and a tenth of them is what it is off.
  expect(shown.at(-1)).toBeLessThanOrEqual(108_000 + 6000);
  expect(shown.at(-1)).toBeGreaterThanOrEqual(108_000);
});

test('of messages that were under way for different times the quickest is believed', () => {
  let real = 0;
  const clock = new ClockEstimate(() => real);
  clock.set({ time: -80, speed: 1, paused: false });
  for (const late of [60, 90, 20, 70, 300]) {
    real += 200;
    clock.atLeast(real - late);
  }
  expect(clock.now()).toBe(real - 20);
});
