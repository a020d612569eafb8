/** What can be changed of one transition, or what a new one is. */
import { useState } from 'react';
import type { ChartState, ChartTransition, KindChart } from '../../../../src/machine/chart.ts';
import type { Cause, ChartEdit, StatePath } from '../../../../src/protocol/chart-edits.ts';
import { CauseFields } from './cause-fields.tsx';
import { DelayForm } from './delay-form.tsx';
import { NameList } from './name-list.tsx';

/** A transition that is not drawn yet. */
export interface Sketch {
  readonly source: string;
  readonly target: string | undefined;
}

interface Props {
  readonly chart: KindChart;
  readonly isBusy: boolean;
  show(edit: ChartEdit): void;
}

const NOWHERE = '';

function pathOf(chart: KindChart, id: string): StatePath {
  return chart.states.find((state) => state.id === id)?.path ?? [];
}

function nameOf({ path, key }: ChartState): string {
  return path.length === 0 ? `${key} (the machine)` : path.join('.');
}

export function NewTransition({
  chart,
  isBusy,
  show,
  sketch,
}: Props & { readonly sketch: Sketch }) {
  const [cause, setCause] = useState<Cause>({ on: '' });
  const [target, setTarget] = useState(sketch.target ?? NOWHERE);
  const source = pathOf(chart, sketch.source);
  return (
    <form
      className="form"
      aria-label="New transition"
      onSubmit={(event) => {
        event.preventDefault();
        show({
          edit: 'addTransition',
          source,
          cause,
          target: target === NOWHERE ? null : pathOf(chart, target),
        });
      }}
    >
      <h3>New transition from {source.join('.') || chart.machine}</h3>
      <CauseFields cause={cause} chart={chart} onChange={setCause} />
      <TargetField chart={chart} target={target} onChange={setTarget} />
      <button type="submit" disabled={isBusy || !isWhole(cause)}>
        Show the change
      </button>
    </form>
  );
}

export function TransitionForm({
  chart,
  isBusy,
  show,
  transition,
}: Props & { readonly transition: ChartTransition }) {
  const before = causeOf(transition);
  const [cause, setCause] = useState<Cause>(before);
  const [target, setTarget] = useState(transition.targets[0] ?? NOWHERE);
  const [guard, setGuard] = useState(transition.guard?.name ?? '');
  const [actions, setActions] = useState<readonly string[]>(
    transition.actions.map(({ name }) => name),
  );
  const [reenter, setReenter] = useState(transition.reenter);
  const name = { source: pathOf(chart, transition.source), cause: before, place: transition.place };
  const isNamedGuard = transition.guard === undefined || transition.guard.inline === undefined;
  const change = {
    ...(JSON.stringify(cause) === JSON.stringify(before) ? {} : { cause }),
    ...(target === (transition.targets[0] ?? NOWHERE)
      ? {}
      : { target: target === NOWHERE ? null : pathOf(chart, target) }),
    ...(guard === (transition.guard?.name ?? '') ? {} : { guard: guard === '' ? null : guard }),
    ...(String(actions) === String(transition.actions.map(({ name: one }) => one))
      ? {}
      : { actions }),
    ...(reenter === transition.reenter ? {} : { reenter }),
  };
  const { trigger } = transition;
  const form = (
    <form
      className="form"
      aria-label="Transition"
      onSubmit={(event) => {
        event.preventDefault();
        show({ edit: 'changeTransition', transition: name, change });
      }}
    >
      <h3>Transition from {name.source.join('.') || chart.machine}</h3>
      <CauseFields cause={cause} chart={chart} onChange={setCause} />
      <TargetField chart={chart} target={target} onChange={setTarget} />
      <label>
        <span>guard</span>
        <select
          value={guard}
          disabled={!isNamedGuard}
          onChange={({ target: { value } }) => setGuard(value)}
        >
          <option value="">none</option>
          {(isNamedGuard ? chart.names.guards : [guard]).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <NameList title="actions" names={actions} known={chart.names.actions} onChange={setActions} />
      <label className="check">
        <input
          type="checkbox"
          checked={reenter}
          onChange={({ target: { checked } }) => setReenter(checked)}
        />
        leaves and enters its source anew
      </label>
      <div className="line">
        <button
          type="submit"
          className="primary"
          disabled={isBusy || Object.keys(change).length === 0 || !isWhole(cause)}
        >
          Show the change
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => show({ edit: 'removeTransition', transition: name })}
        >
          Remove
        </button>
      </div>
    </form>
  );
  if (trigger.type !== 'after' || !chart.names.delays.includes(trigger.delay)) return form;
  return (
    <>
      {form}
      <DelayForm
        key={`${trigger.delay} ${chart.delays[trigger.delay]}`}
        delay={trigger.delay}
        chart={chart}
        isBusy={isBusy}
        show={show}
      />
    </>
  );
}

interface TargetProps {
  readonly chart: KindChart;
  readonly target: string;
  onChange(target: string): void;
}

function TargetField({ chart, target, onChange }: TargetProps) {
  return (
    <label>
      <span>leads to</span>
      <select value={target} onChange={(event) => onChange(event.target.value)}>
        <option value={NOWHERE}>nowhere, it only acts</option>
        {chart.states.map((state) => (
          <option key={state.id} value={state.id}>
            {nameOf(state)}
          </option>
        ))}
      </select>
    </label>
  );
}

function isWhole(cause: Cause): boolean {
  if ('on' in cause) return cause.on !== '';
  return !('after' in cause) || cause.after !== '';
}

function causeOf({ trigger }: ChartTransition): Cause {
  switch (trigger.type) {
    case 'event':
      return { on: trigger.event };
    case 'after':
      return { after: trigger.delay };
    case 'always':
      return { always: true };
    case 'done':
      return { onDone: true };
    default:
      trigger satisfies never;
      return { always: true };
  }
}
