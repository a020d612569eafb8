/** Going back to an earlier generation, which becomes the newest. What was newer stays until three more are saved. */
import { join } from 'node:path';
import { SaveError } from '../core/errors.ts';
import type { Disk } from './disk.ts';
import { diskError } from './files.ts';
import { findGenerations, readRegions } from './generations.ts';
import { generationPath, MANIFEST } from './layout.ts';
import { takeLock } from './lock.ts';
import { writeManifest } from './manifest.ts';
import { nodeDisk } from './node-disk.ts';
import { type RealTime, realTime } from './real-time.ts';

export interface RestoreOptions {
  /**
   * True: what the journals have of the time since is carried out again, so that nothing is lost. False,
   * the default: the world is as it was when that generation was saved.
   */
  readonly withJournals?: boolean;
  /** Where files are, and the real time; for tests. */
  readonly disk?: Disk;
  readonly time?: RealTime;
}

export interface RestoreReport {
  /** The generation that was gone back to, and its number now. */
  readonly from: number;
  readonly generation: number;
  /** The game time it was saved at, in milliseconds. */
  readonly time: number;
  readonly records: number;
}

/**
 * Makes an earlier generation the newest one. The world must not be open. Rejects with `SaveError`:
 * `LOCKED`, `NO_GENERATION` (with those there are), `DAMAGED` if it is not whole.
 *
 * @example
 * await restoreGeneration('saves/valley', 41);
 */
export async function restoreGeneration(
  folder: string,
  generation: number,
  { withJournals = false, disk = nodeDisk, time = realTime }: RestoreOptions = {},
): Promise<RestoreReport> {
  const lock = await takeLock(disk, folder);
  try {
    const { manifests, highest } = await findGenerations(disk, folder);
    const manifest = manifests.find((one) => one.generation === generation);
    if (manifest === undefined) {
      const known = manifests.map((one) => one.generation).join(', ');
      throw new SaveError(
        'NO_GENERATION',
        `The world in ${folder} has no generation ${generation} that can be read; it has: ${known || 'none'}.`,
      );
    }
    const { damages } = await readRegions(disk, folder, manifest);
    if (damages.size > 0) {
      const what = [...damages.values()].map(({ message }) => message).join(' ');
      throw new SaveError(
        'DAMAGED',
        `Generation ${generation} of ${folder} is not whole: ${what} Nothing was changed.`,
      );
    }
    const number = highest + 1;
    const journal = withJournals ? manifest.journal : number;
    const restored = { ...manifest, generation: number, journal, savedAt: time.now() };
    try {
      await writeManifest(disk, join(folder, generationPath(number)), restored);
      await writeManifest(disk, join(folder, MANIFEST), restored);
    } catch (error) {
      throw diskError(error, `Generation ${generation} of ${folder} cannot be restored`);
    }
    const records = Object.values(manifest.regions).reduce((sum, { records: n }) => sum + n, 0);
    return { from: generation, generation: number, time: manifest.time, records };
  } finally {
    await lock.release();
  }
}
