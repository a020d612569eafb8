import { defineKind } from 'offstage';
import { facilityMachine } from '../machines/facility.machine.ts';

/** Servers, and the line of those who wait for one; see the machine. */
export const facility = defineKind({
  name: 'facility',
  version: 1,
  machine: facilityMachine,
  describe: ({ context: { users, servers, line } }) =>
    `${users.length} of ${servers} in use, ${line.length} wait`,
});
