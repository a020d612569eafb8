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
  // Each round either takes it, refuses, or clears one that is dead.
  for (let round = 0; round < 5; round += 1) {
    if (await created(disk, path, bytes)) {
      ownOn(disk).add(token);
      return lockOf(disk, path, token);
    }
    await clear(disk, folder, path);
  }
  throw new SaveError(
    'LOCKED',
    `${path} is taken again and again by others; is this world being started several times over?`,
  );
}

function lockOf(disk: Disk, path: string, token: string): Lock {
  return {
    async check() {
      const holder = await holderOf(disk, path);
      if (holder?.token === token) return;
      throw new SaveError(
        'LOCK_LOST',
        `${path} is no longer this process's; another has taken the world over. Stop this one: nothing more is saved by it.`,
      );
    },
    async release() {
      ownOn(disk).delete(token);
      const holder = await holderOf(disk, path).catch(() => undefined);
      if (holder?.token === token) await removeAnyway(disk, path);
    },
  };
}

/** Whether the lock could be created. */
async function created(disk: Disk, path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const file = await disk.create(path);
    try {
      await file.write(bytes);
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

/** Clears the lock of a process that has died; rejects if it lives. */
async function clear(disk: Disk, folder: string, path: string): Promise<void> {
  const holder = await holderOf(disk, path);
  if (holder !== undefined && (await isAlive(holder, disk))) {
    throw new SaveError(
      'LOCKED',
      `${folder} is held by process ${holder.pid} on ${holder.host}. Stop it, or use the commands that talk to a running server; if there is no such process, delete ${path}.`,
    );
  }
  // Another may be clearing it too, and have taken it meanwhile: what was moved away tells.
  const aside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await disk.rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw diskError(error, `${path} of a process that has died cannot be cleared`);
  }
  const moved = await holderOf(disk, aside);
  if (moved !== undefined && moved.token !== holder?.token) {
    await disk.rename(aside, path);
    return;
  }
  await removeAnyway(disk, aside);
}

/** Who a lock file names; undefined if it is not there or was never finished. */
async function holderOf(disk: Disk, path: string): Promise<Holder | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await disk.read(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw diskError(error, `${path} cannot be read`);
  }
  try {
    const holder = JSON.parse(Buffer.from(bytes).toString()) as Holder;
    return Number.isInteger(holder?.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
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
