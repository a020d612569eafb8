/**
 * The notices of one cell in its last flushes, for clients that are sent the cell less often than it
 * changes. A cell that has too much to say in one flush keeps the first of it and counts the rest.
 */
import type { Notice } from '../core/commit.ts';
import { noticePiece, type Piece } from './frame.ts';
import type { Readership } from './readership.ts';

/** Notices a cell sends in one flush at the most. */
const MOST_NOTICES = 256;

interface Told {
  readonly flush: number;
  readonly pieces: readonly Piece[];
  /** How many there were, by kind, and how many of them are not in `pieces`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly leftOut: ReadonlyMap<string, number>;
}

export class NoticeLog {
  /** Since the last flush. */
  private pieces: Piece[] = [];
  private counts = new Map<string, number>();
  private leftOut = new Map<string, number>();
  /** Of the flushes before, oldest first. */
  private log: Told[] = [];

  get isNew(): boolean {
    return this.counts.size > 0;
  }

  add(notice: Notice): void {
    const { kind } = notice;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (this.pieces.length < MOST_NOTICES) this.pieces.push(noticePiece(notice));
    else this.leftOut.set(kind, (this.leftOut.get(kind) ?? 0) + 1);
  }

  /** Closes what came since the last flush, and lets go of what is older than `oldest`. */
  settle(flush: number, oldest: number): void {
    this.log = this.log.filter((told) => told.flush >= oldest);
    if (!this.isNew) return;
    const { pieces, counts, leftOut } = this;
    this.log.push({ flush, pieces, counts, leftOut });
    this.pieces = [];
    this.counts = new Map();
    this.leftOut = new Map();
  }

  /** Whether there are notices of flushes after `noted`. */
  isNewSince(noted: number): boolean {
    return (this.log.at(-1)?.flush ?? 0) > noted;
  }

  /** The notices of flushes after `noted`. */
  since(noted: number): Piece[] {
    return this.log.flatMap((told) => (told.flush > noted ? told.pieces : []));
  }

  /** How many notices of flushes after `noted` a client would have read: all, or those left out. */
  count(noted: number, { kinds }: Readership, which: 'counts' | 'leftOut'): number {
    let sum = 0;
    if (!this.isNewSince(noted)) return sum;
    for (const told of this.log) {
      if (told.flush <= noted) continue;
      for (const [kind, count] of told[which]) if (kinds?.has(kind) !== false) sum += count;
    }
    return sum;
  }
}
