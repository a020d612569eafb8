import { describe, expect, test } from 'vitest';
import { SaveError, WorldError } from '../../src/core/errors.ts';
import { readSeed } from '../../src/server/seed-file.ts';
import { serve } from '../../src/server/serve.ts';
import { meadowKinds } from '../support/meadow.ts';
import { scratch } from '../support/scratch.ts';
import { serveMeadow } from '../support/serving.ts';

const seed = { format: 1, world: 'meadow', seed: 's', records: [] };

async function read(text: string): Promise<unknown> {
  await using folder = await scratch('seed');
  await folder.write({ 'meadow.seed.json': text });
  return await readSeed(`${folder.path}/meadow.seed.json`, 'meadow');
}

test('a world starts from its seed: time, settings, records with links', async () => {
  const { world } = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [1, 2] }], {
    settings: { cellSize: 50 },
  });
  expect(world.find('lamp')?.at).toEqual([1, 2]);
  expect(world.settings.cellSize).toBe(50);
});

test('a mark of the byte order before a seed is no part of it', async () => {
  expect(await read(`\uFEFF${JSON.stringify(seed)}`)).toEqual(seed);
});

describe('a seed that cannot be read says which file, where in it, and why', () => {
  test.each([
    ['text that is no JSON', '{', /meadow\.seed\.json: .*JSON/],
    ['a field too many', JSON.stringify({ ...seed, extra: 1 }), /it must not have 'extra'/],
    [
      'a record without a place',
      JSON.stringify({ ...seed, records: [{ id: 'a', kind: 'lamp' }] }),
      /records\/0 of 'a' must have 'at'/,
    ],
    [
      'an id that is none',
      JSON.stringify({ ...seed, records: [{ id: 'a/b', kind: 'lamp', at: [0] }] }),
      /records\/0\/id/,
    ],
    ['a later format', JSON.stringify({ ...seed, format: 2 }), /format is 2/],
    ["another world's", JSON.stringify({ ...seed, world: 'hill' }), /'hill', not 'meadow'/],
  ])('%s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(SaveError);
    await expect(read(text)).rejects.toThrow(message);
  });

  test('a file that is not there', async () => {
    const options = { world: 'nowhere', kinds: meadowKinds, port: 0, savesDir: '/no/such/folder' };
    await expect(serve(options)).rejects.toThrow(
      /no world 'nowhere': .*nowhere\.seed\.json does not exist/,
    );
  });

  test('a name that leads out of the folder', async () => {
    const options = { world: '../valley', kinds: meadowKinds, port: 0 };
    await expect(serve(options)).rejects.toThrow(/no name of a world/);
  });

  test('records that the world refuses', async () => {
    const of = (records: object[]) => serveMeadow(records as Parameters<typeof serveMeadow>[0]);
    await expect(of([{ id: 'a', kind: 'unheard', at: [0, 0] }])).rejects.toThrow(WorldError);
    await expect(of([{ id: 'a', kind: 'unheard', at: [0, 0] }])).rejects.toThrow(
      /meadow\.seed\.json: .*unheard/,
    );
    const twice = { id: 'a', kind: 'lamp', at: [0, 0] };
    await expect(of([twice, twice])).rejects.toThrow(/meadow\.seed\.json: .*a/);
  });

  test('settings that are none', async () => {
    const settings = { cellSize: -1 };
    await expect(serveMeadow([], { settings })).rejects.toThrow(/meadow\.seed\.json: .*cellSize/);
    await expect(serveMeadow([], { settings: { relevancyRadius: 1e9 } })).rejects.toThrow(
      /meadow\.seed\.json: relevancyRadius 1000000000 is more than/,
    );
  });
});
