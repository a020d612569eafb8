/** Checks of what a record is given when it is added: a wrong input is an error that says what to give. */
import { WorldError } from 'offstage';

/** The input, if it is an object. */
export function givenInput<Input>(input: Input, machine: string, example: string): Input {
  if (typeof input === 'object' && input !== null) return input;
  throw new WorldError('BAD_INPUT', `${machine}: input is ${String(input)}; give ${example}.`);
}

/** A whole number of at least `least`. */
export function wholeNumber(value: unknown, what: string, least = 0): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw badInput(what, value, `a whole number of at least ${least}`);
}

/** A length of time in game milliseconds, above 0. */
export function duration(value: unknown, what: string): number {
  if (isPositive(value)) return value;
  throw badInput(what, value, 'a finite number of milliseconds above 0');
}

/** A number above 0 and at most 1. */
export function fraction(value: unknown, what: string): number {
  if (isPositive(value) && value <= 1) return value;
  throw badInput(what, value, 'a number above 0 and at most 1');
}

/** A finite number above 0. */
export function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY;
}

/** The error for an input that cannot be. */
export function badInput(what: string, value: unknown, wanted: string): WorldError {
  const shown = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return new WorldError('BAD_INPUT', `${what} is ${shown}; give ${wanted}.`);
}
