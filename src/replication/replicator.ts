/**
 * One cell that some client is told of (or `always`): it gathers what changed since the last flush
 * and makes of it what its clients are sent. It remembers of each record the value it sent last, so
 * a record is compared, and turned into text, once a flush for all clients.
 */
import type { Notice } from '../core/commit.ts';
import { cellOf } from '../core/place-index.ts';
import type { RecordValue } from '../core/record.ts';
import type { World } from '../core/world.ts';
import { fullRec, recDiff } from '../protocol/record-diff.ts';
import { Frame, noticePiece, type Piece } from './frame.ts';
import type { Session } from './session.ts';

/** Notices a cell sends in one flush at the most; the others are counted and told as missed. */
const MOST_NOTICES = 256;

/** What a cell says in one flush. */
export interface CellFlush {
  readonly changes: Frame;
  /** Sent when every cell has sent its changes: the records that now belong to another one. */
  readonly moved: Frame | undefined;
  readonly missed: number;
}

export class Replicator {
  readonly cell: string;
  /** Who is told of this cell; newcomers get it in full with the next flush. */
  readonly members = new Set<Session>();
  readonly newcomers = new Set<Session>();
  private readonly world: World;
  private readonly sent = new Map<string, RecordValue>();
  private readonly dirty = new Set<string>();
  private notices: Notice[] = [];
  private missed = 0;

  constructor(world: World, cell: string) {
    this.world = world;
    this.cell = cell;
    for (const record of world.valuesIn(cell)) this.sent.set(record.id, record);
  }

  touch(id: string): void {
    this.dirty.add(id);
  }

  notice(notice: Notice): void {
    if (this.notices.length < MOST_NOTICES) this.notices.push(notice);
    else this.missed += 1;
  }

  /** What changed since the last flush; undefined if nothing did. */
  flush(): CellFlush | undefined {
    if (this.dirty.size === 0 && this.notices.length === 0) return undefined;
    const set: Piece[] = [];
    const gone: Piece[] = [];
    const moved: Piece[] = [];
    for (const id of this.dirty) {
      const before = this.sent.get(id);
      const after = this.world.valueOf(id);
      if (after !== undefined && this.holds(after)) {
        this.sent.set(id, after);
        const rec = before === undefined ? fullRec(after) : recDiff(before, after);
        if (rec !== undefined) set.push({ kind: after.kind.name, text: JSON.stringify(rec) });
      } else if (before !== undefined) {
        this.sent.delete(id);
        const piece = { kind: before.kind.name, text: JSON.stringify(id) };
        (after === undefined ? gone : moved).push(piece);
      }
    }
    const { cell, missed } = this;
    const { time } = this.world;
    const notices = this.notices.map(noticePiece);
    this.dirty.clear();
    this.notices = [];
    this.missed = 0;
    return {
      changes: new Frame({ cell, time, set, gone, notices }),
      moved: moved.length > 0 ? new Frame({ cell, time, gone: moved }) : undefined,
      missed,
    };
  }

  /** The cell in full, as of the last flush. */
  full(): Frame {
    const set = [...this.sent.values()].map((record) => ({
      kind: record.kind.name,
      text: JSON.stringify(fullRec(record)),
    }));
    return new Frame({ cell: this.cell, time: this.world.time, full: true, set });
  }

  private holds(record: RecordValue): boolean {
    return cellOf(record, this.world.settings.cellSize) === this.cell;
  }
}
