/**
 * A machine run by XState itself: the reference for what any other way of running it must give. One
 * scope and one copy of the machine serve all records of a kind; what a record keeps is a plain
 * `MachineState` that holds nothing of XState's.
 */
import type { AnyStateMachine } from 'xstate';
import { WorldError } from '../core/errors.ts';
import type { Effects, MachineEvent, MachineLogic } from '../core/logic.ts';
import { Configurations } from './configurations.ts';
import { copyOfMachine } from './machine-copy.ts';
import { type Place, putElsewhere } from './put-elsewhere.ts';
import { stepScope } from './scope.ts';
import {
  builtMachine,
  INIT,
  isReserved,
  type XAction,
  type XNode,
  type XSnapshot,
} from './xstate-internals.ts';

/**
 * The machine as the core runs it, through XState itself.
 *
 * @example
 * const logic = interpretMachine(stationMachine);
 * let state = logic.initial({ recipe }, effects);
 * state = logic.step(state, { type: 'RUSH' }, effects);
 */
export function interpretMachine(original: AnyStateMachine): MachineLogic {
  return interpretWatched(original);
}

/** Who watches a machine being interpreted. */
export interface Watcher {
  /** An action that comes before those of a node. */
  readonly markOf: (node: XNode) => XAction | undefined;
  /** A microstep is over. */
  readonly microstepped: () => void;
}

/** The same, and somebody may watch whose actions run in which microstep. */
export function interpretWatched(original: AnyStateMachine, watcher?: Watcher): MachineLogic {
  const { machine, timersOf } = copyOfMachine(builtMachine(original), watcher?.markOf);
  const configurations = new Configurations(machine);
  const { scope, took, run } = stepScope(builtMachine(original), watcher?.microstepped);

  const transition = (from: XSnapshot, event: MachineEvent, effects: Effects) =>
    run(effects, event === INIT ? 'init' : 'event', () => {
      const to = machine.transition(from, event, scope);
      return took() ? to : undefined;
    });

  const place: Place = {
    configurationOf: (value) => configurations.of(value),
    timersOf,
    self: scope.self,
  };

  return {
    initial(input, effects) {
      const snapshot = run(effects, 'init', () => machine.getInitialSnapshot(scope, input));
      // XState catches what is thrown on the way; to the world it is the event that failed.
      if (snapshot.status === 'error') throw snapshot.error;
      return configurations.stateOf(snapshot);
    },

    step(state, event, effects) {
      if (isReserved(event.type)) throw reservedEvent(event.type);
      if (state.status !== 'active') return state;
      const next = transition(configurations.snapshotOf(state), event, effects);
      return next === undefined ? state : configurations.stateOf(next);
    },

    can(state, event) {
      if (state.status !== 'active' || isReserved(event.type)) return false;
      return configurations.snapshotOf(state).can(event);
    },

    heedsWake: (state) => state.status === 'active' && configurations.of(state.value).heedsWake,

    set(state, change, effects) {
      const context = change.context === undefined ? state.context : change.context;
      const placed =
        change.value === undefined
          ? { ...state, context }
          : putElsewhere(place, state, change.value, context, effects);
      if (placed.status !== 'active') return placed;
      // For its own init event XState selects nothing and goes straight to `always`.
      const next = transition(configurations.snapshotOf(placed), INIT, effects);
      return next === undefined ? placed : configurations.stateOf(next);
    },
  };
}

export function reservedEvent(type: string): WorldError {
  return new WorldError(
    'BAD_EVENT',
    `The event type '${type}' is XState's own and cannot be sent to a record. Use another name.`,
  );
}
