/** How times, states and records read in a terminal. */
import type { StateValue } from '../core/logic.ts';

/** A place on the game clock: `0:01:23.4`, with days from a day on. */
export function clockText(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const tenths = Math.floor(Math.abs(milliseconds) / 100);
  const two = (n: number): string => String(n).padStart(2, '0');
  const seconds = Math.floor(tenths / 10);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const time = `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${tenths % 10}`;
  return `${sign}${days > 0 ? `${days}d ` : ''}${time}`;
}

/** A stretch of time: `4.2 s`, `3 min 05 s`, `2 h 10 min`, `3 d 4 h`. */
export function stretchText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${two((whole / 60) % 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor(whole / 3600) % 24} h`;
}

/** `growing`, `growing.dry`, or `door.open light.off` for parallel regions. */
export function stateText(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .flatMap(([region, inner]) =>
      stateText(inner)
        .split(' ')
        .map((name) => (name === '' ? region : `${region}.${name}`)),
    )
    .join(' ');
}

/** At most `width` characters, with `…` where something was cut off. */
export function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  return width <= 0 ? '' : `${text.slice(0, width - 1)}…`;
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
