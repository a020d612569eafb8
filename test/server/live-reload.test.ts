/** Live reload of a world that is kept on disk: its journals never cross a change of code. */
import { readdir } from 'node:fs/promises';
import type { Kind } from 'offstage';
import { openWorld } from 'offstage/saves';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stash } from '../../kinds/index.ts';
import { type Server, serve } from '../../src/server/serve.ts';
import { porter } from '../support/porters.ts';
import { type Scratch, scratch } from '../support/scratch.ts';
import { until } from '../support/serving.ts';

const records = [
  { id: 'from', kind: 'stash', at: [0, 0], input: { capacity: 99, items: { sack: 50 } } },
  { id: 'to', kind: 'stash', at: [1, 0], input: { capacity: 99 } },
  ...Array.from({ length: 20 }, (_, i) => ({
    id: `p${i}`,
    kind: 'porter',
    at: [i, 1],
    links: { from: 'from', to: 'to' },
  })),
];

let folder: Scratch;
let server: Server;
let kinds: readonly Kind[];
/** What the server logs. */
const lines: string[] = [];

beforeEach(async () => {
  lines.length = 0;
  folder = await scratch('live-reload');
  kinds = [stash, porter({ walk: 'walk', long: 100, wash: true })];
  await folder.write({
    'sources/a.ts': '',
    'saves/dock.seed.json': JSON.stringify({ format: 1, world: 'dock', seed: 'dock', records }),
  });
  server = await serve({
    world: 'dock',
    kinds,
    port: 0,
    savesDir: `${folder.path}/saves`,
    speed: 20,
    log: pino({}, { write: (line: string) => lines.push(line) }),
    reload: { folders: [`${folder.path}/sources`], load: async () => kinds },
  });
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

/** Writes a file of the kinds, which are then these. */
async function edit(next: readonly Kind[]): Promise<void> {
  kinds = next;
  const reloaded = new Promise<void>((resolve) => {
    server.world.on('reload', () => resolve());
  });
  await folder.write({ 'sources/a.ts': `// ${Math.random()}` });
  await reloaded;
}

test('a generation is saved before and after the exchange, with no command between', async () => {
  const { world, document } = server;
  await until(() => world.stats().events > 50);
  const before = document.generation;
  const at: { generation: number; hash: string }[] = [];
  world.on('reload', () => at.push({ generation: document.generation, hash: world.hash() }));
  await edit([stash, porter({ walk: 'stride', long: 300, wash: false, instead: 'returning' })]);
  expect(at[0]?.generation).toBe(before + 1);
  await until(() => document.generation === before + 2);
  // Goes on, and takes commands.
  const { events } = world.stats();
  expect(world.send('from', { type: 'PUT', item: 'sack', count: 1 }).accepted).toBe(true);
  await until(() => world.stats().events > events + 20);
});

test('a generation from before a reload is still kept after it', async () => {
  const { document } = server;
  const before = document.generation;
  await edit([stash, porter({ walk: 'stride', long: 300, wash: true })]);
  await until(() => lines.some((line) => /Reloaded the kinds/.test(line)));
  // One was saved before the exchange, one after, and of the last three this is the third.
  const kept = await readdir(`${document.folder}/generations`);
  expect(kept.sort()).toEqual([before, before + 1, before + 2].map((number) => `${number}.json`));
});

test('a world that crashes after a reload is found as it was', async () => {
  const { world, document } = server;
  await until(() => world.stats().events > 50);
  await edit([stash, porter({ walk: 'stride', long: 300, wash: true })]);
  const { generation } = document;
  await until(() => document.generation > generation);
  world.send('from', { type: 'PUT', item: 'sack', count: 5 });
  await until(() => world.stats().events > 150);
  world.clock.pause();
  await new Promise<void>((done) => document.whenDurable(done));
  document.mark();
  await new Promise<void>((done) => document.whenDurable(done));
  const [hash, time] = [world.hash(), world.time];
  await document.close({ save: false });

  const found = await openWorld(document.folder, { kinds, autosave: false });
  try {
    found.world.runUntil(time);
    expect(found.world.hash()).toBe(hash);
    expect(found.report.entries.filter(({ type }) => type === 'ChangedKind')).toEqual([]);
  } finally {
    await found.close();
  }
});

test('a world that cannot be saved first keeps the kinds it has, and says so', async () => {
  const { world, document } = server;
  const before = world.kinds.get('porter');
  await document.close();
  kinds = [stash, porter({ walk: 'march', long: 1, wash: false })];
  await folder.write({ 'sources/a.ts': '// closed' });
  await until(() => lines.some((line) => /not reloaded, and the world goes on/.test(line)));
  expect(world.kinds.get('porter')).toBe(before);
});
