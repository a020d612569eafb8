/**
 * What is done with whole files: read one that may not be there, write one so that it is there whole or
 * not at all, and keep a copy of a damaged one. Errors of the disk become `SaveError`s that say what to
 * do.
 */
import { createHash, randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { SaveError } from '../core/errors.ts';
import type { Disk, DiskFile } from './disk.ts';
import { FOLDERS } from './layout.ts';

/** The code of an error of the disk. */
export function diskCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

export function isMissing(error: unknown): boolean {
  return diskCode(error) === 'ENOENT';
}

const CURES: Readonly<Record<string, readonly [code: string, cure: string]>> = {
  ENOSPC: ['NO_SPACE', 'the disk is full; make room on it'],
  EDQUOT: ['NO_SPACE', 'the quota of this user is used up; make room'],
  EROFS: ['READ_ONLY', 'the disk is mounted read-only; mount it writable'],
  EACCES: ['READ_ONLY', 'this user may not write there; change the rights of the folder'],
  EPERM: ['READ_ONLY', 'this user may not write there; change the rights of the folder'],
  EMFILE: ['DISK_FAILED', 'too many files are open; raise the limit (ulimit -n)'],
  EIO: ['DISK_FAILED', 'the disk failed; look at the log of the system, and replace the disk'],
};

/** An error of the disk in words. `what` begins the sentence: what could not be done. */
export function diskError(error: unknown, what: string): SaveError {
  if (error instanceof SaveError) return error;
  const [code, cure] = CURES[diskCode(error) ?? ''] ?? [
    'DISK_FAILED',
    'see what the system says of it',
  ];
  const said = error instanceof Error ? error.message : String(error);
  return new SaveError(code, `${what}: ${cure} (${said}).`, { cause: error });
}

/** A file's bytes; undefined if there is none. */
export async function readIfThere(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    return await disk.read(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw diskError(error, `${path} cannot be read`);
  }
}

/** The names in a folder; none if there is no such folder. */
export async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw diskError(error, `${folder} cannot be listed`);
  }
}

/** Closes a file after a failure, which it does not hide. */
export async function closeAnyway(file: DiskFile): Promise<void> {
  await file.close().catch(() => undefined);
}

/** Removes a file of ours that is of no more use; one that stays is no fault, only waste. */
export async function removeAnyway(disk: Disk, path: string): Promise<void> {
  await disk.remove(path).catch(() => undefined);
}

/**
 * Writes a file so that, whatever happens, its name leads to all of the old bytes or all of the new.
 * When these are durable it waits for `ready` before it takes the name; what that rejects with it
 * rejects with too, and leaves nothing.
 */
export async function writeDurably(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  ready?: () => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await disk.create(temporary);
    try {
      await file.write(bytes);
    } catch (error) {
      await closeAnyway(file);
      throw error;
    }
    await syncAndClose(file);
    await ready?.();
    await disk.rename(temporary, path);
  } catch (error) {
    await removeAnyway(disk, temporary);
    throw error;
  }
  await disk.syncFolder(dirname(path));
}

/** Makes all that was written to a file durable. */
export async function syncAndClose(file: DiskFile): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    await closeAnyway(file);
    throw error;
  }
  await file.close();
}

/**
 * Puts a copy of a damaged file into `quarantine`, and gives where it lies; null if even that cannot be
 * written. The same bytes are kept once.
 */
export async function quarantine(
  disk: Disk,
  folder: string,
  path: string,
  bytes: Uint8Array,
): Promise<string | null> {
  const kept = join(FOLDERS.quarantine, `${basename(path)}.${hashOfBytes(bytes).slice(0, 12)}`);
  try {
    await disk.makeFolder(join(folder, FOLDERS.quarantine));
    if ((await readIfThere(disk, join(folder, kept))) === undefined) {
      await writeDurably(disk, join(folder, kept), bytes);
    }
    return kept;
  } catch {
    // The damaged file itself stays where it is.
    return null;
  }
}

/** SHA-256 in hex: what files are checked by. */
export function hashOfBytes(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
