import { defineKind } from 'offstage';
import { Type } from 'typebox';
import { signalMachine } from '../machines/signal.machine.ts';

/** Lets through those who wait for it, with a flash or for as long as it is sustained; see the machine. */
export const signal = defineKind({
  name: 'signal',
  version: 1,
  machine: signalMachine,
  commands: { FLASH: Type.Object({}), SUSTAIN: Type.Object({}), CLEAR: Type.Object({}) },
  describe: ({ value, context: { waiting, queue } }) =>
    `${String(value)}, ${waiting.length} wait, ${queue.length} queue`,
});
