/** A record of one machine, stepped by hand, with what its steps ask for. */
import type { AnyStateMachine } from 'xstate';
import { WorldError } from '../../src/core/errors.ts';
import type { MachineEvent, MachineLogic, MachineState } from '../../src/core/logic.ts';
import { interpretMachine } from '../../src/machine/interpret.ts';
import { Recorder } from './recorded.ts';

let logicOf: (machine: AnyStateMachine) => MachineLogic = interpretMachine;

/** Has every `Run` of this test file run its machine in another way. */
export function runWith(way: typeof logicOf): void {
  logicOf = way;
}

export class Run {
  readonly logic: MachineLogic;
  readonly effects = new Recorder();
  state: MachineState;

  constructor(machine: AnyStateMachine, input?: unknown) {
    this.logic = logicOf(machine);
    this.state = this.logic.initial(input, this.effects);
  }

  /** What the event made the machine ask for, in order. */
  send(event: string | MachineEvent): readonly unknown[] {
    this.effects.take();
    const given = typeof event === 'string' ? { type: event } : event;
    this.state = this.logic.step(this.state, given, this.effects);
    return this.effects.take();
  }

  /** The names of the custom actions an event led to, in order. */
  actions(event: string | MachineEvent): unknown[] {
    return this.send(event).flatMap((call) => {
      const [name, type] = call as [string, string];
      return name === 'custom' ? [type] : [];
    });
  }
}

/** The error of ours that something throws. */
export const failing = (run: () => unknown): WorldError => {
  try {
    run();
  } catch (error) {
    if (error instanceof WorldError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};
