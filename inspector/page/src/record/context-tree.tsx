/** A value as a tree that opens and closes; what changed since it was last told flashes. */

import { useEffect, useRef, useState } from 'react';
import { Icon } from '../icons.tsx';

interface Props {
  readonly value: unknown;
}

export function ContextTree({ value }: Props) {
  if (value === undefined) return <p className="empty">It has none.</p>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="tree">
        <Leaf value={value} />
      </div>
    );
  }
  return (
    <div className="tree">
      <Branch value={value} depth={0} />
    </div>
  );
}

function Branch({ value, depth }: { readonly value: object; readonly depth: number }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="faint">empty</span>;
  return (
    <ul>
      {entries.slice(0, 200).map(([key, inner]) => (
        <Row key={key} name={key} value={inner} depth={depth} />
      ))}
      {entries.length > 200 && <li className="faint">and {entries.length - 200} more</li>}
    </ul>
  );
}

function Row({
  name,
  value,
  depth,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}) {
  const isBranch = typeof value === 'object' && value !== null;
  const [isOpen, setIsOpen] = useState(depth < 2);
  if (!isBranch) {
    return (
      <li>
        <span className="key">{name}</span> <Leaf value={value} />
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        className="key"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'open' : 'shut'} />
        {name}
      </button>{' '}
      {isOpen ? (
        <Branch value={value} depth={depth + 1} />
      ) : (
        <span className="faint">{summary(value)}</span>
      )}
    </li>
  );
}

function summary(value: object): string {
  const { length } = Object.keys(value);
  return Array.isArray(value) ? `[${length}]` : `{${length}}`;
}

function Leaf({ value }: Props) {
  const span = useRef<HTMLSpanElement>(null);
  const before = useRef(value);
  useEffect(() => {
    if (Object.is(before.current, value)) return;
    before.current = value;
    // Begins anew with each change, which a class that is there already would not.
    span.current?.getAnimations().forEach((animation) => {
      animation.cancel();
    });
    span.current?.animate(
      [{ backgroundColor: 'var(--flash)' }, { backgroundColor: 'transparent' }],
      { duration: 900, easing: 'ease-out' },
    );
  }, [value]);
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return (
    <span ref={span} className={`leaf ${value === null ? 'null' : typeof value}`}>
      {text}
    </span>
  );
}
