/**
 * How many bytes a second one client is sent, and what gives way when there are more. Level by level,
 * the farthest cell goes from every flush to twice and then once a second, then the next nearer one;
 * nothing waits longer than a second. A level is taken with each flush that finds the budget dry, two
 * when it is deep in debt, and one is given back with each that finds plenty.
 */
/** A flush by its number, and how many there are a second. */
interface Turn {
  readonly flush: number;
  readonly flushesPerSecond: number;
}

export class Budget {
  private readonly bytesPerSecond: number;
  /** Bytes that may be sent now; below 0 when more were sent. */
  private left: number;
  private level = 0;
  private refilledAt: number | undefined;

  constructor(bytesPerSecond: number) {
    this.bytesPerSecond = bytesPerSecond;
    this.left = bytesPerSecond;
  }

  /** A flush begins, of a client with `cells` cells. `now` is in real milliseconds. */
  begin(now: number, cells: number): void {
    const { bytesPerSecond } = this;
    const passed = Math.max(0, now - (this.refilledAt ?? now));
    this.refilledAt = now;
    this.left = Math.min(bytesPerSecond, this.left + (passed / 1000) * bytesPerSecond);
    if (this.left < -bytesPerSecond / 2) this.level += 2;
    else if (this.left < 0) this.level += 1;
    else if (this.left > bytesPerSecond / 2) this.level -= 1;
    this.level = Math.max(0, Math.min(this.level, 2 * cells));
  }

  spend(bytes: number): void {
    // What is owed for more than a second ago is forgiven, or one large cell would be paid for long.
    this.left = Math.max(-this.bytesPerSecond, this.left - bytes);
  }

  /** Whether the cell at a place in the order of nearness (0 is the nearest) is sent with this flush. */
  hasTurn(place: number, cells: number, { flush, flushesPerSecond }: Turn): boolean {
    const levels = Math.min(2, this.level - 2 * (cells - 1 - place));
    if (levels <= 0) return true;
    const perSecond = levels === 1 ? 2 : 1;
    if (perSecond >= flushesPerSecond) return true;
    // By the count of flushes, so that clients of one pace are sent the same bytes.
    const turns = (count: number): number => Math.floor((count * perSecond) / flushesPerSecond);
    return turns(flush) > turns(flush - 1);
  }
}
