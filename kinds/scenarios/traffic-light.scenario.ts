/**
 * A traffic light: green is a signal sustained, red one cleared, and cars that come at random drive on
 * as soon as it is green. With red for R of a cycle C, R / C of them have to stop, and a car waits for
 * R² / 2C on average.
 */
import {
  addRecord,
  cancelRequest,
  defineKind,
  defineScenario,
  edit,
  type Granted,
  now,
  removeRecord,
  waitFor,
} from 'offstage';
import { setup } from 'xstate';
import { monitor } from '../monitor.kind.ts';
import { signal } from '../signal.kind.ts';
import { exponential } from './exponential.ts';
import { meanOf } from './mean-of.ts';

/** Game milliseconds. */
const GREEN = 60_000;
const RED = 40_000;
const CYCLE = GREEN + RED;
const BETWEEN = 5000;

const lightMachine = setup({
  actions: {
    turnGreen: edit('green', { type: 'SUSTAIN' }),
    turnRed: edit('green', { type: 'CLEAR' }),
  },
}).createMachine({
  id: 'light',
  initial: 'red',
  states: {
    red: { after: { [RED]: { target: 'green', actions: 'turnGreen' } } },
    green: { after: { [GREEN]: { target: 'red', actions: 'turnRed' } } },
  },
});

const carMachine = setup({
  types: {
    context: {} as { readonly came: number },
    events: {} as Granted<'green'>,
  },
  actions: {
    wait: waitFor('green'),
    leave: cancelRequest('green'),
    recordWait: edit('waits', ({ context }) => ({ type: 'RECORD', value: now() - context.came })),
    recordStop: edit('stops', ({ context }) => ({
      type: 'RECORD',
      value: now() > context.came ? 1 : 0,
    })),
    driveOn: removeRecord(),
  },
}).createMachine({
  id: 'car',
  context: () => ({ came: now() }),
  initial: 'waiting',
  states: {
    waiting: {
      entry: 'wait',
      exit: 'leave',
      on: { 'granted.green': { target: 'gone', actions: ['recordWait', 'recordStop'] } },
    },
    gone: { entry: 'driveOn' },
  },
});

const LINKS = { green: 'green', waits: 'waits', stops: 'stops' };

const roadMachine = setup({
  actions: { bring: addRecord(() => ({ kind: 'car', links: LINKS })) },
  delays: { next: () => exponential(BETWEEN) },
}).createMachine({
  id: 'road',
  initial: 'open',
  states: { open: { after: { next: { target: 'open', reenter: true, actions: 'bring' } } } },
});

const at = [0, 0];

export const trafficLight = defineScenario({
  name: 'traffic-light',
  about: 'cars at a traffic light, whose green is a signal sustained',
  kinds: [
    signal,
    monitor,
    defineKind({ name: 'light', version: 1, machine: lightMachine, links: { green: 'signal' } }),
    defineKind({
      name: 'car',
      version: 1,
      machine: carMachine,
      links: { green: 'signal', waits: 'monitor', stops: 'monitor' },
    }),
    defineKind({ name: 'road', version: 1, machine: roadMachine }),
  ],
  records: [
    { id: 'green', kind: 'signal', at },
    { id: 'light', kind: 'light', at, links: { green: 'green' } },
    { id: 'waits', kind: 'monitor', at, input: { of: 'samples' } },
    { id: 'stops', kind: 'monitor', at, input: { of: 'samples' } },
    { id: 'road', kind: 'road', at },
  ],
  until: 300 * CYCLE,
  measure: (world) => ({
    'mean wait, ms': meanOf(world, 'waits'),
    'share stopped': meanOf(world, 'stops'),
  }),
  known: { 'mean wait, ms': (RED * RED) / (2 * CYCLE), 'share stopped': RED / CYCLE },
});
