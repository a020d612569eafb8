/**
 * The scope that XState's algorithm runs in, in the place of an actor: one for each machine, used for
 * every step of every record. It hands each action to the effects of the step at hand, in the action's
 * place, and counts microsteps. XState's own `transition()` builds an actor for each call instead.
 */
import { ambient } from '../core/ambient.ts';
import { WorldError } from '../core/errors.ts';
import type { Effects, MachineEvent, SendTarget } from '../core/logic.ts';
import {
  hasEffect,
  type XExecutable,
  type XMachine,
  type XMicrostep,
  type XScope,
} from './xstate-internals.ts';

/**
 * The id of a timer that its author gave none: it can neither be cancelled nor replaced, and any
 * number of them may be pending at once. XState draws a random id instead, which no save could know.
 */
const NO_ID = '';

/** A loop of `always` or raised events that takes more microsteps than this is taken for endless. */
const MICROSTEPS = 1000;

/** One step at hand. */
interface Step {
  readonly effects: Effects;
  /** How many microsteps it may still make. */
  left: number;
  /** Whether some transition that does anything was selected. */
  took: boolean;
}

export interface StepScope {
  readonly scope: XScope;
  /** Whether the step at hand took something so far. */
  readonly took: () => boolean;
  /**
   * Runs one step with these effects: that of an event, or an initial one, which has no microstep of
   * its own beside those of `always` and raised events. A step may begin while another of the same machine is in the
   * middle (an `edit` of a record of the same kind): the outer one then goes on as it was.
   */
  run<T>(effects: Effects, of: 'event' | 'init', step: () => T): T;
}

/** `microstepped` is told of each microstep that is over. */
export function stepScope(machine: XMachine, microstepped?: () => void): StepScope {
  const limit = microstepLimit(machine);
  let current: Step | undefined;

  const perform = (action: XExecutable): void => {
    performAction(action, (current as Step).effects, scope.self);
  };

  const system = {
    ...noActors(machine.id),
    _sendInspectionEvent: ({ snapshot, _transitions }: XMicrostep): void => {
      const step = current as Step;
      step.took ||= _transitions.some(hasEffect);
      microstepped?.();
      step.left -= 1;
      // Where XState's `maxIterations` would end it, but with the states that go round.
      if (step.left === 0 && snapshot.status === 'active') {
        throw microstepLoop(machine.id, limit, snapshot.value);
      }
    },
  };
  const self = {
    // The record's id, for machines that ask for it as XState's documentation shows.
    get id() {
      return ambient.current?.selfId ?? '';
    },
    sessionId: '',
    system,
    _parent: undefined,
    send: () => refuseActor(machine.id, 'self.send', 'Use raise, or sendTo without a target'),
    getSnapshot: () => refuseActor(machine.id, 'self.getSnapshot', 'Use the context given'),
  };
  const scope: XScope = {
    self: Object.assign(self, { ref: self }),
    id: machine.id,
    sessionId: '',
    system,
    logger: () => undefined,
    defer: () => undefined,
    emit: () => undefined,
    stopChild: () => undefined,
    actionExecutor: perform,
  };

  return {
    scope,
    took: () => current?.took ?? false,
    run(effects, of, step) {
      const outer = current;
      const outerExecutor = scope.actionExecutor;
      current = { effects, left: of === 'event' ? limit + 1 : limit, took: false };
      scope.actionExecutor = perform;
      try {
        return step();
      } finally {
        current = outer;
        scope.actionExecutor = outerExecutor;
      }
    },
  };
}

/** How many microsteps one event may lead to. */
export function microstepLimit(machine: XMachine): number {
  const own = machine.options?.maxIterations ?? Infinity;
  return own < Infinity ? Math.max(1, own) : MICROSTEPS;
}

/** Carries out one action that XState hands out, or asks the effects to. */
function performAction(action: XExecutable, effects: Effects, self: object): void {
  switch (action.type) {
    case 'xstate.raise': {
      const { id, event, delay } = action.params as Sent;
      // XState puts an undelayed one into its own queue and shows it here too.
      if (delay !== undefined) effects.schedule(timerId(id), event, delay);
      return;
    }
    case 'xstate.sendTo': {
      const { id, event, delay, to } = action.params as Sent;
      const target = to === self ? undefined : (to as SendTarget);
      if (delay === undefined) effects.send(target, event);
      else effects.schedule(timerId(id), event, delay, target);
      return;
    }
    case 'xstate.cancel':
      effects.cancel(String((action.params as { readonly sendId: unknown }).sendId));
      return;
    case 'xstate.emit':
      effects.emit((action.params as Sent).event);
      return;
    case 'xstate.log':
      // XState would write to the console at once; whether and where to log is the world's affair.
      effects.custom({
        type: action.type,
        info: action.info,
        params: action.params,
        exec: undefined,
      });
      return;
    case 'xstate.spawnChild':
    case 'xstate.stopChild':
      refuseActor('', action.type, 'A record has no actors under it; add a record instead');
      return;
    default:
      effects.custom(action);
  }
}

/** The parameters of raise, sendTo and emit once XState worked them out. */
interface Sent {
  readonly event: MachineEvent;
  readonly id?: unknown;
  readonly delay?: number;
  readonly to?: unknown;
}

export function timerId(id: unknown): string {
  return id === undefined ? NO_ID : String(id);
}

export function microstepLoop(machine: string, limit: number, value: unknown): WorldError {
  return new WorldError(
    'MICROSTEP_LOOP',
    `Machine '${machine}' made ${limit} microsteps for one event without coming to rest and is now in ` +
      `${JSON.stringify(value)}. Look there for \`always\` transitions or raised events that go round in a circle.`,
  );
}

export function refuseActor(machine: string, what: string, cure: string): never {
  const where = machine === '' ? '' : ` of machine '${machine}'`;
  throw new WorldError(
    'NO_ACTORS',
    `${what}${where}: a record is no actor and has none under it. ${cure}.`,
  );
}

/** A machine's `spawn`. */
export function refuseSpawn(machine: string): never {
  return refuseActor(machine, 'spawn', 'Make what it runs a record of its own, with addRecord');
}

/** What XState asks of an actor system; anything that would make an actor is refused. */
function noActors(machine: string) {
  const nothing = () => undefined;
  return {
    _bookId: () => refuseSpawn(machine),
    _set: nothing,
    _register: nothing,
    _unregister: nothing,
    get: nothing,
    getAll: () => ({}),
    scheduler: { schedule: nothing, cancel: nothing, cancelAll: nothing },
    _clock: undefined,
    _logger: nothing,
  };
}
