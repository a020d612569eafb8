/**
 * M/M/1: customers come at random to one server, who takes a random time for each. With arrivals of
 * rate λ and services of rate μ a customer waits for ρ / (μ − λ) on average, where ρ = λ / μ.
 */
import {
  addRecord,
  cancelRequest,
  defineKind,
  defineScenario,
  edit,
  type Granted,
  now,
  release,
  removeRecord,
  request,
} from 'offstage';
import { assign, setup } from 'xstate';
import { facility } from '../facility.kind.ts';
import { monitor } from '../monitor.kind.ts';
import { exponential } from './exponential.ts';
import { meanOf } from './mean-of.ts';

/** Mean game milliseconds between two arrivals, and of a service. */
const BETWEEN = 1000;
const SERVICE = 750;
/** Who comes before this is not measured: it found a line that was still growing. */
const WARM_UP = 1_000_000;

const customerMachine = setup({
  types: {
    context: {} as { readonly came: number },
    events: {} as Granted<'desk'>,
  },
  guards: { isMeasured: ({ context }) => context.came >= WARM_UP },
  actions: {
    ask: request('desk'),
    leave: cancelRequest('desk'),
    release: release('desk'),
    recordWait: edit('waits', ({ context }) => ({ type: 'RECORD', value: now() - context.came })),
    goHome: removeRecord(),
  },
  delays: { service: () => exponential(SERVICE) },
}).createMachine({
  id: 'customer',
  context: () => ({ came: now() }),
  initial: 'waiting',
  states: {
    waiting: {
      entry: 'ask',
      exit: 'leave',
      on: {
        'granted.desk': [
          { guard: 'isMeasured', target: 'served', actions: 'recordWait' },
          { target: 'served' },
        ],
      },
    },
    served: { exit: 'release', after: { service: 'home' } },
    home: { entry: 'goHome' },
  },
});

const streetMachine = setup({
  types: { context: {} as { readonly came: number } },
  actions: {
    bring: addRecord(() => ({ kind: 'customer', links: { desk: 'desk', waits: 'waits' } })),
    count: assign({ came: ({ context }) => context.came + 1 }),
  },
  delays: { next: () => exponential(BETWEEN) },
}).createMachine({
  id: 'street',
  context: { came: 0 },
  initial: 'open',
  states: {
    open: { after: { next: { target: 'open', reenter: true, actions: ['bring', 'count'] } } },
  },
});

const rate = 1 / BETWEEN;
const serviceRate = 1 / SERVICE;

export const mm1 = defineScenario({
  name: 'mm1',
  about: 'M/M/1: one server, random arrivals and services, three quarters of the time in use',
  kinds: [
    facility,
    monitor,
    defineKind({
      name: 'customer',
      version: 1,
      machine: customerMachine,
      links: { desk: 'facility', waits: 'monitor' },
    }),
    defineKind({ name: 'street', version: 1, machine: streetMachine }),
  ],
  records: [
    { id: 'desk', kind: 'facility', at: [0, 0] },
    { id: 'waits', kind: 'monitor', at: [0, 0], input: { of: 'samples' } },
    { id: 'street', kind: 'street', at: [0, 0] },
  ],
  until: 17_000_000,
  measure: (world) => ({ 'mean wait, ms': meanOf(world, 'waits') }),
  known: {
    'mean wait, ms': rate / serviceRate / (serviceRate - rate),
  },
});
