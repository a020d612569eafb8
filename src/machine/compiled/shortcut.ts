/**
 * What an event always does in a configuration, where no guard, history, `always` or raised event has a
 * say in it: a repeating timer, most of all. Such a step is its ops and nothing else, and those of a
 * timer are done here without the arguments that `runOps` makes anew for each: one event happens at a
 * time, and an expression has read its arguments when it returns.
 */
import type { Effects, MachineEvent, Shortcut, StateValue } from '../../core/logic.ts';
import type { XArgs } from '../xstate-internals.ts';
import type { Configuration } from './configuration.ts';
import { NO_HISTORY } from './history.ts';
import { plannedFor, type Tables } from './macrostep.ts';
import { DO, type Op } from './op.ts';
import { assignedKeys, type OpContext, runOps } from './run-ops.ts';
import { hasAlways, selectionFor } from './selection.ts';

/** The shortcut of an event's type in a state, undefined if there is none. */
export function shortcutFrom(
  tables: Tables,
  value: StateValue,
  type: string,
): Shortcut | undefined {
  const { classes, configurations, guards, histories, shared } = tables;
  const eventClass = classes.of(type);
  if (eventClass.isReserved) return undefined;
  const start = configurations.of(value);
  const { certain } = selectionFor(start, eventClass, guards);
  if (certain === undefined || !certain.hasEffect) return undefined;
  const plan = plannedFor(tables, certain, histories.of(NO_HISTORY), false);
  const { target, recorded, ends, gathers, asksHistory } = plan;
  if (asksHistory || recorded !== undefined || ends || gathers) return undefined;
  if (hasAlways(target, guards)) return undefined;
  const resting = configurations.restingOf(target);
  return new TimerShortcut(resting.value, resting.tags, plan.ops, start, shared);
}

/** The arguments of an expression, used again from call to call. */
interface Args {
  context: unknown;
  event: MachineEvent | undefined;
}

class TimerShortcut implements Shortcut {
  readonly value: StateValue;
  readonly tags: readonly string[];
  private readonly ops: readonly Op[];
  /** Each op alone, for those that are not done here. */
  private readonly single: readonly (readonly Op[])[];
  private readonly start: Configuration;
  private readonly shared: OpContext;
  private readonly assignArgs: Args;
  private readonly delayArgs: Args;

  constructor(
    value: StateValue,
    tags: readonly string[],
    ops: readonly Op[],
    start: Configuration,
    shared: OpContext,
  ) {
    const { self, system, spawn } = shared;
    this.value = value;
    this.tags = tags;
    this.ops = ops;
    this.single = ops.map((op) => [op]);
    this.start = start;
    this.shared = shared;
    this.assignArgs = { context: undefined, event: undefined, spawn, self, system } as Args;
    this.delayArgs = { context: undefined, event: undefined, self, system } as Args;
  }

  run(given: unknown, event: MachineEvent, effects: Effects): unknown {
    const { ops, shared } = this;
    let context = given;
    for (let i = 0; i < ops.length; i += 1) {
      const op = ops[i] as Op;
      if (op.do === DO.assignKeys && context && op.paramsOf === undefined) {
        const args = argued(this.assignArgs, context, event);
        context = assignedKeys(op, context, args, op.params, shared.form);
      } else if (
        op.do === DO.schedule &&
        op.expression === undefined &&
        op.paramsOf === undefined
      ) {
        const { delayOf } = op;
        const delay =
          delayOf === undefined
            ? op.delay
            : (delayOf(argued(this.delayArgs, context, event), op.params) as number);
        effects.schedule(op.id, op.value as MachineEvent, delay);
      } else if (op.do === DO.cancel && op.idOf === undefined) {
        effects.cancel(op.id);
      } else {
        const one = this.single[i] as readonly Op[];
        context = runOps(shared, one, context, event, effects, this.start, undefined);
      }
    }
    return context;
  }
}

function argued(args: Args, context: unknown, event: MachineEvent): XArgs {
  args.context = context;
  args.event = event;
  return args as unknown as XArgs;
}
