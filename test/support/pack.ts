import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run } from './run.ts';

/** Packs the package at `from` into `into` and gives the path of the tarball. */
export async function pack(from: string, into: string): Promise<string> {
  const { code, output } = await run('npm', ['pack', '--pack-destination', into], { cwd: from });
  expect(code, output).toBe(0);
  const tarball = (await readdir(into)).find((file) => file.endsWith('.tgz'));
  return join(into, tarball ?? '');
}
