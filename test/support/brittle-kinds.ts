/** Kinds whose own functions throw while somebody looks: what may not hurt whoever looks. */
import { defineKind } from 'offstage';
import { createMachine } from 'xstate';

const machine = (id: string) =>
  createMachine({
    id,
    context: { age: 0 },
    initial: 'standing',
    states: { standing: { on: { FELL: 'lying' } }, lying: {} },
  });

/** It cannot be described. */
const mute = defineKind({
  name: 'mute',
  version: 1,
  machine: machine('mute'),
  describe: () => {
    throw new Error('It has no words.');
  },
});

/** It cannot be looked at later than it was stored. */
const rotten = defineKind({
  name: 'rotten',
  version: 1,
  machine: machine('rotten'),
  links: { beside: 'mute' },
  advance: () => {
    throw new Error('It fell to dust.');
  },
});

export const brittleKinds = [mute, rotten];
