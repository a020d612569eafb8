import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/run.ts';

const read = (file: string) => readFile(join(repository, file), 'utf8');

/** The addresses that a lock file says packages come from. A path of a workspace is none. */
function addressesIn(lockFile: string): string[] {
  return [...lockFile.matchAll(/"resolved":\s*"(\w[\w+.-]*:[^"]*)"/g)].map(
    ([, address]) => `${address}`,
  );
}

/** What a package.json installs. */
function dependenciesIn(manifest: string): string[] {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(manifest);
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
}

/** The dependencies named in the first column of a table, each row with a reason in the second. */
function explainedIn(document: string): string[] {
  const rows = document.matchAll(/^\|((?:\s*`[^`]+`,?)+)\s*\|\s*\S.*\|$/gm);
  return [...rows].flatMap(([, names]) =>
    [...`${names}`.matchAll(/`([^`]+)`/g)].map((name) => `${name[1]}`),
  );
}

test('the lock file names no registry', async () => {
  expect(addressesIn(await read('package-lock.json'))).toEqual([]);
  expect(await read('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
});

test('a registry in a lock file is caught', () => {
  const lockFile = (resolved: string) => JSON.stringify({ packages: { x: { resolved } } }, null, 2);
  expect(addressesIn(lockFile('https://registry.example/x.tgz'))).toHaveLength(1);
  expect(addressesIn(lockFile('git+ssh://git@example/x.git'))).toHaveLength(1);
  expect(addressesIn(lockFile('inspector'))).toEqual([]);
});

test('every dependency has its reason in CONTRIBUTING.md, and every reason its dependency', async () => {
  const installed = [
    ...dependenciesIn(await read('package.json')),
    ...dependenciesIn(await read('inspector/package.json')),
  ];
  const explained = explainedIn(await read('CONTRIBUTING.md'));
  expect(explained.sort()).toEqual([...new Set(installed)].sort());
});

test('a dependency without a reason is caught', () => {
  expect(explainedIn('| `a`, `@b/c` | why |\n| `d` | |\n| plain | why |\nsee `e`')).toEqual([
    'a',
    '@b/c',
  ]);
});
