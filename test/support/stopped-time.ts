/** Real time that stands still until a test moves it. */
import type { RealTime } from 'offstage/saves';

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

export class StoppedTime implements RealTime {
  private time: number;
  private alarms: Alarm[] = [];
  private looks = 0;

  constructor(now = 1_700_000_000_000) {
    this.time = now;
  }

  now(): number {
    return this.time;
  }

  /** Goes on by a little with each look, so that slices end, and where they ended the last time. */
  stopwatch(): number {
    this.looks += 1;
    return this.looks / 4;
  }

  after(milliseconds: number, run: () => void): () => void {
    const alarm = { at: this.time + milliseconds, run };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  pause(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves the time on, and lets what was due happen, each at its time. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.time + milliseconds;
    for (;;) {
      const [next] = this.alarms.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.alarms = this.alarms.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.run();
      await this.pause();
    }
    this.time = until;
    await this.pause();
  }
}
