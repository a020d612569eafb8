/**
 * Guards under watch: while one runs, `ambient.inGuard` is true, so that `random()` can refuse to
 * draw where XState may ask any number of times. What a guard throws is kept for a moment, because
 * XState throws an error of its own instead of it and the code would be lost.
 */
import { ambient } from '../core/ambient.ts';
import { codeOf } from '../core/errors.ts';
import { isCombined, type XArgs, type XGuard, type XGuardFunction } from './xstate-internals.ts';

let thrownByGuard: unknown;

/** The guard that does the same under watch. Names stay names: their implementations are watched. */
export function watchedGuard(guard: XGuard): XGuard {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'object') {
    return typeof guard.params === 'function'
      ? { ...guard, params: watched(guard.params as XGuardFunction) }
      : guard;
  }
  if (!isCombined(guard)) return watched(guard);
  // XState reads `guards` and the like from the very function it calls, so the copy has them all.
  return Object.assign(watched(guard), guard, { check: watched(guard.check as never) as never });
}

function watched(evaluate: XGuardFunction): XGuardFunction {
  // Up to three arguments: a combined guard is asked as (snapshot, args, itself).
  return (args: XArgs, params?: unknown, ...rest: unknown[]) => {
    const outer = ambient.inGuard;
    ambient.inGuard = true;
    try {
      return (evaluate as (...all: unknown[]) => unknown)(args, params, ...rest);
    } catch (error) {
      thrownByGuard = error;
      throw error;
    } finally {
      ambient.inGuard = outer;
    }
  };
}

/** What to throw for an error that XState made of one thrown by a guard. */
export function guardError(error: unknown): unknown {
  const cause = thrownByGuard;
  thrownByGuard = undefined;
  if (!(error instanceof Error) || !(cause instanceof Error) || error === cause) return error;
  if (!error.message.endsWith(`:\n${cause.message}`)) return error;
  if (codeOf(cause) !== 'THREW') return cause;
  error.cause ??= cause;
  return error;
}
