/**
 * The loop that does what a plan says, in order: each op sees the context as the ops before it left
 * it. Gives the context in the end, another object exactly if something was assigned. A step of
 * another record may run inside a custom action, on the same tables, so everything about the step at
 * hand is in the arguments.
 */
import { currentEvent } from '../../core/ambient.ts';
import type { CustomAction, Effects, MachineEvent, SendTarget } from '../../core/logic.ts';
import { refuseActor } from '../scope.ts';
import { PARENT_TARGET, type XArgs, type XNode } from '../xstate-internals.ts';
import { copied, copiedWith, type Form } from './copy.ts';
import { collectedOps, type Enqueue } from './enqueue.ts';
import type { GuardedConfiguration, Guards } from './guards.ts';
import { DO, doneEvent, type Op } from './op.ts';

/** What the ops of one machine share. */
export interface OpContext {
  readonly machineId: string;
  readonly self: object;
  readonly system: object;
  /** What `assign` and the machine's `context` find as `spawn`; it refuses. */
  readonly spawn: () => never;
  readonly guards: Guards;
  readonly enqueue: Enqueue;
  /** What the machine's contexts are made of. */
  readonly form: Form;
}

/** What a step gathers beside its context. */
export interface Gathered {
  /** Events raised and not yet handled. */
  readonly queue: MachineEvent[];
  output: unknown;
}

export function runOps(
  shared: OpContext,
  ops: readonly Op[],
  given: unknown,
  event: MachineEvent,
  effects: Effects,
  configuration: GuardedConfiguration,
  gathered: Gathered | undefined,
): unknown {
  const { self, system } = shared;
  let context = given;
  for (let i = 0; i < ops.length; i += 1) {
    const op = ops[i] as Op;
    const { paramsOf } = op;
    const params = paramsOf === undefined ? op.params : paramsOf({ context, event });
    switch (op.do) {
      case DO.assignKeys:
        context = assignedKeys(
          op,
          context,
          assignArgs(context, event, shared),
          params,
          shared.form,
        );
        break;
      case DO.assign: {
        const change = op.expression?.(assignArgs(context, event, shared) as XArgs, params);
        context = copiedWith(context, shared.form, change);
        break;
      }
      case DO.schedule: {
        const { delayOf } = op;
        if (op.expression === undefined && delayOf === undefined) {
          effects.schedule(op.id, op.value as MachineEvent, op.delay);
          break;
        }
        const args = { context, event, self, system };
        const raised = op.expression === undefined ? op.value : op.expression(args, params);
        const delay = delayOf === undefined ? op.delay : (delayOf(args, params) as number);
        effects.schedule(op.id, raised as MachineEvent, delay);
        break;
      }
      case DO.cancel: {
        const { idOf } = op;
        effects.cancel(
          idOf === undefined ? op.id : String(idOf({ context, event, self, system }, params)),
        );
        break;
      }
      case DO.tell:
        if (effects.justCalls === true) told(op, event);
        else custom(op, { context, event, self, system }, params, effects);
        break;
      case DO.custom:
        custom(op, { context, event, self, system }, params, effects);
        break;
      default:
        context = runRare(shared, op, params, context, event, effects, configuration, gathered);
    }
  }
  return context;
}

function custom({ type, call }: Op, info: XArgs, params: unknown, effects: Effects): void {
  const exec = call as CustomAction['exec'];
  if (effects.justCalls === true && exec !== undefined) exec(info, params);
  else effects.custom({ type, info, params, exec });
}

/** What a custom action does of which all is known, see `telling`. */
function told({ to, value, keys }: Op, { type }: MachineEvent): void {
  if (keys.length > 0 && keys.includes(type)) return;
  const event = value as MachineEvent;
  currentEvent(event.type).tell(to as string, event);
}

type Frequent = (typeof DO)['assignKeys' | 'assign' | 'schedule' | 'cancel' | 'custom' | 'tell'];

