/** What can be changed of one state. */
import { type FormEvent, useState } from 'react';
import type { ChartState, KindChart } from '../../../../src/machine/chart.ts';
import type { ChartEdit, StateType } from '../../../../src/protocol/chart-edits.ts';
import { DelayForm } from './delay-form.tsx';
import { NameList } from './name-list.tsx';

interface Props {
  readonly state: ChartState;
  readonly chart: KindChart;
  readonly isBusy: boolean;
  show(edit: ChartEdit): void;
  /** Begins a transition that leaves the state. */
  draw(): void;
}

export function StateForm({ state, chart, isBusy, show, draw }: Props) {
  const { path, parent } = state;
  const [key, setKey] = useState(state.key);
  const [inner, setInner] = useState('');
  const around = chart.states.find(({ id }) => id === parent);
  const type: StateType =
    state.type === 'atomic' || state.type === 'compound' ? 'normal' : state.type;
  const submit = (edit: ChartEdit) => (event: FormEvent) => {
    event.preventDefault();
    show(edit);
  };
  const actions = (when: 'entry' | 'exit') => (
    <NameList
      title={when}
      names={state[when].map(({ name }) => name)}
      known={chart.names.actions}
      onChange={(names) => show({ edit: 'setActions', state: path, when, actions: names })}
    />
  );
  return (
    <section className="form" aria-label={`State ${state.key}`}>
      <h3>{parent === null ? 'The machine' : `State ${state.key}`}</h3>
      {parent !== null && (
        <form className="line" onSubmit={submit({ edit: 'renameState', state: path, key })}>
          <input
            aria-label="Name of the state"
            value={key}
            onChange={({ target: { value } }) => setKey(value)}
          />
          <button type="submit" disabled={isBusy || key === state.key || key === ''}>
            Rename
          </button>
        </form>
      )}
      <label>
        <span>type</span>
        <select
          value={type}
          onChange={({ target: { value } }) =>
            show({ edit: 'setType', state: path, to: value as StateType })
          }
        >
          <option value="normal">
            {state.type === 'compound' ? 'with states, one at a time' : 'normal'}
          </option>
          <option value="parallel">parallel</option>
          {parent !== null && <option value="final">final</option>}
          {parent !== null && <option value="history">history</option>}
        </select>
      </label>
      {state.type !== 'history' && (
        <>
          {actions('entry')}
          {actions('exit')}
          <form className="line" onSubmit={submit({ edit: 'addState', parent: path, key: inner })}>
            <input
              aria-label="Name of a new state inside"
              placeholder="newState"
              value={inner}
              onChange={({ target: { value } }) => setInner(value)}
            />
            <button type="submit" disabled={isBusy || inner === ''}>
              Add state
            </button>
          </form>
          <button type="button" onClick={draw}>
            Draw a transition from here
          </button>
        </>
      )}
      {parent !== null && (
        <div className="line">
          <button
            type="button"
            disabled={isBusy || around?.type === 'parallel' || around?.initial === state.id}
            onClick={() => show({ edit: 'setInitial', state: path })}
          >
            Make it the initial one
          </button>
          <button
            type="button"
            disabled={isBusy}
            onClick={() => show({ edit: 'removeState', state: path })}
          >
            Remove
          </button>
        </div>
      )}
      {parent === null &&
        chart.names.delays.map((delay) => (
          <DelayForm
            key={`${delay} ${chart.delays[delay]}`}
            delay={delay}
            chart={chart}
            isBusy={isBusy}
            show={show}
          />
        ))}
    </section>
  );
}
