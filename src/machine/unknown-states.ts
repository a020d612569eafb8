/**
 * A record may be in a state that its machine no longer has: its kind was changed, and could not bring
 * it up. It rests, and whoever looks at it must still be able to: such a state takes nothing and heeds
 * no wake. A step fails, with `UNKNOWN_STATE`; only from outside can it be put elsewhere.
 */
import { codeOf } from '../core/errors.ts';
import type { MachineLogic, MachineState } from '../core/logic.ts';

export function withUnknownStates(logic: MachineLogic): MachineLogic {
  return {
    ...logic,
    can: (state, event) => falseIfUnknown(() => logic.can(state, event)),
    heedsWake: (state) => falseIfUnknown(() => logic.heedsWake(state)),
    set: (state, change, effects) => {
      const isLost = change.value !== undefined && isUnknown(logic, state);
      // It is in no state that could be left, just as a record that is done.
      return logic.set(isLost ? { ...state, status: 'done' } : state, change, effects);
    },
  };
}

function isUnknown(logic: MachineLogic, state: MachineState): boolean {
  try {
    logic.heedsWake(state);
    return false;
  } catch (error) {
    return codeOf(error) === 'UNKNOWN_STATE';
  }
}

function falseIfUnknown(ask: () => boolean): boolean {
  try {
    return ask();
  } catch (error) {
    if (codeOf(error) === 'UNKNOWN_STATE') return false;
    throw error;
  }
}
