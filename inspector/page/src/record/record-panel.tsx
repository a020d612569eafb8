/** One record: what it is, its statechart as it runs, what it holds, what it waits for, what happened to it. */

import { useState } from 'react';
import type { KindChart } from '../../../../src/machine/chart.ts';
import type { Happening, InspectedRecord } from '../../../../src/protocol/admin.ts';
import { useHappenings, useRecord } from '../admin-context.ts';
import { Chart } from '../chart/chart.tsx';
import type { Theme } from '../colours.ts';
import { useDo } from '../doing.ts';
import type { ClockFace } from '../game-clock.ts';
import { Icon } from '../icons.tsx';
import { eventText } from '../lists.tsx';
import { Problem } from '../problem.tsx';
import { clockText, stateText, stretchText } from '../words.ts';
import { ContextTree } from './context-tree.tsx';
import { type Draft, fieldsOf, SendForm } from './send-form.tsx';
import { Timers } from './timers.tsx';

interface Props {
  readonly id: string;
  readonly clock: ClockFace;
  readonly machines: readonly KindChart[];
  readonly theme: Theme;
  onSelect(id: string | undefined): void;
}

export function RecordPanel({ id, clock, machines, theme, onSelect }: Props) {
  const record = useRecord(id);
  const happenings = useHappenings(id, 50);
  return (
    <aside className="record" aria-label={`Record ${id}`}>
      <header>
        <h2>{id}</h2>
        <button
          type="button"
          className="quiet"
          aria-label="Close"
          title="Close (Esc on the map)"
          onClick={() => onSelect(undefined)}
        >
          <Icon name="close" />
        </button>
      </header>
      {record === undefined && <p className="empty">Asking for it…</p>}
      {record === null && (
        <p className="empty">
          There is no record of this id, or no longer. Another may be found above.
        </p>
      )}
      {record && (
        <Body
          record={record}
          chart={machines.find(({ kind }) => kind === record.kind)}
          happenings={happenings}
          clock={clock}
          theme={theme}
          onSelect={onSelect}
        />
      )}
    </aside>
  );
}

interface BodyProps extends Omit<Props, 'id' | 'machines'> {
  readonly record: InspectedRecord;
  readonly chart: KindChart | undefined;
  readonly happenings: readonly Happening[];
}

function Body({ record, chart, happenings, clock, theme, onSelect }: BodyProps) {
  const doing = useDo();
  const [isTall, setIsTall] = useState(false);
  const [draft, setDraft] = useState<Draft>();
  const { id, kind, at, cell, links, linkedBy, value, description, fault, status, tags } = record;
  // An event that carries something is written down first; any other is sent at once.
  const send = (event: { readonly type: string }): void => {
    const fields = fieldsOf(chart, event.type);
    setDraft({ type: event.type, fields });
    if (fields === undefined) void doing.do({ type: 'send', id, event });
  };
  return (
    <div className="record-body">
      <p className="lead">
        <b>{kind}</b>{' '}
        <span className={`state ${fault === null ? status : 'faulted'}`}>{stateText(value)}</span>
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </p>
      {description !== undefined && <p>{description}</p>}
      {fault !== null && (
        <div className="fault" role="alert">
          <p>
            <code>{fault.code}</code> {fault.message}
          </p>
          <button type="button" onClick={() => doing.do({ type: 'retry', id })}>
            Retry
          </button>
        </div>
      )}
      <Problem of={doing} />
      {chart !== undefined && (
        <section className={isTall ? 'record-chart tall' : 'record-chart'} aria-label="Statechart">
          <Chart chart={chart} theme={theme} live={{ record, clock, send }} />
          <button
            type="button"
            className="quiet grow"
            aria-label={isTall ? 'Smaller chart' : 'Larger chart'}
            onClick={() => setIsTall(!isTall)}
          >
            <Icon name={isTall ? 'smaller' : 'larger'} />
          </button>
        </section>
      )}
      <Timers record={record} clock={clock} />
      <SendForm draft={draft} record={record} chart={chart} doing={doing} />
      <section>
        <h3>Context</h3>
        <ContextTree key={id} value={record.context ?? record.rich?.json} />
      </section>
      <section>
        <h3>Links</h3>
        {Object.keys(links).length === 0 && linkedBy.length === 0 && (
          <p className="empty">None, either way.</p>
        )}
        <dl className="links">
          {Object.entries(links).map(([name, to]) => (
            <div key={name}>
              <dt>
                {name} <Icon name="to" />
              </dt>
              <dd>
                <button type="button" className="link" onClick={() => onSelect(to)}>
                  {to}
                </button>
              </dd>
            </div>
          ))}
          {linkedBy.length > 0 && (
            <div>
              <dt>
                <Icon name="from" /> linked by
              </dt>
              <dd>
                {linkedBy.slice(0, 30).map((from) => (
                  <button key={from} type="button" className="link" onClick={() => onSelect(from)}>
                    {from}
                  </button>
                ))}
                {linkedBy.length > 30 && (
                  <span className="faint">and {linkedBy.length - 30} more</span>
                )}
              </dd>
            </div>
          )}
        </dl>
      </section>
      <section>
        <h3>Lately</h3>
        {happenings.length === 0 ? (
          <p className="empty">Nothing since you look at it.</p>
        ) : (
          <ol className="happenings">
            {happenings.map((one, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: what happened has no name of its own, and is counted from the first.
              <li key={happenings.length - i} className={one.what}>
                <time>{clockText(one.time)}</time>
                <HappeningText of={one} />
              </li>
            ))}
          </ol>
        )}
      </section>
      <p className="faint">
        At {at.map((n) => Math.round(n * 100) / 100).join(', ')} · cell {cell} · {record.relevancy}{' '}
        · kind version {record.version} · revision {record.revision} ·{' '}
        {record.nextEvent === null
          ? 'rests'
          : `next in ${stretchText(Math.max(0, record.nextEvent - record.time))}`}
      </p>
    </div>
  );
}

function HappeningText({ of }: { readonly of: Happening }) {
  const { type, ...rest } = of.event;
  const words = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  if (of.what === 'notice') {
    return (
      <span>
        <b>{type}</b>
        {words} <i className="faint">notice</i>
      </span>
    );
  }
  return (
    <span>
      {eventText(type, of.cause)}
      {words}
      {of.fault !== null && <i className="bad"> failed: {of.fault.message}</i>}
      {!of.taken && of.fault === null && <i className="faint"> not taken</i>}
    </span>
  );
}
