import type { RealTime } from '../../src/server/loop.ts';

/** Real time that goes only when a test says so, and whose alarms can be made to fail. */
export class FakeTime implements RealTime {
  /** Set: alarms no longer go off, as in a process whose timers are dead. */
  isStalled = false;
  private time = 0;
  private alarms: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(milliseconds: number, run: () => void): () => void {
    const alarm = { at: this.time + milliseconds, run };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  /** In how many milliseconds the next alarm goes off, undefined if none is set. */
  get sleeps(): number | undefined {
    return this.alarms.length === 0
      ? undefined
      : Math.min(...this.alarms.map(({ at }) => at)) - this.time;
  }

  /** Lets time pass, with all alarms in it. */
  pass(milliseconds: number): void {
    const until = this.time + milliseconds;
    for (;;) {
      const due = this.isStalled ? [] : this.alarms.filter(({ at }) => at <= until);
      const [next] = due.sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.alarms = this.alarms.filter((alarm) => alarm !== next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = until;
  }
}
