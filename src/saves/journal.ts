/**
 * The journal that is being written. Lines are put down at once and written together, one write and one
 * fsync for all that came meanwhile; whoever waits for lines is told in order, once they are durable.
 * After a failure nothing more is written until a new journal is begun, and a generation that holds what
 * was lost is `kept`.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.ts';
import { closeAnyway } from './files.ts';
import { headerLine, type JournalHeader } from './journal-file.ts';
import { FOLDERS, journalPath } from './layout.ts';

/** One file of it, with the lines that are still to be written. */
interface Segment {
  readonly path: string;
  /** Lines put down before its first. */
  readonly from: number;
  file: DiskFile | undefined;
  lines: string[];
  /** How many of its lines are durable. */
  durable: number;
}

interface Waiting {
  /** How many lines must be durable. */
  readonly lines: number;
  readonly run: () => void;
}

export interface JournalParts {
  readonly disk: Disk;
  readonly folder: string;
  /** Told once of what a journal failed with. */
  failed(error: unknown): void;
  /** Told of what somebody who waited threw. */
  threw(error: unknown): void;
}

export class Journal {
  private readonly parts: JournalParts;
  private segments: Segment[] = [];
  private readonly waiting: Waiting[] = [];
  private written = 0;
  private durable = 0;
  /** Up to this line a journal that failed had some that only a generation can still hold. */
  private lost = 0;
  private isWriting = false;
  private hasFailed = false;
  private idle: Promise<void> = Promise.resolve();

  constructor(parts: JournalParts) {
    this.parts = parts;
  }

  /** Lines put down so far. */
  get lines(): number {
    return this.written;
  }

  /** Lines that are not yet durable. */
  get pending(): number {
    return this.written - this.durable;
  }

  get isFailed(): boolean {
    return this.hasFailed;
  }

  /** Begins a new file: lines from now on go there. Gives how many lines came before. */
  begin(header: JournalHeader): number {
    const before = this.written;
    const path = join(this.parts.folder, journalPath(header.journal));
    const hasGap = this.hasFailed || this.durable < this.lost;
    const lines = [headerLine(hasGap ? { ...header, onlyWith: header.journal } : header)];
    if (this.hasFailed) {
      this.hasFailed = false;
      this.lost = before;
    }
    this.segments.push({ path, from: before, file: undefined, lines, durable: 0 });
    this.written += 1;
    this.write();
    return before;
  }

  /** Puts down a line. */
  append(line: string): void {
    this.written += 1;
    const segment = this.segments.at(-1);
    // After a failure only a generation can still hold what happened.
    if (segment === undefined || this.hasFailed) return;
    segment.lines.push(line);
    this.write();
  }

  /** Runs something once all lines so far are durable, at once if they are. */
  whenDurable(run: () => void): void {
    if (this.durable === this.written && this.waiting.length === 0) run();
    else this.waiting.push({ lines: this.written, run });
  }

  /** A generation holds what the first `lines` lines said. */
  kept(lines: number): void {
    this.reach(lines);
    const [segment] = this.segments;
    if (segment !== undefined) this.reachIn(segment);
  }

  /** Resolves when nothing is being written, whether that went well or not. */
  async settled(): Promise<void> {
    while (this.isWriting) await this.idle;
  }

  /** Closes the file once all lines are written. */
  async close(): Promise<void> {
    await this.settled();
    for (const { file } of this.segments) if (file !== undefined) await closeAnyway(file);
    this.segments = [];
    this.hasFailed = true;
  }

  private write(): void {
    if (this.isWriting) return;
    this.isWriting = true;
    this.idle = this.writeAll();
  }

  /** Writes until nothing is left; what comes meanwhile is written with the next round. */
  private async writeAll(): Promise<void> {
    // What else happens in this turn of the thread is written together.
    await Promise.resolve();
    let segment: Segment | undefined;
    try {
      for (;;) {
        segment = this.segments[0];
        if (segment === undefined) break;
        if (segment.lines.length > 0) await this.writeLines(segment);
        else if (this.segments.length > 1) {
          this.segments.shift();
          await segment.file?.close();
        } else break;
      }
    } catch (error) {
      // It may have been begun anew while the call that failed was under way.
      if (segment !== undefined && this.segments.includes(segment)) this.fail(error);
      else if (segment?.file !== undefined) await closeAnyway(segment.file);
    }
    this.isWriting = false;
    if (this.segments.some(({ lines }) => lines.length > 0) && !this.hasFailed) this.write();
  }

  private async writeLines(segment: Segment): Promise<void> {
    const { disk, folder } = this.parts;
    const lines = segment.lines;
    segment.lines = [];
    const isNew = segment.file === undefined;
    segment.file ??= await disk.create(segment.path);
    await segment.file.write(Buffer.from(lines.join('')));
    await segment.file.sync();
    if (isNew) await disk.syncFolder(join(folder, FOLDERS.journal));
    segment.durable += lines.length;
    if (this.segments[0] === segment) this.reachIn(segment);
  }

  private reachIn({ from, durable }: Segment): void {
    if (this.durable >= this.lost) this.reach(from + durable);
  }

  private fail(error: unknown): void {
    this.hasFailed = true;
    for (const { file } of this.segments) if (file !== undefined) void closeAnyway(file);
    this.segments = [];
    this.parts.failed(error);
  }

  private reach(lines: number): void {
    if (lines <= this.durable) return;
    this.durable = lines;
    while (this.waiting.length > 0 && (this.waiting[0] as Waiting).lines <= this.durable) {
      const { run } = this.waiting.shift() as Waiting;
      try {
        run();
      } catch (error) {
        this.parts.threw(error);
      }
    }
  }
}
