/**
 * Game time: milliseconds, rounded to 1/1024 so that adding and subtracting times is exact in
 * binary floating point for centuries.
 */
import { WorldError } from './errors.ts';

const TICKS = 1024;
const TICK = 1 / TICKS;

/** The last game time that is still exact, in milliseconds: 2^53 ticks of 1/1024 ms, 278 years. */
export const LAST_TIME = 8_796_093_022_208;

/** A game time or delay on the 1/1024 ms grid. */
export function roundTime(milliseconds: number): number {
  // Whole milliseconds, which most are, lie on the grid; and a power of two divides exactly as a product.
  if ((milliseconds | 0) === milliseconds) return milliseconds;
  return Math.round(milliseconds * TICKS) * TICK;
}

/** A delay from outside or from a machine, checked and rounded. */
export function checkedDelay(delay: unknown, what: string): number {
  if (typeof delay !== 'number' || !(delay >= 0) || delay > LAST_TIME) {
    throw new WorldError(
      'BAD_DELAY',
      `${what} is ${String(delay)}; a delay is a finite number of milliseconds, 0 or more.`,
    );
  }
  return roundTime(delay);
}

/** A game time from outside, checked and rounded. */
export function checkedTime(time: unknown, what: string): number {
  if (typeof time !== 'number' || !(time >= -LAST_TIME) || time > LAST_TIME) {
    throw new WorldError(
      'BAD_TIME',
      `${what} is ${String(time)}; a game time is a finite number of milliseconds.`,
    );
  }
  return roundTime(time);
}
