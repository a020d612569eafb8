/**
 * The journals since a generation, read as one: each goes on where the one before ended. Where they end
 * in something torn, what was whole is all there is; where one is missing in between, what comes after
 * it is of no use.
 */
import { join } from 'node:path';
import { SaveError } from '../core/errors.ts';
import type { Disk } from './disk.ts';
import { quarantine, readIfThere } from './files.ts';
import { journalsFrom } from './generations.ts';
import type { ImportEntry } from './import-report.ts';
import { isMark, type JournalEntry, type JournalRead, readJournal } from './journal-file.ts';
import { journalPath } from './layout.ts';

/** What happened since a generation, in order. */
export interface History {
  readonly entries: readonly JournalEntry[];
  readonly notes: readonly ImportEntry[];
  /** Why the journals go no further, although there are more; undefined if they end where they end. */
  readonly gap: string | undefined;
}

/**
 * Reads the journals from `first` on, of a world that had had `commands` commands and whose newest
 * generation is `committed`.
 */
export async function readHistory(
  disk: Disk,
  folder: string,
  first: number,
  commands: number,
  committed: number,
): Promise<History> {
  const entries: JournalEntry[] = [];
  const notes: ImportEntry[] = [];
  let count = commands;
  for (const number of await journalsFrom(disk, folder, first)) {
    const path = journalPath(number);
    const bytes = (await readIfThere(disk, join(folder, path))) ?? new Uint8Array();
    const read = readJournal(bytes);
    const { header } = read;
    if (header === undefined) {
      notes.push(await ending(disk, folder, path, bytes, { ...read, badLine: read.badLine ?? 1 }));
      continue;
    }
    if (header.after !== count) {
      // Its generation never came to be, so nobody was told of anything in it.
      if (header.onlyWith !== undefined && header.onlyWith > committed) continue;
      const gap = `${path} goes on after ${header.after} commands, and the journals before it end after ${count}`;
      return { entries, notes, gap };
    }
    entries.push({ n: header.after, time: header.time, mark: 0, isBeginning: true });
    let badLine = read.badLine;
    for (const [i, entry] of read.entries.entries()) {
      if (!isMark(entry) && entry.n !== count + 1) {
        badLine ??= i + 2;
        break;
      }
      if (!isMark(entry)) count = entry.n;
      entries.push(entry);
    }
    if (badLine !== undefined) {
      notes.push(await ending(disk, folder, path, bytes, { ...read, badLine }));
    }
  }
  return { entries, notes, gap: undefined };
}

async function ending(
  disk: Disk,
  folder: string,
  path: string,
  bytes: Uint8Array,
  { badLine = 1, isDamaged }: JournalRead,
): Promise<ImportEntry> {
  // What comes after a torn line may be something that a person can still make use of.
  const quarantined = isDamaged ? await quarantine(disk, folder, join(folder, path), bytes) : null;
  const kept = quarantined === null ? '' : ` A copy of it is kept as ${quarantined}.`;
  const why = isDamaged
    ? 'is damaged there, and whole lines after it were given up'
    : 'was being written there when the process ended; nobody was answered';
  return {
    type: 'JournalEnds',
    file: path,
    line: badLine,
    isDamaged,
    message: `${path} ends at line ${badLine}: it ${why}.${kept}`,
  };
}

/** Why a world whose journals have a gap is not opened. */
export function gapRefusal(folder: string, gap: string): SaveError {
  return new SaveError(
    'DAMAGED',
    `The world in ${folder} is damaged, and was not opened: ${gap}. What the later ones hold cannot be carried out without the commands in between. ` +
      "Put the missing file back from a backup; or open the world with damaged: 'earlier', which goes as far as the journals go. Nothing was deleted.",
  );
}

/** The real time of the last sign of life, in milliseconds since 1970. */
export function lastSign(history: History, savedAt: number): number {
  return history.entries.reduce(
    (last, entry) => Math.max(last, isMark(entry) ? entry.mark : entry.real),
    savedAt,
  );
}
