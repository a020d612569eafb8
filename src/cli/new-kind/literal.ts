/** Values as TypeScript, laid out as the formatter would: nothing wider than a line that need not be. */

const WIDTH = 100;

/** A plain value as a literal. `indent` is where its line begins, `column` where it does itself. */
export function literal(value: unknown, indent = 0, column = indent): string {
  if (Array.isArray(value)) return list(value, indent, column);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    return object(
      entries.map(([name, inner]) => {
        const start = `${key(name)}: `;
        return `${start}${literal(inner, indent + 2, indent + 2 + start.length)}`;
      }),
      indent,
    );
  }
  if (typeof value === 'string') return text(value);
  return String(value);
}

/** An object of lines that are written already. */
export function object(lines: readonly string[], indent = 0): string {
  if (lines.length === 0) return '{}';
  const space = ' '.repeat(indent);
  return `{\n${lines.map((line) => `${space}  ${line},\n`).join('')}${space}}`;
}

/** A name as a key, in quotes only where it needs them. */
export function key(name: string): string {
  const isPlain = /^[A-Za-z_$][\w$]*$/.test(name) || /^(0|[1-9]\d{0,14})$/.test(name);
  return isPlain ? name : text(name);
}

export function text(value: string): string {
  const json = JSON.stringify(value);
  return value.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

/** The type that a plain value has. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const types = [...new Set(value.map(typeOf))];
    return types.length === 0 ? 'readonly unknown[]' : `readonly (${types.join(' | ')})[]`;
  }
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value).map(
    ([name, inner]) => `readonly ${key(name)}: ${typeOf(inner)}`,
  );
  return entries.length === 0 ? 'Record<string, never>' : `{ ${entries.join('; ')} }`;
}

function list(values: readonly unknown[], indent: number, column: number): string {
  const flat = values.map((value) => literal(value, indent + 2));
  const line = `[${flat.join(', ')}]`;
  // A comma or a bracket may follow.
  if (!line.includes('\n') && column + line.length < WIDTH) return line;
  const space = ' '.repeat(indent);
  return `[\n${flat.map((one) => `${space}  ${one},\n`).join('')}${space}]`;
}
