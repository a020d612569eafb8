/** What somebody who has cloned the repository finds in it and works with, in a folder of its own. */
import { readdirSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './run.ts';
import { type Scratch, scratch } from './scratch.ts';

/** Machines, kinds, their registry and its test, and the settings of the tools. */
export async function checkout(name: string): Promise<Scratch> {
  const folder = await scratch(name);
  for (const part of ['machines', 'kinds']) {
    for (const file of readdirSync(join(repository, part))) {
      if (file.endsWith('.ts')) await folder.copy(`${part}/${file}`);
    }
  }
  await folder.copy('tsconfig.json', 'vitest.config.ts', 'biome.json');
  await folder.copy(
    'test/rules/deterministic.grit',
    'test/rules/drawable.grit',
    'test/kinds/starters.ts',
  );
  await folder.copy('test/kinds/index.test.ts');
  return folder;
}

/** As `npm ci` leaves it. */
export async function installed(folder: Scratch): Promise<Scratch> {
  await symlink(join(repository, 'node_modules'), join(folder.path, 'node_modules'));
  return folder;
}
