import { defineKind } from 'offstage';
import { type Level, monitorMachine, shownAt } from '../machines/monitor.machine.ts';

/** Mean, deviation, least and greatest of samples, or of a level over time; see the machine. */
export const monitor = defineKind({
  name: 'monitor',
  version: 1,
  machine: monitorMachine,
  advance: (context, { to }) => shownAt(context, to),
  exact: true,
  shiftTimes: (context, delta) => {
    const { level } = context;
    if (level === null) return context;
    return { ...context, level: { ...level, since: level.since + delta } satisfies Level };
  },
  describe: ({ context: { tally, count } }) =>
    tally.mean === null ? 'nothing recorded' : `mean ${tally.mean} of ${count}`,
});
