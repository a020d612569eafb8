/** Sends a record any event that its machine knows, with what the event carries as JSON. */
import { useEffect, useId, useRef, useState } from 'react';
import type { KindChart } from '../../../../src/machine/chart.ts';
import type { InspectedRecord } from '../../../../src/protocol/admin.ts';
import type { Doing } from '../doing.ts';

/** What the form begins with, when it is opened by a click on a transition. */
export interface Draft {
  readonly type: string;
  /** What the event carries, as JSON to be completed; undefined if nothing is known. */
  readonly fields: string | undefined;
}

interface Props {
  readonly draft: Draft | undefined;
  readonly record: InspectedRecord;
  readonly chart: KindChart | undefined;
  readonly doing: Doing;
}

export function SendForm({ draft, record: { id }, chart, doing }: Props) {
  const listId = useId();
  const [type, setType] = useState('');
  const [rest, setRest] = useState('');
  const events = eventsOf(chart);
  const fields = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (draft === undefined) return;
    setType(draft.type);
    setRest(draft.fields ?? '');
    if (draft.fields !== undefined) fields.current?.focus();
  }, [draft]);
  return (
    <form
      className="send"
      aria-label="Send an event"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        let carried: unknown = {};
        try {
          carried = rest.trim() === '' ? {} : JSON.parse(rest);
        } catch (error) {
          doing.fail(
            `What the event carries is no JSON: ${error instanceof Error ? error.message : ''}`,
          );
          return;
        }
        if (typeof carried !== 'object' || carried === null || Array.isArray(carried)) {
          doing.fail('What the event carries must be an object, such as {"count": 2}.');
          return;
        }
        void doing.do(
          { type: 'send', id, event: { ...carried, type } },
          () => `${type} was taken.`,
        );
      }}
    >
      <input
        list={listId}
        aria-label="Event"
        placeholder="EVENT"
        value={type}
        required
        onChange={(event) => setType(event.target.value)}
      />
      <datalist id={listId}>
        {events.map((event) => (
          <option key={event} value={event} />
        ))}
      </datalist>
      <input
        ref={fields}
        aria-label="What it carries, as JSON"
        placeholder='{"item": "ore", "count": 5}'
        value={rest}
        onChange={(event) => setRest(event.target.value)}
      />
      <button type="submit" disabled={doing.isBusy}>
        Send
      </button>
    </form>
  );
}

/** Events that somebody may send: not those that the world itself brings. */
function eventsOf(chart: KindChart | undefined): string[] {
  const types = (chart?.transitions ?? []).flatMap(({ trigger }) =>
    trigger.type === 'event' && !/^(xstate|offstage)\.|\*/.test(trigger.event)
      ? [trigger.event]
      : [],
  );
  return [...new Set(types)].sort();
}

/** An event as its schema wants it, with empty values to be filled in; undefined if it carries nothing. */
export function fieldsOf(chart: KindChart | undefined, event: string): string | undefined {
  const schema = chart?.commands[event] as
    | { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
    | undefined;
  const properties = Object.entries(schema?.properties ?? {}).filter(([name]) => name !== 'type');
  if (properties.length === 0) return undefined;
  const empty = (type: string | undefined): unknown =>
    type === 'string'
      ? ''
      : type === 'boolean'
        ? false
        : type === 'object'
          ? {}
          : type === 'array'
            ? []
            : 0;
  return JSON.stringify(
    Object.fromEntries(properties.map(([name, { type }]) => [name, empty(type)])),
  );
}
