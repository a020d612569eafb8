/** Values that an author may also give as an expression of the context and the event. */
import type { ActionArgs, EventObject, MachineContext, ParameterizedObject } from 'xstate';

/** An expression, called with what XState calls its own with. */
export type Expression<
  Context extends MachineContext,
  Event extends EventObject,
  Params extends ParameterizedObject['params'] | undefined,
  AnyEvent extends EventObject,
  Value,
> = (args: ActionArgs<Context, Event, AnyEvent>, params: Params) => Value;

/** What a value or an expression gives. */
export function valueGiven<Args, Params, Value>(
  given: Value | ((args: Args, params: Params) => Value),
  args: Args,
  params: Params,
): Value {
  return typeof given === 'function'
    ? (given as (args: Args, params: Params) => Value)(args, params)
    : given;
}
