/** What a chart shows of a record as it runs. */
import { createContext, useContext, useMemo, useRef } from 'react';
import type { ChartTransition, KindChart } from '../../../../src/machine/chart.ts';
import type { UpcomingTimer } from '../../../../src/protocol/admin.ts';
import type { ClockFace } from '../game-clock.ts';
import { activeStates } from './active.ts';
import type { Live } from './chart.tsx';

/** A timer that runs: it fills from `from` to `at`, in game milliseconds. */
export interface Running {
  readonly from: number;
  readonly at: number;
}

export interface LiveRecord {
  readonly clock: ClockFace;
  readonly active: ReadonlySet<string>;
  /** By the type of the event that the timer brings. */
  readonly running: ReadonlyMap<string, Running>;
  send(transition: ChartTransition): void;
}

export const LiveContext = createContext<LiveRecord | undefined>(undefined);

export function useLiveRecord(): LiveRecord | undefined {
  return useContext(LiveContext);
}

export function useLive(chart: KindChart, live: Live | undefined): LiveRecord | undefined {
  const began = useRef(new Map<string, number>());
  const { record, clock, send } = live ?? {};
  const active = useMemo(
    () => (record === undefined ? undefined : activeStates(chart.states, record.value)),
    [chart, record],
  );
  if (record === undefined || clock === undefined || active === undefined) return undefined;
  const running = new Map<string, Running>();
  const seen = new Map<string, number>();
  for (const timer of record.timers) {
    const key = `${record.id} ${timer.id} ${timer.at}`;
    const from = began.current.get(key) ?? beginOf(timer, chart, record.time);
    seen.set(key, from);
    running.set(timer.event.type, { from, at: timer.at });
  }
  began.current = seen;
  return {
    clock,
    active,
    running,
    send: ({ trigger }) => {
      if (trigger.type !== 'always') send?.({ type: trigger.event });
    },
  };
}

/**
 * When a timer was set. A record does not hold that: a delay written as a number tells it, and one
 * that the machine works out is taken to begin when it is first seen.
 */
function beginOf({ event, at }: UpcomingTimer, { transitions }: KindChart, now: number): number {
  const delay = transitions
    .map(({ trigger }) => trigger)
    .find((trigger) => trigger.type === 'after' && trigger.event === event.type);
  const written = delay?.type === 'after' ? Number(delay.delay) : Number.NaN;
  return Number.isFinite(written) ? at - written : Math.min(now, at);
}
