/**
 * Where the server of a world can be reached: `server.json` in the world's folder, there while it runs.
 * The command line finds a server by it, whatever its port. One that a crash left behind says nothing,
 * since the lock of the world is then nobody's.
 */
import { join } from 'node:path';
import type { Disk } from '../saves/disk.ts';
import { diskError, readIfThere, removeAnyway, writeDurably } from '../saves/files.ts';

const NAME = 'server.json';

/** Rejects with `SaveError` if it cannot be written. */
export async function writeAddress(disk: Disk, folder: string, url: string): Promise<void> {
  const path = join(folder, NAME);
  try {
    await writeDurably(disk, path, Buffer.from(`${JSON.stringify({ url })}\n`));
  } catch (error) {
    throw diskError(error, `${path} cannot be written`);
  }
}

/** The address of the server that has a world; undefined if none has said where it is. */
export async function readAddress(disk: Disk, folder: string): Promise<string | undefined> {
  const bytes = await readIfThere(disk, join(folder, NAME));
  if (bytes === undefined) return undefined;
  try {
    const { url } = JSON.parse(Buffer.from(bytes).toString());
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}

export async function removeAddress(disk: Disk, folder: string): Promise<void> {
  await removeAnyway(disk, join(folder, NAME));
}
