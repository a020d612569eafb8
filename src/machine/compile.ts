/**
 * A machine run from tables: exactly what `interpretMachine` gives, at a small part of its cost. What
 * an event leads to in a configuration is worked out when it first happens there, with XState's own
 * rules, and from then on looked up. Begin with `compiled/macrostep.ts`.
 */
import type { AnyStateMachine } from 'xstate';
import { type MachineLogic, type MachineState, machineState } from '../core/logic.ts';
import { choiceOf } from './compiled/choice.ts';
import { begun } from './compiled/copy.ts';
import { forkFrom } from './compiled/fork.ts';
import { NO_HISTORY } from './compiled/history.ts';
import { chosen, macrostep, tablesOf } from './compiled/macrostep.ts';
import { initialNodesOf } from './compiled/nodes.ts';
import type { OpContext } from './compiled/run-ops.ts';
import { selected, selectionFor } from './compiled/selection.ts';
import { shortcutFrom } from './compiled/shortcut.ts';
import { reservedEvent } from './interpret.ts';
import { type Place, putElsewhere } from './put-elsewhere.ts';
import { builtMachine, INIT, type XMachine, type XTransition } from './xstate-internals.ts';

/**
 * The machine as the core runs it, from tables. Interchangeable with `interpretMachine` at any moment
 * on the same state.
 *
 * @example
 * const logic = compileMachine(stationMachine);
 * let state = logic.initial({ recipe }, effects);
 * state = logic.step(state, { type: 'RUSH' }, effects);
 */
export function compileMachine(original: AnyStateMachine): MachineLogic {
  const machine = builtMachine(original);
  const tables = tablesOf(machine);
  const { configurations, classes, guards, nodeOps, shared } = tables;
  const initial = initialTransition(machine);

  const place: Place = {
    configurationOf: (value) => configurations.known(value),
    timersOf: (node) => nodeOps.timers(node),
    self: shared.self,
  };

  return {
    initial(input, effects) {
      const event = { type: INIT.type, input };
      const context = initialContext(machine, input, shared);
      const from = machineState('', context, 'active', NO_HISTORY, undefined, undefined, []);
      const start = configurations.ofNodes([machine.root]);
      const choice = choiceOf(start, initial, guards);
      return macrostep(tables, from, start, choice, event, effects, 'initial') as MachineState;
    },

    step(state, event, effects) {
      const eventClass = classes.of(event.type);
      if (eventClass.isReserved) throw reservedEvent(event.type);
      if (state.status !== 'active') return state;
      const start = configurations.of(state.value);
      const selection =
        start.selections[eventClass.index] ?? selectionFor(start, eventClass, guards);
      const choice = selection.certain ?? selected(selection, start, state.context, event);
      if (choice === undefined && start.always === null) return state;
      return macrostep(tables, state, start, choice, event, effects, 'event') ?? state;
    },

    shortcut: (value, type) => shortcutFrom(tables, value, type),

    fork: (value, type) => forkFrom(tables, value, type),

    can(state, event) {
      if (state.status !== 'active' || classes.of(event.type).isReserved) return false;
      const start = configurations.of(state.value);
      return chosen(tables, start, state.context, event)?.hasEffect ?? false;
    },

    heedsWake: (state) => state.status === 'active' && configurations.known(state.value).heedsWake,

    set(state, change, effects) {
      const context = change.context === undefined ? state.context : change.context;
      const placed =
        change.value === undefined
          ? { ...state, context }
          : putElsewhere(place, state, change.value, context, effects);
      if (placed.status !== 'active') return placed;
      const start = configurations.of(placed.value);
      return macrostep(tables, placed, start, undefined, INIT, effects, 'event') ?? placed;
    },
  };
}

/** The context before anything is entered. A context that is no function is shared, as in XState. */
function initialContext(
  machine: XMachine,
  input: unknown,
  { spawn, self, form }: OpContext,
): unknown {
  const { context } = machine.config;
  if (typeof context !== 'function') return context || {};
  const made = context({ spawn, input, self });
  return begun(made as object, form);
}

/** The transition by which XState enters a machine. */
function initialTransition({ root }: XMachine): XTransition {
  return {
    source: root,
    target: [...initialNodesOf(root)],
    actions: [],
    guard: undefined,
    reenter: true,
    eventType: null,
  };
}
