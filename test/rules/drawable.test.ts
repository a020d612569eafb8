/**
 * Machine files stay drawable: what the extractor of Stately's editor reads of each file of `machines`
 * is the machine that runs; and the lint rule says so of each way of leaving that, and only of those.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { type V4Node, v4ChartOf } from '../../src/inspect/stately/v4-chart.ts';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

/** What the extractor gives for a guard or an action. */
interface Named {
  readonly kind: string;
  readonly type?: string;
  readonly action?: { readonly type: string };
}
type Extracted = Readonly<Record<string, unknown>>;
interface Extractor {
  extractMachinesFromFile(text: string): {
    readonly machines: readonly { toConfig(): Extracted }[];
  } | null;
}
const require = createRequire(new URL('../../inspector/package.json', import.meta.url));
// By its file: the condition `module`, which Vitest sets, would lead to code that Node cannot load.
const extractor = dirname(require.resolve('@xstate/machine-extractor/package.json'));
const { extractMachinesFromFile }: Extractor = require(
  join(extractor, 'dist/xstate-machine-extractor.cjs.js'),
);

/** What the editor reads of a file, as a machine of XState 5; throws where it can read none. */
function readByEditor(text: string): AnyStateMachine {
  const machines = extractMachinesFromFile(text)?.machines ?? [];
  if (machines.length !== 1) throw new Error(`The editor reads ${machines.length} machines.`);
  const config = machines[0]?.toConfig() as Extracted;
  return createMachine(stateOf(config) as Parameters<typeof createMachine>[0]);
}

