import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { savesOf } from '../../src/cli/kinds-file.ts';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

async function project(registry: string): Promise<Scratch> {
  const folder = await scratch('kinds-file');
  onTestFinished(() => folder.remove());
  await folder.write({ 'kinds/index.ts': registry });
  return folder;
}

/** Loads the kinds of a folder in a process of its own, as the command does. */
async function load(folder: Scratch, patience = 60_000) {
  const sources = join(repository, 'src/cli');
  const script = `
    const { useSources } = await import('${sources}/sources.js');
    await useSources();
    const { loadKinds } = await import('${sources}/kinds-file.ts');
    const { messageOf } = await import('${repository}/src/core/errors.ts');
    await loadKinds('${folder.path}', ${patience}).then(
      ({ kinds }) => console.log(kinds.length),
      (error) => {
        console.log(error.code + ': ' + messageOf(error));
        process.exit(1);
      },
    );`;
  return await run('node', ['--input-type=module', '-e', script]);
}

test('kinds of a project are those that its registry lists', async () => {
  const { code, stdout, output } = await load(
    await project(`export { kinds } from 'offstage/kinds';`),
  );
  expect(code, output).toBe(0);
  expect(Number(stdout)).toBeGreaterThan(3);
});

test('a registry without a list says what it must export', async () => {
  const { code, output } = await load(await project('export const kind = 1;'));
  expect(code).toBe(1);
  expect(output).toMatch(/BAD_REGISTRY: .*kinds\/index\.ts must export a list of kinds/);
});

test('a registry that awaits what never comes is no success, and says so', async () => {
  const { code, output } = await load(
    await project('await new Promise(() => {}); export const kinds = [];'),
    1500,
  );
  expect(code).toBe(1);
  expect(output).toMatch(/BAD_REGISTRY: .*kinds\/index\.ts has not loaded within 1.5 s/);
});

test('a registry that ends the process is no success, and says so', async () => {
  const { code, output } = await load(await project('process.exit(0); export const kinds = [];'));
  expect(code).toBe(1);
  expect(output).toMatch(/kinds\/index\.ts ended the process while it was loaded/);
});

test('a project without a seed begins with one of the package, and keeps what comes of it itself', async () => {
  const { path } = await project('export const kinds = [];');
  const savesDir = join(path, 'saves');
  const seed = join(savesDir, 'valley.seed.json');
  const packaged = join(repository, 'saves', 'valley.seed.json');
  expect(savesOf(undefined, path, 'valley', { isOwn: false })).toEqual({
    savesDir,
    seed: packaged,
  });
  // Those of the package are made of its own kinds.
  expect(savesOf(undefined, path, 'valley', { isOwn: true })).toEqual({ savesDir, seed });
  expect(savesOf('elsewhere', path, 'valley', { isOwn: false })).toEqual({
    savesDir: join(path, 'elsewhere'),
    seed: join(path, 'elsewhere', 'valley.seed.json'),
  });
  await mkdir(savesDir);
  await writeFile(seed, '{}');
  expect(savesOf(undefined, path, 'valley', { isOwn: false })).toEqual({ savesDir, seed });
});
