/** A transition as an arrow along the layout's own points, with its label where the layout put it. */
import { EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import type { ChartTransition } from '../../../../src/machine/chart.ts';
import { useFrames } from '../admin-context.ts';
import type { ClockFace } from '../game-clock.ts';
import type { Arrow, Box, Point } from './layout.ts';
import { type LiveRecord, type Running, useLiveRecord } from './live.tsx';
import { usePen } from './pen.ts';
import { isSendable } from './state-node.tsx';
import { transitionText } from './texts.ts';

const CORNER = 8;
const HEAD = 7;

export function TransitionEdge({ data, id }: EdgeProps) {
  const { arrow } = data as { readonly arrow: Arrow };
  const live = useLiveRecord();
  const { transition, label, points } = arrow;
  const isReady = transition !== undefined && (live?.active.has(transition.source) ?? false);
  const running = runningOf(transition, live, isReady);
  return (
    <>
      <g className={`arrow${isReady ? ' ready' : ''}`} data-arrow={id}>
        <path d={roundedPath(points)} fill="none" />
        <path d={headPath(points)} className="head" />
      </g>
      {transition !== undefined && label !== undefined && (
        <EdgeLabelRenderer>
          <Label
            transition={transition}
            box={label}
            isReady={isReady}
            running={running}
            live={live}
          />
        </EdgeLabelRenderer>
      )}
    </>
  );
}

function runningOf(
  transition: ChartTransition | undefined,
  live: LiveRecord | undefined,
  isReady: boolean,
): Running | undefined {
  if (!isReady || transition?.trigger.type !== 'after') return undefined;
  return live?.running.get(transition.trigger.event);
}

interface LabelProps {
  readonly transition: ChartTransition;
  readonly box: Box;
  readonly isReady: boolean;
  readonly running: Running | undefined;
  readonly live: LiveRecord | undefined;
}

function Label({ transition, box, isReady, running, live }: LabelProps) {
  const { head, lines } = transitionText(transition);
  const style = {
    transform: `translate(${box.x}px, ${box.y}px)`,
    width: box.width,
    height: box.height,
  };
  const pen = usePen();
  const isPicked = pen?.picked === transition.id;
  const className = `transition-label nodrag nopan${isReady ? ' ready' : ''}${isPicked ? ' picked' : ''}`;
  const inner = (
    <>
      <b>{head}</b>
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
      {running !== undefined && live !== undefined && <Bar running={running} clock={live.clock} />}
    </>
  );
  if (pen !== undefined) {
    return (
      <button
        type="button"
        className={className}
        style={style}
        data-transition={transition.id}
        aria-pressed={isPicked}
        onClick={() => pen.pick(transition.id)}
      >
        {inner}
      </button>
    );
  }
  if (live === undefined || !isSendable(transition)) {
    return (
      <div className={className} style={style} data-transition={transition.id}>
        {inner}
      </div>
    );
  }
  return (
    <button
      type="button"
      className={className}
      style={style}
      data-transition={transition.id}
      title={`Send ${head}`}
      onClick={() => live.send(transition)}
    >
      {inner}
    </button>
  );
}

/** A timer that runs, from when it was set to when it is due. */
function Bar({
  running: { from, at },
  clock,
}: {
  readonly running: Running;
  readonly clock: ClockFace;
}) {
  useFrames(clock.isMoving);
  const share = at <= from ? 1 : Math.min(1, Math.max(0, (clock.now() - from) / (at - from)));
  return (
    <span
      className="timer-bar"
      role="progressbar"
      aria-label="Time of the timer that has passed"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
    >
      <i style={{ transform: `scaleX(${share})` }} />
    </span>
  );
}

/** A path through points, its corners rounded. */
function roundedPath(points: readonly Point[]): string {
  const [first] = points;
  if (first === undefined) return '';
  const parts = [`M ${first.x} ${first.y}`];
  for (let i = 1; i < points.length; i += 1) {
    const [before, here, after] = [points[i - 1], points[i], points[i + 1]];
    if (before === undefined || here === undefined) continue;
    if (after === undefined) {
      parts.push(`L ${here.x} ${here.y}`);
      continue;
    }
    const into = toward(here, before, CORNER);
    const out = toward(here, after, CORNER);
    parts.push(`L ${into.x} ${into.y} Q ${here.x} ${here.y} ${out.x} ${out.y}`);
  }
  return parts.join(' ');
}

/** A point on the way to another, at most half of it. */
function toward(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return from;
  const share = Math.min(distance, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function headPath(points: readonly Point[]): string {
  const [before, end] = points.slice(-2);
  if (before === undefined || end === undefined) return '';
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const side = (turn: number): string =>
    `${end.x - HEAD * Math.cos(angle + turn)} ${end.y - HEAD * Math.sin(angle + turn)}`;
  return `M ${side(0.45)} L ${end.x} ${end.y} L ${side(-0.45)} Z`;
}
