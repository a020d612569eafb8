/** Says what is wrong with what a test was given, before anything is made of it. */
import { KindError } from '../core/errors.ts';

/** Throws `BAD_KIND` for what `defineKind` did not make. */
export function checkKind(whatTakesIt: string, kind: unknown): void {
  const { name, logic } = (kind ?? {}) as { name?: unknown; logic?: { step?: unknown } };
  if (typeof name === 'string' && typeof logic?.step === 'function') return;
  throw new KindError(
    'BAD_KIND',
    `${whatTakesIt} a kind made by defineKind; got ${shown(kind)}. Is it exported?`,
  );
}

/** Throws `BAD_OPTION` for what is no plain object. */
export function checkOptions(what: string, options: unknown): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return;
  throw new KindError('BAD_OPTION', `${what} takes an object of options; got ${shown(options)}.`);
}

/** Throws `BAD_OPTION` for what is no list. */
export function checkList(what: string, list: unknown): void {
  if (Array.isArray(list)) return;
  throw new KindError('BAD_OPTION', `${what} takes a list; got ${shown(list)}.`);
}

/** What was given, in a word or two. */
export function shown(given: unknown): string {
  if (typeof given === 'string') return JSON.stringify(given);
  if (Array.isArray(given)) return 'a list';
  if (typeof given === 'object' && given !== null) return 'an object';
  return typeof given === 'function' ? 'a function' : String(given);
}
