/** What an error becomes: a fault of the record whose event failed, or the refusal of a command. */
import { codeOf, messageOf, WorldError } from './errors.ts';
import { isMutationOfFrozen } from './freeze.ts';
import type { MachineEvent } from './logic.ts';
import type { Fault } from './record.ts';

/** What an error says of the event that failed. */
export function faultOf(error: unknown, event: MachineEvent, time: number): Fault {
  if (isMutationOfFrozen(error)) {
    const message = `The machine changed its context, or an event, in place (${messageOf(error)}); give a new value with assign instead.`;
    return { code: 'CONTEXT_MUTATED', message, time, event };
  }
  return { code: codeOf(error), message: messageOf(error), time, event };
}

/** The error a command fails with: an author's own error becomes a `WorldError` that says where it came from. */
export function commandError(error: unknown, event: MachineEvent, time: number): WorldError {
  if (error instanceof WorldError) return error;
  const { code, message } = faultOf(error, event, time);
  return new WorldError(code, message, { cause: error });
}
