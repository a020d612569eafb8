/** How times, sizes and records read on the page: as in a terminal. */
export { clockText, counted, stateText, stretchText } from '../../../src/cli/words.ts';

/** `12.3 MB`. */
export function sizeText(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
}

/** `1.2 ms`. */
export function costText(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(2) : milliseconds.toFixed(0)} ms`;
}

/** `1,234`, `0.4`. */
export function rateText(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString('en');
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1,234`; `100K` where there is no room for more digits. */
export function shortCount(n: number): string {
  return n < 100_000 ? n.toLocaleString('en') : short.format(n);
}
