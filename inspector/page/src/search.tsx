/** Finds records by a part of their id, kind or state. */
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { RecordsTold } from '../../../src/protocol/admin.ts';
import { useAdmin } from './admin-context.ts';
import { stateText } from './words.ts';

const SHOWN = 12;
/** Real milliseconds without a key after which the server is asked. */
const QUIET = 150;

export function Search({ onSelect }: { onSelect(id: string): void }) {
  const admin = useAdmin();
  const listId = useId();
  const [text, setText] = useState('');
  const [found, setFound] = useState<RecordsTold>();
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState(0);
  const [isOpen, setIsOpen] = useState(false);

  useEffect(() => {
    setFound(undefined);
    setProblem(undefined);
    if (text.trim() === '') return undefined;
    let isWanted = true;
    const timer = setTimeout(async () => {
      try {
        const answer = await admin.records(text.trim().slice(0, 200), SHOWN);
        if (!isWanted) return;
        setFound(answer);
        setChosen(0);
      } catch (error) {
        if (isWanted) setProblem(error instanceof Error ? error.message : String(error));
      }
    }, QUIET);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [admin, text]);

  const take = (id: string | undefined): void => {
    if (id === undefined) return;
    onSelect(id);
    setIsOpen(false);
  };
  const keys = (event: KeyboardEvent): void => {
    const last = (found?.records.length ?? 0) - 1;
    if (event.key === 'ArrowDown') setChosen(Math.min(last, chosen + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') take(found?.records[chosen]?.id);
    else if (event.key === 'Escape') setIsOpen(false);
    else return;
    event.preventDefault();
  };
  const isShown = isOpen && (found !== undefined || problem !== undefined);
  return (
    <div className="search">
      <input
        type="search"
        role="combobox"
        aria-label="Find records by id, kind or state"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-activedescendant={isShown ? `${listId}-${chosen}` : undefined}
        placeholder="Find by id, kind or state"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setIsOpen(true);
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={keys}
      />
      {isShown && (
        <div className="found">
          {problem !== undefined && <p className="bad">{problem}</p>}
          <div id={listId} role="listbox" aria-label="Records found">
            {found?.records.map(({ id, kind, value }, i) => (
              <div
                key={id}
                id={`${listId}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === chosen}
                // Before the blur that would close the list.
                onPointerDown={() => take(id)}
              >
                <b>{id}</b>
                <span className="faint">
                  {kind} · {stateText(value)}
                </span>
              </div>
            ))}
          </div>
          {found?.total === 0 && <p className="empty">No record's id, kind or state holds that.</p>}
          {found !== undefined && found.total > SHOWN && (
            <p className="faint">{(found.total - SHOWN).toLocaleString('en')} more; type on.</p>
          )}
        </div>
      )}
    </div>
  );
}