/** What few machines do in most of their steps. Apart, so that the loop over all else is short. */
function runRare(
  shared: OpContext,
  op: Op,
  params: unknown,
  context: unknown,
  event: MachineEvent,
  effects: Effects,
  configuration: GuardedConfiguration,
  gathered: Gathered | undefined,
): unknown {
  const { self, system } = shared;
  switch (op.do) {
    case DO.raise: {
      const raised = valueGiven(op, context, event, params, shared);
      (gathered as Gathered).queue.push(raised as MachineEvent);
      break;
    }
    case DO.emit:
      effects.emit(valueGiven(op, context, event, params, shared) as MachineEvent);
      break;
    case DO.sendTo:
    case DO.sendLater:
      send(op, { context, event, self, system }, params, effects, shared);
      break;
    case DO.log: {
      const info = { context, event, self, system };
      const value = op.expression === undefined ? op.value : op.expression(info, params);
      const logged = { value, label: op.call };
      effects.custom({ type: op.type, info, params: logged, exec: undefined });
      break;
    }
    case DO.enqueueActions: {
      const enqueued = collectedOps(op, context, event, params, configuration, shared);
      return runOps(shared, enqueued, context, event, effects, configuration, gathered);
    }
    case DO.doneState: {
      const output =
        op.expression === undefined ? op.value : op.expression({ context, event, self }, undefined);
      (gathered as Gathered).queue.push(doneEvent(op.id, output));
      break;
    }
    case DO.doneMachine:
      (gathered as Gathered).output = machineOutput(op, { context, event, self });
      break;
    case DO.fail:
      return failed(op);
    default:
      op.do satisfies Frequent;
  }
  return context;
}

function valueGiven(
  op: Op,
  context: unknown,
  event: MachineEvent,
  params: unknown,
  { self, system }: OpContext,
): unknown {
  return op.expression === undefined
    ? op.value
    : op.expression({ context, event, self, system }, params);
}

export type Assigner = (args: object, params: unknown) => unknown;

/** The context that an `assign` by keys leaves. Each of its expressions sees the same old one. */
export function assignedKeys(
  { keys, values }: Op,
  context: unknown,
  args: object,
  params: unknown,
  form: Form,
): unknown {
  // Most assign one thing.
  if (keys.length === 1) {
    const value = values[0];
    const given = typeof value === 'function' ? (value as Assigner)(args, params) : value;
    return copied(context, form, true, keys[0], given);
  }
  const changed = copied(context, form);
  for (let i = 0; i < keys.length; i += 1) {
    const value = values[i];
    changed[keys[i] as string] =
      typeof value === 'function' ? (value as Assigner)(args, params) : value;
  }
  return changed;
}

function assignArgs(context: unknown, event: MachineEvent, { self, system, spawn }: OpContext) {
  if (!context) {
    throw new Error(
      'Cannot assign to undefined `context`. Ensure that `context` is defined in the machine config.',
    );
  }
  return { context, event, spawn, self, system };
}

function failed({ value, type }: Op): never {
  if (value !== undefined) throw new Error(String(value));
  return refuseActor('', type, 'A record has no actors under it; add a record instead');
}

function send(op: Op, args: XArgs, params: unknown, effects: Effects, shared: OpContext): void {
  const event = (
    op.expression === undefined ? op.value : op.expression(args, params)
  ) as MachineEvent;
  const delay = op.delayOf === undefined ? op.delay : (op.delayOf(args, params) as number);
  const to = op.toOf === undefined ? op.to : op.toOf(args, params);
  const target = targetOf(to, shared);
  if (op.do === DO.sendTo) effects.send(target, event);
  else effects.schedule(op.id, event, delay, target);
}

/** Whom XState would send to; any name but its special ones is that of a link. */
function targetOf(to: unknown, { self, machineId }: OpContext): SendTarget {
  if (typeof to !== 'string') return !to || to === self ? undefined : (to as object);
  if (to === '#_internal') return undefined;
  const name = to === PARENT_TARGET ? '' : to.startsWith('#_') ? to.slice(2) : to;
  if (name === '') {
    throw new Error(`Unable to send event to actor '${to}' from machine '${machineId}'.`);
  }
  return name;
}

/** The output of a machine, whose function is told how the last state came to its end. */
function machineOutput(op: Op, args: XArgs): unknown {
  const root = op.to as XNode;
  const completed = op.call as XNode;
  const { output } = root;
  if (output === undefined) return undefined;
  const own =
    completed.output !== undefined && completed.parent !== undefined
      ? resolved(completed.output, args)
      : undefined;
  return resolved(output, { ...args, event: doneEvent(completed.id, own) });
}

function resolved(output: unknown, args: XArgs): unknown {
  return typeof output === 'function' ? (output as (args: XArgs) => unknown)(args) : output;
}
