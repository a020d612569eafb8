/**
 * Documents of every format there was are read by every later version. `OFFSTAGE_WRITE_GOLDEN=1` writes
 * the one of the present format, once, when a format is new.
 */
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordSnapshot } from 'offstage';
import { openWorld, verifyWorld } from 'offstage/saves';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMAT } from '../../src/saves/manifest.ts';
import { beginGolden, chest, drum, relic } from '../support/golden-kinds.ts';
import { repository } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';

const GOLDEN = join(repository, 'test/saves/golden');
/** The state hash of each golden world as it is found. */
const HASHES: Readonly<Record<string, string>> = {
  'format-1': 'dc9ca96db119e800',
};

async function write(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  const settings = { eventsPerFrame: 1 };
  const kinds = [drum, chest, relic];
  const first = await openWorld(folder, {
    kinds,
    name: 'golden',
    seed: 'golden',
    settings,
    begin: beginGolden,
  });
  first.world.run(2500);
  await first.close();
  // Without its kind, the relic is kept outside the world.
  const document = await openWorld(folder, { kinds: [drum, chest], name: 'golden', settings });
  const { world, sessions } = document;
  sessions.remember('0123456789abcdef', 7, { accepted: true, time: 2500 }, Date.now());
  // Saved in the middle of an instant, with messages on their way.
  world.clock.jump(500);
  for (let i = 0; i < 4; i += 1) world.frame(0);
  await document.save();
  while (world.frame(0).backlog);
  world.send('chest-1', { type: 'PUT', item: 'gem', count: 5n });
  world.commands.push({
    source: { rank: 1, id: '0123456789abcdef' },
    seq: 8,
    command: { type: 'send', id: 'chest-1', event: { type: 'NOTHING' } },
  });
  world.frame(700);
  await new Promise<void>((done) => document.whenDurable(done));
  const hash = world.hash();
  await document.close({ save: false });
  return hash;
}

beforeAll(async () => {
  if (process.env.OFFSTAGE_WRITE_GOLDEN !== '1') return;
  const hash = await write(join(GOLDEN, `format-${FORMAT}`));
  console.log(`The hash of format-${FORMAT} is ${hash}.`);
});

it('there is a golden document of every format', async () => {
  const formats = Array.from({ length: FORMAT }, (_, i) => `format-${i + 1}`);
  expect((await readdir(GOLDEN)).sort()).toEqual(formats);
  expect(Object.keys(HASHES).sort()).toEqual(formats);
});

describe.each(Object.entries(HASHES))('a document of %s', (format, hash) => {
  it('is read, and goes on, as it did when it was written', async () => {
    await using folder = await scratch('golden', { outside: true });
    const path = join(folder.path, 'golden');
    await cp(join(GOLDEN, format), path, { recursive: true });
    const verified = await verifyWorld(path, { kinds: [drum, chest] });
    expect(verified.problems).toEqual([]);

    const document = await openWorld(path, { kinds: [drum, chest] });
    const { world, report, sessions } = document;
    expect(world.hash()).toBe(hash);
    expect(report).toMatchObject({ isNew: false, records: 4, kept: 1, replayed: 2, time: 3700 });
    // A kind has another print where it is compiled in another way.
    const types = report.entries.map(({ type }) => type).filter((type) => type !== 'ChangedKind');
    expect(types).toEqual(['UnknownKind']);
    expect(world.find('drum-1')).toMatchObject({ context: { beats: 9 }, tags: ['quiet'] });
    expect(world.find('drum-2')).toMatchObject({ cell: 'always', at: [5, 5, 5] });
    const { items, since, odd } = (world.find('chest-1') as RecordSnapshot).context as Record<
      string,
      unknown
    >;
    expect(items).toEqual(
      new Map([
        ['coin', 12_345_678_901_234_567_890n],
        ['gem', 5n],
      ]),
    );
    expect(since).toEqual(new Date(86_400_000));
    expect(odd).toStrictEqual([
      undefined,
      Number.NaN,
      -0,
      Number.POSITIVE_INFINITY,
      new Set(['a']),
    ]);
    expect(sessions.answerTo('0123456789abcdef', 7)).toEqual({ accepted: true, time: 2500 });
    expect(sessions.answerTo('0123456789abcdef', 8)).toMatchObject({ code: 'NOT_TAKEN' });
    world.run(300);
    expect(world.find('drum-3')?.context).toEqual({ beats: 12 });
    await document.close();

    const back = await openWorld(path, { kinds: [drum, chest, relic] });
    expect(back.world.find('relic-1')?.context).toEqual({ of: 'a kind that is gone' });
    await back.close();
  });

  it('was saved in the middle of an instant', async () => {
    const manifest = JSON.parse(await readFile(join(GOLDEN, format, 'world.json'), 'utf8'));
    expect(manifest.instant.inbox.length + manifest.instant.next.messages.length).toBeGreaterThan(
      0,
    );
  });
});
