/** Interpreted equals compiled: XState itself and the tables give the same, event for event. */
import type { AnyStateMachine } from 'xstate';
import type { Kind } from '../../core/kind.ts';
import type { MachineLogic } from '../../core/logic.ts';
import { compileMachine } from '../../machine/compile.ts';
import { interpretMachine } from '../../machine/interpret.ts';
import { differenceOf } from '../sameness.ts';
import type { Law } from './law.ts';

// A logic is made once for each machine; making one costs more than a scenario.
const interpreted = new WeakMap<object, MachineLogic>();
const compiled = new WeakMap<object, MachineLogic>();

export const interpretedEqualsCompiled = {
  name: 'interpreted equals compiled',
  says: 'the machine does the same whether XState interprets it or its tables run it',
  usually:
    'a guard does more than look: it may be asked any number of times, so let it read nothing but its arguments and the reads of offstage. If the machine is in order, XState and the tables disagree: report it, and set compile: false.',
  broken(scene) {
    const interpreted = scene.play({ kinds: byInterpreter });
    const own = differenceOf(interpreted, scene.first);
    if (own !== undefined) return { ...own, how: 'by the logic of the kind instead of by XState' };
    const compiled = differenceOf(interpreted, scene.play({ kinds: byTables }));
    return compiled && { ...compiled, how: 'from tables instead of by XState' };
  },
} as const satisfies Law;

const byInterpreter = (kind: Kind): Kind => withLogic(kind, interpreted, interpretMachine);
const byTables = (kind: Kind): Kind => withLogic(kind, compiled, compileMachine);

function withLogic(
  kind: Kind,
  logics: WeakMap<object, MachineLogic>,
  make: (machine: AnyStateMachine) => MachineLogic,
): Kind {
  // A stub has no machine.
  if (kind.machine === undefined) return kind;
  const machine = kind.machine as AnyStateMachine;
  let logic = logics.get(machine);
  if (logic === undefined) {
    logic = make(machine);
    logics.set(machine, logic);
  }
  return { ...kind, logic };
}
