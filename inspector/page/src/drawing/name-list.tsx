/** Names of actions in their order: taken away by a click, added from those that `setup` gives. */
import { Icon } from '../icons.tsx';

interface Props {
  readonly title: string;
  readonly names: readonly string[];
  readonly known: readonly string[];
  onChange(names: readonly string[]): void;
}

export function NameList({ title, names, known, onChange }: Props) {
  return (
    <div className="names">
      <span className="faint">{title}</span>
      <div>
        {names.map((name, i) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: an action may stand there twice.
            key={`${name} ${i}`}
            type="button"
            className="chip"
            aria-label={`Take ${name} out of ${title}`}
            onClick={() => onChange(names.filter((_, at) => at !== i))}
          >
            {name} <Icon name="close" />
          </button>
        ))}
        <select
          aria-label={`Add to ${title}`}
          value=""
          disabled={known.length === 0}
          onChange={({ target: { value } }) => onChange([...names, value])}
        >
          <option value="">{known.length === 0 ? 'none in setup()' : 'add…'}</option>
          {known.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
    </div>
  );
}
