/**
 * The game clock between two messages: it goes on by real time and speed from where the server last
 * said it stood, so that countdowns run smoothly.
 */
import { useEffect, useState } from 'react';
import type { ServerStats } from '../../../src/protocol/admin.ts';

export interface ClockFace {
  readonly speed: number;
  readonly paused: boolean;
  readonly isMoving: boolean;
  /** Game milliseconds now. */
  now(): number;
}

/** `isLive`: whether the server is there; without it the clock is not known to go on. */
export function useClock(stats: ServerStats | undefined, isLive: boolean): ClockFace {
  const [face, setFace] = useState<ClockFace>(() => faceOf(0, 1, true, false));
  useEffect(() => {
    if (stats === undefined) return;
    const { time, speed, paused } = stats.clock;
    setFace((before) =>
      // Without a connection it stands where it was seen last.
      isLive ? faceOf(time, speed, paused, true) : faceOf(before.now(), speed, paused, false),
    );
  }, [stats, isLive]);
  return face;
}

function faceOf(time: number, speed: number, paused: boolean, isLive: boolean): ClockFace {
  const seenAt = performance.now();
  const isMoving = isLive && !paused && speed > 0;
  return {
    speed,
    paused,
    isMoving,
    now: () => (isMoving ? time + (performance.now() - seenAt) * speed : time),
  };
}
