/** Opening a world document: its lock, what was saved, what the journals tell since, and the time it was away. */
import { basename, dirname, join, resolve } from 'node:path';
import { SaveError } from '../core/errors.ts';
import { createWorld, type World } from '../core/world.ts';
import { RememberedSessions } from '../protocol/remembered-sessions.ts';
import type { Disk } from './disk.ts';
import type { OpenOptions, Trouble, WorldDocument } from './document.ts';
import { decoded, encoded } from './encoding.ts';
import { diskError } from './files.ts';
import { findGenerations } from './generations.ts';
import type { ImportEntry, ImportReport } from './import-report.ts';
import { FOLDERS, MANIFEST } from './layout.ts';
import { type Loaded, loadWorld } from './load.ts';
import { type Lock, takeLock } from './lock.ts';
import { FORMAT, type Manifest, writeManifest } from './manifest.ts';
import { nodeDisk } from './node-disk.ts';
import { OpenDocument } from './open-document.ts';
import { type RealTime, realTime } from './real-time.ts';
import { checkSavable } from './savable.ts';

/**
 * Opens the world that is kept in a folder, or makes a new one there. The world goes on exactly where a
 * crash or a close left it. Rejects with `SaveError`: `LOCKED` (another process has it), `DAMAGED` (a
 * file is not as it was written), `BAD_FORMAT`, `READ_ONLY`, `NO_SPACE`, `DISK_FAILED`; or with what
 * `createWorld` throws. Nothing is deleted that was not understood.
 *
 * @example
 * const document = await openWorld('saves/valley', { kinds });
 * document.world.add({ id: 'camp-1', kind: 'camp', at: [0, 0], input: { huts: 2 } });
 * await document.close();
 */
export async function openWorld(folder: string, options: OpenOptions): Promise<WorldDocument> {
  const { disk = nodeDisk, time = realTime, name = basename(resolve(folder)) } = options;
  try {
    await disk.makeFolder(folder);
  } catch (error) {
    throw diskError(error, `The folder ${folder} cannot be made`);
  }
  const lock = await takeLock(disk, folder);
  let document: OpenDocument | undefined;
  try {
    document = await opened({ folder, options, disk, time, name, lock });
    return document;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Whether a world is kept in a folder, whole or damaged. Rejects with `SaveError` if that cannot be read.
 *
 * @example
 * if (!(await hasWorld('saves/valley'))) console.log('There is no world yet.');
 */
export async function hasWorld(folder: string, disk: Disk = nodeDisk): Promise<boolean> {
  return !(await findGenerations(disk, folder)).isEmpty;
}

interface Opening {
  readonly folder: string;
  readonly options: OpenOptions;
  readonly disk: Disk;
  readonly time: RealTime;
  readonly name: string;
  readonly lock: Lock;
}

async function opened(opening: Opening): Promise<OpenDocument> {
  const { folder, options, disk } = opening;
  const found = await findGenerations(disk, folder);
  try {
    for (const within of [FOLDERS.generations, FOLDERS.regions, FOLDERS.journal])
      await disk.makeFolder(join(folder, within));
    await disk.syncFolder(folder);
  } catch (error) {
    throw diskError(error, `The folder ${folder} cannot be written`);
  }
  if (found.isEmpty) return newDocument(opening, found.highest);
  const loaded = await loadWorld(disk, folder, found, options, options.damaged ?? 'refuse');
  const { world, manifest, base } = loaded;
  const entries: ImportEntry[] = [...loaded.entries];
  const document = new OpenDocument({
    ...opening,
    world,
    sessions: loaded.sessions,
    report: reportOf(world, loaded, entries),
    base: { manifest, snapshot: base },
    // Later ones, if it is an earlier one that was loaded, are kept like it.
    generations: [...found.manifests].sort((a, b) => b.generation - a.generation),
    highest: found.highest,
    // What is damaged and could not be copied is not to be deleted either.
    unread: entries.some((entry) => entry.type === 'Damaged' && entry.quarantined === null)
      ? found.highest
      : found.unread,
    kept: loaded.kept,
    dirty: loaded.dirty,
    offline: loaded.offline,
    autosave: options.autosave ?? true,
    baseRegionSize: decoded(manifest.settings).regionSize,
  });
  try {
    // A journal never crosses a change of kinds, nor a choice between what is left of a damaged world.
    const isOther = loaded.isChanged || loaded.dirty.size > 0 || manifest !== found.manifests[0];
    if (isOther) await document.save();
    await catchUpOffline(document, opening, loaded, entries);
    shiftTo(world, options.at, entries);
    await durable(document);
    return document;
  } catch (error) {
    await document.close({ save: false });
    throw error;
  }
}

async function newDocument(opening: Opening, highest: number): Promise<OpenDocument> {
  const { options, disk, folder } = opening;
  const { kinds, seed, startAt, settings, begin } = options;
  const world = createWorld({
    kinds,
    ...(seed === undefined ? {} : { seed }),
    ...(startAt === undefined ? {} : { startAt }),
    ...(settings === undefined ? {} : { settings }),
    savable: checkSavable,
  });
  begin?.(world);
  try {
    // The folder itself is as new as what is in it.
    await disk.syncFolder(dirname(resolve(folder)));
    await writeManifest(disk, join(folder, MANIFEST), unborn(opening, world));
  } catch (error) {
    throw diskError(error, `The folder ${folder} cannot be written`);
  }
  const document = new OpenDocument({
    ...opening,
    world,
    sessions: new RememberedSessions(),
    report: {
      isNew: true,
      generation: 0,
      records: world.size,
      kept: 0,
      replayed: 0,
      time: world.time,
      entries: [],
    },
    base: undefined,
    generations: [],
    highest,
    unread: 0,
    kept: [],
    dirty: new Set(),
    offline: undefined,
    autosave: options.autosave ?? true,
    baseRegionSize: world.settings.regionSize,
  });
  try {
    await document.save();
    await durable(document);
    return document;
  } catch (error) {
    await document.close({ save: false });
    throw error;
  }
}

/** Resolves once the world can be gone on with; rejects if its journal cannot be written. */
function durable(document: OpenDocument): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = ({ code, message }: Trouble): void => reject(new SaveError(code, message));
    const { trouble } = document.health;
    if (trouble !== null) refuse(trouble);
    const stop = document.on('trouble', refuse);
    document.whenDurable(() => {
      stop();
      resolve();
    });
  });
}

