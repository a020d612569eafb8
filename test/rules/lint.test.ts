import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

test('the repository is formatted and keeps the lint, layer and determinism rules', async () => {
  const { code, output } = await run('biome', ['check', '--colors=off', '--max-diagnostics=200']);
  expect(code, output).toBe(0);
});

/** The files under `root` that let an `any` through. */
async function lettingAnyThrough(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ['src', 'machines', 'kinds']) {
    const names = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    for (const file of names.filter((name) => name.endsWith('.ts'))) {
      const text = await readFile(join(root, folder, file), 'utf8');
      if (/biome-ignore(-\w+)? lint(\/suspicious(\/noExplicitAny)?)?[:\s]/.test(text)) {
        found.push(`${folder}/${file.split(sep).join('/')}`);
      }
    }
  }
  return found;
}

test('`any` is let through only by the one bridge to XState', async () => {
  const bridge = 'src/machine/xstate-internals.ts';
  expect((await lettingAnyThrough(repository)).filter((file) => file !== bridge)).toEqual([]);
});

/** Code that must be refused, by folder, with the rule that refuses it. */
const violations: readonly (readonly [rule: string, folder: string, code: string])[] = [
  ...['src/core', 'src/machine', 'machines', 'kinds'].flatMap((folder) =>
    [
      'Date.now()',
      'new Date()',
      'new Date',
      'Date()',
      'Date',
      'Date.parse("2020-01-01")',
      'new Date(Date.now())',
      'new Date(2020, 1)',
      '{ Date }',
      'new Date(0).getHours()',
      'Math.random()',
      'Math.sin(1)',
      'Math.pow(2, 3)',
      'Math',
      "Math['sin'](1)",
      'Math?.cos(1)',
      '[Math][0]',
      '{ Math }',
      'Math.abs(Number(Math))',
      '2 ** 3',
      "'a'.localeCompare('b')",
      '(1.5).toLocaleString()',
      "new Function('return 1')",
      'globalThis.setTimeout',
      "globalThis['setTimeout']",
      '(globalThis as { f?: number }).f',
    ].map((code) => ['plugin', folder, `export const x = ${code};`] as const),
  ),
  ['plugin', 'src/core', 'const { sin } = Math;\nexport { sin };'],
  ['plugin', 'src/core', 'const { setTimeout: later } = globalThis;\nexport { later };'],
  ['plugin', 'src/core', 'let x = 2;\nx **= 2;\nexport { x };'],
  ...[
    'setTimeout(() => 1, 1)',
    'performance.now()',
    'crypto.randomUUID()',
    'queueMicrotask',
    'Intl',
    'new WeakRef({})',
    'process.hrtime()',
  ].map((code) => ['noRestrictedGlobals', 'src/machine', `export const x = ${code};`] as const),
  ['noRestrictedGlobals', 'machines', 'export const x = setInterval(() => 1, 1);'],
  ['noRestrictedGlobals', 'kinds', 'export const x = performance;'],
  ...(
    [
      ['src/core', '../machine/index.ts'],
      ['src/core', '../index.ts'],
      ['src/core', 'node:fs'],
      ['src/core', 'fs'],
      ['src/core', 'xstate'],
      ['src/core', 'offstage'],
      ['src/machine', '../testing/index.ts'],
      ['src/machine', 'ws'],
      ['src/machine', 'node:timers'],
      ['src/testing', '../protocol/index.ts'],
      ['src/testing', 'vitest'],
      ['src/protocol', '../client/index.ts'],
      ['src/protocol', 'node:net'],
      ['src/client', '../server/index.ts'],
      ['src/client', '../saves/index.ts'],
      ['src/client', 'node:fs'],
      ['src/client', 'offstage/server'],
      ['src/saves', '../replication/index.ts'],
      ['src/saves', '../server/index.ts'],
      ['src/replication', '../saves/index.ts'],
      ['src/replication', '../inspect/index.ts'],
      ['src/inspect', '../server/index.ts'],
      ['src/server', '../cli/main.ts'],
      ['src/server', '../index.ts'],
      ['src/server', '../../kinds/index.ts'],
      ['src/cli', '../index.ts'],
      ['src/cli', 'offstage'],
      ['machines', '../src/core/index.ts'],
      ['machines', '../kinds/index.ts'],
      ['machines', 'offstage/server'],
      ['machines', 'typebox'],
      ['machines', 'node:fs'],
      ['kinds', '../src/core/index.ts'],
      ['kinds', 'xstate'],
      ['kinds', 'node:fs'],
      ['kinds/scenarios', '../../src/core/index.ts'],
      ['kinds/scenarios', 'typebox'],
      ['kinds/scenarios', 'offstage/server'],
      ['kinds/scenarios', 'node:fs'],
    ] as const
  ).flatMap(([folder, from]) => [
    ['noRestrictedImports', folder, `export { x } from '${from}';`] as const,
    ['noRestrictedImports', folder, `export const x = await import('${from}');`] as const,
  ]),
  [
    'noRestrictedImports',
    'src/client',
    "import type { X } from '../server/index.ts';\nexport type Y = X;",
  ],
  ['noExplicitAny', 'src/server', 'export const x = (y: any) => y;'],
  ['noExplicitAny', 'src/machine', 'export type X = any;'],
  ['noUnusedImports', 'src/server', "import { join } from 'node:path';\nexport const x = 1;"],
  ['noUnusedVariables', 'src/server', 'const x = 1;\nexport const y = 2;'],
  ['format', 'src/server', 'export const x = "double quotes"'],
];

