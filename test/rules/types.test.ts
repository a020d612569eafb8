import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

// Type tests (test/**/*.test-d.ts) are plain files that hold `satisfies` and @ts-expect-error:
// the first test here is what runs them.

test('the sources, kinds and tests have no type errors', async () => {
  const { code, output } = await run('tsc', []);
  expect(code, output).toBe(0);
});

test('the inspector page has no type errors', async () => {
  const { code, output } = await run('tsc', ['-p', 'inspector/page']);
  expect(code, output).toBe(0);
});

test('the core needs nothing but the language and its own folder', async () => {
  const { code, output } = await run('tsc', ['-p', 'tsconfig.core.json']);
  expect(code, output).toBe(0);
});

/** File, code, and the error that TypeScript must give for it. */
type Violation = readonly [what: string, code: string, error: string];

const inAnyFile: readonly Violation[] = [
  ['a wrong type', "export const x: number = 'one';", 'TS2322'],
  ['an implicit any', 'export const x = (y) => y;', 'TS7006'],
  ['an index that may be missing', 'export const x: number = [1][0];', 'TS2322'],
  [
    'undefined given to an optional property',
    'export const x: { y?: number } = { y: undefined };',
    'TS2375',
  ],
  ['an enum, which is more than a type', 'export enum X { A }', 'TS1294'],
  [
    'a type imported as if it were a value',
    "import { PathLike } from 'node:fs';\nexport type X = PathLike;",
    'TS1484',
  ],
  ['an expected error that is none', '// @ts-expect-error\nexport const x = 1;', 'TS2578'],
];

const inCore: readonly Violation[] = [
  ['a Node module', "export { join } from 'node:path';", 'TS2591'],
  ['process', 'export const x = process;', 'TS2591'],
  ['performance', 'export const x = performance.now();', 'TS2304'],
  ['setTimeout', 'setTimeout(() => 1, 1);\nexport {};', 'TS2304'],
  ['crypto', 'export const x = crypto;', 'TS2304'],
  ['console', "console.log('x');\nexport {};", 'TS2584'],
  ['structuredClone', 'export const x = structuredClone({});', 'TS2304'],
  ['a file outside src/core', "export { x } from '../outside.ts';", 'TS6059'],
];

describe.each([
  ['tsconfig.json', 'src/server', inAnyFile],
  ['tsconfig.core.json', 'src/core', inCore],
])('%s refuses', (config, at, violations) => {
  let folder: Scratch;
  let output = '';

  beforeAll(async () => {
    folder = await scratch('types');
    await folder.copy('tsconfig.json', 'tsconfig.core.json');
    await folder.write({
      'package.json': '{ "type": "module" }',
      'src/outside.ts': 'export const x = 1;',
      ...Object.fromEntries(violations.map(([, code], i) => [`${at}/violation${i}.ts`, code])),
    });
    ({ output } = await run('tsc', ['-p', config, '--pretty', 'false'], { cwd: folder.path }));
  });
  afterAll(() => folder.remove());

  test.each(violations.map((row, i) => [...row, i] as const))('%s', (_, _code, error, i) => {
    const found = output.split('\n').filter((line) => line.includes(`violation${i}.ts`));
    expect(found.join('\n')).toContain(error);
  });
});
