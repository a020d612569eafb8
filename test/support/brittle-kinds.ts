/** Kinds whose own functions throw while somebody looks: what may not hurt whoever looks. */
import { defineKind } from 'offstage';
import { createMachine, setup } from 'xstate';

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

/** It fails by itself, after a second. */
const fuse = defineKind({
  name: 'fuse',
  version: 1,
  machine: setup({
    actions: {
      blow: () => {
        throw new Error('It blew.');
      },
    },
  }).createMachine({
    id: 'fuse',
    initial: 'whole',
    states: { whole: { after: { 1000: { actions: 'blow' } } } },
  }),
});

export const brittleKinds = [mute, rotten, fuse];
