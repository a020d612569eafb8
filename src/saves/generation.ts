/**
 * Writing a generation: the regions that changed since the one before, then the manifest that names
 * them with those that did not. Nothing that an earlier generation names is touched, and until
 * `world.json` is replaced the earlier one is what there is.
 */
import { join } from 'node:path';
import { squareOf } from '../core/place-index.ts';
import type { RecordValue } from '../core/record.ts';
import type { WorldSnapshot } from '../core/snapshot.ts';
import type { Disk } from './disk.ts';
import { removeAnyway } from './files.ts';
import { FOLDERS, generationPath, MANIFEST, regionPath } from './layout.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { type KeptRecord, type RegionEntry, writeRegion } from './region-file.ts';
import type { Slices } from './slices.ts';
import type { StateHashes } from './state-hashes.ts';

export interface GenerationParts {
  readonly disk: Disk;
  readonly folder: string;
  readonly slices: Slices;
  /** Those of the state hash, which is worked out beside the rest. */
  readonly hashSlices: Slices;
  readonly hashes: StateHashes;
  /** Rejects if the world is no longer this process's to write. */
  checkLock(): Promise<void>;
}

/** What a generation goes on from. */
export interface Base {
  readonly snapshot: WorldSnapshot;
  readonly regions: Manifest['regions'];
  readonly regionSize: number;
}

export interface GenerationJob {
  /** All of the manifest but what is found out by writing. */
  readonly head: Omit<Manifest, 'regions' | 'stateHash'>;
  readonly snapshot: WorldSnapshot;
  readonly regionSize: number;
  /** Undefined: every region is written. */
  readonly base: Base | undefined;
  /** Regions to be written although no record of them changed. */
  readonly dirty: Iterable<string>;
  readonly kept: ReadonlyMap<string, readonly KeptRecord[]>;
}

export interface WrittenGeneration {
  readonly manifest: Manifest;
  readonly regionsWritten: number;
  readonly bytesWritten: number;
}

/** Records between two looks at the watch while they are sorted by region. */
const BETWEEN = 256;
/** Files that are being made durable at once. */
const MOST_SYNCING = 8;

/** Writes and commits a generation. Whatever it rejects with, the one before is still there. */
export async function writeGeneration(
  parts: GenerationParts,
  job: GenerationJob,
): Promise<WrittenGeneration> {
  const { disk, folder, slices, hashes } = parts;
  const { generation } = job.head;
  const written: string[] = [];
  let manifest: Manifest;
  let entries: Record<string, RegionEntry>;
  try {
    // Worked out while the disk is busy; what it rejects with is met below.
    const hashing = hashes.of(job.snapshot, parts.hashSlices);
    hashing.catch(() => undefined);
    entries = await writeRegions(parts, job, written);
    const stateHash = await slices.waitFor(hashing);
    const regions = { ...unchanged(job, entries), ...withRecords(entries) };
    manifest = { ...job.head, regions, stateHash };
    await slices.waitFor(disk.syncFolder(join(folder, FOLDERS.regions)));
    written.push(generationPath(generation));
    await slices.waitFor(writeManifest(disk, join(folder, generationPath(generation)), manifest));
    await slices.waitFor(parts.checkLock());
  } catch (error) {
    for (const path of written) await removeAnyway(disk, join(folder, path));
    throw error;
  }
  // From here on `world.json` may name what was written, even if the call that replaces it fails.
  await slices.waitFor(writeManifest(disk, join(folder, MANIFEST), manifest));
  let bytesWritten = 0;
  for (const { bytes } of Object.values(entries)) bytesWritten += bytes;
  return { manifest, regionsWritten: Object.keys(entries).length, bytesWritten };
}

/** Writes the regions that changed. An empty one gets an entry with no file. */
async function writeRegions(
  parts: GenerationParts,
  job: GenerationJob,
  written: string[],
): Promise<Record<string, RegionEntry>> {
  const { disk, folder, slices } = parts;
  const byRegion = await recordsByRegion(job, slices);
  const entries: Record<string, RegionEntry> = {};
  const syncing = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  try {
    for (const [region, records] of byRegion) {
      const kept = job.kept.get(region) ?? [];
      if (records.length + kept.length === 0) {
        entries[region] = { file: '', records: 0, bytes: 0, hash: '' };
        continue;
      }
      const file = regionPath(region, job.head.generation);
      written.push(file);
      const { entry, durable } = await writeRegion(
        disk,
        join(folder, file),
        region,
        records,
        kept,
        slices,
      );
      entries[region] = { file, ...entry };
      const ended: Promise<void> = durable.then(
        () => void syncing.delete(ended),
        (error: unknown) => {
          failure ??= { error };
          syncing.delete(ended);
        },
      );
      syncing.add(ended);
      if (syncing.size >= MOST_SYNCING) await slices.waitFor(Promise.race(syncing));
      if (failure !== undefined) break;
    }
  } finally {
    await slices.waitFor(Promise.all(syncing));
  }
  if (failure !== undefined) throw failure.error;
  return entries;
}

function withRecords(entries: Record<string, RegionEntry>): Record<string, RegionEntry> {
  return Object.fromEntries(Object.entries(entries).filter(([, { file }]) => file !== ''));
}

/** The entries of regions that were not written anew. */
function unchanged(
  { base, regionSize }: GenerationJob,
  entries: Record<string, RegionEntry>,
): Manifest['regions'] {
  if (base === undefined || base.regionSize !== regionSize) return {};
  return Object.fromEntries(
    Object.entries(base.regions).filter(([region]) => !Object.hasOwn(entries, region)),
  );
}

/** The records of every region that has to be written. */
async function recordsByRegion(
  job: GenerationJob,
  slices: Slices,
): Promise<Map<string, RecordValue[]>> {
  const { snapshot, base, regionSize, kept, dirty } = job;
  const byRegion = new Map<string, RecordValue[]>();
  const isWhole = base === undefined || base.regionSize !== regionSize;
  const mark = (region: string): void => {
    if (!byRegion.has(region)) byRegion.set(region, []);
  };
  for (const region of dirty) mark(region);
  if (isWhole) for (const region of kept.keys()) mark(region);
  let count = 0;
  if (!isWhole) {
    for (const [, before, after] of snapshot.changesSince(base.snapshot)) {
      if (before !== undefined) mark(squareOf(before.at, regionSize));
      if (after !== undefined) mark(squareOf(after.at, regionSize));
      count += 1;
      if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
    }
    if (byRegion.size === 0) return byRegion;
  }
  for (const record of snapshot.values()) {
    const region = squareOf(record.standing.at, regionSize);
    const records = byRegion.get(region);
    if (records !== undefined) records.push(record);
    else if (isWhole) byRegion.set(region, [record]);
    count += 1;
    if (count % BETWEEN === 0 && slices.isOver) await slices.rest();
  }
  return byRegion;
}
