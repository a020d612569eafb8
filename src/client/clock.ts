/** Where the server's game clock stands, as well as a client can know. */
import type { ClockReading } from '../protocol/messages.ts';

export class ClockEstimate {
  private reading: ClockReading = { time: 0, speed: 0, paused: true };
  private readAt = 0;
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
    return paused ? time : time + (this.realNow() - this.readAt) * speed;
  }

  /** The server said how its clock stands and goes. */
  set({ time, speed, paused }: ClockReading): void {
    this.reading = { time, speed, paused };
    this.readAt = this.realNow();
  }

  /** The world was at `time` when the server said so, which was a little while ago; so it is later now. */
  atLeast(time: number): void {
    if (time > this.now()) this.set({ ...this.reading, time });
  }
}
