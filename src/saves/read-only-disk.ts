/** A disk that lets nothing be written, for looking at a world without touching it. */
import type { Disk } from './disk.ts';

export function readOnly(disk: Disk): Disk {
  const refuse = async (): Promise<never> => {
    throw Object.assign(new Error('EROFS: this world is only looked at'), { code: 'EROFS' });
  };
  return {
    read: (path) => disk.read(path),
    list: (folder) => disk.list(folder),
    makeFolder: refuse,
    create: refuse,
    rename: refuse,
    remove: refuse,
    syncFolder: refuse,
  };
}
