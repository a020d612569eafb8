import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { namesOf } from '../../src/cli/new-kind/names.ts';
import { withKind } from '../../src/cli/new-kind/registry.ts';
import { checkout, installed } from '../support/checkout.ts';
import { type Finished, repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

const bin = join(repository, 'src/cli/bin.js');

function newKind(folder: Scratch, ...args: readonly string[]): Promise<Finished> {
  return run('node', [bin, 'new-kind', ...args], { cwd: folder.path });
}

async function emptyFolder(): Promise<Scratch> {
  const folder = await scratch('new-kind');
  onTestFinished(() => folder.remove());
  return folder;
}

const read = (folder: Scratch, path: string) => readFile(join(folder.path, path), 'utf8');

/** Everything that a checkout is held to: types, format and rules, tests. */
async function expectGreen(folder: Scratch): Promise<string> {
  const types = await run('tsc', ['-p', join(folder.path, 'tsconfig.json')]);
  expect(types.code, types.output).toBe(0);
  const lint = await run('biome', ['check', '--colors=off', '.'], { cwd: folder.path });
  expect(lint.code, lint.output).toBe(0);
  // All files in one process, so that each does not load everything anew.
  const tests = await run('vitest', ['run', '--no-isolate', '--maxWorkers=1'], {
    cwd: folder.path,
  });
  expect(tests.code, tests.output).toBe(0);
  return tests.output;
}

// The compiler, the linter and all tests of a checkout take long: they run after the first kind, and after all.
describe('in a checkout', { timeout: 300_000 }, () => {
  let folder: Scratch;
  beforeAll(async () => {
    folder = await installed(await checkout('new-kind'));
  });
  afterAll(() => folder.remove());

  test('a kind from nothing is green at once, with every other', async () => {
    const { code, stdout, output } = await newKind(folder, 'water-mill');
    expect(code, output).toBe(0);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'wrote  machines/water-mill.machine.ts',
      'wrote  kinds/water-mill.kind.ts',
      'wrote  test/kinds/water-mill.test.ts',
      'added to  kinds/index.ts',
    ]);
    expect(await expectGreen(folder)).toMatch(/Test Files +2 passed/);
  });

  test('kinds may have names that are words of the language or of the files', async () => {
    for (const name of [
      'class',
      'test',
      'kinds',
      '3d-printer',
      'a-kind-whose-name-is-as-long-as-it-is_easy-to-read',
    ]) {
      const { code, output } = await newKind(folder, name);
      expect(code, output).toBe(0);
    }
  });

  test('a machine drawn in Stately Studio and exported as JSON becomes a kind, and says what is missing', async () => {
    await folder.copy('test/cli/stately/lift.json');
    const { code, stdout, output } = await newKind(
      folder,
      'lift',
      '--from',
      'test/cli/stately/lift.json',
    );
    expect(code, output).toBe(0);
    expect(stdout).toContain(`Still to be written, in machines/lift.machine.ts:
  the action 'rememberCall'
  the action 'arrive'
  the action 'ring'
  the guard 'is elsewhere'
  the delay 'travel'
`);
  });

  test('and one exported as TypeScript, whose stubs are told as missing', async () => {
    const code = await readFile(join(repository, 'test/cli/stately/turnstile.ts.txt'), 'utf8');
    await folder.write({ 'drawn/turnstile.ts': code });
    const { output, ...made } = await newKind(
      folder,
      'turnstile',
      '--from',
      'drawn/turnstile.ts',
      '--json',
    );
    expect(made.code, output).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      kind: 'turnstile',
      toWrite: { actions: ['countCoin'], guards: ['coin is good'], delays: [] },
    });
    await run('rm', ['-r', join(folder.path, 'drawn')]);
  });

  test('they are green with every other, and what is missing is still to do', async () => {
    const output = await expectGreen(folder);
    expect(output).toMatch(/Test Files +9 passed/);
    expect(output).toMatch(/7 todo/);
  });

  test('once what is missing is written they run in a world', async () => {
    const drawn = await read(folder, 'machines/lift.machine.ts');
    const written = drawn
      .replace('import { setup }', 'import { assign, emit, setup }')
      .replace(
        /rememberCall: .*/,
        'rememberCall: assign({ calls: ({ context }) => [...context.calls, 1] }),',
      )
      .replace(/arrive: .*/, 'arrive: assign({ floor: 1 }),')
      .replace(/ring: [\s\S]*?\),\n/, "ring: emit({ type: 'RANG' }),\n")
      .replace(/'is elsewhere': .*/, "'is elsewhere': ({ context }) => context.floor === 0,")
      .replace(/travel: .*/, 'travel: 2000,');
    expect(written.match(/toBeWritten/g)).toHaveLength(1);
    await folder.write({
      'machines/lift.machine.ts': written,
      'test/lift.test.ts': `
        import { testKind } from 'offstage/testing';
        import { expect, test } from 'vitest';
        import { lift, turnstile } from '../kinds/index.ts';
        test('a lift comes when it is called', () => {
          const t = testKind(lift as Parameters<typeof testKind>[0]);
          t.send({ type: 'CALL' } as never);
          expect(t.value).toBe('Moving');
          t.advance('2s');
          expect(t.value).toBe('Open');
          expect(t.context).toEqual({ floor: 1, calls: [1] });
          expect(t.notices).toHaveLength(1);
          t.advance('5s');
          expect(t.value).toBe('Idle');
        });
        test('a turnstile lets one through', () => {
          const t = testKind(turnstile);
          t.send({ type: 'COIN' });
          expect(t.value).toBe('Unlocked');
          t.advance('30s');
          expect(t.value).toBe('Locked');
        });`,
    });
    const { code, output } = await run('vitest', ['run', 'test/lift.test.ts'], {
      cwd: folder.path,
    });
    expect(code, output).toBe(0);
  });

  test('what nobody has written yet makes the record rest, and names itself', async () => {
    const { code, output } = await newKind(
      folder,
      'second-lift',
      '--from',
      'test/cli/stately/lift.json',
    );
    expect(code, output).toBe(0);
    await folder.write({
      'test/second-lift.test.ts': `
        import { testKind } from 'offstage/testing';
        import { expect, test } from 'vitest';
        import { secondLift } from '../kinds/index.ts';
        test('a lift that is not finished', () => {
          const t = testKind(secondLift);
          expect(t.value).toBe('Idle');
          expect(t.send({ type: 'CALL' })).toMatchObject({
            accepted: false,
            message: expect.stringContaining("the guard 'is elsewhere' is still to be written"),
          });
          expect(t.value).toBe('Idle');
        });`,
    });
    const tested = await run('vitest', ['run', 'test/second-lift.test.ts'], { cwd: folder.path });
    expect(tested.code, tested.output).toBe(0);
  });
});

