/**
 * How a machine asks a resource for something and waits: actions for the entry and the exit of the
 * state it waits in. The request lasts as long as the state does, so a time-out is an `after`, an
 * "unless" any other transition, and giving up is to leave. What was asked for comes as the event
 * `granted.<name>`, from the resource, and only if the machine can take it just then.
 *
 * Asking, leaving and releasing are edits of the resource: they are part of the event that brought
 * them about. Where the resource itself is in the middle of a step (it just granted what the machine
 * answers with the next request), or is not there yet, they are messages, so no edit cycle arises; and
 * so is what would overtake such a message. Nobody is granted anything while such a message is under way.
 */
import type { ActionFunction, EventObject, MachineContext, ParameterizedObject } from 'xstate';
import type { Given } from './actions.ts';
import { valueGiven } from './expression.ts';
import { tell, telling } from './telling.ts';

type Params = ParameterizedObject['params'] | undefined;

/** The event that brings what was asked for. `What` is the amount of a container, the object of a store. */
export interface Granted<Name extends string, What = unknown> {
  readonly type: `granted.${Name}`;
  readonly what: What;
}

/** The event that says no: too many wait already. */
export interface Denied<Name extends string> {
  readonly type: `denied.${Name}`;
}

/** What may be asked of the ready-made resources; see their machines. */
export type Request =
  | { readonly priority?: number }
  | { readonly put: unknown }
  | { readonly get: unknown };

export interface RequestOptions {
  /** The name in `granted.<name>`. Left out: the link's. Two requests at once of one link need two. */
  readonly as?: string;
}

/**
 * Waits for a signal: every record that waits gets `granted.<name>` when it flashes, or at once while
 * it is sustained. For the `entry` of a state; `cancelRequest` belongs to its `exit`.
 *
 * @example
 * waiting: {
 *   entry: waitFor('barrier'), exit: cancelRequest('barrier'),
 *   on: { 'granted.barrier': 'through' },
 *   after: { patience: 'gone' },
 * }
 */
export function waitFor<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  link: string,
  { as = link }: RequestOptions = {},
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return telling('wait', link, { type: 'WAIT', as });
}

/** Queues for a signal: with each flash the first of the queue gets `granted.<name>`, no other. */
export function queueFor<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  link: string,
  { as = link }: RequestOptions = {},
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return telling('queue', link, { type: 'QUEUE', as });
}

/**
 * Asks a facility for a server, a container for room (`put`) or an amount (`get`), a store to take an
 * object (`put`) or for one that fits a pattern (`get`). What it cannot ever get fails the event with
 * `EDIT_REFUSED`.
 *
 * @example
 * entry: request('tank', ({ context }) => ({ get: context.litres }))
 */
export function request<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  link: string,
  what: Given<C, E, P, A, Request> = {},
  { as = link }: RequestOptions = {},
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  if (typeof what !== 'function') return telling('request', link, { type: 'REQUEST', as, ...what });
  return function request(args, params) {
    tell(link, { type: 'REQUEST', as, ...valueGiven(what, args, params) });
  };
}

/**
 * Takes a request back, for the `exit` of the state that waits: whoever leaves it has left the queue.
 * Where it was granted or denied there is nothing to take back, and nothing is done.
 */
export function cancelRequest<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  link: string,
  { as = link }: RequestOptions = {},
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return telling('cancelRequest', link, { type: 'LEAVE', as }, [`granted.${as}`, `denied.${as}`]);
}

/**
 * Gives back the server of a facility, for the `exit` of the state that uses it. One that the record
 * does not hold fails the event with `EDIT_REFUSED`.
 */
export function release<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  link: string,
  { as = link }: RequestOptions = {},
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return telling('release', link, { type: 'RELEASE', as });
}
