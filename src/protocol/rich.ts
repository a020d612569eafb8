/** Values that JSON cannot hold, one record at a time, as superjson. */
import superjson from 'superjson';
import type { Rich } from './messages.ts';

/** Whether JSON gives the value back as it was. */
export function isPlainJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object': {
      if (value === null) return true;
      // Written out, since every value that is saved or sent is asked.
      if (Array.isArray(value)) {
        // A hole is undefined here, so a sparse array is not plain.
        for (let i = 0; i < value.length; i += 1) if (!isPlainJson(value[i])) return false;
        return true;
      }
      const prototype = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const key in value) {
        if (!isPlainJson((value as Readonly<Record<string, unknown>>)[key])) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

export function toRich(value: unknown): Rich {
  return superjson.serialize(value) as Rich;
}

export function fromRich(rich: Rich): unknown {
  return superjson.deserialize(rich as Parameters<typeof superjson.deserialize>[0]);
}

/** Whether two values read the same. Anything but plain objects and arrays is compared by identity. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => isSame(item, b[i]));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
