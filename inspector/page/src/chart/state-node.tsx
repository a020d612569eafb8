/** A state as a box; its children are boxes of their own above it. */
import { Handle, type NodeProps, Position } from '@xyflow/react';
import type { ChartTransition } from '../../../../src/machine/chart.ts';
import type { StateBox } from './layout.ts';
import { type LiveRecord, useLiveRecord } from './live.tsx';
import { usePen } from './pen.ts';

export function StateNode({ data }: NodeProps) {
  const { state, rows } = (data as { readonly box: StateBox }).box;
  const live = useLiveRecord();
  const pen = usePen();
  const isPicked = pen?.picked === state.id;
  const isActive = live?.active.has(state.id) ?? false;
  const name = state.type === 'history' ? (state.history === 'deep' ? 'H*' : 'H') : state.key;
  return (
    <div
      className={`state-box ${state.type}${isActive ? ' active' : ''}${state.parent === null ? ' root' : ''}${isPicked ? ' picked' : ''}`}
      title={
        state.description ??
        (state.type === 'history' ? `${state.key}: where it was last` : undefined)
      }
      data-state={state.id}
    >
      <Handle type="target" position={Position.Top} isConnectable={pen !== undefined} />
      <header>
        {pen === undefined ? (
          <b>{name}</b>
        ) : (
          <button
            type="button"
            className="pick nodrag nopan"
            aria-pressed={isPicked}
            onClick={() => pen.pick(state.id)}
          >
            {name}
          </button>
        )}
        {state.type === 'parallel' && <i>parallel</i>}
        {state.type === 'final' && <i>final</i>}
      </header>
      {rows.length > 0 && (
        <ul>
          {rows.map(({ text, transition }) => (
            <li key={text}>
              {transition !== undefined && pen !== undefined ? (
                <button
                  type="button"
                  className={`row-button nodrag nopan${pen.picked === transition.id ? ' picked' : ''}`}
                  onClick={() => pen.pick(transition.id)}
                >
                  {text}
                </button>
              ) : transition !== undefined && isSendable(transition) && live !== undefined ? (
                <RowButton text={text} transition={transition} live={live} />
              ) : (
                text
              )}
            </li>
          ))}
        </ul>
      )}
      <Handle
        type="source"
        position={Position.Right}
        // No transition leaves these.
        isConnectable={pen !== undefined && state.type !== 'final' && state.type !== 'history'}
      />
    </div>
  );
}

function RowButton({
  text,
  transition,
  live,
}: {
  readonly text: string;
  readonly transition: ChartTransition;
  readonly live: LiveRecord;
}) {
  const { trigger } = transition;
  return (
    <button
      type="button"
      className="row-button nodrag nopan"
      title={trigger.type === 'event' ? `Send ${trigger.event}` : undefined}
      onClick={() => live.send(transition)}
    >
      {text}
    </button>
  );
}

/** Whether somebody may send what makes the transition happen. */
export function isSendable({ trigger }: ChartTransition): boolean {
  return trigger.type === 'event' && !trigger.event.includes('*');
}

export function DotNode() {
  return (
    <div className="initial-dot">
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}
