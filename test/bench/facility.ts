/**
 * A facility and its customers, who come, wait for a server, use it, go away for a while and come
 * again: as records with compiled machines, the same interpreted, and as entities of simjs. An event
 * is one that both have: a customer comes, or is done. What else an engine does for it is its own cost.
 */
import { cancelRequest, createWorld, defineKind, release, request } from 'offstage';
import { setup } from 'xstate';
import { facilityMachine } from '../../machines/facility.machine.ts';
import type { Contender } from './measure.ts';
import { Entity, Facility, Sim } from './simjs.ts';

/** Servers for each hundred customers, so that nearly all of them stand in line. */
const SERVERS = 1;

const useOf = (i: number): number => 1000 + ((i * 7919) % 1000);
const awayOf = (i: number): number => 500 + ((i * 104_729) % 1000);

const customerMachine = setup({
  types: {
    context: {} as { readonly use: number; readonly away: number },
    input: {} as { readonly use: number; readonly away: number },
    events: {} as { readonly type: 'granted.desk' },
  },
  actions: {
    ask: request('desk'),
    leave: cancelRequest('desk'),
    release: release('desk'),
  },
  delays: { use: ({ context }) => context.use, away: ({ context }) => context.away },
}).createMachine({
  id: 'customer',
  context: ({ input }) => input,
  initial: 'away',
  states: {
    away: { after: { away: 'waiting' } },
    waiting: { entry: 'ask', exit: 'leave', on: { 'granted.desk': 'using' } },
    using: { exit: 'release', after: { use: 'away' } },
  },
});

function offstage(engine: 'offstage' | 'offstage-interpreted', n: number): Contender {
  const compile = engine === 'offstage';
  const facility = defineKind({ name: 'facility', version: 1, machine: facilityMachine, compile });
  const customer = defineKind({
    name: 'customer',
    version: 1,
    machine: customerMachine,
    links: { desk: 'facility' },
    compile,
  });
  const world = createWorld({ kinds: [facility, customer] });
  world.add({ id: 'desk', kind: 'facility', at: [0, 0], input: { servers: (n * SERVERS) / 100 } });
  world.add(
    Array.from({ length: n }, (_, i) => ({
      id: `c${i}`,
      kind: 'customer',
      at: [0, 0],
      links: { desk: 'desk' },
      input: { use: useOf(i), away: awayOf(i) },
    })),
  );
  let events = 0;
  return {
    engine,
    run() {
      world.run(300_000_000 / n);
      const before = events;
      events = world.stats().byKind.customer?.events ?? 0;
      return events - before;
    },
  };
}

function simjs(n: number): Contender {
  const sim = new Sim();
  const desk = new Facility('desk', Facility.FCFS, (n * SERVERS) / 100);
  let events = 0;
  class Customer extends Entity {
    use = 0;
    away = 0;
    start(i: number): void {
      this.use = useOf(i);
      this.away = awayOf(i);
      this.goAway();
    }
    goAway(): void {
      this.setTimer(this.away).done(() => {
        events += 1;
        this.useFacility(desk, this.use).done(() => {
          events += 1;
          this.goAway();
        });
      });
    }
  }
  for (let i = 0; i < n; i += 1) sim.addEntity(Customer, undefined, i);
  return {
    engine: 'simjs',
    run() {
      const before = events;
      sim.simulate(Number.MAX_SAFE_INTEGER, 3000);
      return events - before;
    },
  };
}

export const FACILITY_ENGINES = ['offstage', 'offstage-interpreted', 'simjs'];

export function facilityContender(engine: string, n: number): Contender {
  return engine === 'simjs' ? simjs(n) : offstage(engine as 'offstage', n);
}
