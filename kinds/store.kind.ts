import { defineKind } from 'offstage';
import { storeMachine } from '../machines/store.machine.ts';

/** Objects that records put in and get out by what they are like; see the machine. */
export const store = defineKind({
  name: 'store',
  version: 1,
  machine: storeMachine,
  describe: ({ context: { objects, putting, getting } }) =>
    `${objects.length} in it, ${putting.length} wait to put, ${getting.length} to get`,
});
