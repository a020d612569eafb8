/** The other half: edits both ways make a circle of types, which one side breaks by naming less. */
import { setup } from 'xstate';
import { linksOf } from '../../../src/machine/links-of.ts';
import type { Harbour } from './harbour.machine.ts';

const { edit } = linksOf<{ home: Harbour }>();

export const ferryMachine = setup({
  types: {
    context: {} as { readonly cargo: number },
    events: {} as { readonly type: 'LOAD'; readonly count: number },
  },
  actions: { dock: edit('home', ({ context }) => ({ type: 'DOCK', cargo: context.cargo })) },
}).createMachine({ id: 'ferry', context: { cargo: 0 }, on: { LOAD: { actions: 'dock' } } });
