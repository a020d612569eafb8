/** How long a delay that the machine names is, where that is a number in its source. */
import { useState } from 'react';
import type { KindChart } from '../../../../src/machine/chart.ts';
import type { ChartEdit } from '../../../../src/protocol/chart-edits.ts';
import { stretchText } from '../words.ts';

interface Props {
  readonly delay: string;
  readonly chart: KindChart;
  readonly isBusy: boolean;
  show(edit: ChartEdit): void;
}

export function DelayForm({ delay, chart, isBusy, show }: Props) {
  const before = chart.delays[delay];
  const [text, setText] = useState(String(before));
  if (before === undefined) {
    return (
      <p className="faint">
        How long <code>{delay}</code> is, the machine works out; change it in the source.
      </p>
    );
  }
  const isWhole = /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
  return (
    <form
      className="form"
      aria-label={`Delay ${delay}`}
      onSubmit={(event) => {
        event.preventDefault();
        show({ edit: 'setDelay', delay, milliseconds: Number(text) });
      }}
    >
      <label>
        <span title={delay}>{delay}</span>
        <input
          inputMode="numeric"
          aria-label={`Milliseconds of ${delay}`}
          value={text}
          onChange={({ target: { value } }) => setText(value)}
        />
      </label>
      <p className="faint">Now {stretchText(before)}; in milliseconds here.</p>
      <button type="submit" disabled={isBusy || !isWhole || Number(text) === before}>
        Show the change of {delay}
      </button>
    </form>
  );
}
