/** An event at every interval, a notice each, up to a count. It may send an event to those around it. */
import { all, at, selfId } from 'offstage';
import { assign, emit, sendTo, setup } from 'xstate';
import { badInput, duration, givenInput, isPositive, wholeNumber } from './input.ts';

/** What a timer sends each time, and to whom. */
export interface Signal {
  readonly event: { readonly type: string; readonly [key: string]: unknown };
  /** The kind of those it is for. */
  readonly kind: string;
  /** World units around the timer. */
  readonly radius: number;
}

export interface TimerInput {
  /** Game milliseconds between one event and the next. */
  readonly every: number;
  /** Game milliseconds to the first; as `every` if left out. */
  readonly first?: number;
  /** How many events; without end if left out. */
  readonly count?: number;
  readonly signal?: Signal;
}

export interface TimerContext {
  readonly every: number;
  readonly first: number;
  /** null: without end. */
  readonly count: number | null;
  readonly fired: number;
  readonly signal: Signal | null;
}

/** A timer takes no events but its own. */
export type TimerEvent = { readonly type: 'STOP' };

export type TimerNotice = { readonly type: 'TICK'; readonly n: number };

export const timerMachine = setup({
  types: {
    context: {} as TimerContext,
    events: {} as TimerEvent,
    emitted: {} as TimerNotice,
    input: {} as TimerInput,
    output: {} as { readonly fired: number },
  },
  guards: {
    isOver: ({ context }) => context.count !== null && context.fired >= context.count,
    hasSignal: ({ context }) => context.signal !== null,
  },
  actions: {
    count: assign({ fired: ({ context }) => context.fired + 1 }),
    tick: emit(({ context }) => ({ type: 'TICK', n: context.fired })),
    send: sendTo(
      ({ context }) => {
        const { kind, radius } = context.signal as Signal;
        return all({ kind, within: { at: at(), radius }, except: selfId() });
      },
      ({ context }) => (context.signal as Signal).event,
    ),
  },
  delays: {
    interval: ({ context }) => (context.fired === 0 ? context.first : context.every),
  },
}).createMachine({
  id: 'timer',
  context: ({ input }) => timerContext(input),
  initial: 'running',
  states: {
    running: {
      always: { guard: 'isOver', target: 'over' },
      after: {
        interval: [
          {
            guard: 'hasSignal',
            target: 'running',
            reenter: true,
            actions: ['count', 'tick', 'send'],
          },
          { target: 'running', reenter: true, actions: ['count', 'tick'] },
        ],
      },
      on: { STOP: 'over' },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => ({ fired: context.fired }),
});

function timerContext(input: TimerInput): TimerContext {
  const { every, first, count, signal } = givenInput(input, 'timer', '{ every: milliseconds }');
  return {
    every: duration(every, 'timer: input.every'),
    first: duration(first ?? every, 'timer: input.first'),
    count: count === undefined ? null : wholeNumber(count, 'timer: input.count'),
    fired: 0,
    signal: signal === undefined ? null : checkedSignal(signal),
  };
}

function checkedSignal(signal: Signal): Signal {
  const { event, kind, radius } = signal ?? {};
  if (typeof event?.type === 'string' && typeof kind === 'string' && isPositive(radius)) {
    return { event, kind, radius };
  }
  throw badInput('timer: input.signal', signal, '{ event: { type }, kind, radius }');
}
