/** The generations that a world document holds, as they are found when it is opened. */
import { join } from 'node:path';
import { SaveError } from '../core/errors.ts';
import type { Disk } from './disk.ts';
import { diskError, hashOfBytes, isMissing, namesIn, quarantine } from './files.ts';
import type { ImportEntry } from './import-report.ts';
import { FOLDERS, generationOf, generationPath, MANIFEST } from './layout.ts';
import { Damage, type Manifest, readManifest } from './manifest.ts';
import { type RegionRecords, readRegion } from './region-file.ts';

export interface Generations {
  /** The manifests that can be read, the one to load first. */
  readonly manifests: readonly Manifest[];
  readonly damages: readonly Damage[];
  /** The newest generation that was committed, as far as can be known. */
  readonly committed: number;
  /** The highest number that any file of it has. */
  readonly highest: number;
  /** The highest generation whose manifest cannot be read; 0 if there is none. */
  readonly unread: number;
  /** Whether there is no world: no file of one, or what is left of one that was never saved. */
  readonly isEmpty: boolean;
}

/** Finds the generations of a world. Rejects with `SaveError` `BAD_FORMAT`, or with an error of the disk. */
export async function findGenerations(disk: Disk, folder: string): Promise<Generations> {
  const damages: Damage[] = [];
  const read = async (path: string): Promise<Manifest | null> => {
    try {
      return await readManifest(disk, join(folder, path));
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      damages.push(error);
      return null;
    }
  };
  const manifest = await read(MANIFEST);
  const isUnborn = manifest?.isUnborn === true;
  const current = isUnborn ? null : manifest;
  const numbers = await numbersIn(disk, folder);
  const others: Manifest[] = [];
  let unread = 0;
  for (const number of numbers.generation.sort((a, b) => b - a)) {
    const manifest = await read(generationPath(number));
    if (manifest === null) unread = Math.max(unread, number);
    else if (manifest.generation !== current?.generation) others.push(manifest);
  }
  // `world.json` says which is the newest; the others are there for when it cannot be read.
  const manifests = current === null ? others : [current, ...others];
  const all = [...numbers.generation, ...numbers.region, ...numbers.journal];
  const highest = Math.max(0, current?.generation ?? 0, ...all);
  return {
    manifests,
    damages,
    committed: manifests[0]?.generation ?? 0,
    highest,
    unread,
    isEmpty: manifests.length + damages.length === 0 && (isUnborn || highest === 0),
  };
}

/** Numbers of the files in each folder. */
async function numbersIn(
  disk: Disk,
  folder: string,
): Promise<Record<'generation' | 'region' | 'journal', number[]>> {
  const of = async (at: string, number: (name: string) => number | undefined): Promise<number[]> =>
    (await namesIn(disk, join(folder, at))).map(number).filter((found) => found !== undefined);
  return {
    generation: await of(FOLDERS.generations, generationOf.generation),
    region: await of(FOLDERS.regions, generationOf.region),
    journal: await of(FOLDERS.journal, generationOf.journal),
  };
}

/** Journals from that number on, in their order. */
export async function journalsFrom(disk: Disk, folder: string, first: number): Promise<number[]> {
  const { journal } = await numbersIn(disk, folder);
  return journal.filter((number) => number >= first).sort((a, b) => a - b);
}

export interface ReadRegions {
  readonly regions: ReadonlyMap<string, RegionRecords>;
  /** By region. */
  readonly damages: ReadonlyMap<string, Damage>;
}

/** Reads every region of a generation that is as it was written. */
export async function readRegions(
  disk: Disk,
  folder: string,
  manifest: Manifest,
): Promise<ReadRegions> {
  const regions = new Map<string, RegionRecords>();
  const damages = new Map<string, Damage>();
  for (const [region, { file, bytes, hash }] of Object.entries(manifest.regions)) {
    const path = join(folder, file);
    try {
      regions.set(region, readRegion(await checkedBytes(disk, path, bytes, hash), path));
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      damages.set(region, error);
    }
  }
  return { regions, damages };
}

async function checkedBytes(
  disk: Disk,
  path: string,
  length: number,
  hash: string,
): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await disk.read(path);
  } catch (error) {
    if (isMissing(error)) throw new Damage(path, 'is missing');
    throw diskError(error, `${path} cannot be read`);
  }
  if (bytes.length === 0) throw new Damage(path, 'is empty', bytes);
  if (bytes.length < length)
    throw new Damage(path, `is cut short: ${bytes.length} of ${length} bytes`, bytes);
  if (bytes.length > length || hashOfBytes(bytes) !== hash)
    throw new Damage(path, 'is not as it was written: some of its bytes are others', bytes);
  return bytes;
}

/** Keeps copies of damaged files, and tells of them. */
export async function reportDamages(
  disk: Disk,
  folder: string,
  damages: Iterable<Damage>,
): Promise<ImportEntry[]> {
  const entries: ImportEntry[] = [];
  for (const { path, bytes, message } of damages) {
    const quarantined = bytes === undefined ? null : await quarantine(disk, folder, path, bytes);
    const where = quarantined === null ? '' : ` A copy of it is kept as ${quarantined}.`;
    entries.push({ type: 'Damaged', file: path, quarantined, message: `${message}${where}` });
  }
  return entries;
}

/** Why a world is not opened, with all that can be done. */
export function refusal(
  folder: string,
  manifest: Manifest,
  damages: ReadonlyMap<string, Damage>,
): SaveError {
  const lost = [...damages.keys()].reduce(
    (sum, region) => sum + (manifest.regions[region]?.records ?? 0),
    0,
  );
  const what = [...damages.values()].map(({ message }) => message).join(' ');
  return new SaveError(
    'DAMAGED',
    `The world in ${folder} is damaged, and was not opened: ${what} It holds ${lost} of the records of generation ${manifest.generation}. ` +
      "Put the file back from a backup; or open the world with damaged: 'earlier', which takes the newest generation that is whole and what the journals have since; or with damaged: 'without', which leaves these records out. `offstage verify` says which of these it needs, and how. Nothing was deleted.",
  );
}
