/**
 * Something to wait for. A flash lets through all who wait and the first of those who queue; sustained,
 * it lets through everybody until it is cleared. Who comes after a flash waits for the next one.
 */
import { assign, emit, enqueueActions, raise, setup } from 'xstate';
import { askOf, grant, isName, type LeaveEvent } from './grants.ts';
import {
  type Ask,
  asksOf,
  headOf,
  joined,
  type Line,
  NOBODY,
  withoutAsk,
  withoutHead,
} from './line.ts';

export interface SignalContext {
  /** They go all together. */
  readonly waiting: Line;
  /** They go one by one. */
  readonly queue: Line;
  /** Let through, but not told yet: they came in this iteration, or were in the middle of a step. */
  readonly owed: readonly Ask[];
  /** How often it flashed. */
  readonly flashes: number;
}

export type SignalEvent =
  /** Made by `waitFor` and `queueFor`. */
  | { readonly type: 'WAIT' | 'QUEUE'; readonly as: string }
  /** Made by `cancelRequest`. */
  | LeaveEvent
  | { readonly type: 'FLASH' | 'SUSTAIN' | 'CLEAR' }
  /** Its own: those who are owed are told. */
  | { readonly type: 'TELL' };

export type SignalNotice = { readonly type: 'FLASHED' | 'SUSTAINED' | 'CLEARED' };

const TELL_SOON = [{ type: 'TELL' }, { delay: 0, id: 'tell' }] as const;

export const signalMachine = setup({
  types: {
    context: {} as SignalContext,
    events: {} as SignalEvent,
    emitted: {} as SignalNotice,
  },
  guards: {
    isNamed: ({ event }) => 'as' in event && isName(event.as),
  },
  actions: {
    wait: assign({ waiting: ({ context, event }) => joined(context.waiting, askIn(event)) }),
    queue: assign({ queue: ({ context, event }) => joined(context.queue, askIn(event)) }),
    owe: assign({ owed: ({ context, event }) => [...context.owed, askIn(event)] }),
    leave: assign(({ context, event }) => withoutAsker(context, askIn(event))),
    flash: assign(({ context }) => flashed(context)),
    letAllThrough: assign(({ context: { waiting, queue, owed } }) => ({
      waiting: NOBODY,
      queue: NOBODY,
      owed: untold([...owed, ...asksOf(waiting), ...asksOf(queue)]),
    })),
    tell: assign({ owed: ({ context }) => untold(context.owed) }),
    tellSoon: raise(...TELL_SOON),
    tellTheRest: enqueueActions(({ context, enqueue }) => {
      if (context.owed.length > 0) enqueue.raise(...TELL_SOON);
    }),
    announceFlash: emit({ type: 'FLASHED' }),
    announceSustained: emit({ type: 'SUSTAINED' }),
    announceCleared: emit({ type: 'CLEARED' }),
  },
}).createMachine({
  id: 'signal',
  context: { waiting: NOBODY, queue: NOBODY, owed: [], flashes: 0 },
  initial: 'passive',
  on: {
    FLASH: { actions: ['flash', 'tellTheRest', 'announceFlash'] },
    LEAVE: { guard: 'isNamed', actions: 'leave' },
    TELL: { actions: ['tell', 'tellTheRest'] },
  },
  states: {
    passive: {
      on: {
        WAIT: { guard: 'isNamed', actions: 'wait' },
        QUEUE: { guard: 'isNamed', actions: 'queue' },
        SUSTAIN: { target: 'sustained', actions: 'announceSustained' },
        CLEAR: 'passive',
      },
    },
    sustained: {
      entry: ['letAllThrough', 'tellTheRest'],
      on: {
        WAIT: { guard: 'isNamed', actions: ['owe', 'tellSoon'] },
        QUEUE: { guard: 'isNamed', actions: ['owe', 'tellSoon'] },
        SUSTAIN: 'sustained',
        CLEAR: { target: 'passive', actions: 'announceCleared' },
      },
    },
  },
});

/** The request in an event whose name a guard has looked at. */
function askIn(event: SignalEvent): Ask {
  return askOf((event as LeaveEvent).as);
}

function withoutAsker(
  { waiting, queue, owed }: SignalContext,
  { id, as }: Ask,
): Partial<SignalContext> {
  const rest = owed.filter((ask) => ask.id !== id || ask.as !== as);
  return {
    waiting: withoutAsk(waiting, id, as),
    queue: withoutAsk(queue, id, as),
    owed: rest.length === owed.length ? owed : rest,
  };
}

/** All who wait are told, then the first who queues and can take it; those before it have left. */
function flashed({ waiting, queue, owed, flashes }: SignalContext): Partial<SignalContext> {
  const rest = [...owed, ...untold(asksOf(waiting))];
  let left: Line = queue;
  for (let first = headOf(left); first !== undefined; first = headOf(left)) {
    left = withoutHead(left);
    const offered = grant(first);
    if (offered === 'busy') rest.push(first);
    if (offered !== 'refused') break;
  }
  return { waiting: NOBODY, queue: left, owed: rest, flashes: flashes + 1 };
}

/** Tells each; gives those that were in the middle of a step. One that cannot take it has left. */
function untold(asks: readonly Ask[]): readonly Ask[] {
  return asks.filter((ask) => grant(ask) === 'busy');
}
