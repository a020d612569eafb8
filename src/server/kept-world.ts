/**
 * The world that a server runs: as its document has it, and made of its seed the first time. Whatever
 * came of loading it is in the log.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { SaveError, WorldError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import { NAME_PATTERN } from '../core/names.ts';
import { changedSettings, DEFAULT_SETTINGS } from '../core/settings.ts';
import type { World } from '../core/world.ts';
import { checkSizes } from '../replication/interest.ts';
import type { Disk } from '../saves/disk.ts';
import type { Damaged, OpenOptions, WorldDocument } from '../saves/document.ts';
import type { ImportEntry, ImportReport } from '../saves/import-report.ts';
import { hasWorld, openWorld } from '../saves/open-world.ts';
import { readSeed } from './seed-file.ts';

export interface KeptWorldOptions {
  /** The world's name; its document is `<savesDir>/<name>/`. */
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly savesDir: string;
  /** The file of its seed. */
  readonly seed: string;
  /** What to do about files that are not as they were written. */
  readonly damaged: Damaged;
  readonly disk: Disk | undefined;
  readonly log: Logger;
}

/** Real milliseconds between two lines of the log on how far it has caught up. */
const TELL_EVERY = 5000;

/** Opens it, caught up with the time it was away. Rejects as `openWorld` and `readSeed` do. */
export async function openKeptWorld(options: KeptWorldOptions): Promise<WorldDocument> {
  const { name, kinds, savesDir, seed, damaged, disk, log } = options;
  if (!NAME_PATTERN.test(name)) {
    throw new SaveError(
      'BAD_NAME',
      `'${name}' is no name of a world; use lower case letters, digits, '-' and '_', a letter or digit first.`,
    );
  }
  const folder = join(savesDir, name);
  // In development a machine that changes its context in place fails at once, and says so.
  const freeze = process.env.NODE_ENV !== 'production';
  const isKept = await hasWorld(folder, disk);
  // A world that goes on needs its seed no more, and has settings of its own.
  const beginning = isKept ? { settings: { freeze } } : await beginningOf(seed, name, freeze);
  let toldAt = performance.now();
  const document = await openWorld(folder, {
    ...beginning,
    ...(disk === undefined ? {} : { disk }),
    name,
    kinds,
    damaged,
    catchingUp: (done, of) => {
      if (performance.now() - toldAt < TELL_EVERY) return;
      toldAt = performance.now();
      log.info(`Catching up with the time it was not running: ${Math.floor((done / of) * 100)} %.`);
    },
  });
  const { world, report } = document;
  tell(report, isKept ? folder : seed, document, log);
  for (const warning of world.warnings) log.warn(warning);
  return document;
}

/** What a new world begins with. Whatever is wrong with it is said to be wrong with the seed. */
async function beginningOf(
  path: string,
  name: string,
  freeze: boolean,
): Promise<Pick<OpenOptions, 'seed' | 'startAt' | 'settings' | 'begin'>> {
  const { seed, startAt = 0, settings: given = {}, records } = await readSeed(path, name);
  const settings = { freeze, ...given };
  const ofSeed = <T>(run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof WorldError)) throw error;
      throw new WorldError(error.code, `${path}: ${error.message}`, { cause: error });
    }
  };
  ofSeed(() => checkSizes(changedSettings(DEFAULT_SETTINGS, settings)));
  const begin = (world: World): void => ofSeed(() => world.add(records));
  return { seed, startAt, settings, begin };
}

/** What is only as it was asked for, or as every crash leaves it. */
const EXPECTED = new Set<ImportEntry['type']>(['Migrated', 'MigrateNote', 'Offline', 'Shifted']);

function tell(
  { isNew, entries, records, replayed, time }: ImportReport,
  from: string,
  { generation, name }: WorldDocument,
  log: Logger,
): void {
  for (const entry of entries) {
    const isExpected =
      EXPECTED.has(entry.type) || (entry.type === 'JournalEnds' && !entry.isDamaged);
    log[isExpected ? 'info' : 'warn']({ found: entry.type }, entry.message);
  }
  const journaled = replayed === 0 ? '' : `, with ${replayed} commands of its journal`;
  log.info(
    { world: name, generation, records, gameTime: time },
    isNew
      ? `A new world '${name}' begins, from ${from}; records: ${records}.`
      : `World '${name}' goes on from ${from}${journaled}; records: ${records}.`,
  );
}
