/** A context as JSON can show it: what JSON has no word for becomes a text. */
export function plain(value: unknown, within: readonly unknown[] = []): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (within.includes(value)) return 'what it lies in itself';
  const holders = [...within, value];
  const inner = (one: unknown): unknown => plain(one, holders);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'no date' : value.toISOString();
  if (value instanceof Map) return [...value].map(inner);
  if (Array.isArray(value) || value instanceof Set) return [...value].map(inner);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
}
