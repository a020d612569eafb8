/** The game clock: where it stands, and what moves it. */

import { useState } from 'react';
import { useTicks } from './admin-context.ts';
import { type Doing, useDo } from './doing.ts';
import type { ClockFace } from './game-clock.ts';
import { Icon } from './icons.tsx';
import { Problem } from './problem.tsx';
import { clockText, stretchText } from './words.ts';

const SPEEDS = [0.1, 0.5, 1, 2, 5, 10, 60, 600];
const JUMPS: readonly (readonly [string, number])[] = [
  ['10 s', 10_000],
  ['1 min', 60_000],
  ['10 min', 600_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
];

interface Props {
  readonly clock: ClockFace;
  /** Game milliseconds by which the world is behind its clock. */
  readonly behind: number;
  readonly isLive: boolean;
}

export function ClockBar({ clock, behind, isLive }: Props) {
  const doing = useDo();
  const [jump, setJump] = useState('60000');
  const speeds = SPEEDS.includes(clock.speed)
    ? SPEEDS
    : [...SPEEDS, clock.speed].sort((a, b) => a - b);
  return (
    <section className="clock" aria-label="Game clock">
      <Face clock={clock} />
      {behind > 0 && <span className="warn">{stretchText(behind)} behind</span>}
      <PauseButton clock={clock} doing={doing} isLive={isLive} />
      <label>
        Speed{' '}
        <select
          value={clock.speed}
          disabled={!isLive}
          onChange={(event) => doing.do({ type: 'setSpeed', speed: Number(event.target.value) })}
        >
          {speeds.map((speed) => (
            <option key={speed} value={speed}>
              ×{speed}
            </option>
          ))}
        </select>
      </label>
      <span className="together">
        <button
          type="button"
          disabled={!isLive}
          onClick={() => doing.do({ type: 'jump', milliseconds: Number(jump) })}
        >
          Jump
        </button>
        <select
          aria-label="How far to jump"
          value={jump}
          onChange={(event) => setJump(event.target.value)}
        >
          {JUMPS.map(([name, milliseconds]) => (
            <option key={name} value={milliseconds}>
              {name}
            </option>
          ))}
        </select>
      </span>
      <Problem of={doing} />
    </section>
  );
}

function Face({ clock }: { readonly clock: ClockFace }) {
  useTicks(clock.isMoving);
  return (
    <output className="clock-face" aria-label="Game time">
      {clockText(clock.now())}
    </output>
  );
}

function PauseButton({ clock, doing, isLive }: Omit<Props, 'behind'> & { readonly doing: Doing }) {
  return clock.paused ? (
    <button
      type="button"
      className="primary"
      disabled={!isLive}
      onClick={() => doing.do({ type: 'resume' })}
    >
      <Icon name="play" /> Resume
    </button>
  ) : (
    <button type="button" disabled={!isLive} onClick={() => doing.do({ type: 'pause' })}>
      <Icon name="pause" /> Pause
    </button>
  );
}
