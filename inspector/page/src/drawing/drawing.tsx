/**
 * A kind's statechart over the whole of the map's place, and, where the server loads its kinds again
 * when their sources change, the tools to draw in it. Nothing is written before its diff was seen.
 */
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { KindChart } from '../../../../src/machine/chart.ts';
import type { ChartEdit } from '../../../../src/protocol/chart-edits.ts';
import { Chart, type Pen } from '../chart/chart.tsx';
import type { Theme } from '../colours.ts';
import { Icon } from '../icons.tsx';
import { DiffView } from './diff-view.tsx';
import { StateForm } from './state-form.tsx';
import { NewTransition, type Sketch, TransitionForm } from './transition-form.tsx';
import { type Drawings, useDrawing } from './use-drawing.ts';

interface Props {
  readonly chart: KindChart;
  readonly theme: Theme;
  readonly isDrawable: boolean;
  onClose(): void;
}

export function Drawing({ chart, theme, isDrawable, onClose }: Props) {
  const drawing = useDrawing(chart.kind);
  const [picked, setPicked] = useState<string>();
  const [sketch, setSketch] = useState<Sketch>();
  const pen = useMemo<Pen>(
    () => ({
      picked,
      pick: (id) => {
        setSketch(undefined);
        setPicked(id);
      },
      connect: (source, target) => {
        setPicked(source);
        setSketch({ source, target });
      },
    }),
    [picked],
  );
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    const isText = event.target instanceof HTMLInputElement;
    if (!isDrawable || isText || !(event.ctrlKey || event.metaKey)) return;
    const what =
      event.key === 'y' || (event.key === 'z' && event.shiftKey)
        ? 'redo'
        : event.key === 'z'
          ? 'undo'
          : undefined;
    if (what === undefined) return;
    event.preventDefault();
    void drawing.redraw(what);
  };
  return (
    <section className="drawing" aria-label={`Statechart of ${chart.kind}`} onKeyDown={keys}>
      <header>
        <h2>{chart.kind}</h2>
        <span className="faint">version {chart.version}</span>
        {isDrawable ? (
          <>
            <button
              type="button"
              disabled={drawing.isBusy}
              title="Undo (Ctrl+Z)"
              onClick={() => drawing.redraw('undo')}
            >
              <Icon name="undo" /> Undo
            </button>
            <button
              type="button"
              disabled={drawing.isBusy}
              title="Redo (Ctrl+Y)"
              onClick={() => drawing.redraw('redo')}
            >
              <Icon name="redo" /> Redo
            </button>
          </>
        ) : (
          <span className="faint">To draw in it, start the server with --watch.</span>
        )}
        <button
          type="button"
          className="quiet"
          aria-label="Back to the map"
          title="Back to the map (Esc)"
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="board">
        {isDrawable ? (
          <Chart chart={chart} theme={theme} pen={pen} />
        ) : (
          <Chart chart={chart} theme={theme} />
        )}
        {isDrawable && (
          <aside className="tools" aria-label="Drawing">
            <Tools
              chart={chart}
              picked={picked}
              sketch={sketch}
              drawing={drawing}
              onSketch={setSketch}
            />
            <Outcome drawing={drawing} />
          </aside>
        )}
      </div>
    </section>
  );
}

interface ToolsProps {
  readonly chart: KindChart;
  readonly picked: string | undefined;
  readonly sketch: Sketch | undefined;
  readonly drawing: Drawings;
  onSketch(sketch: Sketch): void;
}

function Tools({ chart, picked, sketch, drawing, onSketch }: ToolsProps) {
  const { isBusy } = drawing;
  const show = (edit: ChartEdit): void => void drawing.show(edit);
  if (sketch !== undefined) {
    return (
      <NewTransition
        key={`${sketch.source} ${sketch.target}`}
        chart={chart}
        isBusy={isBusy}
        show={show}
        sketch={sketch}
      />
    );
  }
  const state = chart.states.find(({ id }) => id === picked);
  if (state !== undefined) {
    return (
      <StateForm
        key={state.id}
        state={state}
        chart={chart}
        isBusy={isBusy}
        show={show}
        draw={() => onSketch({ source: state.id, target: undefined })}
      />
    );
  }
  const transition = chart.transitions.find(({ id }) => id === picked);
  if (transition !== undefined) {
    return (
      <TransitionForm
        key={JSON.stringify(transition)}
        chart={chart}
        isBusy={isBusy}
        show={show}
        transition={transition}
      />
    );
  }
  return (
    <p className="faint">
      Click a state or a transition to change it. Drag from the dot at a state's corner to another
      to draw a transition.
    </p>
  );
}

/** The diff of an edit, to be written or dropped; or why it could not be made. */
function Outcome({ drawing }: { readonly drawing: Drawings }) {
  const { shown, problem, isBusy } = drawing;
  if (problem !== undefined) {
    return (
      <p className="problem" role="alert">
        {problem}{' '}
        <button type="button" className="quiet" aria-label="Dismiss" onClick={drawing.drop}>
          <Icon name="close" />
        </button>
      </p>
    );
  }
  if (shown === undefined) return null;
  return (
    <section className="outcome" aria-label="Changes of the source">
      <h3>{shown.isWritten ? `Written to ${shown.path}` : `Would change ${shown.path}`}</h3>
      <DiffView diff={shown.diff} />
      {shown.notes.map((note) => (
        <p key={note} className="warn">
          {note}
        </p>
      ))}
      <div className="line">
        {!shown.isWritten && (
          <button type="button" className="primary" disabled={isBusy} onClick={drawing.write}>
            Write to the file
          </button>
        )}
        <button type="button" onClick={drawing.drop}>
          {shown.isWritten ? 'Close' : 'Drop'}
        </button>
      </div>
    </section>
  );
}
