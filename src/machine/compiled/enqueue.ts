/**
 * `enqueueActions`: the author's function says which actions to run. What it enqueues is made ops, and
 * runs once it has returned; what it checks sees the context and the configuration from before.
 */
import { ambient } from '../../core/ambient.ts';
import type { MachineEvent } from '../../core/logic.ts';
import { PARENT_TARGET, type XGuard } from '../xstate-internals.ts';
import type { Actions } from './actions.ts';
import { evaluate, type GuardedConfiguration, type Guards } from './guards.ts';
import { DO, type Op, op } from './op.ts';

/** What `enqueue` collects into: one for each machine, since making its methods takes longer than a step. */
export interface Enqueue {
  readonly enqueue: unknown;
  /** The ops collected now, and where they stand; undefined while nothing is collected. */
  into: Op[] | undefined;
  where: string;
}

/** What collecting takes of what the ops of a machine share. */
interface Collecting {
  readonly self: object;
  readonly system: object;
  readonly guards: Guards;
  readonly enqueue: Enqueue;
}

export function enqueueOf(actions: Actions): Enqueue {
  const put = (made: (where: string) => Op): void => {
    state.into?.push(made(state.where));
  };
  type Options = { readonly id?: unknown; readonly delay?: unknown } | undefined;
  const enqueue = Object.assign(
    (action: Parameters<Actions['op']>[0]) => put((where) => actions.op(action, where)),
    {
      assign: (assignment: unknown) => put(() => actions.assign(assignment)),
      cancel: (id: unknown) => put(() => actions.cancel(id)),
      raise: (event: unknown, options: Options) =>
        put((where) => actions.raise({ ...options, event }, where)),
      sendTo: (to: unknown, event: unknown, options: Options) =>
        put((where) => actions.sendTo({ ...options, to, event }, where)),
      sendParent: (event: unknown, options: Options) =>
        put((where) => actions.sendTo({ ...options, to: PARENT_TARGET, event }, where)),
      spawnChild: () => put(() => op(DO.fail, { type: 'xstate.spawnChild' })),
      stopChild: () => put(() => op(DO.fail, { type: 'xstate.stopChild' })),
      emit: (event: unknown) => put(() => actions.emit(event)),
    },
  );
  const state: Enqueue = { enqueue, into: undefined, where: '' };
  return state;
}

/** The ops that an `enqueueActions` enqueues. */
export function collectedOps(
  { call, where: at }: Op,
  context: unknown,
  event: MachineEvent,
  params: unknown,
  configuration: GuardedConfiguration,
  shared: Collecting,
): readonly Op[] {
  const { self, system, enqueue, guards } = shared;
  const { into, where } = enqueue;
  const ops: Op[] = [];
  const check = (guard: XGuard): unknown => {
    const outer = ambient.inGuard;
    ambient.inGuard = true;
    try {
      return evaluate(guards.of(guard), { context, event }, configuration);
    } finally {
      ambient.inGuard = outer;
    }
  };
  enqueue.into = ops;
  enqueue.where = at;
  try {
    const args = { context, event, enqueue: enqueue.enqueue, check, self, system };
    (call as (args: unknown, params: unknown) => void)(args, params);
  } finally {
    enqueue.into = into;
    enqueue.where = where;
  }
  return ops;
}
