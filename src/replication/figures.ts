/** What replication counts of itself, for metrics and those who look after a server. */

export class Figures {
  bytesSent = 0;
  framesSent = 0;
  conflations = 0;
  noticesMissed = 0;
  commands = 0;
  flushes = 0;
  flushMilliseconds = 0;
  private readonly byCode = new Map<string, number>();

  sent(frames: readonly Uint8Array[]): void {
    this.framesSent += frames.length;
    for (const frame of frames) this.bytesSent += frame.length;
  }

  rejected(code: string): void {
    this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1);
  }

  get rejects(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.byCode].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
