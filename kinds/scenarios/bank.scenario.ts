/**
 * A bank whose customers lose patience: they come at random, wait for the one teller as long as their
 * patience lasts, and go unserved when it is over. How many that are is known where all the times are
 * exponential (Palm's Erlang-A): in state n, with n in the bank, they leave at the rate μ + (n − 1)θ.
 */
import {
  addRecord,
  cancelRequest,
  defineKind,
  defineScenario,
  edit,
  type Granted,
  release,
  removeRecord,
  request,
} from 'offstage';
import { setup } from 'xstate';
import { facility } from '../facility.kind.ts';
import { monitor } from '../monitor.kind.ts';
import { exponential } from './exponential.ts';
import { meanOf } from './mean-of.ts';

/** Mean game milliseconds. */
const BETWEEN = 10_000;
const SERVICE = 12_000;
const PATIENCE = 20_000;
const UNTIL = 40_000_000;

const customerMachine = setup({
  types: { events: {} as Granted<'teller'> },
  actions: {
    ask: request('teller'),
    leave: cancelRequest('teller'),
    release: release('teller'),
    countServed: edit('lost', { type: 'RECORD', value: 0 }),
    countLost: edit('lost', { type: 'RECORD', value: 1 }),
    comeIn: edit('line', { type: 'ADD', by: 1 }),
    goOn: edit('line', { type: 'ADD', by: -1 }),
    goHome: removeRecord(),
  },
  delays: { patience: () => exponential(PATIENCE), service: () => exponential(SERVICE) },
}).createMachine({
  id: 'customer',
  initial: 'waiting',
  states: {
    waiting: {
      entry: ['ask', 'comeIn'],
      exit: ['leave', 'goOn'],
      on: { 'granted.teller': { target: 'served', actions: 'countServed' } },
      after: { patience: { target: 'home', actions: 'countLost' } },
    },
    served: { exit: 'release', after: { service: 'home' } },
    home: { entry: 'goHome' },
  },
});

const LINKS = { teller: 'teller', lost: 'lost', line: 'line' };

const streetMachine = setup({
  actions: { bring: addRecord(() => ({ kind: 'customer', links: LINKS })) },
  delays: { next: () => exponential(BETWEEN) },
}).createMachine({
  id: 'street',
  initial: 'open',
  states: { open: { after: { next: { target: 'open', reenter: true, actions: 'bring' } } } },
});

/** The mean length of the line and the share of those lost, from the chances of each state. */
function inTheory(): { readonly line: number; readonly lost: number } {
  let weight = 1;
  let all = 1;
  let waiting = 0;
  for (let n = 1; n < 500; n += 1) {
    weight *= 1 / BETWEEN / (1 / SERVICE + (n - 1) / PATIENCE);
    all += weight;
    waiting += (n - 1) * weight;
  }
  const line = waiting / all;
  return { line, lost: (line * BETWEEN) / PATIENCE };
}

const theory = inTheory();

export const bank = defineScenario({
  name: 'bank',
  about: 'a bank with one teller, whose customers go unserved when their patience is over',
  kinds: [
    facility,
    monitor,
    defineKind({
      name: 'customer',
      version: 1,
      machine: customerMachine,
      links: { teller: 'facility', lost: 'monitor', line: 'monitor' },
    }),
    defineKind({ name: 'street', version: 1, machine: streetMachine }),
  ],
  records: [
    { id: 'teller', kind: 'facility', at: [0, 0] },
    { id: 'lost', kind: 'monitor', at: [0, 0], input: { of: 'samples' } },
    { id: 'line', kind: 'monitor', at: [0, 0], input: { of: 'level' } },
    { id: 'street', kind: 'street', at: [0, 0] },
  ],
  until: UNTIL,
  measure: (world) => ({ 'share lost': meanOf(world, 'lost'), 'mean line': meanOf(world, 'line') }),
  known: { 'share lost': theory.lost, 'mean line': theory.line },
});
