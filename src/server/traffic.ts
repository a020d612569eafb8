/** What clients are sent a second, over the last few seconds. */
import type { ReplicationRates, ReplicationStats } from '../protocol/admin.ts';

/** Real milliseconds over which a rate is taken, and between two looks that are kept. */
const WINDOW = 5000;
const LOOK_EVERY = 1000;

interface Look {
  readonly at: number;
  readonly bytes: number;
  readonly frames: number;
}

export class Traffic {
  private readonly now: () => number;
  private readonly totals: () => ReplicationStats;
  /** The first is at least as old as the window, once there are that many. */
  private looks: Look[] = [];

  constructor(now: () => number, totals: () => ReplicationStats) {
    this.now = now;
    this.totals = totals;
  }

  /** Keeps how things stand; to be called now and then while there is traffic. */
  look(): void {
    const at = this.now();
    if (at - (this.looks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY) return;
    const { bytesSent, framesSent } = this.totals();
    this.looks.push({ at, bytes: bytesSent, frames: framesSent });
    const tooOld = this.looks.findLastIndex((look) => look.at <= at - WINDOW);
    if (tooOld > 0) this.looks = this.looks.slice(tooOld);
  }

  stats(): ReplicationStats & ReplicationRates {
    const totals = this.totals();
    const now = this.now();
    const base = this.looks.findLast(({ at }) => at <= now - WINDOW) ?? this.looks[0];
    const seconds = base === undefined ? 0 : (now - base.at) / 1000;
    const perSecond = (total: number, before: number | undefined): number =>
      seconds === 0 ? 0 : (total - (before ?? 0)) / seconds;
    return {
      ...totals,
      bytesPerSecond: perSecond(totals.bytesSent, base?.bytes),
      framesPerSecond: perSecond(totals.framesSent, base?.frames),
    };
  }
}
