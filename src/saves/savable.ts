/**
 * What can be saved: JSON values, undefined, every number, bigint, Date, Map, Set, and instances of
 * classes that superjson knows. A world that is kept on disk asks this of every context that changed,
 * so a part that is the same object as before is passed by, and words are only made for a refusal.
 */
import superjson from 'superjson';
import { WorldError } from '../core/errors.ts';
import type { SavableCheck } from '../core/savable.ts';

/** Deeper than this something lies in itself, or might as well. */
const DEEPEST = 200;

/** Refuses what cannot be saved; for `createWorld({ savable })`. */
export const checkSavable: SavableCheck = (value, before, path) => {
  if (isSavableBeside(value, before, 0)) return;
  const { at, what } = unsavable(value, path, 0) ?? { at: path, what: 'something' };
  throw new WorldError(
    'NOT_SAVABLE',
    `${at} holds ${what}, which cannot be saved; keep plain values there (JSON values, undefined, any number, bigint, Date, Map, Set), or register the class with superjson.`,
  );
};

export function isSavable(value: unknown): boolean {
  return isSavableBeside(value, undefined, 0);
}

function isForbidden(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

function isSavableBeside(value: unknown, before: unknown, depth: number): boolean {
  if (typeof value !== 'object') return typeof value !== 'function' && typeof value !== 'symbol';
  if (value === null || value === before) return true;
  if (depth > DEEPEST) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null)
    return areFieldsSavable(value as Fields, before, depth);
  if (Array.isArray(value)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    for (let i = 0; i < value.length; i += 1) {
      const item = value[i];
      if (item === undefined ? !(i in value) : !isSavableBeside(item, old[i], depth + 1))
        return false;
    }
    return true;
  }
  if (prototype === Date.prototype) return !Number.isNaN((value as Date).getTime());
  if (prototype === Map.prototype) {
    for (const [key, item] of value as Map<unknown, unknown>) {
      if (
        !isSavableBeside(key, undefined, depth + 1) ||
        !isSavableBeside(item, undefined, depth + 1)
      )
        return false;
    }
    return true;
  }
  if (prototype === Set.prototype) {
    for (const item of value as Set<unknown>)
      if (!isSavableBeside(item, undefined, depth + 1)) return false;
    return true;
  }
  return isRegistered(value, prototype) && areFieldsSavable(value as Fields, before, depth);
}

type Fields = Readonly<Record<string, unknown>>;

function areFieldsSavable(value: Fields, before: unknown, depth: number): boolean {
  const old = typeof before === 'object' && before !== null ? (before as Fields) : undefined;
  for (const key in value) {
    const item = value[key];
    // Primitives are most of what there is, and need no look at what they were.
    if (typeof item === 'object' || typeof item === 'function' || typeof item === 'symbol') {
      if (!isSavableBeside(item, old?.[key], depth + 1)) return false;
    }
    if (isForbidden(key)) return false;
  }
  // Asking for symbols costs more than all else, so of something that took the place of what was like it
  // they are asked only where the world freezes contexts, as it does in development: it gives no `before`.
  return old !== undefined || Object.getOwnPropertySymbols(value).length === 0;
}

/** Prototypes of classes that superjson was seen to know. */
const registered = new WeakSet<object>();

/** Whether superjson knows the class, or a custom rule, for an instance. */
function isRegistered(value: object, prototype: object): boolean {
  if (registered.has(prototype)) return true;
  if (ArrayBuffer.isView(value) || value instanceof Error) return false;
  try {
    const { meta } = superjson.serialize({ value });
    const [rule] = (meta?.values as { value?: readonly unknown[] } | undefined)?.value ?? [];
    const isKnown = Array.isArray(rule) && (rule[0] === 'class' || rule[0] === 'custom');
    if (isKnown) registered.add(prototype);
    return isKnown;
  } catch {
    // What superjson cannot take apart it does not know.
    return false;
  }
}

/** Where the first thing that cannot be saved lies, and what it is. */
function unsavable(
  value: unknown,
  at: string,
  depth: number,
): { readonly at: string; readonly what: string } | undefined {
  if (typeof value === 'function' || typeof value === 'symbol')
    return { at, what: `a ${typeof value}` };
  if (typeof value !== 'object' || value === null || isSavableBeside(value, undefined, depth))
    return undefined;
  if (depth > DEEPEST) return { at: shortened(at), what: 'itself, or too much in one another' };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      if (!(i in value)) return { at, what: 'a sparse array' };
      const found = unsavable(value[i], `${at}[${i}]`, depth + 1);
      if (found !== undefined) return found;
    }
  } else if (value instanceof Map) {
    for (const [key, item] of value) {
      const found =
        unsavable(key, `${at}.keys()`, depth + 1) ??
        unsavable(item, `${at}.get(${String(key)})`, depth + 1);
      if (found !== undefined) return found;
    }
  } else if (value instanceof Set) {
    for (const item of value) {
      const found = unsavable(item, `${at}.values()`, depth + 1);
      if (found !== undefined) return found;
    }
  } else if (value instanceof Date) {
    return { at, what: 'a Date that is no date' };
  } else {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype && !isRegistered(value, prototype))
      return { at, what: `an instance of ${value.constructor?.name || 'a class'}` };
    for (const key of Object.keys(value)) {
      if (isForbidden(key)) return { at, what: `a key named '${key}'` };
      const found = unsavable((value as Fields)[key], `${at}.${key}`, depth + 1);
      if (found !== undefined) return found;
    }
    if (Object.getOwnPropertySymbols(value).length > 0) return { at, what: 'a symbol for a key' };
  }
  return undefined;
}

function shortened(path: string): string {
  return path.length <= 120 ? path : `${path.slice(0, 120)}…`;
}