/** What stands in place of a manifest until there is one. */
function unborn({ name, time }: Opening, world: World): Manifest {
  return {
    format: FORMAT,
    world: name,
    seed: world.seed,
    generation: 0,
    isUnborn: true,
    time: world.time,
    clock: { time: world.time, speed: 1, paused: false },
    commands: 0,
    savedAt: time.now(),
    kinds: {},
    regions: {},
    sessions: {},
    journal: 0,
    stateHash: '',
    settings: encoded(world.settings),
  };
}

function reportOf(
  world: World,
  { manifest, kept, replayed }: Loaded,
  entries: readonly ImportEntry[],
): ImportReport {
  return {
    isNew: false,
    generation: manifest.generation,
    records: world.size,
    kept: kept.length,
    replayed,
    time: world.time,
    entries,
  };
}

/** Real milliseconds that a stretch of catching up keeps the thread. */
const STRETCH = 8;
/** Real milliseconds between looks at a journal that has failed. */
const LOOK_AGAIN = 100;

/**
 * Lets the world run on for the time it was not running, then sets its clock back to where it stood. A
 * crash in the middle goes on from there at the next start, and what was caught up is not again.
 */
async function catchUpOffline(
  document: OpenDocument,
  { options, time }: Opening,
  { aliveAt }: Loaded,
  entries: ImportEntry[],
): Promise<void> {
  const { world } = document;
  const { offlineCatchUp } = world.settings;
  if (document.offline === undefined) {
    const away = Math.max(0, time.now() - aliveAt);
    if (offlineCatchUp === 'none' || away === 0 || world.clock.paused) return;
    // What it had not done when it ended comes first.
    while (world.clock.time > world.time) await runOn(document, time);
    const milliseconds = Math.min(away, offlineCatchUp.upToHours * 3_600_000) * world.clock.speed;
    const result = world.execute({ type: 'offline', milliseconds }, OFFLINE_SOURCE);
    if (!result.accepted) throw new SaveError(result.code, result.message);
  }
  const { offline } = document;
  if (offline === undefined) return;
  const { began, until } = offline;
  while (world.time < until) {
    await runOn(document, time);
    options.catchingUp?.(world.time - began, until - began);
  }
  world.shiftTo(began);
  const milliseconds = until - began;
  entries.push({
    type: 'Offline',
    milliseconds,
    message: `The world ran on by ${milliseconds} ms of game time for the time it was not running, and its clock stands at ${began} ms as before.`,
  });
}

/** Runs the world towards its clock for a moment, and lets others have the thread. */
async function runOn({ world, health }: OpenDocument, time: RealTime): Promise<void> {
  if (health.state === 'held') {
    await new Promise<void>((done) => time.after(LOOK_AGAIN, done));
    return;
  }
  const begun = time.stopwatch();
  world.frame(0, { mayGoOn: () => time.stopwatch() - begun < STRETCH });
  await time.pause();
}

const OFFLINE_SOURCE = Object.freeze({ rank: 0, id: 'offline' });

function shiftTo(world: World, at: number | undefined, entries: ImportEntry[]): void {
  if (at === undefined || at === world.time) return;
  const by = at - world.time;
  world.shiftTo(at);
  entries.push({
    type: 'Shifted',
    by,
    message: `Every time of the world was moved along by ${by} ms, as asked: it is ${world.time} ms.`,
  });
}
