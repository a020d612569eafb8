/**
 * What an event always does in a configuration, where no guard, history, `always` or raised event has a
 * say in it. Such a step is its ops and nothing else. That of a timer that only sets itself anew is
 * told apart once more, as a `Repeat`: it needs no loop over ops, and no effects.
 */
import type { Effects, MachineEvent, Repeat, Shortcut, StateValue } from '../../core/logic.ts';
import type { XArgs } from '../xstate-internals.ts';
import type { Configuration } from './configuration.ts';
import { NO_HISTORY } from './history.ts';
import { plannedFor, type Tables } from './macrostep.ts';
import { DO, type Op } from './op.ts';
import type { Plan } from './plan.ts';
import { type Assigner, assignedKeys, type OpContext, runOps } from './run-ops.ts';
import { hasAlways, selectionFor } from './selection.ts';

/** The shortcut of an event's type in a state, undefined if there is none. */
export function shortcutFrom(
  tables: Tables,
  value: StateValue,
  type: string,
): Shortcut | undefined {
  const { classes, configurations, guards } = tables;
  const eventClass = classes.of(type);
  if (eventClass.isReserved) return undefined;
  const start = configurations.of(value);
  const { certain } = selectionFor(start, eventClass, guards);
  if (certain === undefined || !certain.hasEffect) return undefined;
  const plan = plannedFor(tables, certain, tables.histories.of(NO_HISTORY), false);
  if (!isPlain(plan) || hasAlways(plan.target, guards)) return undefined;
  return new PlainRun(tables, plan, start);
}

/** Whether a plan is its ops and a state to be in, and nothing else. */
export function isPlain({ recorded, ends, gathers, asksHistory }: Plan): boolean {
  return recorded === undefined && !ends && !gathers && !asksHistory;
}

/** The ops of a timer that does nothing but assign and set itself anew: at most one of the first, one of the second. */
function repeatFrom(ops: readonly Op[], shared: OpContext): Repeat | undefined {
  const timer = ops.at(-1);
  if (timer === undefined || timer.do !== DO.schedule) return undefined;
  if (timer.expression !== undefined || timer.paramsOf !== undefined) return undefined;
  let assign: Op | undefined;
  for (const op of ops.slice(0, -1)) {
    // What is set again is replaced, whether it was cancelled before or not.
    if (op.do === DO.cancel && op.idOf === undefined && op.id === timer.id) continue;
    if (op.do !== DO.assignKeys || op.paramsOf !== undefined || assign !== undefined)
      return undefined;
    assign = op;
  }
  return new TimerRepeat(timer, assign, shared);
}

class TimerRepeat implements Repeat {
  readonly id: string;
  readonly event: MachineEvent;
  isPlain: boolean;
  private readonly timer: Op;
  private readonly assign: Op | undefined;
  private readonly shared: OpContext;
  /** What it assigns to last, and what was there before. */
  private readonly key: string;
  private before: unknown;

  constructor(timer: Op, assign: Op | undefined, shared: OpContext) {
    this.id = timer.id;
    this.event = timer.value as MachineEvent;
    this.timer = timer;
    this.assign = assign;
    this.shared = shared;
    this.key = assign?.keys[0] ?? '';
    this.isPlain = assign === undefined || (assign.keys.length === 1 && this.key !== '__proto__');
  }

  next(context: unknown): unknown {
    const { assign, event, shared } = this;
    if (assign === undefined) return context;
    if (!context) throw new Error('There is no context to assign to.');
    const { spawn, self, system, form } = shared;
    const args = { context, event, spawn, self, system };
    return assignedKeys(assign, context, args, assign.params, form);
  }

  delay(context: unknown): number {
    const { event, timer, shared } = this;
    const { delay, delayOf, params } = timer;
    if (delayOf === undefined) return delay;
    const { self, system } = shared;
    return delayOf({ context, event, self, system } as XArgs, params) as number;
  }

  again(context: unknown): number {
    const { assign, event, shared, key } = this;
    if (assign !== undefined) {
      const own = context as Record<string, unknown>;
      this.before = own[key];
      const value = assign.values[0];
      let given = value;
      if (typeof value === 'function') {
        const { spawn, self, system } = shared;
        given = (value as Assigner)({ context, event, spawn, self, system }, assign.params);
      }
      // What holds on to the context would see it change.
      if (!isPlainValue(given)) {
        this.isPlain = false;
        return Number.NaN;
      }
      own[key] = given;
    }
    return this.delay(context);
  }

  undo(context: unknown): void {
    if (this.assign !== undefined) (context as Record<string, unknown>)[this.key] = this.before;
  }
}

/** Whether a value is one that can be saved and has nothing in it. */
function isPlainValue(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value === null
  );
}

/** What a plain plan does. */
class PlainRun implements Shortcut {
  readonly value: StateValue;
  readonly tags: readonly string[];
  readonly repeat: Repeat | undefined;
  private readonly ops: readonly Op[];
  private readonly start: Configuration;
  private readonly shared: OpContext;

  constructor({ configurations, shared }: Tables, { ops, target }: Plan, start: Configuration) {
    const { value, tags } = configurations.restingOf(target);
    this.value = value;
    this.tags = tags;
    this.repeat = repeatFrom(ops, shared);
    this.ops = ops;
    this.start = start;
    this.shared = shared;
  }

  run(context: unknown, event: MachineEvent, effects: Effects): unknown {
    return runOps(this.shared, this.ops, context, event, effects, this.start, undefined);
  }
}