function stateOf(node: Extracted): object {
  const inner = (of: unknown, each: (value: unknown) => unknown): object | undefined =>
    of === undefined
      ? undefined
      : Object.fromEntries(Object.entries(of as object).map(([key, value]) => [key, each(value)]));
  const { states, on, after, always, entry, exit, context: _, output: __, ...rest } = node;
  return {
    ...rest,
    ...(states === undefined ? {} : { states: inner(states, (one) => stateOf(one as Extracted)) }),
    ...(on === undefined ? {} : { on: inner(on, transitionsOf) }),
    ...(after === undefined ? {} : { after: inner(after, transitionsOf) }),
    ...(always === undefined ? {} : { always: transitionsOf(always) }),
    ...(entry === undefined ? {} : { entry: namesOf(entry) }),
    ...(exit === undefined ? {} : { exit: namesOf(exit) }),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function transitionsOf(value: unknown): unknown {
  return listOf(value).map((one) => {
    if (typeof one !== 'object' || one === null) return one;
    const { target, cond, actions } = one as Extracted;
    return {
      ...(target === undefined ? {} : { target }),
      ...(cond === undefined ? {} : { guard: nameOf(cond as Named) }),
      ...(actions === undefined ? {} : { actions: namesOf(actions) }),
    };
  });
}

const namesOf = (value: unknown): string[] => listOf(value).map((one) => nameOf(one as Named));

function nameOf({ kind, type, action }: Named): string {
  const name = type ?? action?.type;
  if (kind !== 'named' || name === undefined)
    throw new Error('The editor reads behaviour without a name.');
  return name;
}

/** What is drawn: everything but whether a transition to its own state enters it again, which has no line of its own. */
function drawn(machine: AnyStateMachine): unknown {
  const without = (node: V4Node): unknown => ({
    ...node,
    on: Object.fromEntries(
      Object.entries(node.on).map(([type, list]) => [
        type,
        list.map(({ internal: _, ...rest }) => rest),
      ]),
    ),
    states: Object.fromEntries(
      Object.entries(node.states).map(([key, child]) => [key, without(child)]),
    ),
  });
  return without(v4ChartOf(machine).definition);
}

// The extractor says what it passes by.
vi.spyOn(console, 'error').mockReturnValue(undefined);
vi.spyOn(console, 'log').mockReturnValue(undefined);
vi.spyOn(console, 'warn').mockReturnValue(undefined);

const files = readdirSync(join(repository, 'machines')).filter((file) =>
  file.endsWith('.machine.ts'),
);

test.each(files)('the editor draws %s as it runs', async (file) => {
  const text = readFileSync(join(repository, 'machines', file), 'utf8');
  const machines = Object.values(await import(join(repository, 'machines', file))).filter(
    (one): one is AnyStateMachine => (one as { __xstatenode?: unknown })?.__xstatenode === true,
  );
  expect(machines).toHaveLength(1);
  expect(drawn(readByEditor(text))).toEqual(drawn(machines[0] as AnyStateMachine));
});

const MADE = 'const made = (name: string) => ({ [name]: {} }) as never;';

/** Ways of leaving what the editor can read, with what the lint rule says of each. */
const ways: readonly (readonly [what: string, code: string, says: RegExp])[] = [
  [
    'a configuration that is made elsewhere',
    `${MADE}
export const x = setup({}).createMachine(made('states'));`,
    /write its configuration out/,
  ],
  [
    'states that are spread in',
    `${MADE}
export const x = setup({}).createMachine({ initial: 'a', states: { a: {}, ...made('b') } });`,
    /spread into a machine/,
  ],
  [
    'states that are made elsewhere',
    `${MADE}
const states = made('a');
export const x = setup({}).createMachine({ initial: 'a', states: states });`,
    /what this stands for/,
  ],
  [
    'a guard without a name',
    `export const x = setup({}).createMachine({
  initial: 'a',
  states: { a: { on: { GO: { guard: () => true, target: 'b' } } }, b: {} },
});`,
    /cannot name this function/,
  ],
  [
    'an action without a name',
    `export const x = setup({}).createMachine({
  initial: 'a',
  states: { a: { entry: () => undefined } },
});`,
    /cannot name this function/,
  ],
  [
    'a state whose name is worked out',
    `const name = ['b', 'c'].join('-');
export const x = setup({}).createMachine({ initial: 'a', states: { a: {}, [name]: {} } });`,
    /what this name is/,
  ],
];

describe('the lint rule', () => {
  let folder: Scratch;
  const fine = `import { setup } from 'xstate';
export const x = setup({
  types: { context: {} as { n: number } },
  guards: { isLow: ({ context }) => context.n < 3 },
  actions: { count: () => undefined },
  delays: { soon: () => 5 },
}).createMachine({
  id: 'x',
  context: () => ({ n: 1 }),
  initial: 'a',
  states: { a: { entry: 'count', after: { soon: { guard: 'isLow', target: 'b' } } }, b: { type: 'final' } },
  output: ({ context }) => context.n,
});
`;
  const path = (i: number) => `machines/way-${i}.machine.ts`;
  beforeAll(async () => {
    folder = await scratch('drawable');
    await folder.copy('biome.json', 'test/rules/deterministic.grit', 'test/rules/drawable.grit');
    await folder.write({
      'machines/fine.machine.ts': fine,
      ...Object.fromEntries(
        ways.map(([, code], i) => [path(i), `import { setup } from 'xstate';\n${code}\n`]),
      ),
    });
  });
  afterAll(() => folder.remove());

  test('finds nothing in a machine that the editor reads', async () => {
    const { code, output } = await run(
      'biome',
      ['lint', '--colors=off', 'machines/fine.machine.ts'],
      { cwd: folder.path },
    );
    expect(code, output).toBe(0);
    expect(readByEditor(fine).id).toBe('x');
  });

  test.each(ways.map(([what, , says], i) => [what, says, i] as const))(
    'names %s',
    async (_, says, i) => {
      const { code, output } = await run('biome', ['lint', '--colors=off', path(i)], {
        cwd: folder.path,
      });
      expect(code).toBe(1);
      expect(output).toMatch(says);
    },
  );

  test.each(ways.map(([what, code]) => [what, code] as const))(
    'and rightly: the editor does not read %s',
    async (_, code) => {
      const file = join(folder.path, `read-${code.length}.ts`);
      await folder.write({
        [`read-${code.length}.ts`]: `import { setup } from 'xstate';\n${code}\n`,
      });
      const { x } = (await import(file)) as { x: AnyStateMachine };
      const text = readFileSync(file, 'utf8');
      const isSame = (): boolean =>
        JSON.stringify(drawn(readByEditor(text))) === JSON.stringify(drawn(x));
      let isRead = false;
      try {
        isRead = isSame();
      } catch {
        // It cannot even be read.
      }
      expect(isRead).toBe(false);
    },
  );
});
