/**
 * Where the game clock stands. Frames move it by real time times speed, on the 1/1024 ms grid; what
 * a frame leaves over is carried to the next. The clock runs nothing.
 */
import type { Command } from './commands.ts';
import { WorldError } from './errors.ts';
import { checkedDelay, checkedTime, LAST_TIME, roundTime } from './time.ts';

export class ClockState {
  /** Game milliseconds. */
  time: number;
  /** Game milliseconds per real millisecond. */
  speed = 1;
  paused = false;
  /** How often it was set with no time passed. */
  shifts = 0;
  private remainder = 0;

  constructor(time: number) {
    this.time = checkedTime(time, 'startAt');
  }

  /** Moves the clock forward by a stretch of real time. */
  tick(realMilliseconds: number): void {
    if (this.paused) return;
    const exact = realMilliseconds * this.speed + this.remainder;
    const moved = Math.floor(exact * 1024) / 1024;
    this.remainder = exact - moved;
    this.time = Math.min(this.time + moved, LAST_TIME);
  }

  /** Moves the clock to a time, forwards only. */
  reach(time: number): void {
    if (time > this.time) this.time = time;
  }

  jump(milliseconds: number): void {
    this.time = checkedTime(
      this.time + checkedDelay(milliseconds, 'the jump'),
      'the time after the jump',
    );
  }

  shift(delta: number): void {
    this.shifts += 1;
    this.time = roundTime(this.time + delta);
  }

  setSpeed(speed: unknown): void {
    if (typeof speed !== 'number' || !(speed >= 0) || speed > 1_000_000) {
      throw new WorldError(
        'BAD_SPEED',
        `The speed is ${String(speed)}; it is a number from 0 to 1,000,000.`,
      );
    }
    this.speed = speed;
  }
}

/** The clock of a world. What changes it is a command. */
export interface Clock {
  /** Where the clock stands, in game milliseconds; ahead of `world.time` while there is a backlog. */
  readonly time: number;
  /** Game milliseconds per real millisecond. */
  readonly speed: number;
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  setSpeed(speed: number): void;
  /** Moves the clock forward; the next frames catch up. */
  jump(milliseconds: number): void;
}

/** The clock as the outside holds it: what changes it goes in as a command. */
export function clockOf(state: ClockState, demand: (command: Command) => void): Clock {
  return {
    get time() {
      return state.time;
    },
    get speed() {
      return state.speed;
    },
    get paused() {
      return state.paused;
    },
    pause: () => demand({ type: 'pause' }),
    resume: () => demand({ type: 'resume' }),
    setSpeed: (speed) => demand({ type: 'setSpeed', speed }),
    jump: (milliseconds) => demand({ type: 'jump', milliseconds }),
  };
}
