/**
 * Looking at a saved world without opening it: what is in it, whether every byte is as it was written,
 * and whether the journals, carried out again, give what they gave. Nothing is written. A world that
 * somebody has open may change under the eyes of whoever looks; ask its server instead.
 */
import { basename } from 'node:path';
import { SaveError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import type { World } from '../core/world.ts';
import type { Disk } from './disk.ts';
import type { Damaged } from './document.ts';
import { findGenerations, type Generations, readRegions } from './generations.ts';
import type { ImportEntry, ImportReport } from './import-report.ts';
import { type Loaded, loadWorld } from './load.ts';
import type { Damage, Manifest } from './manifest.ts';
import { nodeDisk } from './node-disk.ts';
import { readOnly } from './read-only-disk.ts';

export interface ExamineOptions {
  readonly kinds: readonly Kind[];
  /** Where files are; for tests. */
  readonly disk?: Disk;
}

/** A world as it would be if it were opened now. It is not kept: what happens to it is lost. */
export interface ReadWorld {
  readonly world: World;
  /** When the generation it is from was saved, in real milliseconds since 1970. */
  readonly savedAt: number;
  readonly report: ImportReport;
}

/**
 * Reads a world, to look at it. Rejects with `SaveError` as `openWorld` does, but for `LOCKED`; with
 * `NO_WORLD` if there is none.
 *
 * @example
 * const { world } = await readWorld('saves/valley', { kinds });
 * for (const record of world.query({ kind: 'camp' })) console.log(record.id, record.value);
 */
export async function readWorld(
  folder: string,
  { kinds, disk = nodeDisk, damaged = 'refuse' }: ExamineOptions & { readonly damaged?: Damaged },
): Promise<ReadWorld> {
  const looking = readOnly(disk);
  const found = await existing(looking, folder);
  const loaded = await loadWorld(looking, folder, found, { kinds }, damaged);
  const { world, manifest, kept, replayed, entries } = loaded;
  return {
    world,
    savedAt: manifest.savedAt,
    report: {
      isNew: false,
      generation: manifest.generation,
      records: world.size,
      kept: kept.length,
      replayed,
      time: world.time,
      entries,
    },
  };
}

/** One generation, and what is wrong with it. */
export interface VerifiedGeneration {
  readonly generation: number;
  /** In real milliseconds since 1970. */
  readonly savedAt: number;
  /** Game time in milliseconds. */
  readonly time: number;
  readonly records: number;
  readonly regions: number;
  /** What is missing or not as it was written, in words. */
  readonly damages: readonly string[];
}

export interface VerifyReport {
  /** Whether every file is as it was written, and the world is what its journals make of it. */
  readonly isWell: boolean;
  readonly world: string;
  /** The newest first. */
  readonly generations: readonly VerifiedGeneration[];
  /** What is wrong, in words. */
  readonly problems: readonly string[];
  /** What can be done about it, in words; nothing if it is well. */
  readonly cures: readonly string[];
  /** What a load would tell beside: kinds that changed, records that are kept. */
  readonly notes: readonly string[];
  /** Commands of the journals that were carried out again, and hashes compared on the way. */
  readonly replayed: number;
  readonly compared: number;
  /** The hash of the world as it would be opened; null if it cannot be. */
  readonly stateHash: string | null;
}

/**
 * Checks every byte of a saved world, and carries its journals out again. Rejects with `SaveError`
 * `NO_WORLD` if there is none, and for what the disk refuses; everything else is in the report.
 */
export async function verifyWorld(folder: string, options: ExamineOptions): Promise<VerifyReport> {
  const disk = readOnly(options.disk ?? nodeDisk);
  const found = await existing(disk, folder);
  const generations: VerifiedGeneration[] = [];
  const problems = found.damages.map(({ message }) => message);
  for (const manifest of found.manifests) {
    const { damages } = await readRegions(disk, folder, manifest);
    generations.push(verified(manifest, [...damages.values()]));
  }
  for (const { damages } of generations) {
    for (const damage of damages) if (!problems.includes(damage)) problems.push(damage);
  }
  const notes: string[] = [];
  let loaded: Loaded | undefined;
  try {
    loaded = await loadWorld(disk, folder, found, { kinds: options.kinds }, 'earlier', {
      comparesAlways: true,
    });
    for (const entry of loaded.entries) {
      if (entry.type === 'Damaged' || entry.type === 'EarlierGeneration') continue;
      (isProblem(entry) ? problems : notes).push(entry.message);
    }
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    problems.push(error.message);
  }
  return {
    isWell: problems.length === 0,
    world: found.manifests[0]?.world ?? '',
    generations,
    problems,
    cures: curesOf(folder, found, generations, loaded),
    notes,
    replayed: loaded?.replayed ?? 0,
    compared: loaded?.compared ?? 0,
    stateHash: loaded?.world.hash() ?? null,
  };
}

function verified(manifest: Manifest, damages: readonly Damage[]): VerifiedGeneration {
  const regions = Object.values(manifest.regions);
  return {
    generation: manifest.generation,
    savedAt: manifest.savedAt,
    time: manifest.time,
    records: regions.reduce((sum, { records }) => sum + records, 0),
    regions: regions.length,
    damages: damages.map(({ message }) => message),
  };
}

/** Whether an entry says that something is not as it was written, or not as it was. */
function isProblem(entry: ImportEntry): boolean {
  switch (entry.type) {
    case 'OtherHash':
    case 'OtherResult':
    case 'JournalGap':
    case 'LeftOut':
      return true;
    case 'JournalEnds':
      return entry.isDamaged;
    default:
      return false;
  }
}

function curesOf(
  folder: string,
  found: Generations,
  generations: readonly VerifiedGeneration[],
  loaded: Loaded | undefined,
): string[] {
  const cures: string[] = [];
  const [newest, ...older] = generations;
  const name = basename(folder);
  if (newest !== undefined && newest.damages.length > 0) {
    cures.push(`Put the damaged files back from a backup of ${folder}, if there is one.`);
    const whole = generations.find(({ damages }) => damages.length === 0);
    if (whole === undefined) {
      cures.push(
        `No generation is whole: \`offstage serve ${name} --damaged without\` leaves the records of the damaged regions out, and keeps the files. In code: damaged: 'without'.`,
      );
    } else {
      cures.push(
        `\`offstage serve ${name} --damaged earlier\` takes generation ${whole.generation} with what the journals have of the time since, so that nothing is lost. In code: damaged: 'earlier'.`,
        `\`offstage restore ${name} --generation ${whole.generation}\` goes back to that generation itself.`,
      );
    }
  } else if (older.some(({ damages }) => damages.length > 0)) {
    cures.push(
      'The newest generation is whole, so the world is opened as ever; what is damaged goes once three more are saved.',
    );
  }
  if (found.damages.length > 0 && found.manifests.length > 0) {
    cures.push('A damaged manifest is written anew by the next save; start the world as ever.');
  }
  if (loaded?.entries.some(({ type }) => type === 'OtherHash' || type === 'OtherResult') === true) {
    cures.push(
      'The world is not what its journals make of it. If a kind was changed, go on: the next save is the new beginning. If none was, report it, with the folder of the world.',
    );
  }
  return cures;
}

export interface ReplayReport {
  /** The generation the replay began with: the oldest that is whole. */
  readonly generation: number;
  readonly commands: number;
  /** Hashes that were compared. */
  readonly compared: number;
  /** Game times in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly stateHash: string;
  /** The first mark whose hash differs; null if all are the same. */
  readonly firstDifference: {
    /** Game time in milliseconds. */
    readonly time: number;
    readonly expected: string;
    readonly found: string;
  } | null;
  /** Everything that was not as it was the first time, in words. */
  readonly problems: readonly string[];
}

/**
 * Carries out all that the journals hold, from the oldest generation that is whole, and compares. Rejects
 * with `SaveError`: `NO_WORLD`, or `DAMAGED` if no generation is whole or a journal is missing.
 */
export async function replayWorld(
  folder: string,
  options: ExamineOptions & {
    /** The game time to stop at, in milliseconds. Default: where the journals end. */
    readonly until?: number;
    /** Given the world before anything happens: to listen to its events. */
    readonly watch?: (world: World) => void;
  },
): Promise<ReplayReport> {
  const disk = readOnly(options.disk ?? nodeDisk);
  const found = await existing(disk, folder);
  let from = 0;
  const before = (world: World): void => {
    from = world.time;
    options.watch?.(world);
  };
  const { until, kinds } = options;
  const loaded = await fromTheOldest(folder, found, (only) =>
    loadWorld(disk, folder, only, { kinds }, 'refuse', { until, before, comparesAlways: true }),
  );
  const problems = loaded.entries.filter(isProblem);
  const first = problems.find((entry) => entry.type === 'OtherHash');
  return {
    generation: loaded.manifest.generation,
    commands: loaded.replayed,
    compared: loaded.compared + 1,
    from,
    to: loaded.world.time,
    stateHash: loaded.world.hash(),
    firstDifference:
      first === undefined
        ? null
        : { time: first.time, expected: first.expected, found: first.found },
    problems: problems.map(({ message }) => message),
  };
}

/** Loads the oldest generation that is whole, with all journals since. */
async function fromTheOldest(
  folder: string,
  found: Generations,
  load: (only: Generations) => Promise<Loaded>,
): Promise<Loaded> {
  const byAge = [...found.manifests].sort((a, b) => a.generation - b.generation);
  for (const manifest of byAge) {
    try {
      return await load({ ...found, manifests: [manifest] });
    } catch (error) {
      // The next one may be whole, or have no gap behind it.
      if (!(error instanceof SaveError) || error.code !== 'DAMAGED') throw error;
    }
  }
  throw new SaveError(
    'DAMAGED',
    `The world in ${folder} has no generation that is whole, so there is nothing to begin with. \`offstage verify\` says what is wrong with each.`,
  );
}

/** The generations of a world that is there. */
async function existing(disk: Disk, folder: string): Promise<Generations> {
  const found = await findGenerations(disk, folder);
  if (!found.isEmpty) return found;
  throw new SaveError(
    'NO_WORLD',
    `There is no saved world in ${folder}. Is the name right? A world is saved as soon as it is served or opened for the first time.`,
  );
}
