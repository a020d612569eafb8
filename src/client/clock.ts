/**
 * Where the server's game clock stands, as well as a client can know. Whatever a server sends says how
 * late it was when it was sent, and has been under way for a while since; so of the messages of the
 * last half minute the one that was under way the shortest is believed. Within one stretch of going,
 * the clock never goes back.
 */
import type { ClockReading } from '../protocol/messages.ts';

/** Real milliseconds for which a message is believed; then newer ones stand in for it. */
const BELIEVED_FOR = 30_000;

export class ClockEstimate {
  private reading: ClockReading = { time: 0, speed: 0, paused: true };
  /** The game time at the real time 0, by the best message of this window and of the one before. */
  private offset = 0;
  private offsetBefore = Number.NEGATIVE_INFINITY;
  private windowFrom = 0;
  private shown = Number.NEGATIVE_INFINITY;
  private readonly realNow: () => number;

  /** `realNow` gives real milliseconds and never goes back. */
  constructor(realNow: () => number = () => performance.now()) {
    this.realNow = realNow;
  }

  get speed(): number {
    return this.reading.speed;
  }

  get paused(): boolean {
    return this.reading.paused;
  }

  /** Game milliseconds. */
  now(): number {
    const { time, speed, paused } = this.reading;
    if (paused) return time;
    const estimate = this.realNow() * speed + Math.max(this.offset, this.offsetBefore);
    this.shown = Math.max(this.shown, estimate);
    return this.shown;
  }

  /** The server said how its clock stands and goes. */
  set({ time, speed, paused }: ClockReading): void {
    this.reading = { time, speed, paused };
    this.windowFrom = this.realNow();
    this.offset = time - this.windowFrom * speed;
    this.offsetBefore = Number.NEGATIVE_INFINITY;
    this.shown = Number.NEGATIVE_INFINITY;
  }

  /** The world was at `time` when the server said so, which was a little while ago; so it is later now. */
  atLeast(time: number): void {
    const { speed, paused } = this.reading;
    if (paused) {
      if (time > this.reading.time) this.set({ ...this.reading, time });
      return;
    }
    const real = this.realNow();
    const offset = time - real * speed;
    if (real - this.windowFrom >= BELIEVED_FOR) {
      this.windowFrom = real;
      this.offsetBefore = this.offset;
      this.offset = offset;
    } else this.offset = Math.max(this.offset, offset);
  }
}
