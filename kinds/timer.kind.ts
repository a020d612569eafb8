import { defineKind } from 'offstage';
import { timerMachine } from '../machines/timer.machine.ts';

/** An event every interval, up to a count; see the machine. */
export const timer = defineKind({
  name: 'timer',
  version: 1,
  machine: timerMachine,
  describe: ({ context: { fired, count, every } }) =>
    `ticks: ${fired}${count === null ? '' : ` of ${count}`}, every ${every / 1000} s`,
});
