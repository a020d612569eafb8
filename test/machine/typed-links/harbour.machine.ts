/** One half of two machines that link to each other: it names the other's type. */
import { setup } from 'xstate';
import { linksOf } from '../../../src/machine/links-of.ts';
import type { ferryMachine } from './ferry.machine.ts';

const { linked, edit } = linksOf<{ ferry: typeof ferryMachine }>();

export interface Harbour {
  readonly context: { readonly queue: number };
  readonly events: { readonly type: 'DOCK'; readonly cargo: number };
}

export const harbourMachine = setup({
  types: { context: {} as Harbour['context'], events: {} as Harbour['events'] },
  guards: { hasFerry: () => (linked('ferry')?.context.cargo ?? 0) > 0 },
  actions: { send: edit('ferry', ({ context }) => ({ type: 'LOAD', count: context.queue })) },
}).createMachine({
  id: 'harbour',
  context: { queue: 1 },
  on: { DOCK: { guard: 'hasFerry', actions: 'send' } },
});
