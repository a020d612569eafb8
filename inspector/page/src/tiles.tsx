/** The world in figures, and what frames cost over the last minutes. */
import { useEffect, useRef, useState } from 'react';
import type { ServerStats } from '../../../src/protocol/admin.ts';
import type { Theme } from './colours.ts';
import { Plot, type Series } from './plot.tsx';
import { costText, rateText, sizeText } from './words.ts';

/** Five minutes, a second apart. */
const KEPT = 300;

interface Lately {
  readonly at: number;
  readonly eventsPerSecond: number;
  /** Mean and longest milliseconds of a frame. */
  readonly mean: number;
  readonly longest: number;
}

export function Tiles({
  stats,
  theme,
}: {
  readonly stats: ServerStats | undefined;
  readonly theme: Theme;
}) {
  const history = useHistory(stats);
  const last = history.at(-1);
  const count = (n: number | undefined): string => (n === undefined ? '–' : n.toLocaleString('en'));
  return (
    <section className="tiles" aria-label="Figures">
      <Tile name="records" value={count(stats?.records)} />
      <Tile name="events/s" value={last === undefined ? '–' : rateText(last.eventsPerSecond)} />
      <Tile name="waiting" value={count(stats?.waiting)} />
      <Tile name="resting" value={count(stats?.resting)} />
      <Tile name="done" value={count(stats?.done)} />
      <Tile name="faulted" value={count(stats?.faulted)} isBad={(stats?.faulted ?? 0) > 0} />
      <Tile name="backlog" value={count(stats?.backlog)} isBad={(stats?.backlog ?? 0) > 0} />
      <Tile name="events a frame, at most" short="budget" value={count(stats?.budget)} />
      <Tile name="clients" value={count(stats?.clients)} />
      <Tile name="memory" value={stats === undefined ? '–' : sizeText(stats.memory.heapUsed)} />
      <figure className="tile wide">
        <figcaption>
          <span>frame cost</span>
          <b>
            {last === undefined ? '–' : `${costText(last.mean)}, longest ${costText(last.longest)}`}
          </b>
        </figcaption>
        <Plot series={seriesOf(history)} theme={theme} />
      </figure>
    </section>
  );
}

function Tile({
  name,
  short,
  value,
  isBad = false,
}: {
  readonly name: string;
  readonly short?: string;
  readonly value: string;
  readonly isBad?: boolean;
}) {
  return (
    <div className={isBad ? 'tile bad' : 'tile'} title={name}>
      <span>{short ?? name}</span>
      <b>{value}</b>
    </div>
  );
}

function seriesOf(history: readonly Lately[]): Series {
  return {
    seconds: history.map(({ at }) => at / 1000),
    mean: history.map(({ mean }) => mean),
    longest: history.map(({ longest }) => longest),
  };
}

/** A look each second. A world that does nothing tells nothing, and its figures are then those of rest. */
function useHistory(stats: ServerStats | undefined): readonly Lately[] {
  const latest = useRef<{ readonly at: number; readonly stats: ServerStats }>(undefined);
  if (stats !== undefined && stats !== latest.current?.stats) {
    latest.current = { at: Date.now(), stats };
  }
  const [history, setHistory] = useState<readonly Lately[]>([]);
  useEffect(() => {
    let before = latest.current;
    const timer = setInterval(() => {
      const { current } = latest;
      if (current === undefined) return;
      // A server that was started anew counts from 0 again.
      if (before !== undefined && current.stats.frames.count >= before.stats.frames.count) {
        const seconds = (current.at - before.at) / 1000;
        const frames = current.stats.frames.count - before.stats.frames.count;
        const spent = current.stats.frames.milliseconds - before.stats.frames.milliseconds;
        const events = current.stats.events - before.stats.events;
        const mean = frames === 0 ? 0 : spent / frames;
        const lately: Lately = {
          at: Date.now(),
          eventsPerSecond: seconds === 0 ? 0 : Math.max(0, events / seconds),
          mean,
          // The longest is that of another stretch than the mean.
          longest: frames === 0 ? 0 : Math.max(mean, current.stats.frames.longest),
        };
        setHistory((all) => [...all.slice(1 - KEPT), lately]);
      }
      before = current;
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return history;
}