/** Code beside those rules that must pass, so that none refuses more than it says. */
const allowed: readonly (readonly [folder: string, code: string])[] = [
  [
    'src/core',
    'export const x = (y: unknown) => y instanceof Date && new Date(y.getTime()).getUTCHours();',
  ],
  ['src/core', 'export const x = new Date(Date.UTC(2020, 1));'],
  ['src/core', 'export const x = Math.abs(Math.floor(1.5)) + Math.imul(2, 3) + Math.PI;'],
  [
    'src/core',
    "const key: unique symbol = Symbol.for('x') as never;\nexport const x = globalThis as { [key]?: number };",
  ],
  ['src/core', "export { default } from '@stdlib/math-base-special-sin';"],
  ['src/core/nested', "export { x } from '../store.ts';"],
  ['src/machine', "export { setup } from 'xstate';\nexport { x } from '../core/world.ts';"],
  ['src/client', "export { Type } from 'typebox';\nexport { x } from '../protocol/messages.ts';"],
  ['src/server', "export { join } from 'node:path';\nexport { x } from '../saves/index.ts';"],
  ['src/cli', "export { x } from '../server/index.ts';\nexport { y } from './y.ts';"],
  [
    'kinds/scenarios',
    "export { setup } from 'xstate';\nexport { x } from '../../machines/x.machine.ts';\nexport { y } from '../y.kind.ts';",
  ],
  ['machines', "export { setup } from 'xstate';\nexport { x } from './stash.machine.ts';"],
  ['machines', "export { edit } from 'offstage';"],
  ['kinds', "export { Type } from 'typebox';\nexport { x } from '../machines/stash.machine.ts';"],
  ['kinds', "export { defineKind } from 'offstage';\nexport { x } from './stash.kind.ts';"],
];

describe('a violation is caught', () => {
  let folder: Scratch;
  /** The rules that objected, by file. */
  const objections = new Map<string, Set<string>>();

  beforeAll(async () => {
    folder = await scratch('lint');
    await folder.copy('biome.json', 'test/rules/deterministic.grit', 'test/rules/drawable.grit');
    await folder.write(
      Object.fromEntries([
        ...violations.map(([, at, code], i) => [`${at}/violation${i}.ts`, `${code}\n`]),
        ...allowed.map(([at, code], i) => [`${at}/allowed${i}.ts`, `${code}\n`]),
      ]),
    );
    const { stdout } = await run(
      'biome',
      ['check', '--reporter=json', '--max-diagnostics=none', '--colors=off'],
      { cwd: folder.path },
    );
    for (const { category, location } of JSON.parse(stdout).diagnostics) {
      const file: string = location.path;
      if (!objections.has(file)) objections.set(file, new Set());
      objections.get(file)?.add(category.split('/').at(-1));
    }
  });
  afterAll(() => folder.remove());

  test('any, however its suppression is written', async () => {
    const suppressed = ['', '/suspicious', '/suspicious/noExplicitAny'].flatMap((rule) =>
      ['biome-ignore', 'biome-ignore-all'].map((how) => `// ${how} lint${rule}: no reason`),
    );
    const files = suppressed.map((line, i) => [`src/client/any${i}.ts`, line] as const);
    await folder.write(Object.fromEntries(files));
    expect((await lettingAnyThrough(folder.path)).sort()).toEqual(files.map(([file]) => file));
  });

  test.each(violations.map((row, i) => [...row, i] as const))('%s in %s: %s', (rule, at, _, i) => {
    expect([...(objections.get(`${at}/violation${i}.ts`) ?? [])]).toContain(rule);
  });

  test.each(allowed.map((row, i) => [...row, i] as const))('but not in %s: %s', (at, _, i) => {
    const found = [...(objections.get(`${at}/allowed${i}.ts`) ?? [])];
    expect(found.filter((rule) => rule !== 'format')).toEqual([]);
  });
});
