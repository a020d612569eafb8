/**
 * What it costs to keep a world on disk: a save of all its records, one of a tenth, a load, and how long
 * the world has to wait for a save. Each time is compared with the plain thing in the same run: one
 * `JSON.stringify` of the same records and a write, or a read and one `JSON.parse`.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineKind, type World } from 'offstage';
import { openWorld, type SaveReport, type WorldDocument } from 'offstage/saves';
import { assign, setup } from 'xstate';
import { recordToJson } from '../../src/saves/record-json.ts';
import { collect, median, now, type Options, type Result } from './measure.ts';

const REGIONS = 100;
const REGION_SIZE = 1000;

/** A record as most are: a few numbers and words, a timer far away. */
const hutMachine = setup({
  types: {
    context: {} as { owner: string; wood: number; stone: number; visits: number; paint: string },
    events: {} as { type: 'VISIT' },
    input: {} as { owner: string },
  },
}).createMachine({
  id: 'hut',
  context: ({ input }) => ({ owner: input.owner, wood: 12, stone: 7, visits: 0, paint: 'ochre' }),
  initial: 'standing',
  states: {
    standing: {
      after: { 3600000: 'fallen' },
      on: { VISIT: { actions: assign({ visits: ({ context }) => context.visits + 1 }) } },
    },
    fallen: {},
  },
});

const kinds = [defineKind({ name: 'hut', version: 1, machine: hutMachine })];

function fill(world: World, n: number): void {
  const each = n / REGIONS;
  const records = Array.from({ length: n }, (_, i) => ({
    id: `hut-${i}`,
    kind: 'hut',
    at: [Math.floor(i / each) * REGION_SIZE + (i % 900), (i * 7) % 900],
    input: { owner: `owner-${i % 500}` },
  }));
  world.add(records);
}

/** Changes a tenth of the records: those of a tenth of the regions, or every tenth of them all. */
function visit(world: World, n: number, isSpread: boolean): void {
  for (let i = 0; i < n / 10; i += 1) world.send(`hut-${isSpread ? i * 10 : i}`, { type: 'VISIT' });
}

/** The longest that the thread was kept from anything else while something went on. */
async function longestGap(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const done = work.finally(() => {
    isDone = true;
  });
  for (let last = now(); !isDone; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const at = now();
    longest = Math.max(longest, at - last);
    last = at;
  }
  await done;
  return longest;
}

interface Round {
  readonly plainSave: number;
  readonly plainLoad: number;
  readonly full: SaveReport;
  readonly gathered: SaveReport;
  readonly spread: SaveReport;
  readonly load: number;
  readonly gap: number;
  readonly idle: number;
}

export async function saveCosts(n: number, { quick }: Options): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'offstage-bench-'));
  try {
    const rounds: Round[] = [];
    // The first warms up, and does not count.
    for (let i = 0; i < (quick ? 3 : 6); i += 1) {
      rounds.push(await round(join(folder, `world-${i}`), n));
      await rm(join(folder, `world-${i}`), { recursive: true });
    }
    return resultsOf(rounds.slice(1), n);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function round(folder: string, n: number): Promise<Round> {
  const settings = { regionSize: REGION_SIZE };
  const open = (): Promise<WorldDocument> =>
    openWorld(folder, { kinds, settings, autosave: false, begin: (world) => fill(world, n) });
  const document = await open();
  const { world } = document;

  collect();
  const plainPath = join(folder, 'plain');
  const plainBegun = now();
  await writeFile(plainPath, JSON.stringify([...world.snapshot().values()].map(recordToJson)));
  const plainSave = now() - plainBegun;

  collect();
  // Regions of another size are all written anew.
  world.configure({ regionSize: REGION_SIZE + 0.01 });
  let full: SaveReport | undefined;
  const gap = await longestGap(
    document.save().then((report) => {
      full = report;
    }),
  );
  collect();
  const idle = await longestGap(new Promise((resolve) => setTimeout(resolve, full?.took ?? 0)));

  visit(world, n, false);
  collect();
  const gathered = await document.save();
  visit(world, n, true);
  collect();
  const spread = await document.save();
  await document.close();

  collect();
  const readBegun = now();
  JSON.parse(await readFile(plainPath, 'utf8'));
  const plainLoad = now() - readBegun;
  collect();
  const loadBegun = now();
  const again = await open();
  const load = now() - loadBegun;
  await again.close({ save: false });
  return { plainSave, plainLoad, full: full as SaveReport, gathered, spread, load, gap, idle };
}

function resultsOf(rounds: readonly Round[], n: number): Result[] {
  const of = (figure: (round: Round) => number): number => median(rounds.map(figure));
  const row = (
    model: string,
    engine: string,
    unit: string,
    value: number,
    ratioTo?: Record<string, number>,
  ): Result => ({
    group: 'saves',
    model,
    n,
    engine,
    value,
    unit,
    ...(ratioTo === undefined ? {} : { ratioTo }),
  });
  const toPlain = (figure: (round: Round) => number) => ({
    plain: of((each) => figure(each) / each.plainSave),
  });
  return [
    row(
      'a save, from the snapshot to the commit',
      'plain',
      'ms',
      of((each) => each.plainSave),
    ),
    row(
      'a save, from the snapshot to the commit',
      'full',
      'ms',
      of((each) => each.full.took),
      toPlain((each) => each.full.took),
    ),
    row(
      'a save, from the snapshot to the commit',
      'tenth, in a tenth',
      'ms',
      of((each) => each.gathered.took),
      toPlain((each) => each.gathered.took),
    ),
    row(
      'a save, from the snapshot to the commit',
      'tenth, spread out',
      'ms',
      of((each) => each.spread.took),
      toPlain((each) => each.spread.took),
    ),
    row(
      'what a save writes',
      'full',
      'bytes',
      of((each) => each.full.bytesWritten),
    ),
    row(
      'what a save writes',
      'tenth, in a tenth',
      'bytes',
      of((each) => each.gathered.bytesWritten),
    ),
    row(
      'what a save writes',
      'tenth, spread out',
      'bytes',
      of((each) => each.spread.bytesWritten),
    ),
    row(
      'a load',
      'plain',
      'ms',
      of((each) => each.plainLoad),
    ),
    row(
      'a load',
      'offstage',
      'ms',
      of((each) => each.load),
      {
        plain: of((each) => each.load / each.plainLoad),
      },
    ),
    row(
      'the longest pause of a full save',
      'slice',
      'ms',
      of((each) => each.full.longestPause),
    ),
    row(
      'the longest pause of a full save',
      'anything in the thread',
      'ms',
      of((each) => each.gap),
    ),
    row(
      'the longest pause of a full save',
      'the same with no save',
      'ms',
      of((each) => each.idle),
    ),
  ];
}
