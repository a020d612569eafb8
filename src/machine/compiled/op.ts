/**
 * One thing to do in a step. All ops have one shape, whatever they do, so that the loop over them
 * (`run-ops.ts`) stays fast; fields that an op does not need hold nothing.
 */
import type { MachineEvent } from '../../core/logic.ts';
import type { XArgs } from '../xstate-internals.ts';

/** What is evaluated when an op runs: XState calls it with the arguments and the action's parameters. */
export type Expression = (args: XArgs, params: unknown) => unknown;

/** What an op does. Numbers, because a `switch` over them is a jump. */
export const DO = {
  /** `assign({ key: … })` */
  assignKeys: 0,
  /** `assign(() => …)` */
  assign: 1,
  /** A raised event, handled in the same macrostep. */
  raise: 2,
  /** A raised event with a delay; the timers of `after` too. */
  schedule: 3,
  cancel: 4,
  sendTo: 5,
  sendLater: 6,
  emit: 7,
  log: 8,
  enqueueActions: 9,
  custom: 10,
  /** Tells the machine that a state has come to its end. */
  doneState: 11,
  /** Ends the machine, with its output. */
  doneMachine: 12,
  /** What a record cannot do. */
  fail: 13,
  /** A custom action that tells a linked record something, see `telling`. */
  tell: 14,
} as const;

export interface Op {
  readonly do: (typeof DO)[keyof typeof DO];
  /** The type of the action or event. */
  readonly type: string;
  /** For messages about it: `in action 'x'`. */
  readonly where: string;
  /** Parameters as they were written, or a function that gives them. */
  readonly params: unknown;
  readonly paramsOf: ((args: XArgs) => unknown) | undefined;
  /** An event, a message or an output as it was written, or an expression. */
  readonly value: unknown;
  readonly expression: Expression | undefined;
  readonly delay: number;
  readonly delayOf: Expression | undefined;
  /** The id of a timer, or an expression of the id to cancel. */
  readonly id: string;
  readonly idOf: Expression | undefined;
  readonly to: unknown;
  readonly toOf: Expression | undefined;
  /** The keys of an `assign` by keys, each with its value or expression; the types in whose steps nothing is told. */
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  /** What a custom action calls; what `enqueueActions` collects with. */
  readonly call: unknown;
}

const NONE: readonly never[] = [];

/** An op of the one shape. */
export function op(kind: Op['do'], fields: Partial<Omit<Op, 'do'>> = {}): Op {
  return {
    do: kind,
    type: fields.type ?? '',
    where: fields.where ?? '',
    params: fields.params,
    paramsOf: fields.paramsOf,
    value: fields.value,
    expression: fields.expression,
    delay: fields.delay ?? 0,
    delayOf: fields.delayOf,
    id: fields.id ?? '',
    idOf: fields.idOf,
    to: fields.to,
    toOf: fields.toOf,
    keys: fields.keys ?? NONE,
    values: fields.values ?? NONE,
    call: fields.call,
  };
}

/** An event as XState makes it when a state has come to its end. */
export function doneEvent(nodeId: string, output: unknown): MachineEvent {
  return { type: `xstate.done.state.${nodeId}`, output };
}
