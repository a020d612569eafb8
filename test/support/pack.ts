import { cp, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { installed } from './checkout.ts';
import { repository, run } from './run.ts';
import { scratch } from './scratch.ts';

/** What no package is made of: hidden files, tests, what is installed or was made, and worlds. */
const LEFT_OUT = /^\.|^(dist|coverage|screenshots|test)$|(^|\/)node_modules$|^saves\/[^.]*$/;

/** Packs the package at `from` into `into` and gives the path of the tarball. */
export async function pack(from: string, into: string): Promise<string> {
  const { code, output } = await run('npm', ['pack', '--pack-destination', into], { cwd: from });
  expect(code, output).toBe(0);
  const tarball = (await readdir(into)).find((file) => file.endsWith('.tgz'));
  return join(into, tarball ?? '');
}

/**
 * Packs Offstage into `into`, from a copy: what is packed is built in its place first, and two tests
 * that do so at the same time would each remove what the other has built.
 */
export async function packOffstage(into: string): Promise<string> {
  await using copy = await scratch('packing');
  for (const entry of await readdir(repository)) {
    await cp(join(repository, entry), join(copy.path, entry), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(relative(repository, path)),
    });
  }
  return await pack((await installed(copy)).path, into);
}
