/**
 * Actions of the simulation, for use in `setup({ actions })` and inline. An argument may be a value or
 * an expression of the context and the event, as in XState's own. Run outside an event of a world they
 * throw `OutsideEventError`.
 */
import {
  type ActionFunction,
  type AnyEventObject,
  type DoNotInfer,
  type EventObject,
  enqueueActions,
  type MachineContext,
  type ParameterizedObject,
} from 'xstate';
import type { Address } from '../core/address.ts';
import { type AmbientEvent, currentEvent, type NewRecord } from '../core/ambient.ts';
import type { MachineEvent } from '../core/logic.ts';
import { type Expression, valueGiven } from './expression.ts';

type Params = ParameterizedObject['params'] | undefined;

/**
 * An action as XState's own creators type theirs. What is exported spells it out: TypeScript does not
 * infer through an alias from what `setup({ actions })` expects.
 */
type Action<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
> = ActionFunction<C, E, A, P, never, never, never, never, never>;

/** A value, or an expression that gives it. */
export type Given<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
  Value,
> = Value | Expression<C, E, P, A, Value>;

/** An event as an object literal or of an interface; the latter has no index signature. */
export type AnyEvent = EventObject | AnyEventObject;

/**
 * Has another record take an event now, within this transaction. If it cannot take it, the whole
 * transaction fails with `EDIT_REFUSED` and every record is as it was.
 *
 * @example
 * actions: { takeOre: edit('ore', ({ context }) => ({ type: 'TAKE', count: context.need })) }
 */
export function edit<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  record: Given<C, E, P, A, Address>,
  event: Given<C, E, P, A, AnyEvent>,
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return function edit(args, params) {
    currentEvent('edit').edit(
      valueGiven(record, args, params),
      valueGiven(event, args, params) as MachineEvent,
    );
  };
}

/**
 * The same as `edit`, but a refusal fails nothing: nothing changes there, and the event under `else`
 * is raised here, in the same macrostep.
 *
 * @example
 * entry: tryEdit('ore', { type: 'TAKE', count: 1 }, { else: { type: 'ORE_GONE' } })
 */
export function tryEdit<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  record: Given<C, E, P, A, Address>,
  event: Given<C, E, P, A, AnyEvent>,
  options: { readonly else?: Given<C, E, P, A, DoNotInfer<A>> } = {},
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return enqueueActions<C, E, P, A, never, never, never, never, never>((args, params) => {
    const taken = currentEvent('tryEdit').tryEdit(
      valueGiven(record, args, params),
      valueGiven(event, args, params) as MachineEvent,
    );
    if (!taken && options.else !== undefined) {
      args.enqueue.raise(valueGiven(options.else, args, params));
    }
  });
}

/**
 * Adds a record once the event is over, within its transaction. Without an id it gets its kind's name
 * and a hash, without a place that of the record that adds it.
 *
 * @example
 * actions: addRecord(({ context }) => ({ kind: 'tent', at: context.site, links: { camp: selfId() } }))
 */
export function addRecord<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  record: Given<C, E, P, A, NewRecord>,
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return acting('addRecord', (event, args, params) => {
    event.addRecord(valueGiven(record, args, params));
  });
}

/** Removes a record once the event is over; without an id, the record itself. */
export function removeRecord<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(id?: Given<C, E, P, A, string>): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return acting('removeRecord', (event, args, params) => {
    if (id === undefined) event.removeRecord(event.selfId);
    else event.removeRecord(valueGiven(id, args, params));
  });
}

/** Moves the record to another place, in world units, once the event is over. */
export function moveTo<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  place: Given<C, E, P, A, readonly number[]>,
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return acting('moveTo', (event, args, params) => event.moveTo(valueGiven(place, args, params)));
}

/** Points a link of the record to another, once the event is over. */
export function link<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  name: string,
  id: Given<C, E, P, A, string>,
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return acting('link', (event, args, params) => event.link(name, valueGiven(id, args, params)));
}

/** Takes a link away from the record, once the event is over. */
export function unlink<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(name: string): ActionFunction<C, E, A, P, never, never, never, never, never> {
  return acting('unlink', (event) => event.unlink(name));
}

/** An action that asks something of the event that is happening, under the name it has in traces. */
function acting<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  name: string,
  act: (event: AmbientEvent, ...args: Parameters<Action<C, E, P, A>>) => void,
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  const action: Action<C, E, P, A> = (args, params) => act(currentEvent(name), args, params);
  return Object.defineProperty(action, 'name', { value: name });
}
