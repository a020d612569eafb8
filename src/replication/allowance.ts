/** So many a second, and a few more at once: what a client may do before it is told to wait. */
export class Allowance {
  private readonly perSecond: number;
  private readonly most: number;
  private left: number;
  private countedAt: number | undefined;

  /** `most` may be used at once, when none was for a while. */
  constructor(perSecond: number, most: number) {
    this.perSecond = perSecond;
    this.most = most;
    this.left = most;
  }

  /** Uses one; false if there is none. `now` is in real milliseconds. */
  use(now: number): boolean {
    const passed = Math.max(0, now - (this.countedAt ?? now));
    this.countedAt = now;
    this.left = Math.min(this.most, this.left + (passed / 1000) * this.perSecond);
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
