import { defineKind } from 'offstage';
import { containerMachine } from '../machines/container.machine.ts';

/** An amount that records put in and get out, waiting for room or for enough; see the machine. */
export const container = defineKind({
  name: 'container',
  version: 1,
  machine: containerMachine,
  describe: ({ context: { level, capacity, putting, getting } }) =>
    `${level} of ${capacity}, ${putting.length} wait to put, ${getting.length} to get`,
});
