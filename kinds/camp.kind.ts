import { defineKind } from 'offstage';
import { Type } from 'typebox';
import { campMachine } from '../machines/camp.machine.ts';

/** Huts and a watch that go when it is destroyed and come back when it is rebuilt; see the machine. */
export const camp = defineKind({
  name: 'camp',
  version: 1,
  machine: campMachine,
  commands: { DESTROY: Type.Object({}) },
  urgent: true,
  describe: ({ value, context: { huts, timesDestroyed } }) =>
    value === 'standing'
      ? `standing, ${huts} huts`
      : `${String(value)}, times destroyed: ${timesDestroyed}`,
});
