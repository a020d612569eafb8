/** Lengths of game time, as a test writes them: milliseconds, or '90s', '10m', '1h30m'. */
import { WorldError } from '../core/errors.ts';
import { checkedDelay } from '../core/time.ts';

/** Game milliseconds, or units one after the other: `d`, `h`, `m`, `s`, `ms`, the longer first. */
export type Duration = number | string;

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const PATTERN =
  /^(?=.*\d)(?:(?<d>\d+(?:\.\d+)?)d)? ?(?:(?<h>\d+(?:\.\d+)?)h)? ?(?:(?<m>\d+(?:\.\d+)?)m(?!s))? ?(?:(?<s>\d+(?:\.\d+)?)s)? ?(?:(?<ms>\d+(?:\.\d+)?)ms)?$/;

/**
 * The game milliseconds of a duration. Throws `BAD_DURATION` for what is none.
 *
 * @example
 * millisecondsOf('1h30m'); // 5_400_000
 */
export function millisecondsOf(duration: Duration): number {
  if (typeof duration === 'number') return checkedDelay(duration, 'the duration');
  const parts = typeof duration === 'string' && duration !== '' ? PATTERN.exec(duration) : null;
  if (parts === null) {
    throw new WorldError(
      'BAD_DURATION',
      `${JSON.stringify(duration) ?? String(duration)} is no duration; give milliseconds, or '90s', '10m', '1h30m', '1d'.`,
    );
  }
  let milliseconds = 0;
  for (const [unit, length] of Object.entries(UNITS)) {
    milliseconds += Number(parts.groups?.[unit] ?? 0) * length;
  }
  return checkedDelay(milliseconds, `the duration '${duration}'`);
}

/**
 * A number of game milliseconds as a test would write it, to the last bit.
 *
 * @example
 * inUnits(5_400_000); // '1h30m'
 */
export function inUnits(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  if (!(milliseconds > 0) || milliseconds === Number.POSITIVE_INFINITY) return `${milliseconds}ms`;
  let rest = milliseconds;
  let text = '';
  for (const [unit, length] of Object.entries(UNITS)) {
    const count = unit === 'ms' ? rest : Math.floor(rest / length);
    if (count === 0) continue;
    text += `${count}${unit}`;
    rest -= count * length;
  }
  return text;
}
