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
    'a guard does more than look. Guards may be asked any number of times; keep them free of effects and let them read nothing but their arguments and the reads of offstage.',
  broken(scene) {
    const by = (
      logics: WeakMap<object, MachineLogic>,
      make: (m: AnyStateMachine) => MachineLogic,
    ) => scene.play({ kinds: (kind) => withLogic(kind, logics, make) });
    const difference = differenceOf(
      by(interpreted, interpretMachine),
      by(compiled, compileMachine),
    );
    return (
      difference && { ...difference, how: 'when it runs from tables instead of through XState' }
    );
  },
} as const satisfies Law;

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
