/**
 * What a machine may read of the world while an event happens: in guards, delays, assigns, params and
 * actions. Outside an event each throws `OutsideEventError`.
 */
import type { Address } from '../core/address.ts';
import { currentEvent, type LinkedRecord } from '../core/ambient.ts';
import type { MachineEvent } from '../core/logic.ts';

/**
 * The record at the end of a link, or that of an id, as it is now; undefined if there is none.
 * `linksOf` gives the same with types.
 *
 * @example
 * guards: { hasOre: () => linked('ore')?.can({ type: 'TAKE', count: 3 }) ?? false }
 */
export function linked<Context = unknown, Event extends { type: string } = MachineEvent>(
  record: Address,
): LinkedRecord<Context, Event> | undefined {
  // The core knows records of all kinds; which one a link leads to is the author's knowledge.
  return currentEvent('linked()').linked(record) as LinkedRecord<Context, Event> | undefined;
}

/** The game time, in milliseconds. */
export function now(): number {
  return currentEvent('now()').time;
}

/**
 * A random number of at least 0 and below 1, the same in every replay. In a guard it throws: XState
 * asks guards any number of times. Draw in an action or a delay.
 */
export function random(): number {
  return currentEvent('random()').random();
}

/** The id of the record whose machine is running. */
export function selfId(): string {
  return currentEvent('selfId()').selfId;
}

/** Where the record stands, in world units. */
export function at(): readonly number[] {
  return currentEvent('at()').at;
}

/** The id of the record that sent the message or made the edit being handled; else undefined. */
export function sender(): string | undefined {
  return currentEvent('sender()').sender;
}
