/** What a transaction refuses of what a machine asks, in words: what is wrong, and what to do instead. */
import type { Address } from './address.ts';
import type { Draft } from './draft.ts';
import { WorldError } from './errors.ts';
import type { MachineEvent } from './logic.ts';
import { LAST_TIME } from './time.ts';

export function leadsNowhere(from: Draft, address: Address, { type }: MachineEvent): WorldError {
  const where = typeof address === 'string' ? `link '${address}'` : `record ${address.id}`;
  return new WorldError(
    'UNKNOWN_RECORD',
    `${from.id}: ${where} leads to no record, so it cannot take ${type}.`,
  );
}

export function editCycle(from: Draft, { id }: Draft, { type }: MachineEvent): WorldError {
  return new WorldError(
    'EDIT_CYCLE',
    `${from.id} edits ${id} with ${type} while ${id} is in the middle of a step of this event. Send it a message (sendTo) instead.`,
  );
}

export function editRefused(
  from: Draft,
  { id, kind, state }: Draft,
  { type }: MachineEvent,
): WorldError {
  return new WorldError(
    'EDIT_REFUSED',
    `${id} (${kind.name}, in ${JSON.stringify(state.value)}) does not take ${type} from ${from.id}. Ask linked(…).can(event) first, or use tryEdit.`,
  );
}

export function badDelay({ id, kind }: Draft, timer: string, delay: unknown): WorldError {
  return new WorldError(
    'BAD_DELAY',
    `${id} (${kind.name}): the delay of '${timer}' is ${String(delay)}; it must be a number of milliseconds, 0 or more, that ends before the last game time (${LAST_TIME}).`,
  );
}

export function drawnInGuard({ id, kind }: Draft): WorldError {
  return new WorldError(
    'RANDOM_IN_GUARD',
    `${id} (${kind.name}) draws a random number in a guard, which may be asked any number of times; draw in an action or a delay and keep the number in the context.`,
  );
}
