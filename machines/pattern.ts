/** Patterns: plain values that say what an object must hold. They are saved, so they are no functions. */

/**
 * Whether an object has all that a pattern asks for. A pattern that is an object asks for its keys and
 * what they hold, and lets every other key be, so `{}` fits anything at all; anything else asks for just
 * that value, a list for each of its items in their places.
 */
export function fits(object: unknown, pattern: unknown): boolean {
  if (!isHolder(pattern)) return Object.is(object, pattern);
  if (!Array.isArray(pattern) && Object.keys(pattern).length === 0) return true;
  if (!isHolder(object) || Array.isArray(object) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && pattern.length !== (object as unknown[]).length) return false;
  return Object.keys(pattern).every(
    (key) =>
      Object.hasOwn(object, key) && fits(object[key as keyof object], pattern[key as keyof object]),
  );
}

/** Whether something is a plain object or a list. */
function isHolder(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
