/** `kinds/index.ts` with one more kind in it. */
import { KindError } from '../../core/errors.ts';
import type { KindNames } from './names.ts';

const WIDTH = 100;

/** The registry of a project that has none yet. */
export function newRegistry({ name, kind }: KindNames): string {
  return `/** The registry: the kinds that \`offstage serve\` loads. */
import { ${kind} } from './${name}.kind.ts';

export { ${kind} };

export const kinds = [${kind}] as const;
`;
}

/**
 * A registry's text with the kind imported, exported beside the others and listed in `kinds`. Throws
 * `BAD_REGISTRY`, saying what to add by hand, for a text in which that place is not to be found.
 */
export function withKind(registry: string, names: KindNames): string {
  const { name, kind } = names;
  if (new RegExp(`\\b${kind}\\b`).test(registry)) {
    throw new KindError(
      'BAD_REGISTRY',
      `kinds/index.ts has something called ${kind} already. Give the new kind another name.`,
    );
  }
  const list = /(export const kinds\b[^=]*=\s*)\[([^\]]*)\]/.exec(registry);
  if (list === null) throw byHand(names, 'it has no `export const kinds = […]`');
  const [whole, start = '', inner = ''] = list;
  const items = itemsOf(inner);
  const listed = registry.replace(
    whole,
    () => `${start}${bracketed('[', withItem(items, kind), ']', start.length)}`,
  );
  return withImport(withExport(listed, kind), name, kind);
}

/** The kind in the list of exports, if there is one. */
function withExport(registry: string, kind: string): string {
  const list = /^export \{([^}]*)\};$/m.exec(registry);
  if (list === null) return registry;
  const [whole, inner = ''] = list;
  const items = withItem(itemsOf(inner), kind);
  return registry.replace(whole, () => `export ${bracketed('{', items, '}', 'export '.length)};`);
}

function withImport(registry: string, name: string, kind: string): string {
  const line = `import { ${kind} } from './${name}.kind.ts';`;
  const lines = registry.split('\n');
  const places = lines.flatMap((one, at) => {
    const from = /^import .* from '(.+)';$/.exec(one)?.[1];
    return from === undefined ? [] : [{ at, from }];
  });
  // Behind the last one that comes before it, as imports are sorted.
  const before = places.filter(({ from }) => !from.startsWith('.') || from < `./${name}.kind.ts`);
  const first = lines.findIndex((one) => !/^(\/\/|\/\*|\s?\*|\s*$)/.test(one));
  const at = before.at(-1)?.at ?? (places[0]?.at ?? Math.max(0, first)) - 1;
  lines.splice(at + 1, 0, line);
  // The first import is set apart from what follows.
  if (places.length === 0) lines.splice(at + 2, 0, '');
  return lines.join('\n');
}

function itemsOf(inner: string): string[] {
  return inner
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** One more item: in its place if they are sorted, else at the end. */
function withItem(items: readonly string[], item: string): string[] {
  const isSorted = items.every((one, i) => i === 0 || (items[i - 1] as string) < one);
  const at = isSorted ? items.findIndex((one) => one > item) : -1;
  return at < 0 ? [...items, item] : [...items.slice(0, at), item, ...items.slice(at)];
}

/** Items on one line, or each on its own where that is too long. */
function bracketed(open: string, items: readonly string[], close: string, column: number): string {
  const space = open === '{' ? ' ' : '';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  // `as const;` or the like may follow.
  if (!line.includes('\n') && column + line.length + ' as const;'.length <= WIDTH) return line;
  return `${open}\n${items.map((item) => `  ${item},\n`).join('')}${close}`;
}

function byHand({ name, kind }: KindNames, why: string): KindError {
  return new KindError(
    'BAD_REGISTRY',
    `kinds/index.ts cannot be added to: ${why}. Add to it:\n  import { ${kind} } from './${name}.kind.ts';\nand list ${kind} in kinds.`,
  );
}
