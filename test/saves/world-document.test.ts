/** A world that is kept on disk: what its users do with it, on a real disk. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openWorld } from 'offstage/saves';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

let folder: Scratch;
let valley: string;

beforeEach(async () => {
  folder = await scratch('saves', { outside: true });
  valley = join(folder.path, 'valley');
});
afterEach(() => folder.remove());

const TIMER = { id: 'clock', kind: 'timer', at: [0, 0], input: { every: 1000 } };

describe('a world document', () => {
  it('is made where there is none, and goes on where it was closed', async () => {
    const first = await openWorld(valley, { kinds, seed: 'x', begin: (world) => world.add(TIMER) });
    expect(first.report.isNew).toBe(true);
    expect(first.name).toBe('valley');
    first.world.run(2500);
    const hash = first.world.hash();
    await first.close();

    const again = await openWorld(valley, { kinds, begin: () => expect.unreachable() });
    expect(again.report).toMatchObject({ isNew: false, records: 1, replayed: 0, time: 2500 });
    expect(again.report.entries).toEqual([]);
    expect(again.world.seed).toBe('x');
    expect(again.world.hash()).toBe(hash);
    again.world.run(600);
    expect(again.world.find('clock')?.advancedTo).toBe(3000);
    await again.close();
  });

  it('is as far as its last mark after a process that was never closed', async () => {
    const first = await openWorld(valley, { kinds, begin: (world) => world.add(TIMER) });
    first.world.run(700);
    first.world.add({ ...TIMER, id: 'other', input: { every: 300 } });
    first.world.run(5000);
    await new Promise<void>((done) => first.whenDurable(done));
    const hash = first.world.hash();
    await first.close({ save: false });

    const again = await openWorld(valley, { kinds });
    expect(again.report).toMatchObject({ replayed: 1, time: 5700, entries: [] });
    expect(again.world.hash()).toBe(hash);
    await again.close();
  });

  it('lies in the files that it should', async () => {
    const document = await openWorld(valley, { kinds, begin: (world) => world.add(TIMER) });
    const { generation } = document;
    expect((await readdir(valley)).sort()).toEqual([
      'generations',
      'journal',
      'lock',
      'regions',
      'world.json',
    ]);
    expect(await readdir(join(valley, 'regions'))).toEqual([`0,0.${generation}.json`]);
    expect(await readdir(join(valley, 'journal'))).toContain(`${generation}.jsonl`);
    const manifest = JSON.parse(await readFile(join(valley, 'world.json'), 'utf8'));
    expect(manifest).toMatchObject({ format: 1, world: 'valley', generation, commands: 1 });
    expect(manifest.stateHash).toBe(document.world.hash());
    await document.close();
    expect(await readdir(valley)).not.toContain('lock');
  });
});
