import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository, run } from '../support/run.ts';
import { serveMeadow } from '../support/serving.ts';

// The cheats of the page, on the command line.

const bin = join(repository, 'src/cli/bin.js');
const offstage = (...args: string[]) => run(process.execPath, [bin, ...args]);

test('records are added, changed, sent something and removed from the command line', async () => {
  const { url, world } = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [0, 0] }]);
  const at = ['--url', url];
  const added = await offstage('add', 'cart', 'cart-1', '--at', '120,40', ...at);
  expect(added.stdout).toBe('Added cart-1, a cart.\n');
  expect(world.find('cart-1')?.at).toEqual([120, 40]);

  const sent = await offstage('send', 'cart-1', 'GO', '{"to":[10,20]}', ...at);
  expect(sent.code, sent.output).toBe(0);
  expect(world.find('cart-1')?.at).toEqual([10, 20]);

  const set = await offstage('set-state', 'lamp', 'on', '--at', '7,7', '--json', ...at);
  expect(set.code, set.output).toBe(0);
  expect(JSON.parse(set.stdout)).toHaveProperty('time');
  expect(world.find('lamp')).toMatchObject({ value: 'on', at: [7, 7] });

  const removed = await offstage('remove', 'cart-1', ...at);
  expect(removed.code, removed.output).toBe(0);
  expect(world.find('cart-1')).toBeUndefined();
});

test('what cannot be done says why, and ends with another code than 0', async () => {
  const { url, world } = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [0, 0] }]);
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stdout, output } = await offstage(...args, '--url', url);
    expect(code, output).not.toBe(0);
    expect(stdout).toBe('');
    return output;
  };
  const tries: readonly (readonly [said: string, ...args: string[]])[] = [
    ['unicorn', 'add', 'unicorn', 'u'],
    ['lamp', 'add', 'lamp', 'lamp'],
    ['one to three numbers', 'add', 'lamp', 'x', '--at', '1,two'],
    ['must be JSON', 'add', 'lamp', 'x', '--input', '{'],
    ['object of JSON', 'send', 'lamp', 'DIM', '[1]'],
    ['FLY', 'send', 'lamp', 'FLY'],
    ['Say what to change', 'set-state', 'lamp'],
    ['nowhere', 'set-state', 'lamp', 'nowhere'],
    ['nobody', 'remove', 'nobody'],
    ['lamp', 'retry', 'lamp'],
  ];
  await Promise.all(
    tries.map(async ([said, ...args]) => expect(await refused(...args)).toContain(said)),
  );
  expect(world.size).toBe(1);
  expect(world.find('lamp')).toMatchObject({ value: 'off', at: [0, 0] });
});
