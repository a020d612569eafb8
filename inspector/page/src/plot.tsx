/** Frame costs over time, drawn by uPlot. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Theme } from './colours.ts';

export interface Series {
  readonly seconds: number[];
  readonly mean: number[];
  readonly longest: number[];
}

const HEIGHT = 92;
/** Half the width of a time under the plot, in pixels. */
const HALF_TIME = 26;

export function Plot({ series, theme }: { readonly series: Series; readonly theme: Theme }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const shown = useRef(series);
  shown.current = series;

  useEffect(() => {
    const { current: into } = box;
    if (into === null) return undefined;
    const ink = theme === 'dark' ? '#93a0ae' : '#5b6672';
    const grid = { stroke: theme === 'dark' ? '#ffffff12' : '#00000012', width: 1 };
    const font = '10px system-ui, "Open Sans", sans-serif';
    const made = new uPlot(
      {
        width: into.clientWidth,
        height: HEIGHT,
        padding: [6, 4, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: true, range: (_, least, most) => [Math.min(least, most - 60), most] },
          y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
        },
        axes: [
          {
            stroke: ink,
            grid,
            ticks: { show: false },
            size: 16,
            font,
            gap: 2,
            space: 70,
            values: (plot, all) =>
              shown.current.seconds.length < 2
                ? []
                : all.map((at) => {
                    // None that the edge would cut off, or that runs into those at the left.
                    const x = plot.valToPos(at, 'x');
                    const isWhole = x >= HALF_TIME && x <= plot.over.clientWidth - HALF_TIME;
                    return isWhole ? timeText(at) : '';
                  }),
          },
          {
            stroke: ink,
            grid,
            ticks: { show: false },
            size: 34,
            font,
            gap: 2,
            space: 26,
            values: (_, all) => all.map((ms) => `${ms}`),
          },
        ],
        series: [
          {},
          {
            label: 'longest',
            stroke: theme === 'dark' ? '#e6a23c' : '#b36b00',
            width: 1,
            points: { show: false },
          },
          {
            label: 'mean',
            stroke: theme === 'dark' ? '#56b4e9' : '#0b6fb3',
            width: 1.5,
            points: { show: false },
          },
        ],
      },
      columnsOf(shown.current),
      into,
    );
    plot.current = made;
    const sizes = new ResizeObserver(() =>
      made.setSize({ width: into.clientWidth, height: HEIGHT }),
    );
    sizes.observe(into);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
  }, [theme]);

  useEffect(() => plot.current?.setData(columnsOf(series)), [series]);
  return (
    <div
      ref={box}
      className="plot"
      role="img"
      aria-label="Milliseconds of a frame over the last minutes"
    />
  );
}

function columnsOf({ seconds, longest, mean }: Series): uPlot.AlignedData {
  return [seconds, longest, mean];
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}
