/** Cheats: what `offstage` does on the command line too. All of them are commands of the world. */
import { type ReactNode, useState } from 'react';
import type { KindChart } from '../../../src/machine/chart.ts';
import type { AdminCommand } from '../../../src/protocol/admin.ts';
import { useAdmin, useRecord } from './admin-context.ts';
import { type Doing, useDo } from './doing.ts';
import { Problem } from './problem.tsx';
import { counted } from './words.ts';

interface Props {
  readonly machines: readonly KindChart[];
  readonly selectedId: string | undefined;
  onSelect(id: string | undefined): void;
}

export function Cheats({ machines, selectedId, onSelect }: Props) {
  return (
    <div className="cheats">
      <Advance />
      <SpawnTimers />
      <AddRecord machines={machines} onSelect={onSelect} />
      <SetState selectedId={selectedId} />
      <Remove selectedId={selectedId} onSelect={onSelect} />
      <Dump />
      <p className="faint">
        In a terminal: <code>npx offstage info</code>, <code>dump</code>, <code>advance</code>,{' '}
        <code>spawn-timers</code>, <code>add</code>, <code>remove</code>, <code>set-state</code>.
      </p>
    </div>
  );
}

interface FormProps {
  readonly title: string;
  readonly button: string;
  readonly doing: Doing;
  readonly isReady?: boolean;
  readonly children: ReactNode;
  run(): void;
}

function Form({ title, button, doing, isReady = true, children, run }: FormProps) {
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <h3>{title}</h3>
      {children}
      <button type="submit" disabled={doing.isBusy || !isReady}>
        {button}
      </button>
      <Problem of={doing} />
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly type?: 'text' | 'number';
  readonly placeholder?: string;
  onChange(value: string): void;
}

