/** Which records are shown: chosen, and never so many that an inspector would drown in them. */
import { CommandError } from '../../core/errors.ts';
import type { ShownRecord } from './source.ts';

/** Records an inspector is shown at the most. */
export const MOST_SHOWN = 50;

/** How one says which records; all that fit any of them are shown. */
export const HOW_TO_CHOOSE = 'an id, kind:<name>, or near:<x>,<y>,<radius>';

type Choice = (record: ShownRecord) => boolean;

/**
 * The records that fit, at most `MOST_SHOWN`; of each kind one, if nothing is asked for. Throws
 * `BAD_ADDRESS` for what says nothing, `NOTHING_FOUND` if no record fits.
 */
export function chosenRecords(
  records: readonly ShownRecord[],
  wanted: readonly string[],
): { readonly shown: readonly ShownRecord[]; readonly left: number } {
  const fitting = wanted.length === 0 ? oneOfEachKind(records) : fittingAny(records, wanted);
  return { shown: fitting.slice(0, MOST_SHOWN), left: Math.max(0, fitting.length - MOST_SHOWN) };
}

function oneOfEachKind(records: readonly ShownRecord[]): ShownRecord[] {
  return records.filter((record, i) => records.findIndex(({ kind }) => kind === record.kind) === i);
}

function fittingAny(records: readonly ShownRecord[], wanted: readonly string[]): ShownRecord[] {
  const choices = wanted.map(choiceOf);
  for (const [i, fits] of choices.entries()) {
    if (records.some(fits)) continue;
    throw new CommandError(
      'NOTHING_FOUND',
      `No record fits '${wanted[i]}'; give ${HOW_TO_CHOOSE}.`,
    );
  }
  return records.filter((record) => choices.some((fits) => fits(record)));
}

function choiceOf(text: string): Choice {
  const [, way, rest = ''] = /^(kind|near):(.*)$/.exec(text) ?? [];
  if (way === 'kind') return ({ kind }) => kind === rest;
  if (way === undefined) return ({ id }) => id === text;
  const [x = Number.NaN, y = Number.NaN, radius = 10_000] = rest.split(',').map(Number);
  if (!(Number.isFinite(x) && Number.isFinite(y) && radius >= 0)) {
    throw new CommandError('BAD_ADDRESS', `'${text}' names no place; give near:<x>,<y>,<radius>.`);
  }
  return ({ at: [ax = 0, ay = 0] }) => Math.hypot(ax - x, ay - y) <= radius;
}
