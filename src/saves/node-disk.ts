/** The disk of this machine. */
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import type { Disk, DiskFile } from './disk.ts';

/** Errors by which a platform says that a folder cannot be synced, and need not be. */
const NOTHING_TO_SYNC = new Set(['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP']);

export const nodeDisk: Disk = {
  read: (path) => readFile(path),
  list: (folder) => readdir(folder),
  async makeFolder(path) {
    await mkdir(path, { recursive: true });
  },
  async create(path): Promise<DiskFile> {
    const file = await open(path, 'wx');
    return {
      async write(bytes) {
        for (let at = 0; at < bytes.length; ) {
          const { bytesWritten } = await file.write(bytes, at);
          at += bytesWritten;
        }
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  rename,
  remove: unlink,
  async syncFolder(path) {
    // Windows opens no folders; there a rename is durable with the file.
    if (process.platform === 'win32') return;
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } catch (error) {
      if (!NOTHING_TO_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    } finally {
      await folder.close();
    }
  },
};
