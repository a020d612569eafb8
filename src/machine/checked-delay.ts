/**
 * Delays under check. XState passes NaN, Infinity and negative numbers on to its clock and takes
 * anything that is no number for "at once"; a world would then silently run on wrong times.
 */
import { WorldError } from '../core/errors.ts';
import type { XArgs, XFunction, XImplementations } from './xstate-internals.ts';

/** What is wrong with a delay, or undefined if a record can wait that long. */
export function flawOfDelay(delay: unknown): string | undefined {
  if (typeof delay !== 'number')
    return `is ${typeof delay === 'string' ? `'${delay}'` : String(delay)}, not a number`;
  if (delay >= 0 && delay < Infinity) return undefined;
  return `is ${delay}`;
}

/** What a delay must be; the end of every message about one. */
export const DELAY_RULE = 'A delay is a finite number of game milliseconds, 0 or more';

/** The delay as a function that throws `BAD_DELAY` instead of giving one that cannot be waited for. */
export function checkedDelay(
  delay: unknown,
  implementations: XImplementations,
  where: string,
): (args: XArgs, params?: unknown) => number {
  const found = typeof delay === 'string' ? implementations.delays[delay] : delay;
  const name = typeof delay === 'string' ? `The delay '${delay}'` : 'The delay';
  return (args, params) => {
    const value = typeof found === 'function' ? (found as XFunction)(args as never, params) : found;
    if (typeof value === 'number' && value >= 0 && value < Infinity) return value;
    if (typeof delay === 'string' && found === undefined) {
      throw new WorldError(
        'BAD_DELAY',
        `${name} ${where} is not implemented. Add it to \`delays\` of setup().`,
      );
    }
    throw new WorldError('BAD_DELAY', `${name} ${where} ${flawOfDelay(value)}. ${DELAY_RULE}.`);
  };
}