function Field({ name, value, type = 'text', placeholder, onChange }: FieldProps) {
  return (
    <label>
      <span>{name}</span>
      <input
        type={type}
        step="any"
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

function Advance() {
  const doing = useDo();
  const [seconds, setSeconds] = useState('3600');
  return (
    <Form
      title="Advance"
      button="Advance"
      doing={doing}
      run={() =>
        doing.do(
          { type: 'jump', milliseconds: Number(seconds) * 1000 },
          () => `The clock is ${seconds} s on.`,
        )
      }
    >
      <Field name="game seconds" type="number" value={seconds} onChange={setSeconds} />
    </Form>
  );
}

function SpawnTimers() {
  const doing = useDo();
  const [count, setCount] = useState('100');
  const [interval, setSpan] = useState('10');
  const [spacing, setSpacing] = useState('1000');
  return (
    <Form
      title="Spawn timers"
      button="Spawn"
      doing={doing}
      run={() =>
        doing.do(
          {
            type: 'spawnTimers',
            count: Number(count),
            interval: Number(interval) * 1000,
            spacing: Number(spacing),
          },
          ({ added = 0 }) => `${counted(added, 'timer')} added.`,
        )
      }
    >
      <Field name="how many" type="number" value={count} onChange={setCount} />
      <Field name="seconds between events" type="number" value={interval} onChange={setSpan} />
      <Field name="world units apart" type="number" value={spacing} onChange={setSpacing} />
    </Form>
  );
}

function AddRecord({ machines, onSelect }: Pick<Props, 'machines' | 'onSelect'>) {
  const doing = useDo();
  const [id, setId] = useState('');
  const [kind, setKind] = useState('');
  const [at, setAt] = useState('0, 0');
  const [links, setLinks] = useState('');
  const [input, setInput] = useState('');
  const chosen = kind === '' ? (machines[0]?.kind ?? '') : kind;
  const run = async (): Promise<void> => {
    const place = numbers(at);
    if (place === undefined) {
      doing.fail('The place is one to three numbers: 120, 40.');
      return;
    }
    const parts = parsed({ links, input });
    if (typeof parts === 'string') {
      doing.fail(parts);
      return;
    }
    const record = { id, kind: chosen, at: place, ...parts };
    const done = await doing.do(
      { type: 'add', records: [record] } as AdminCommand,
      () => `${id} was added.`,
    );
    if (done !== undefined) onSelect(id);
  };
  return (
    <Form title="Add a record" button="Add" doing={doing} isReady={id !== ''} run={run}>
      <Field name="id" value={id} onChange={setId} placeholder="stash-9" />
      <label>
        <span>kind</span>
        <select value={chosen} onChange={(event) => setKind(event.target.value)}>
          {machines.map(({ kind: name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Field name="place" value={at} onChange={setAt} />
      <Field
        name="links, as JSON"
        value={links}
        onChange={setLinks}
        placeholder='{"to": "stash-1"}'
      />
      <Field
        name="input, as JSON"
        value={input}
        onChange={setInput}
        placeholder='{"capacity": 50}'
      />
    </Form>
  );
}

function SetState({ selectedId }: Pick<Props, 'selectedId'>) {
  const doing = useDo();
  const record = useRecord(selectedId);
  const [value, setValue] = useState('');
  const [context, setContext] = useState('');
  const [at, setAt] = useState('');
  const run = (): void => {
    if (selectedId === undefined) return;
    // A state's name may be given as it is; JSON is for nested and parallel ones.
    const isName = /^[\w -]+$/.test(value.trim()) && value.trim() !== '';
    const parts = parsed({ value: isName ? JSON.stringify(value.trim()) : value, context });
    if (typeof parts === 'string') {
      doing.fail(parts);
      return;
    }
    const place = at.trim() === '' ? undefined : numbers(at);
    if (at.trim() !== '' && place === undefined) {
      doing.fail('The place is one to three numbers: 120, 40.');
      return;
    }
    const change = { ...parts, ...(place === undefined ? {} : { at: place }) };
    void doing.do(
      { type: 'setState', id: selectedId, change } as AdminCommand,
      () => `${selectedId} was changed.`,
    );
  };
  const isReady = selectedId !== undefined && `${value}${context}${at}`.trim() !== '';
  return (
    <Form
      title={`Set the state of ${selectedId ?? 'a record'}`}
      button="Set"
      doing={doing}
      isReady={isReady}
      run={run}
    >
      {selectedId === undefined && (
        <p className="faint">Choose a record first, on the map or by the search.</p>
      )}
      <Field
        name="state"
        value={value}
        onChange={setValue}
        placeholder='waiting, or {"door": "open"}'
      />
      <Field name="whole context, as JSON" value={context} onChange={setContext} />
      <Field name="place" value={at} onChange={setAt} placeholder="120, 40" />
      {record && (
        <button
          type="button"
          className="link"
          onClick={() => {
            setValue(
              typeof record.value === 'string' ? record.value : JSON.stringify(record.value),
            );
            setContext(JSON.stringify(record.context ?? ''));
            setAt(record.at.join(', '));
          }}
        >
          As it is now
        </button>
      )}
    </Form>
  );
}

function Remove({ selectedId, onSelect }: Omit<Props, 'machines'>) {
  const doing = useDo();
  const run = async (): Promise<void> => {
    if (selectedId === undefined) return;
    const done = await doing.do(
      { type: 'remove', id: selectedId },
      () => `${selectedId} was removed.`,
    );
    if (done !== undefined) onSelect(undefined);
  };
  return (
    <Form
      title={`Remove ${selectedId ?? 'a record'}`}
      button="Remove"
      doing={doing}
      isReady={selectedId !== undefined}
      run={run}
    >
      {selectedId === undefined && <p className="faint">Choose a record first.</p>}
    </Form>
  );
}

/** Records as JSON lines, in a file of the reader's. */
function Dump() {
  const admin = useAdmin();
  const doing = useDo();
  const [filter, setFilter] = useState('');
  const run = async (): Promise<void> => {
    doing.forget();
    try {
      const { records, total } = await admin.records(filter, 10_000);
      if (total === 0) {
        doing.fail('No record matches.');
        return;
      }
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
      link.download = 'records.jsonl';
      link.click();
      URL.revokeObjectURL(link.href);
      if (total > records.length)
        doing.fail(`The first ${counted(records.length, 'record')} of ${total} were saved.`);
    } catch (error) {
      doing.fail(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Form title="Dump" button="Save records.jsonl" doing={doing} run={run}>
      <Field name="id, kind or state" value={filter} onChange={setFilter} placeholder="all" />
    </Form>
  );
}

/** `120, 40` as numbers; undefined if it is none. */
function numbers(text: string): number[] | undefined {
  const all = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number);
  return all.length >= 1 && all.length <= 3 && all.every(Number.isFinite) ? all : undefined;
}

/** The parts that are not empty, read as JSON; or what is wrong. */
function parsed(parts: Readonly<Record<string, string>>): Record<string, unknown> | string {
  const read: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(parts)) {
    if (text.trim() === '') continue;
    try {
      read[name] = JSON.parse(text);
    } catch (error) {
      return `What you gave for ${name} is no JSON: ${error instanceof Error ? error.message : ''}`;
    }
  }
  return read;
}
