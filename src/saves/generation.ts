/**
 * Writing a generation: the regions that changed since the one before, then the manifest that names
 * them with those that did not. Nothing that an earlier generation names is touched, and until
 * `world.json` is replaced the earlier one is what there is. What is not yet named may become durable in
 * any order, so all of it is written at once; only the names are taken one after the other: the copy of
 * the manifest takes its own when all that it names is durable, and `world.json` when the copy is.
 */
import { join } from 'node:path';
import type { WorldSnapshot } from '../core/snapshot.ts';
import type { Disk } from './disk.ts';
import { removeAnyway } from './files.ts';
import { FOLDERS, generationPath, MANIFEST, regionPath } from './layout.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { type KeptRecord, type RegionEntry, writeRegion } from './region-file.ts';
import type { RegionIndex } from './region-index.ts';
import type { Slices } from './slices.ts';
import type { StateHashes } from './state-hashes.ts';

export interface GenerationParts {
  readonly disk: Disk;
  readonly folder: string;
  readonly slices: Slices;
  /** Those of the state hash, which is worked out beside the rest. */
  readonly hashSlices: Slices;
  readonly hashes: StateHashes;
  readonly index: RegionIndex;
  /** Rejects if the world is no longer this process's to write. */
  checkLock(): Promise<void>;
}

export interface GenerationJob {
  /** All of the manifest but what is found out by writing. */
  readonly head: Omit<Manifest, 'regions' | 'stateHash'>;
  readonly snapshot: WorldSnapshot;
  readonly regionSize: number;
  /** The regions of the generation before. */
  readonly base: Manifest['regions'];
  readonly kept: ReadonlyMap<string, readonly KeptRecord[]>;
}

export interface WrittenGeneration {
  readonly manifest: Manifest;
  readonly regionsWritten: number;
  readonly bytesWritten: number;
}

/** Files that are being written or made durable at once. */
const MOST_AT_ONCE = 8;

/** Writes and commits a generation. Whatever it rejects with, the one before is still there. */
export async function writeGeneration(
  parts: GenerationParts,
  job: GenerationJob,
): Promise<WrittenGeneration> {
  const { disk, folder, slices } = parts;
  const written: string[] = [];
  const underWay: Promise<unknown>[] = [];
  /** Lets work go on beside the rest; what it rejects with is met by whoever waits for it. */
  const beside = <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => undefined);
    underWay.push(work);
    return work;
  };
  // From when it is being replaced `world.json` may name what was written, even if that call fails.
  let mayBeNamed = false;
  try {
    const hashing = beside(parts.hashes.of(job.snapshot, parts.hashSlices));
    const { regions, durable, ...sizes } = await writeRegions(parts, job, written, beside);
    const stateHash = await slices.waitFor(hashing);
    const manifest: Manifest = { ...job.head, regions, stateHash };
    const copy = generationPath(manifest.generation);
    written.push(copy);
    const copied = beside(writeManifest(disk, join(folder, copy), manifest, () => durable));
    const mayCommit = async (): Promise<void> => {
      await copied;
      await parts.checkLock();
      mayBeNamed = true;
    };
    await slices.waitFor(beside(writeManifest(disk, join(folder, MANIFEST), manifest, mayCommit)));
    return { manifest, ...sizes };
  } catch (error) {
    await Promise.allSettled(underWay);
    if (!mayBeNamed) for (const path of written) await removeAnyway(disk, join(folder, path));
    throw error;
  }
}

interface WrittenRegions {
  /** Those of the generation, with those that did not change. */
  readonly regions: Manifest['regions'];
  readonly regionsWritten: number;
  readonly bytesWritten: number;
  /** Resolves when the files are durable, and their names. */
  readonly durable: Promise<void>;
}

/** Writes the regions that changed. One in which nothing is left gets no file. */
async function writeRegions(
  parts: GenerationParts,
  job: GenerationJob,
  written: string[],
  beside: <T>(work: Promise<T>) => Promise<T>,
): Promise<WrittenRegions> {
  const { disk, folder, slices } = parts;
  const { records: byRegion, isWhole } = await parts.index.changedIn(
    job.snapshot,
    job.regionSize,
    slices,
  );
  if (isWhole) {
    for (const region of job.kept.keys()) if (!byRegion.has(region)) byRegion.set(region, []);
  }
  const regions: Record<string, RegionEntry> = isWhole ? {} : { ...job.base };
  const named: Promise<void>[] = [];
  const syncing: Promise<void>[] = [];
  let bytesWritten = 0;
  for (const [region, records] of byRegion) {
    const kept = job.kept.get(region) ?? [];
    if (records.length + kept.length === 0) {
      delete regions[region];
      continue;
    }
    const file = regionPath(region, job.head.generation);
    written.push(file);
    const path = join(folder, file);
    const writing = await writeRegion(disk, path, region, records, kept, slices);
    regions[region] = { file, ...writing.entry };
    bytesWritten += writing.entry.bytes;
    named.push(beside(writing.written));
    syncing.push(beside(writing.durable));
    const oldest = syncing[syncing.length - MOST_AT_ONCE];
    if (oldest !== undefined) await slices.waitFor(oldest);
  }
  const folderSynced = Promise.all(named).then(() =>
    disk.syncFolder(join(folder, FOLDERS.regions)),
  );
  const durable = beside(Promise.all([...syncing, beside(folderSynced)]).then(() => undefined));
  return { regions, regionsWritten: byRegion.size, bytesWritten, durable };
}
