/** Lists of the world: its kinds, what comes next, and the records that rest with a fault. */

import type { KindChart } from '../../../src/machine/chart.ts';
import type { ServerStats } from '../../../src/protocol/admin.ts';
import { useFaults, useNext, useTicks } from './admin-context.ts';
import { kindColour, type Theme } from './colours.ts';
import { useDo } from './doing.ts';
import type { ClockFace } from './game-clock.ts';
import { Icon } from './icons.tsx';
import { Problem } from './problem.tsx';
import { shortCount, stretchText } from './words.ts';

interface KindsProps {
  readonly stats: ServerStats | undefined;
  readonly theme: Theme;
  readonly kind: string | undefined;
  /** Kinds in the order of the world, by which they are coloured. */
  readonly order: readonly KindChart[];
  onKind(kind: string | undefined): void;
  onDraw(kind: string): void;
}

/** A click on a kind shows it alone; one on its chart draws it. */
export function Kinds({ stats, theme, kind, order, onKind, onDraw }: KindsProps) {
  if (stats === undefined) return <p className="empty">Not told yet.</p>;
  const place = (name: string): number => order.findIndex((one) => one.kind === name);
  const kinds = Object.entries(stats.byKind).sort(([a], [b]) => place(a) - place(b));
  return (
    <table className="kinds">
      <thead>
        <tr>
          <th scope="col">kind</th>
          <th scope="col" title="records">
            records
          </th>
          <th scope="col" title="waiting for a next event">
            wait
          </th>
          <th scope="col" title="resting with no next event">
            rest
          </th>
          <th scope="col" title="resting with a fault">
            fault
          </th>
          <th scope="col" aria-label="Statechart" />
        </tr>
      </thead>
      <tbody>
        {kinds.map(([name, { records, waiting, resting, faulted }]) => (
          <tr key={name} className={kind === name ? 'chosen' : undefined}>
            <th scope="row">
              <button
                type="button"
                aria-pressed={kind === name}
                title={kind === name ? 'Show all kinds on the map' : `Show only ${name} on the map`}
                onClick={() => onKind(kind === name ? undefined : name)}
              >
                <i style={{ background: kindColour(place(name), theme) }} />
                {name}
              </button>
            </th>
            <Count of={records} />
            <Count of={waiting} />
            <Count of={resting} />
            <Count of={faulted} isBad={faulted > 0} />
            <td>
              <button
                type="button"
                className="quiet"
                aria-label={`Statechart of ${name}`}
                title="Statechart"
                onClick={() => onDraw(name)}
              >
                <Icon name="chart" />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Count({ of, isBad = false }: { readonly of: number; readonly isBad?: boolean }) {
  return (
    <td className={isBad ? 'bad' : undefined} title={of.toLocaleString('en')}>
      {shortCount(of)}
    </td>
  );
}

interface ListProps {
  readonly clock: ClockFace;
  onSelect(id: string): void;
}

/** What comes next, in order, with the time to it. */
export function Next({ clock, onSelect }: ListProps) {
  const next = useNext(40);
  useTicks(clock.isMoving);
  if (next === undefined) return <p className="empty">Not told yet.</p>;
  if (next.events.length === 0) {
    return (
      <p className="empty">
        Nothing is to come: every record rests until somebody sends it something.
      </p>
    );
  }
  return (
    <ol className="rows">
      {next.events.map(({ id, kind, event, at }) => (
        <li key={`${id} ${event.type} ${at}`}>
          <button type="button" onClick={() => onSelect(id)}>
            <b>{id}</b>
            <span className="faint">{eventText(event.type, kind)}</span>
            <time>{stretchText(Math.max(0, at - clock.now()))}</time>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Records that rest with a fault, with why, and another try. */
export function Faults({ clock, onSelect }: ListProps) {
  const faults = useFaults();
  const doing = useDo();
  if (faults === undefined) return <p className="empty">Not told yet.</p>;
  if (faults.total === 0) return <p className="empty">No record has a fault.</p>;
  return (
    <>
      <Problem of={doing} />
      <ul className="rows faults">
        {faults.faults.map(({ id, fault }) => (
          <li key={id}>
            <button type="button" onClick={() => onSelect(id)}>
              <b>{id}</b>
              <code>{fault.code}</code>
              <time>{stretchText(Math.max(0, clock.now() - fault.time))} ago</time>
            </button>
            <p>{fault.message}</p>
            <button
              type="button"
              onClick={() => doing.do({ type: 'retry', id }, () => `${id} tries again.`)}
            >
              Retry
            </button>
          </li>
        ))}
      </ul>
      {faults.total > faults.faults.length && (
        <p className="faint">
          and {(faults.total - faults.faults.length).toLocaleString('en')} more
        </p>
      )}
    </>
  );
}

/** What an event is called: those of timers carry the path of their state. */
export function eventText(type: string, kind: string): string {
  const after = /^xstate\.after\.(.+?)\.([\w$-]+(?:\.[\w$-]+)*)$/.exec(type);
  if (after === null) return `${type} · ${kind}`;
  return `after ${after[1]} in ${after[2]?.split('.').slice(1).join('.') || kind}`;
}
