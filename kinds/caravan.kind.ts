import { defineKind } from 'offstage';
import { Type } from 'typebox';
import { caravanMachine } from '../machines/caravan.machine.ts';

/** Carries an item from one stash to another along a route; see the machine. */
export const caravan = defineKind({
  name: 'caravan',
  version: 1,
  machine: caravanMachine,
  links: { from: 'stash', to: 'stash' },
  commands: { DEPART: Type.Object({}) },
  shiftTimes: (context, delta) => {
    const { stride } = context;
    if (stride === null) return context;
    const { since, until } = stride;
    return { ...context, stride: { ...stride, since: since + delta, until: until + delta } };
  },
  describe: ({ value, context: { item, cargo, hold } }) =>
    `${String(value)}, ${cargo} of ${hold} ${item}`,
});
