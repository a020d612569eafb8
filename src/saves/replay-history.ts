/**
 * Carrying out a history again: each command at its game time, in its place, and in between everything
 * that is due. The marks say how far to go, and what the hash was there.
 */
import type { World } from '../core/world.ts';
import { isMark, type JournalCommand, type JournalEntry } from './journal-file.ts';

/** Whom to tell while a history is carried out, after each thing was done. */
export interface Following {
  command?(entry: JournalCommand, isSame: boolean): void;
  /** The world is where a hash is known. */
  hash?(time: number, expected: string, found: string): void;
}

/** Carries out what a journal holds, in a world that is where the journal goes on from. */
export function followHistory(
  world: World,
  entries: readonly JournalEntry[],
  following: Following = {},
  until = Number.POSITIVE_INFINITY,
): void {
  const hashes = hashesOf(entries);
  const check = (): void => {
    const place = placeOf(world.commandCount, world.time);
    const expected = hashes.get(place);
    if (expected === undefined || following.hash === undefined) return;
    // Only between instants is there one hash to a time.
    if (world.nextEventAt !== undefined && world.nextEventAt <= world.time) return;
    hashes.delete(place);
    following.hash(world.time, expected, world.hash());
  };
  for (const entry of entries) {
    if (isMark(entry)) {
      // A hash that was worked out later stands behind what came meanwhile.
      if (entry.n !== world.commandCount || entry.time < world.time) continue;
      const isThere = entry.isBeginning === true && entry.time === world.time;
      if (!isThere) world.runUntil(Math.min(entry.time, Math.max(until, world.time)));
      check();
    } else {
      if (entry.time > until) break;
      if (entry.time > world.time) world.runUntil(entry.time);
      following.command?.(entry, isCarriedOutTheSame(world, entry));
    }
  }
  if (until > world.time && until < Number.POSITIVE_INFINITY) world.runUntil(until);
}

/** Carries out a command; whether it had the same result. */
function isCarriedOutTheSame(world: World, entry: JournalCommand): boolean {
  if (entry.command === null) {
    world.countRefused();
    return true;
  }
  const result = world.execute(entry.command, entry.source, entry.seq);
  if (result.accepted || entry.result.accepted) return result.accepted === entry.result.accepted;
  return result.code === entry.result.code;
}

function hashesOf(entries: readonly JournalEntry[]): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const entry of entries) {
    if (isMark(entry) && entry.hash !== undefined)
      hashes.set(placeOf(entry.n, entry.time), entry.hash);
  }
  return hashes;
}

function placeOf(n: number, time: number): string {
  return `${n}:${time}`;
}
