/**
 * How values are written: as JSON where JSON gives them back as they were, else as superjson under the
 * one key `rich`. Nothing that is saved has a key of that name of its own.
 */
import { fromRich, isPlainJson, toRich } from '../protocol/rich.ts';

/** A value as it is written. */
export type Encoded<T> = T | { readonly rich: unknown };

export function encoded<T>(value: T): Encoded<T> {
  return isPlainJson(value) ? value : { rich: toRich(value) };
}

export function decoded<T>(value: Encoded<T>): T {
  const isRich = typeof value === 'object' && value !== null && Object.hasOwn(value, 'rich');
  if (!isRich) return value as T;
  return fromRich((value as { readonly rich: Parameters<typeof fromRich>[0] }).rich) as T;
}
