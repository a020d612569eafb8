/** The table for people. */
import type { Result } from './measure.ts';

export function printResults(results: readonly Result[]): void {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = `${result.group}: ${result.model}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  for (const [title, rows] of groups) {
    console.log(`\n${title}`);
    for (const row of rows) {
      const ratios = Object.entries(row.ratioTo ?? {})
        .map(([engine, ratio]) => `${shortNumber(ratio)}x ${engine}`)
        .join('  ');
      console.log(
        `  n=${String(row.n).padEnd(8)} ${row.engine.padEnd(22)} ${amount(row).padStart(18)}  ${ratios}`,
      );
    }
  }
}

function amount({ value, unit }: Result): string {
  return `${value >= 10_000 ? Math.round(value).toLocaleString('en') : shortNumber(value)} ${unit}`;
}

function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3);
}
