/**
 * Actions that tell a linked record something that never changes. They are functions like any other
 * action; what they will tell is known beforehand, too, so that a compiled machine need not call them.
 */
import type { ActionFunction, EventObject, MachineContext, ParameterizedObject } from 'xstate';
import { currentEvent } from '../core/ambient.ts';
import type { MachineEvent } from '../core/logic.ts';

type Params = ParameterizedObject['params'] | undefined;

/** What is told, to whom, and the types of events in whose steps it is not. */
export interface Telling {
  readonly link: string;
  readonly event: MachineEvent;
  readonly except: readonly string[];
}

const tellings = new WeakMap<object, Telling>();

/** What an action tells, if it is one of these. */
export function tellingOf(action: object): Telling | undefined {
  return tellings.get(action);
}

/** An action that tells a linked record something, except in steps of events of those types. */
export function telling<
  C extends MachineContext,
  E extends EventObject,
  P extends Params,
  A extends EventObject,
>(
  name: string,
  link: string,
  event: MachineEvent,
  except: readonly string[] = [],
): ActionFunction<C, E, A, P, never, never, never, never, never> {
  const action: ActionFunction<C, E, A, P, never, never, never, never, never> = (args) => {
    if (!except.includes(args.event.type)) tell(link, event);
  };
  Object.defineProperty(action, 'name', { value: name });
  tellings.set(action, { link, event, except });
  return action;
}

/** Edits a linked record if it can be got at now, else sends it a message. */
export function tell(link: string, event: MachineEvent): void {
  currentEvent(event.type).tell(link, event);
}
