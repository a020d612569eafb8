/**
 * Deep-freezes what a context holds, and refuses what a save could not hold. Runs when the setting
 * `freeze` is on: a machine that mutates its context then fails at the line that does it. What is
 * frozen already is not visited again, so the parts a context shares with the one before cost nothing.
 */
import { WorldError } from './errors.ts';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Freezes a value and all it holds. Throws `NOT_SAVABLE` naming the path of what cannot be saved.
 * What holds it is then not frozen either, so that it is looked at again when it is tried again.
 */
export function deepFreeze<T>(value: T, path = 'context', within: readonly object[] = []): T {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw notSavable(path, `a ${typeof value}`);
  }
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (within.includes(value)) throw notSavable(path, 'what it lies in itself');
  const holders = [...within, value];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      if (!Object.hasOwn(value, i)) throw notSavable(path, 'a sparse array');
      deepFreeze(value[i], `${path}[${i}]`, holders);
    }
    Object.freeze(value);
  } else if (value instanceof Map) {
    for (const [key, item] of value) {
      deepFreeze(key, `${path}.keys()`, holders);
      deepFreeze(item, `${path}.get(${String(key)})`, holders);
    }
  } else if (value instanceof Set) {
    for (const item of value) deepFreeze(item, `${path}.values()`, holders);
  } else if (!(value instanceof Date) && isPlain(value)) {
    for (const key of Object.keys(value)) {
      if (FORBIDDEN_KEYS.has(key)) throw notSavable(`${path}.${key}`, 'a key of that name');
      deepFreeze((value as Record<string, unknown>)[key], `${path}.${key}`, holders);
    }
    Object.freeze(value);
  } else if (ArrayBuffer.isView(value)) {
    throw notSavable(path, `a ${value.constructor.name}`);
  }
  return value;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function notSavable(path: string, what: string): WorldError {
  return new WorldError(
    'NOT_SAVABLE',
    `${path} holds ${what}, which cannot be saved; keep plain values there (JSON values, undefined, any number, bigint, Date, Map, Set).`,
  );
}

/** Whether an error is the engine's complaint about writing to something frozen. */
export function isMutationOfFrozen(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /read only property|object is not extensible|Cannot delete property|Cannot define property/.test(
      error.message,
    )
  );
}