describe('nothing is written', () => {
  const machine = '{ "id": "x", "initial": "a", "states": { "a": {} } }';

  test.each([
    ['for a name that no kind can have', ['Water Mill'], {}, /no name of a kind/],
    [
      'over what is there',
      ['mill'],
      { 'kinds/mill.kind.ts': 'mine' },
      /kinds\/mill\.kind\.ts is there already/,
    ],
    [
      'where the registry has no list',
      ['mill'],
      { 'kinds/index.ts': "export * from './all.ts';\n" },
      /list mill in kinds/,
    ],
    [
      'where the registry has something of that name',
      ['mill'],
      { 'kinds/index.ts': 'const mill = 1;\nexport const kinds = [mill] as const;\n' },
      /has something called mill/,
    ],
    ['from a file that is not there', ['mill', '--from', 'mill.json'], {}, /cannot be read/],
    ['from what is not JSON', ['mill', '--from', 'mill.json'], { 'mill.json': '{' }, /is not JSON/],
    [
      'from JSON without states',
      ['mill', '--from', 'mill.json'],
      { 'mill.json': '[]' },
      /holds no machine/,
    ],
    [
      'from a machine of XState 4',
      ['mill', '--from', 'mill.json'],
      {
        'mill.json': machine.replace('{}', '{ "on": { "GO": { "target": "a", "cond": "may" } } }'),
      },
      /for XState 4/,
    ],
    [
      'from a machine whose target does not exist',
      ['mill', '--from', 'mill.json'],
      { 'mill.json': machine.replace('{}', '{ "on": { "GO": "nowhere" } }') },
      /no machine of XState 5/,
    ],
    [
      'from a machine that does what a record cannot',
      ['mill', '--from', 'mill.json'],
      { 'mill.json': machine.replace('{}', '{ "invoke": { "src": "load" } }') },
      /state 'x\.a' invokes/,
    ],
    [
      'from TypeScript that does not compile',
      ['mill', '--from', 'mill.ts'],
      { 'mill.ts': 'export const machine = ;' },
      /cannot be loaded/,
    ],
    [
      'from TypeScript without a machine',
      ['mill', '--from', 'mill.ts'],
      { 'mill.ts': 'export const machine = 1;' },
      /exports 0 machines/,
    ],
    [
      'from TypeScript that names what it lacks and is more than a drawing',
      ['mill', '--from', 'mill.ts'],
      {
        'mill.ts': `import { setup } from 'xstate';
          export const machine = setup({}).createMachine({ entry: ['oil', () => 1] } as never);`,
      },
      /setup\(\) does not have: oil/,
    ],
  ] as const)('%s', async (_, args, files, message) => {
    const folder = await emptyFolder();
    await folder.write(files);
    const { code, output } = await newKind(folder, ...args);
    expect(code).toBe(1);
    expect(output).toMatch(message);
    const there = await readdir(folder.path, { recursive: true, withFileTypes: true });
    const names = there.filter((file) => file.isFile()).map(({ name }) => name);
    expect(names.sort()).toEqual(
      Object.keys(files)
        .map((path) => path.split('/').at(-1))
        .sort(),
    );
    for (const [path, text] of Object.entries(files)) expect(await read(folder, path)).toBe(text);
  });
});

describe('the registry', () => {
  const names = namesOf('mill');

  test('of a project that has its kinds in it', () => {
    const registry = `import { defineKind } from 'offstage';
import { stash } from 'offstage/kinds';

export const lamp = defineKind({ name: 'lamp' });

export const kinds = [lamp, stash] as const;
`;
    expect(withKind(registry, names)).toBe(`import { defineKind } from 'offstage';
import { stash } from 'offstage/kinds';
import { mill } from './mill.kind.ts';

export const lamp = defineKind({ name: 'lamp' });

export const kinds = [lamp, mill, stash] as const;
`);
  });

  test('of other people’s habits: not sorted, on many lines, typed', () => {
    const registry = `// All our kinds.
import { zoo } from './zoo.kind.ts';
import { ark } from './ark.kind.ts';

export const kinds: Kind[] = [
  zoo,
  ark,
];
`;
    expect(withKind(registry, names)).toBe(`// All our kinds.
import { zoo } from './zoo.kind.ts';
import { ark } from './ark.kind.ts';
import { mill } from './mill.kind.ts';

export const kinds: Kind[] = [zoo, ark, mill];
`);
  });

  test('that is empty', () => {
    expect(withKind('export const kinds = [] as const;\n', names)).toBe(
      "import { mill } from './mill.kind.ts';\n\nexport const kinds = [mill] as const;\n",
    );
  });
});
