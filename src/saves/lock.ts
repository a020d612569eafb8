/**
 * One process to a world. The lock is a file that only one can create; it says who holds it, so that
 * the lock of a process that has died is taken over. Whoever holds it looks again before it commits,
 * since a disk may be shared by machines that cannot see each other's processes.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SaveError } from '../core/errors.ts';
import type { Disk } from './disk.ts';
import { closeAnyway, diskCode, diskError, isMissing, removeAnyway } from './files.ts';
import { LOCK } from './layout.ts';

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as its system counts it; tells it from a later one of the same number. */
  readonly started: string | null;
  readonly token: string;
}

/** A held lock. */
export interface Lock {
  /** Rejects with `SaveError` `LOCK_LOST` if another process has it now. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** Tokens of the locks that this very process holds, by the disk they are on. */
const own = new WeakMap<Disk, Set<string>>();

function ownOn(disk: Disk): Set<string> {
  const tokens = own.get(disk) ?? new Set();
  own.set(disk, tokens);
  return tokens;
}

/** Takes the lock of a world. Rejects with `SaveError` `LOCKED` if a living process holds it. */
export async function takeLock(disk: Disk, folder: string): Promise<Lock> {
  const path = join(folder, LOCK);
  const token = randomBytes(12).toString('hex');
  const { pid } = process;
  const holder: Holder = { pid, host: hostname(), started: await startOf(pid), token };
  const bytes = Buffer.from(`${JSON.stringify(holder)}\n`);
  ownOn(disk).add(token);
  try {
    // Each round either takes it, refuses, or clears one that is dead.
    for (let round = 0; round < ROUNDS; round += 1) {
      if (await created(disk, path, bytes)) return lockOf(disk, path, token);
      await clear(disk, path, bytes);
    }
  } catch (error) {
    ownOn(disk).delete(token);
    throw error;
  }
  ownOn(disk).delete(token);
  throw new SaveError(
    'LOCKED',
    `${path} is taken again and again by others; is this world being started several times over?`,
  );
}

/** Who has a world open, as far as can be known; undefined if nobody has. */
export async function whoHolds(
  disk: Disk,
  folder: string,
): Promise<{ readonly pid: number; readonly host: string } | undefined> {
  const holder = await holderOf(disk, join(folder, LOCK));
  if (holder === undefined || holder === UNFINISHED) return undefined;
  return (await isAlive(holder, disk)) ? holder : undefined;
}

const ROUNDS = 5;

function lockOf(disk: Disk, path: string, token: string): Lock {
  return {
    async check() {
      if (isHeldBy(await holderOf(disk, path), token)) return;
      throw new SaveError(
        'LOCK_LOST',
        `${path} is no longer this process's; another has taken the world over. Stop this one: nothing more is saved by it.`,
      );
    },
    async release() {
      ownOn(disk).delete(token);
      const holder = await holderOf(disk, path).catch(() => undefined);
      if (isHeldBy(holder, token)) await removeAnyway(disk, path);
    },
  };
}

/** Whether the lock could be created. */
async function created(disk: Disk, path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const file = await disk.create(path);
    try {
      await file.write(bytes);
      // Or it might be found torn after a loss of power, and be waited for.
      await file.sync();
    } catch (error) {
      await closeAnyway(file);
      await removeAnyway(disk, path);
      throw error;
    }
    await file.close();
    return true;
  } catch (error) {
    if (diskCode(error) === 'EEXIST') return false;
    throw diskError(error, `${path} cannot be written, so the world cannot be held`);
  }
}

/**
 * Clears the lock of a process that has died; rejects if it lives. Whoever may clear it is settled by a
 * claim, a file named by the lock it is for, which again only one can create. A claim whose owner has
 * died is itself claimed in the same way, and so on.
 */
async function clear(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const dead = await deadHolder(disk, path);
  if (dead === undefined) return;
  const claims: string[] = [];
  let { token } = dead;
  for (;;) {
    // The place in the line is told too: of those that were never written, all go by one token.
    const claim = `${path}.${token}.${claims.length}.claim`;
    claims.push(claim);
    if (await created(disk, claim, bytes)) break;
    const claimant = await deadHolder(disk, claim);
    // Its owner was quicker, and is done.
    if (claimant === undefined) return;
    ({ token } = claimant);
  }
  // Only who has the claim may remove it, so what stands there now still stands there then.
  const now = await holderOf(disk, path);
  if (isHeldBy(now, dead.token))
    await disk.remove(path).catch((error: unknown) => {
      throw diskError(error, `${path} of a process that has died cannot be cleared`);
    });
  for (const claim of claims.reverse()) await removeAnyway(disk, claim);
}

/** What a lock that was never written to its end is held by, and the token it goes by. */
const UNFINISHED = 'unfinished';
/** How often a lock that is being written is looked at again, and after how many real milliseconds. */
const LOOKS = 10;
const LOOK_AGAIN = 20;

/** The holder of a lock or claim that is no longer used; undefined if it is gone. Rejects if its process lives. */
async function deadHolder(
  disk: Disk,
  path: string,
): Promise<{ readonly token: string } | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const holder = await holderOf(disk, path);
    if (holder === undefined) return undefined;
    if (holder !== UNFINISHED) {
      if (!(await isAlive(holder, disk))) return holder;
      throw new SaveError(
        'LOCKED',
        `The world is held by process ${holder.pid} on ${holder.host} (${path}). Stop it, or use the commands that talk to a running server; if there is no such process, delete ${path}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
  }
  return { token: UNFINISHED };
}

function isHeldBy(holder: Holder | typeof UNFINISHED | undefined, token: string): boolean {
  return holder === UNFINISHED ? token === UNFINISHED : holder?.token === token;
}

const TOKEN = /^[0-9a-z]{1,64}$/;

/** Who a lock file names; undefined if it is not there. */
async function holderOf(disk: Disk, path: string): Promise<Holder | typeof UNFINISHED | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await disk.read(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw diskError(error, `${path} cannot be read`);
  }
  try {
    const holder = JSON.parse(Buffer.from(bytes).toString()) as Holder;
    if (Number.isInteger(holder?.pid) && TOKEN.test(holder.token)) return holder;
  } catch {
    // It is being written, or never was to its end.
  }
  return UNFINISHED;
}

async function isAlive({ pid, host, started, token }: Holder, disk: Disk): Promise<boolean> {
  // Of another machine nothing can be known; a person has to say that it is dead.
  if (host !== hostname()) return true;
  if (pid === process.pid) return ownOn(disk).has(token);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return diskCode(error) === 'EPERM';
  }
  const now = await startOf(pid);
  return started === null || now === null || started === now;
}

/** When a process began; null where the system does not tell. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, and may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
