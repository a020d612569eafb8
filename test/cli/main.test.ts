import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { repository } from '../support/run.ts';

test('offstage --version says the version of the package and is a success', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await main(['--version'])).toBe(0);
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  expect(write.mock.calls.flat()).toContain(`${version}\n`);
  write.mockRestore();
});

test('a command that does not exist is a failure', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await main(['no-such-command'])).toBe(1);
  write.mockRestore();
});

test('every command that the help lists is there when it is asked for alone', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const helpOf = async (...args: string[]): Promise<string> => {
    write.mockClear();
    expect(await main([...args, '--help'])).toBe(0);
    return write.mock.calls.flat().join('');
  };
  const [, listed = ''] = (await helpOf()).split('Commands:\n');
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name as string);
  expect(names).toEqual(expect.arrayContaining(['serve', 'dump', 'send', 'replay', 'replicate']));
  for (const name of names) {
    const own = name === 'help' ? 'offstage [options] [command]' : `offstage ${name} [options]`;
    expect(await helpOf(name)).toContain(`Usage: ${own}`);
  }
  write.mockRestore();
});
