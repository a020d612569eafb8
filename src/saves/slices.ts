/**
 * Long work in short slices, so that the world goes on: each keeps the thread for about a millisecond,
 * and then lets whatever else waits have its turn.
 */
import type { RealTime } from './real-time.ts';

/** Real milliseconds after which a slice ends. Work between two looks at the watch comes on top. */
const LONGEST = 1;

export class Slices {
  /** The longest slice since the beginning, in real milliseconds. */
  longest = 0;
  private readonly time: RealTime;
  private begunAt: number;

  constructor(time: RealTime) {
    this.time = time;
    this.begunAt = time.stopwatch();
  }

  /** Begins the first slice of a piece of work. */
  begin(): void {
    this.longest = 0;
    this.begunAt = this.time.stopwatch();
  }

  /** Whether the slice has lasted long enough. Looking costs; do not after every record. */
  get isOver(): boolean {
    return this.time.stopwatch() - this.begunAt > LONGEST;
  }

  /** Ends the slice and begins the next when the thread is free again. */
  async rest(): Promise<void> {
    this.end();
    await this.time.pause();
    this.begunAt = this.time.stopwatch();
  }

  /** Waits for something else; what it takes is no part of a slice. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    this.end();
    try {
      return await work;
    } finally {
      this.begunAt = this.time.stopwatch();
    }
  }

  /** Ends the last slice. */
  end(): void {
    this.longest = Math.max(this.longest, this.time.stopwatch() - this.begunAt);
  }
}
