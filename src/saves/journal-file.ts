/**
 * The lines of a journal: a header that says where it goes on from, commands with what became of them,
 * and marks that say how far the world had come. Each line carries the sum of its own bytes; what comes
 * after the first line that does not is not read, since what was written last may be torn.
 */
import { crc32 } from 'node:zlib';
import type { Command, CommandReport, CommandSource, SendResult } from '../core/commands.ts';
import { decoded, type Encoded, encoded } from './encoding.ts';
import { isSavable } from './savable.ts';

/** Where a journal goes on from. */
export interface JournalHeader {
  readonly journal: number;
  readonly world: string;
  /** Commands the world had had. */
  readonly after: number;
  /** Game time in milliseconds. */
  readonly time: number;
  /**
   * Set if a journal before it failed, so that lines may be missing in between: nobody was told of what
   * it holds unless this generation was saved, which has them.
   */
  readonly onlyWith?: number;
}

/** A command that was carried out or refused. */
export interface JournalCommand {
  readonly n: number;
  readonly time: number;
  readonly source: CommandSource;
  readonly seq: number;
  /** Null if it was refused because it cannot be written. */
  readonly command: Command | null;
  readonly result: SendResult;
  /** When it was journaled, in real milliseconds since 1970. */
  readonly real: number;
}

/** How far the world had come: everything due at or before `time`, and the first `n` commands. */
export interface JournalMark {
  readonly n: number;
  readonly time: number;
  /** Set for where a journal begins: the world may have been in the middle of that time's instant. */
  readonly isBeginning?: true;
  /** When, in real milliseconds since 1970. */
  readonly mark: number;
  /** The state hash at that time. */
  readonly hash?: string;
}

export type JournalEntry = JournalCommand | JournalMark;

export interface JournalRead {
  readonly header: JournalHeader | undefined;
  readonly entries: readonly JournalEntry[];
  /** The number of the first bad line, counted from 1; undefined if there is none. */
  readonly badLine: number | undefined;
  /** Whether whole lines come after it. */
  readonly isDamaged: boolean;
}

export function isMark(entry: JournalEntry): entry is JournalMark {
  return 'mark' in entry;
}

export function headerLine(header: JournalHeader): string {
  return summed(header);
}

export function commandLine(report: CommandReport, real: number): string {
  const { n, time, source, seq, command, result } = report;
  // What cannot be written was refused for that, and changed nothing.
  const written = result.accepted || isSavable(command) ? encoded(command) : null;
  return summed({ n, time, source, seq, command: written, result, real });
}

export function markLine(mark: JournalMark): string {
  return summed(mark);
}

function summed(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"sum":"${sumOf(body)}"}\n`;
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

const TAIL = /^(.*),"sum":"([0-9a-f]{8})"\}$/s;

/** What a line holds; undefined if it is not whole. */
function parsed(line: string): unknown {
  const [, body, sum] = TAIL.exec(line) ?? [];
  if (body === undefined || sumOf(body) !== sum) return undefined;
  try {
    return JSON.parse(`${body}}`);
  } catch {
    return undefined;
  }
}

/** All that can be read of a journal. */
export function readJournal(bytes: Uint8Array): JournalRead {
  const lines = Buffer.from(bytes).toString().split('\n');
  // After the last line break there is nothing, unless the last line is torn.
  if (lines.at(-1) === '') lines.pop();
  const values = lines.map(parsed);
  const bad = values.indexOf(undefined);
  const good = bad < 0 ? values : values.slice(0, bad);
  return {
    header: good[0] as JournalHeader | undefined,
    entries: good.slice(1).map((value) => entryOf(value as WrittenEntry)),
    badLine: bad < 0 ? undefined : bad + 1,
    isDamaged: bad >= 0 && values.slice(bad).some((value) => value !== undefined),
  };
}

type WrittenEntry =
  | JournalMark
  | (Omit<JournalCommand, 'command'> & { readonly command: Encoded<Command> | null });

function entryOf(written: WrittenEntry): JournalEntry {
  if ('mark' in written) return written;
  const { command } = written;
  return { ...written, command: command === null ? null : decoded(command) };
}
