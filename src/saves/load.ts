/**
 * Loading a world: the newest generation that is whole, then what the journals tell of the time since,
 * to the last mark. Nothing is written but copies of damaged files.
 */
import type { InstantState } from '../core/agenda.ts';
import { SaveError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import { DEFAULT_SETTINGS } from '../core/settings.ts';
import type { WorldSnapshot } from '../core/snapshot.ts';
import { restoreWorld, type World, type WorldOptions } from '../core/world.ts';
import { RememberedSessions } from '../protocol/remembered-sessions.ts';
import type { Disk } from './disk.ts';
import type { Damaged } from './document.ts';
import { decoded } from './encoding.ts';
import {
  type Generations,
  type ReadRegions,
  readRegions,
  refusal,
  reportDamages,
} from './generations.ts';
import type { ImportEntry } from './import-report.ts';
import { gapRefusal, type History, lastSign, readHistory } from './journals.ts';
import type { Manifest, Offline } from './manifest.ts';
import { recordsIn } from './records-in.ts';
import type { KeptRecord } from './region-file.ts';
import { type Following, followHistory } from './replay-history.ts';
import { checkSavable } from './savable.ts';

export interface Loaded {
  readonly world: World;
  readonly manifest: Manifest;
  /** The world as the generation has it, before the journals. */
  readonly base: WorldSnapshot;
  readonly kept: readonly KeptRecord[];
  /** Regions that have to be written although no record of them changes. */
  readonly dirty: ReadonlySet<string>;
  readonly sessions: RememberedSessions;
  readonly entries: readonly ImportEntry[];
  /** Commands of the journals that were carried out. */
  readonly replayed: number;
  /** Hashes of the journals that the world was compared with. */
  readonly compared: number;
  readonly offline: Offline | undefined;
  /** The last sign of life, in real milliseconds since 1970. */
  readonly aliveAt: number;
  /** Whether kinds or records are other than they were saved. */
  readonly isChanged: boolean;
}

/** How to follow the journals. */
export interface Replaying {
  /** The game time to stop at, in milliseconds. Default: where they end. */
  readonly until?: number | undefined;
  /** Whether hashes are compared although kinds are other than they were. */
  readonly comparesAlways?: boolean;
  /** Given the world as the generation has it, before anything happens. */
  readonly before?: ((world: World) => void) | undefined;
}

/** Rank of commands that clients gave; their ids are those of the sessions. */
const CLIENT_RANK = 1;

/** Settings that say how results are worked out, not what they are: they may be given anew at each start. */
const FREE = [
  'eventsPerFrame',
  'eventsPerRecordPerFrame',
  'regionSize',
  'relevancyRadius',
  'flushesPerSecond',
  'dormantAfter',
  'autosaveSeconds',
  'offlineCatchUp',
] as const satisfies readonly (keyof Settings)[];

/** Loads a world. Rejects with `SaveError` `DAMAGED` unless it was said what to do about that. */
export async function loadWorld(
  disk: Disk,
  folder: string,
  found: Generations,
  options: WorldOptions,
  damaged: Damaged,
  { until, before, comparesAlways = false }: Replaying = {},
): Promise<Loaded> {
  const entries = await reportDamages(disk, folder, found.damages);
  const { manifest, regions, damages } = await chosen(disk, folder, found, damaged, entries);
  if (damages.size > 0) {
    entries.push(...(await reportDamages(disk, folder, damages.values())));
    for (const region of damages.keys()) entries.push(leftOut(manifest, region));
  }
  const { journal, commands } = manifest;
  const history = await readHistory(disk, folder, journal, commands, found.committed);
  if (history.gap !== undefined && damaged === 'refuse') throw gapRefusal(folder, history.gap);
  entries.push(...history.notes);
  if (history.gap !== undefined) entries.push(journalGap(history.gap));

  const instant =
    manifest.instant === undefined ? undefined : decoded<InstantState>(manifest.instant);
  const records = recordsIn(manifest, regions, options.kinds, instant);
  const world = restoreWorld(
    {
      kinds: options.kinds,
      seed: manifest.seed,
      settings: settingsOf(manifest, options),
      savable: checkSavable,
    },
    {
      time: manifest.time,
      instant,
      clock: manifest.clock,
      commands: manifest.commands,
      records: records.records,
    },
  );
  entries.push(...records.entries);
  if (damages.size === 0) {
    const hash = records.isChanged ? records.stateHash() : world.hash();
    if (hash !== manifest.stateHash)
      entries.push(otherHash(manifest.time, manifest.stateHash, hash, 'The generation'));
  }
  const base = world.snapshot();
  const sessions = RememberedSessions.from(manifest.sessions);
  before?.(world);
  const compares = comparesAlways || !records.isChanged;
  const followed = carriedOut(world, manifest, history, sessions, entries, { until, compares });
  return {
    world,
    manifest,
    base,
    kept: records.kept,
    dirty: new Set([...records.dirty, ...damages.keys()]),
    sessions,
    entries,
    ...followed,
    aliveAt: lastSign(history, manifest.savedAt),
    isChanged: records.isChanged,
  };
}

/** The generation to load, with its records. */
async function chosen(
  disk: Disk,
  folder: string,
  { manifests, damages }: Generations,
  damaged: Damaged,
  entries: ImportEntry[],
): Promise<ReadRegions & { readonly manifest: Manifest }> {
  const [newest] = manifests;
  if (newest === undefined) {
    const what = damages.map(({ message }) => message).join(' ');
    throw new SaveError(
      'DAMAGED',
      `The world in ${folder} has no manifest that can be read, and was not opened: ${what || 'world.json is missing.'} Put world.json back from a backup. Nothing was deleted.`,
    );
  }
  const first = await readRegions(disk, folder, newest);
  if (first.damages.size === 0) return { manifest: newest, ...first };
  if (damaged === 'without') return { manifest: newest, ...first };
  if (damaged === 'refuse') {
    // The copies are for whoever repairs the world; the files themselves stay where they are.
    await reportDamages(disk, folder, first.damages.values());
    throw refusal(folder, newest, first.damages);
  }
  entries.push(...(await reportDamages(disk, folder, first.damages.values())));
  for (const manifest of manifests.slice(1)) {
    const read = await readRegions(disk, folder, manifest);
    if (read.damages.size > 0) continue;
    entries.push({
      type: 'EarlierGeneration',
      generation: manifest.generation,
      newest: newest.generation,
      message: `Generation ${newest.generation} is damaged. The world is generation ${manifest.generation}, and what the journals have of the time since.`,
    });
    return { manifest, ...read };
  }
  throw new SaveError(
    'DAMAGED',
    `The world in ${folder} has no generation that is whole, and was not opened. ${[...first.damages.values()].map(({ message }) => message).join(' ')} Put the file back from a backup, or open the world with damaged: 'without', which leaves its records out. Nothing was deleted.`,
  );
}

function settingsOf(manifest: Manifest, { settings = {} }: WorldOptions): Partial<Settings> {
  const saved = decoded(manifest.settings);
  const free = Object.fromEntries(
    FREE.filter((name) => settings[name] !== undefined).map((name) => [name, settings[name]]),
  );
  const { freeze = DEFAULT_SETTINGS.freeze } = settings;
  return { ...saved, ...free, freeze };
}

/** Carries out what the journals tell. */
function carriedOut(
  world: World,
  manifest: Manifest,
  { entries: history }: History,
  sessions: RememberedSessions,
  entries: ImportEntry[],
  { until, compares }: { readonly until: number | undefined; readonly compares: boolean },
): Pick<Loaded, 'replayed' | 'compared' | 'offline'> {
  let replayed = 0;
  let compared = 0;
  let { offline } = manifest;
  const following: Following = {
    command: ({ n, time, source, seq, command, result, real }, isSame) => {
      replayed += 1;
      offline = offlineAfter(offline, time, command, result.accepted);
      if (source.rank === CLIENT_RANK)
        sessions.remember(source.id, seq, result.accepted ? { ...result, time } : result, real);
      if (isSame) return;
      const type = command?.type ?? 'send';
      entries.push({
        type: 'OtherResult',
        n,
        command: type,
        message: `Command ${n} (${type}, at ${time} ms) of the journal had another result than when it was first carried out. Was a kind changed since?`,
      });
    },
    hash: (time, expected, found) => {
      if (!compares) return;
      compared += 1;
      if (found !== expected) entries.push(otherHash(time, expected, found, 'The journal'));
    },
  };
  followHistory(world, history, following, until);
  return { replayed, compared, offline };
}

/** What a world catches up with, after a command. */
export function offlineAfter(
  offline: Offline | undefined,
  time: number,
  command: { readonly type: string; readonly milliseconds?: unknown } | null,
  isAccepted: boolean,
): Offline | undefined {
  if (!isAccepted || command === null) return offline;
  if (command.type === 'offline')
    return { began: time, until: time + (command.milliseconds as number) };
  return command.type === 'shiftTo' ? undefined : offline;
}

function leftOut(manifest: Manifest, region: string): ImportEntry {
  const records = manifest.regions[region]?.records ?? 0;
  return {
    type: 'LeftOut',
    region,
    records,
    message: `The ${records} records of region ${region} were left out, as asked: their file is damaged.`,
  };
}

function journalGap(gap: string): ImportEntry {
  return {
    type: 'JournalGap',
    message: `${gap}. The world is as far as the journals go; the later commands were given up, as asked.`,
  };
}

function otherHash(time: number, expected: string, found: string, of: string): ImportEntry {
  return {
    type: 'OtherHash',
    expected,
    found,
    time,
    message: `${of} has the hash ${expected} for the world at ${time} ms, and it is ${found}. Was a kind or Offstage itself changed since? \`offstage replay\` finds where they part.`,
  };
}
