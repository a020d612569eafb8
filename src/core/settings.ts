/**
 * A world's settings. Those marked "result" change what happens and belong to the world document;
 * changing one is a command. The others change only when or how it is worked out.
 */
import { WorldError } from './errors.ts';

export interface Settings {
  /** Events a frame may take before the rest becomes backlog. */
  readonly eventsPerFrame: number;
  /** Events of one record in a frame beyond which it is named as hot. */
  readonly eventsPerRecordPerFrame: number;
  /** Result: iterations at one game time before the records still due fault with `INSTANT_LOOP`. */
  readonly iterationsPerInstant: number;
  /** Result: game milliseconds between steps of kinds with `step: 'coarse'`. */
  readonly coarseStep: number;
  /** Result: game milliseconds between steps of kinds with `step: 'frame'`. */
  readonly frameStep: number;
  /** Result: side of a cell in world units. */
  readonly cellSize: number;
  /** Side of a region in world units. */
  readonly regionSize: number;
  /** How far a client sees, in world units. */
  readonly relevancyRadius: number;
  readonly flushesPerSecond: number;
  /** Real milliseconds without change after which a replicator rests. */
  readonly dormantAfter: number;
  readonly autosaveSeconds: number;
  /** What a world does about the real time it was not running. */
  readonly offlineCatchUp: 'none' | { readonly upToHours: number };
  /** Deep-freezes contexts and names who mutates or fills them with what cannot be saved. */
  readonly freeze: boolean;
}

export const DEFAULT_SETTINGS: Settings = Object.freeze({
  eventsPerFrame: 2000,
  eventsPerRecordPerFrame: 1000,
  iterationsPerInstant: 1000,
  coarseStep: 1000,
  frameStep: 50,
  cellSize: 10_000,
  regionSize: 100_000,
  relevancyRadius: 15_000,
  flushesPerSecond: 5,
  dormantAfter: 5000,
  autosaveSeconds: 60,
  offlineCatchUp: 'none',
  freeze: false,
});

const WHOLE = new Set<keyof Settings>([
  'eventsPerFrame',
  'eventsPerRecordPerFrame',
  'iterationsPerInstant',
]);
/** Stretches of game time, which has a grid of 1/1024 ms. */
const IN_TIME = new Set<keyof Settings>(['coarseStep', 'frameStep']);
const MAY_BE_INFINITE = new Set<keyof Settings>(['eventsPerFrame', 'eventsPerRecordPerFrame']);

function check(name: keyof Settings, value: unknown): void {
  if (name === 'freeze') {
    if (typeof value !== 'boolean') throw badSetting(name, value, 'true or false');
    return;
  }
  if (name === 'offlineCatchUp') {
    const hours =
      typeof value === 'object' && value !== null
        ? (value as { upToHours?: unknown }).upToHours
        : undefined;
    if (value !== 'none' && !(typeof hours === 'number' && hours > 0)) {
      throw badSetting(name, value, "'none' or { upToHours: a number above 0 }");
    }
    return;
  }
  if (MAY_BE_INFINITE.has(name) && value === Number.POSITIVE_INFINITY) return;
  if (typeof value !== 'number' || !(value > 0) || value === Number.POSITIVE_INFINITY) {
    throw badSetting(name, value, 'a finite number above 0');
  }
  if (IN_TIME.has(name) && value < 1 / 1024) throw badSetting(name, value, 'at least 1/1024 ms');
  if (WHOLE.has(name) && !Number.isInteger(value))
    throw badSetting(name, value, 'a whole number above 0');
}

function badSetting(name: string, value: unknown, wanted: string): WorldError {
  return new WorldError(
    'BAD_SETTING',
    `settings.${name} is ${String(value)}; it must be ${wanted}.`,
  );
}

/** Settings changed by those given. Throws `BAD_SETTING` naming the one that cannot be. */
export function changedSettings(base: Settings, change: Partial<Settings>): Settings {
  if (typeof change !== 'object' || change === null) {
    throw new WorldError('BAD_SETTING', `Settings are an object, not ${String(change)}.`);
  }
  const settings: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(change)) {
    if (!Object.hasOwn(DEFAULT_SETTINGS, name)) {
      throw new WorldError(
        'BAD_SETTING',
        `settings.${name} is not a setting; there are: ${Object.keys(DEFAULT_SETTINGS).join(', ')}.`,
      );
    }
    if (value === undefined) continue;
    check(name as keyof Settings, value);
    settings[name] = value;
  }
  return Object.freeze(settings) as unknown as Settings;
}
