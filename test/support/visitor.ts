/**
 * A record that does what a list says, one thing after the other, each with patience or without: it
 * waits and queues for a signal, uses a facility, puts into and gets from containers and stores. What
 * tests of the resources tell is a few of these and the times at which they were done.
 */
import {
  cancelRequest,
  createWorld,
  defineKind,
  type Kind,
  type NewRecord,
  queueFor,
  type Request,
  release,
  request,
  type World,
  waitFor,
} from 'offstage';
import { assign, emit, setup } from 'xstate';
import { container, facility, monitor, signal, store } from '../../kinds/index.ts';

export interface Visit {
  readonly do: 'hold' | 'wait' | 'queue' | 'use' | 'ask';
  /** Game milliseconds: of a hold, or for which a facility is used. Default 0. */
  readonly for?: number;
  /** What is asked of a container or a store, or a priority for a facility. */
  readonly what?: Request;
  /** Game milliseconds after which it gives up and goes on. */
  readonly patience?: number;
}

interface VisitorContext {
  readonly visits: readonly Visit[];
  readonly done: number;
}

type VisitorEvent =
  | { readonly type: 'granted.to'; readonly what?: unknown }
  | { readonly type: 'denied.to' | 'GIVE_UP' };

const isTo = (what: Visit['do']) => ({
  guard: ({ context }: { context: VisitorContext }) => visitOf(context)?.do === what,
});

function visitOf({ visits, done }: VisitorContext): Visit | undefined {
  return visits[done];
}

const goOn = { target: 'choosing', actions: 'goOn' } as const;
const answers = {
  on: {
    'granted.to': { target: 'choosing', actions: ['tellGranted', 'goOn'] },
    'denied.to': { target: 'choosing', actions: ['tellDenied', 'goOn'] },
    GIVE_UP: { target: 'choosing', actions: ['tellGaveUp', 'goOn'] },
  },
  after: {
    patience: { target: 'choosing', guard: 'isImpatient', actions: ['tellGaveUp', 'goOn'] },
  },
} as const;

export const visitor = defineKind({
  name: 'visitor',
  version: 1,
  links: { to: '*' },
  machine: setup({
    types: {
      context: {} as VisitorContext,
      events: {} as VisitorEvent,
      input: {} as readonly Visit[],
      emitted: {} as { readonly type: string },
    },
    guards: { isImpatient: ({ context }) => visitOf(context)?.patience !== undefined },
    actions: {
      wait: waitFor('to'),
      queue: queueFor('to'),
      ask: request('to', ({ context }) => visitOf(context)?.what ?? {}),
      leave: cancelRequest('to'),
      release: release('to'),
      goOn: assign({ done: ({ context }) => context.done + 1 }),
      tellGranted: emit(({ event }) =>
        'what' in event ? { type: 'granted', what: event.what } : { type: 'granted' },
      ),
      tellDenied: emit({ type: 'denied' }),
      tellGaveUp: emit({ type: 'gave up' }),
      tellUsed: emit({ type: 'used' }),
    },
    delays: {
      // Where there is no patience the guard lets nothing of it happen.
      patience: ({ context }) => visitOf(context)?.patience ?? 1e9,
      stay: ({ context }) => visitOf(context)?.for ?? 0,
    },
  }).createMachine({
    id: 'visitor',
    context: ({ input }) => ({ visits: input, done: 0 }),
    initial: 'choosing',
    states: {
      choosing: {
        always: [
          { target: 'holding', ...isTo('hold') },
          { target: 'waiting', ...isTo('wait') },
          { target: 'queueing', ...isTo('queue') },
          { target: 'coming', ...isTo('use') },
          { target: 'asking', ...isTo('ask') },
          { target: 'over' },
        ],
      },
      holding: { after: { stay: goOn } },
      waiting: { entry: 'wait', exit: 'leave', ...answers },
      queueing: { entry: 'queue', exit: 'leave', ...answers },
      asking: { entry: 'ask', exit: 'leave', ...answers },
      coming: {
        entry: 'ask',
        exit: 'leave',
        ...answers,
        on: { ...answers.on, 'granted.to': 'using' },
      },
      using: {
        exit: 'release',
        after: { stay: { target: 'choosing', actions: ['tellUsed', 'goOn'] } },
      },
      over: {},
    },
  }),
});

/** Something that became of a visit: who, what and when. */
export type Told = readonly [time: number, id: string, what: string, ...more: unknown[]];

/** A world of a resource `to` and visitors, each of whom first holds until it comes. */
export class Hall {
  readonly world: World;
  readonly told: Told[] = [];

  constructor(
    resource: Omit<NewRecord, 'at' | 'id'>,
    visitors: Readonly<Record<string, readonly Visit[]>>,
    kinds: readonly Kind[] = HALL_KINDS,
  ) {
    this.world = createWorld({ kinds, settings: { freeze: true } });
    this.world.on('notice', ({ time, id, event }) => {
      if (id === 'to') return;
      this.told.push([time, id, event.type, ...('what' in event ? [event.what] : [])]);
    });
    this.world.add({ at: [0, 0], id: 'to', ...resource });
    for (const [id, visits] of Object.entries(visitors)) {
      this.world.add({ id, kind: 'visitor', at: [0, 0], links: { to: 'to' }, input: visits });
    }
  }

  /** Sends a resource an event at a game time, after all that is due then. */
  at(time: number, type: string): this {
    this.world.runUntil(time);
    const result = this.world.send('to', { type });
    if (!result.accepted) throw new Error(result.message);
    return this;
  }

  /** All that was told until a game time. */
  until(time: number): readonly Told[] {
    this.world.runUntil(time);
    return this.told;
  }

  get resource() {
    const context = this.world.find('to')?.context;
    return context as Record<string, { readonly length: number } & unknown>;
  }
}

export const HALL_KINDS = [signal, facility, container, store, monitor, visitor] as const;

/** A visit after holding until it comes. */
export function coming(at: number, ...visits: readonly Visit[]): readonly Visit[] {
  return [{ do: 'hold', for: at }, ...visits];
}
