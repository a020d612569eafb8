import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

test('no file, export or dependency is unused, and no exemption is out of date', async () => {
  const { code, output } = await run('knip', ['--treat-config-hints-as-errors']);
  expect(code, output).toBe(0);
});

test('the installed package finds all that its code imports', async () => {
  const { code, output } = await run('knip', ['--production', '--strict', '--dependencies']);
  expect(code, output).toBe(0);
});

describe('knip catches', () => {
  let folder: Scratch;
  let output = '';
  let production = '';

  beforeAll(async () => {
    folder = await scratch('unused');
    await folder.copy('knip.jsonc', 'tsconfig.json');
    const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    manifest.dependencies['never-imported'] = '1.0.0';
    await folder.write({
      'package.json': JSON.stringify(manifest),
      'src/index.ts':
        "export { used } from './core/some.ts';\nimport 'playwright-core';\nimport 'never-listed';",
      'src/core/some.ts': 'export const used = 1;\nexport const unused = 2;',
      'src/core/orphan.ts': 'export const x = 1;',
    });
    const at = { cwd: folder.path };
    ({ output } = await run('knip', ['--treat-config-hints-as-errors'], at));
    ({ output: production } = await run('knip', ['--production', '--strict'], at));
  });
  afterAll(() => folder.remove());

  test('an unused export', () => expect(output).toMatch(/unused .*core\/some\.ts/));
  test('a file that nothing imports', () => expect(output).toMatch(/core\/orphan\.ts/));
  test('a dependency that nothing imports', () => expect(output).toMatch(/never-imported/));
  test('an import of what package.json does not list', () =>
    expect(output).toMatch(/never-listed/));
  test('an export of the package that names no file', () =>
    expect(output).toMatch(/src\/testing\/index\.ts.*not found/));
  test('a development dependency used at run time', () =>
    expect(production).toMatch(/playwright-core/));
});
