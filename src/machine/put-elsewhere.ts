/**
 * A machine's state put elsewhere from outside, the same for both ways of running a machine: no exit
 * or entry actions; timers of `after` in states left are cancelled, those of states newly active are
 * set with delays of the new context, the others stay. What `always` does then is the next step.
 */
import { type Effects, type MachineState, machineState, type StateValue } from '../core/logic.ts';
import type { Configuration } from './configurations.ts';
import type { CopiedTimer } from './machine-copy.ts';
import { INIT, type XNode } from './xstate-internals.ts';

/** What is needed to know of a machine. */
export interface Place {
  configurationOf(value: StateValue): Configuration;
  timersOf(node: XNode): readonly CopiedTimer[];
  readonly self: object;
}

export function putElsewhere(
  { configurationOf, timersOf, self }: Place,
  state: MachineState,
  to: StateValue,
  context: unknown,
  effects: Effects,
): MachineState {
  const { value, nodes, tags, snapshot } = configurationOf(to);
  const status = snapshot.status === 'done' ? 'done' : 'active';
  // A record that was done had no timers, so all its states are newly active.
  const before = state.status === 'active' ? configurationOf(state.value).nodes : [];
  for (const node of [...before].reverse()) {
    if (nodes.includes(node)) continue;
    for (const timer of timersOf(node)) effects.cancel(timer.id);
  }
  for (const node of status === 'active' ? nodes : []) {
    if (before.includes(node)) continue;
    for (const { id, event, delay } of timersOf(node)) {
      effects.schedule(id, event, delay({ context, event: INIT, self }));
    }
  }
  return machineState(value, context, status, state.historyValue, undefined, undefined, tags);
}
