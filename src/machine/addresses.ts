/**
 * The addresses of `src/core`, in types that XState's `sendTo` takes: it knows only names of children
 * and actor references.
 */
import type { AnyActorRef } from 'xstate';
import {
  type AllOf,
  all as allOf,
  type ById,
  byId as idOf,
  type Selection,
} from '../core/address.ts';

/**
 * Names a record by its id.
 *
 * @example
 * sendTo(({ event }) => byId(event.customer), { type: 'SERVED' })
 */
export function byId(id: string): ById & AnyActorRef {
  return idOf(id) as ById & AnyActorRef;
}

/**
 * Names every record of a selection, taken when the message is delivered.
 *
 * @example
 * sendTo(() => all({ kind: 'camp', within: { at: at(), radius: 500 }, except: selfId() }), { type: 'ALARM' })
 */
export function all(selection: Selection = {}): AllOf & AnyActorRef {
  return allOf(selection) as AllOf & AnyActorRef;
}
