/** What makes a transition happen, as fields of a form. */
import { useId } from 'react';
import type { KindChart } from '../../../../src/machine/chart.ts';
import type { Cause } from '../../../../src/protocol/chart-edits.ts';

interface Props {
  readonly cause: Cause;
  readonly chart: KindChart;
  onChange(cause: Cause): void;
}

type Sort = 'on' | 'after' | 'always' | 'onDone';

const SORTS: readonly (readonly [Sort, string])[] = [
  ['on', 'event'],
  ['after', 'after a delay'],
  ['always', 'always'],
  ['onDone', 'done inside'],
];

export function CauseFields({ cause, chart, onChange }: Props) {
  const listId = useId();
  const sort: Sort =
    'on' in cause ? 'on' : 'after' in cause ? 'after' : 'always' in cause ? 'always' : 'onDone';
  const known =
    sort === 'after'
      ? chart.names.delays
      : [
          ...new Set(
            chart.transitions.flatMap(({ trigger }) =>
              trigger.type === 'event' ? [trigger.event] : [],
            ),
          ),
        ];
  return (
    <>
      <label>
        <span>happens</span>
        <select value={sort} onChange={(event) => onChange(causeOf(event.target.value as Sort))}>
          {SORTS.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {('on' in cause || 'after' in cause) && (
        <label>
          <span>{'on' in cause ? 'event' : 'delay'}</span>
          <input
            list={listId}
            value={'on' in cause ? cause.on : cause.after}
            placeholder={'on' in cause ? 'EVENT' : 'milliseconds or a name'}
            onChange={({ target: { value } }) =>
              onChange('on' in cause ? { on: value } : { after: value })
            }
          />
          <datalist id={listId}>
            {known.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      )}
    </>
  );
}

function causeOf(sort: Sort): Cause {
  switch (sort) {
    case 'on':
      return { on: '' };
    case 'after':
      return { after: '1000' };
    case 'always':
      return { always: true };
    case 'onDone':
      return { onDone: true };
    default:
      sort satisfies never;
      return { always: true };
  }
}
