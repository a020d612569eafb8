/**
 * A disk that fails, and files that are not as they were written: each ends in a code and words that say
 * what to do, nothing is deleted, and the world goes on where it can.
 */
import { SaveError, type World, WorldError } from 'offstage';
import { type OpenOptions, openWorld, type WorldDocument } from 'offstage/saves';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { type DiskCall, SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

const FOLDER = '/saves/valley';

function begin(world: World): void {
  world.add([
    { id: 'store', kind: 'stash', at: [0, 0], input: { capacity: 500, items: { ore: 5 } } },
    { id: 'far', kind: 'stash', at: [50_000, 0], input: { capacity: 500, items: { bar: 1 } } },
    { id: 'clock', kind: 'timer', at: [0, 5], input: { every: 1000 } },
  ]);
}

function open(
  disk: SimulatedDisk,
  time = new StoppedTime(),
  more: Partial<OpenOptions> = {},
): Promise<WorldDocument> {
  const settings = { regionSize: 10_000 };
  return openWorld(FOLDER, { kinds, disk, time, begin, settings, ...more });
}

/** Lets everything happen that waits only for its turn. */
async function settle(time: StoppedTime): Promise<void> {
  for (let i = 0; i < 50; i += 1) await time.pause();
}

async function rejection(promise: Promise<unknown>): Promise<SaveError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SaveError)) throw new Error('It was not refused.', { cause: error });
  return error;
}

/** Fails the calls of one sort to paths that match. */
function failing(call: DiskCall, path: RegExp, code: string) {
  return (asked: DiskCall, of: string) => (asked === call && path.test(of) ? code : undefined);
}

describe('a save that fails', () => {
  it.each([
    ['write', /regions/, 'ENOSPC', 'NO_SPACE', /make room/],
    ['create', /regions/, 'EROFS', 'READ_ONLY', /writable/],
    ['sync', /regions/, 'EIO', 'DISK_FAILED', /disk failed/],
    ['rename', /world\.json/, 'EIO', 'DISK_FAILED', /disk failed/],
    ['rename', /generations/, 'EACCES', 'READ_ONLY', /rights/],
    ['syncFolder', /regions/, 'EIO', 'DISK_FAILED', /disk failed/],
    ['sync', /world\.json/, 'EDQUOT', 'NO_SPACE', /quota/],
    ['write', /generations/, 'ENOSPC', 'NO_SPACE', /make room/],
  ] as const)(
    'in %s of %s with %s is told, tried again, and loses nothing',
    async (call, path, code, ours, cure) => {
      const disk = new SimulatedDisk();
      const time = new StoppedTime();
      const document = await open(disk, time);
      const { world } = document;
      const told: string[] = [];
      document.on('trouble', (trouble) => told.push(trouble.code));
      document.on('recovered', ({ after }) => told.push(`after ${after.code}`));
      const before = disk.files();
      const { generation } = document;

      disk.fault = failing(call, path, code);
      world.send('store', { type: 'PUT', item: 'ore', count: 3 });
      world.run(1500);
      const error = await rejection(document.save());
      expect(error.code).toBe(ours);
      expect(error.message).toMatch(cure);
      expect(error.message).toContain('The world in /saves/valley cannot be saved');
      expect(document.health).toMatchObject({
        state: 'save-failed',
        trouble: { code: ours },
        generation,
      });
      // The world goes on, commands are taken and kept.
      world.send('store', { type: 'PUT', item: 'ore', count: 4 });
      world.run(1000);
      let isDurable = false;
      document.whenDurable(() => {
        isDurable = true;
      });
      await settle(time);
      expect(isDurable).toBe(true);
      for (const [name, bytes] of before) {
        if (name.endsWith('.jsonl')) continue;
        expect(disk.files().get(name), name).toEqual(bytes);
      }
      // And of the attempt there is nothing left to fill the disk.
      const left = [...disk.files().keys()].filter((name) => name.endsWith('.tmp'));
      expect(left).toEqual([]);

      const killed = disk.afterKill();
      const again = await open(killed);
      expect(again.world.hash()).toBe(world.hash());
      expect(again.report.entries).toEqual([]);

      // Another life of the first: the disk is well again.
      const well = new SimulatedDisk();
      const healed = await open(well, time);
      well.fault = failing(call, path, code);
      healed.world.send('far', { type: 'PUT', item: 'ore', count: 3 });
      await rejection(healed.save());
      well.fault = undefined;
      await time.advance(1000);
      await settle(time);
      expect(healed.health).toMatchObject({ state: 'well', trouble: null });
      expect(healed.generation).toBeGreaterThan(generation);
      expect(told).toEqual([ours]);
    },
  );
});

describe('a journal that fails', () => {
  it.each([
    ['write', 'ENOSPC'],
    ['sync', 'EIO'],
    ['create', 'EROFS'],
  ] as const)('in %s holds the world until a generation has it all', async (call, code) => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const document = await open(disk, time);
    const { world } = document;
    if (call === 'create') await document.save();
    const seen: string[] = [];
    document.on('trouble', () => seen.push('trouble'));
    document.on('recovered', () => seen.push('recovered'));

    disk.fault = failing(call, /journal/, code);
    // A new journal is created with the next generation.
    if (call === 'create') await document.save();
    world.send('store', { type: 'PUT', item: 'ore', count: 1 });
    const hash = world.hash();
    document.whenDurable(() => seen.push('acknowledged'));
    await settle(time);
    expect(document.health.state).toBe('held');
    expect(seen).not.toContain('acknowledged');

    const refused = world.send('store', { type: 'PUT', item: 'ore', count: 1 });
    expect(refused).toMatchObject({ accepted: false, code: 'E_JOURNAL' });
    if (refused.accepted) throw new Error('It was accepted.');
    expect(refused.message).toMatch(/goes on by itself/);
    expect(() => world.add({ id: 'x', kind: 'timer', at: [0, 0] })).toThrow(WorldError);
    expect(world.frame(60_000)).toMatchObject({ time: 0, events: 0 });
    expect(world.hash()).toBe(hash);

    // A generation alone does not help as long as nothing can be journaled.
    await time.advance(20_000);
    expect(document.health.state).toBe('held');
    disk.fault = undefined;
    await time.advance(60_000);
    await settle(time);
    expect(document.health).toMatchObject({ state: 'well', trouble: null, waiting: 0 });
    expect(seen.filter((what) => what === 'acknowledged')).toHaveLength(1);
    expect(seen.at(-1)).toBe('recovered');
    expect(world.send('store', { type: 'PUT', item: 'ore', count: 2 }).accepted).toBe(true);
    world.run(2500);
    await new Promise<void>((done) => document.whenDurable(done));

    const again = await open(disk.afterKill());
    expect(again.world.hash()).toBe(world.hash());
    expect(again.report.entries).toEqual([]);
  });

  it('and was killed before a generation had what it lost does not stand in the way of a start', async () => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const document = await open(disk, time);
    const put = (world: World, count: number) =>
      world.send('store', { type: 'PUT', item: 'ore', count });
    put(document.world, 1);
    await new Promise<void>((done) => document.whenDurable(done));
    const hash = document.world.hash();
    // The line of this one is lost; journals can be written again before a generation can.
    disk.fault = failing('write', /journal/, 'ENOSPC');
    put(document.world, 10);
    document.whenDurable(() => expect.unreachable('nobody is told of it'));
    await settle(time);
    const journals = () => [...disk.files().keys()].filter((name) => name.endsWith('.jsonl'));
    const before = journals().length;
    disk.fault = failing('create', /regions/, 'ENOSPC');
    await time.advance(10_000);
    await settle(time);
    expect(document.health.state).toBe('held');
    expect(journals().length).toBeGreaterThan(before + 1);

    const killed = disk.afterKill();
    const again = await open(killed);
    expect(again.world.hash()).toBe(hash);
    // All that there is to tell is of the line that failed.
    const torn = expect.objectContaining({ type: 'JournalEnds', isDamaged: false });
    expect(again.report.entries).toEqual([torn]);
    // And what comes after it is found behind the journals that count for nothing.
    put(again.world, 100);
    await new Promise<void>((done) => again.whenDurable(done));
    const later = await open(killed.afterKill());
    expect(later.world.hash()).toBe(again.world.hash());
    expect(later.world.commandCount).toBe(again.world.commandCount);
    expect(later.report.entries).toEqual([torn]);
  });

  it('lets what waited go in the order in which it came', async () => {
    const disk = new SimulatedDisk();
    const time = new StoppedTime();
    const document = await open(disk, time);
    await settle(time);
    const order: number[] = [];
    document.whenDurable(() => order.push(0));
    expect(order, 'nothing is to be waited for').toEqual([0]);
    disk.fault = failing('sync', /journal/, 'EIO');
    for (let i = 1; i <= 5; i += 1) {
      document.world.run(10);
      document.whenDurable(() => order.push(i));
    }
    await settle(time);
    document.whenDurable(() => order.push(6));
    disk.fault = undefined;
    await time.advance(60_000);
    await settle(time);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

/** A world with three generations of which the last two share a region, a journal behind them, nobody in it. */
async function saved(): Promise<{ disk: SimulatedDisk; hash: string; generation: number }> {
  const disk = new SimulatedDisk();
  const document = await open(disk);
  const { world } = document;
  for (let i = 0; i < 2; i += 1) {
    world.send('store', { type: 'PUT', item: 'ore', count: 1 });
    world.run(1000);
    await document.save();
  }
  world.send('far', { type: 'PUT', item: 'ore', count: 2 });
  world.run(500);
  await new Promise<void>((done) => document.whenDurable(done));
  const { generation } = document;
  return { disk: disk.afterKill(), hash: world.hash(), generation };
}

/** All files as text, but the lock of whoever died. */
function filesOf(disk: SimulatedDisk): Record<string, string> {
  const files = [...disk.files()].filter(([path]) => !path.endsWith('/lock'));
  return Object.fromEntries(files.map(([path, bytes]) => [path, String(bytes)]));
}

/** The region file of the newest generation at that place. */
function regionOf(disk: SimulatedDisk, region: string): string {
  const manifest = JSON.parse(String(disk.files().get(`${FOLDER}/world.json`)));
  return `${FOLDER}/${manifest.regions[region].file}`;
}

const DAMAGES = {
  'a flipped bit': (bytes: Buffer) => {
    const other = Buffer.from(bytes);
    const at = other.length >> 1;
    other[at] = (other[at] as number) ^ 4;
    return other;
  },
  'a cut': (bytes: Buffer) => bytes.subarray(0, bytes.length - 20),
  'no bytes at all': () => Buffer.alloc(0),
} as const;

describe.each(Object.entries(DAMAGES))('%s', (_, damage) => {
  it('in a region refuses the world and keeps a copy; asked, it is what it was', async () => {
    const { disk, hash } = await saved();
    const path = regionOf(disk, '0,0');
    const bytes = damage(disk.files().get(path) as Buffer);
    disk.put(path, bytes);
    const names = [...disk.files().keys()].filter((name) => !name.endsWith('/lock'));

    const error = await rejection(open(disk));
    expect(error.code).toBe('DAMAGED');
    expect(error.message).toContain(path);
    expect(error.message).toMatch(
      /backup.*damaged: 'earlier'.*damaged: 'without'.*Nothing was deleted/s,
    );
    const kept = [...disk.files()].filter(([name]) => name.includes('/quarantine/'));
    expect(kept.map(([, copy]) => copy)).toEqual([bytes]);
    for (const name of names) expect([...disk.files().keys()]).toContain(name);
    // A second look finds the same, and keeps no second copy.
    expect((await rejection(open(disk))).code).toBe('DAMAGED');
    expect([...disk.files().keys()].filter((name) => name.includes('/quarantine/'))).toHaveLength(
      1,
    );

    const copy = disk.afterKill();
    // An older generation and the journals since give the very same world.
    const earlier = await open(copy, new StoppedTime(), { damaged: 'earlier' });
    expect(earlier.world.hash()).toBe(hash);
    expect(earlier.report.entries.map(({ type }) => type)).toEqual([
      'Damaged',
      'EarlierGeneration',
    ]);
    await earlier.close();
    const after = await open(copy.afterKill());
    expect(after.report.entries).toEqual([]);
    expect(after.world.hash()).toBe(hash);

    const other = disk.afterKill();
    const without = await open(other, new StoppedTime(), { damaged: 'without' });
    expect(without.report.entries.map(({ type }) => type)).toContain('LeftOut');
    expect(without.world.find('store')).toBeUndefined();
    expect(without.world.find('far')?.context).toMatchObject({ items: { bar: 1, ore: 2 } });
    await without.close();
    const kept2 = [...other.files()].filter(([name]) => name.includes('/quarantine/'));
    expect(kept2.map(([, copied]) => copied)).toEqual([bytes]);
    expect((await open(other.afterKill())).report.entries).toEqual([]);
  });

  it('in world.json loses nothing, since there is another of it', async () => {
    const { disk, hash } = await saved();
    const path = `${FOLDER}/world.json`;
    const bytes = damage(disk.files().get(path) as Buffer);
    disk.put(path, bytes);
    const document = await open(disk);
    expect(document.world.hash()).toBe(hash);
    expect(document.report.entries).toMatchObject([{ type: 'Damaged', file: path }]);
    await document.close();
    expect([...disk.files().values()].some((kept) => kept.equals(bytes))).toBe(true);
    expect((await open(disk.afterKill())).report.entries).toEqual([]);
  });

  it('in the newest generation’s two manifests takes the one before, and the journals since', async () => {
    const { disk, hash, generation } = await saved();
    for (const path of [`${FOLDER}/world.json`, `${FOLDER}/generations/${generation}.json`])
      disk.put(path, damage(disk.files().get(path) as Buffer));
    const document = await open(disk);
    expect(document.world.hash()).toBe(hash);
    expect(document.report.entries.map(({ type }) => type)).toEqual(['Damaged', 'Damaged']);
    // What the unreadable manifest names is not known, so nothing it may name is deleted.
    const regions = () => [...disk.files().keys()].filter((name) => name.includes('/regions/'));
    const before = regions();
    for (let i = 0; i < 5; i += 1) {
      document.world.run(1000);
      await document.save();
    }
    expect(regions()).toEqual(expect.arrayContaining(before));
  });

  it('in a journal gives what came before it, and says where', async () => {
    const { disk, generation } = await saved();
    const path = `${FOLDER}/journal/${generation}.jsonl`;
    const bytes = damage(disk.files().get(path) as Buffer);
    disk.put(path, bytes);
    const document = await open(disk);
    const ends = document.report.entries.filter(({ type }) => type === 'JournalEnds');
    expect(ends).toMatchObject([{ file: `journal/${generation}.jsonl` }]);
    expect(ends[0]?.message).toMatch(/ends at line \d/);
    expect(document.world.time).toBeGreaterThanOrEqual(2000);
    await document.close();
    expect([...disk.files().values()].some((kept) => kept.equals(bytes))).toBe(true);
    const again = await open(disk.afterKill());
    expect(again.world.hash()).toBe(document.world.hash());
  });
});

describe('a missing file', () => {
  it('that is a region refuses the world', async () => {
    const { disk } = await saved();
    const path = regionOf(disk, '5,0');
    disk.delete(path);
    const error = await rejection(open(disk));
    expect(error).toMatchObject({ code: 'DAMAGED' });
    expect(error.message).toContain(`${path} is missing`);
    // All generations name that one file.
    const earlier = await rejection(open(disk, new StoppedTime(), { damaged: 'earlier' }));
    expect(earlier.message).toMatch(/no generation that is whole/);
    const without = await open(disk, new StoppedTime(), { damaged: 'without' });
    expect(without.world.find('far')).toBeUndefined();
    expect(without.world.find('store')).toBeDefined();
  });

  it('that is world.json is made good', async () => {
    const { disk, hash } = await saved();
    disk.delete(`${FOLDER}/world.json`);
    const document = await open(disk);
    expect(document.world.hash()).toBe(hash);
    await document.close();
    expect(disk.files().has(`${FOLDER}/world.json`)).toBe(true);
  });

  it('that is every manifest is no new world', async () => {
    const { disk } = await saved();
    for (const name of disk.files().keys())
      if (/world\.json|generations/.test(name)) disk.delete(name);
    const before = filesOf(disk);
    const error = await rejection(open(disk));
    expect(error.code).toBe('DAMAGED');
    expect(error.message).toMatch(/no manifest that can be read/);
    expect(filesOf(disk)).toEqual(before);
  });

  it('that is a journal in between refuses what came after it', async () => {
    const { disk, generation } = await saved();
    // Without the newest generation, all journals since the one before are needed.
    disk.delete(`${FOLDER}/world.json`);
    disk.delete(`${FOLDER}/generations/${generation}.json`);
    disk.delete(`${FOLDER}/journal/${generation - 1}.jsonl`);
    const error = await rejection(open(disk));
    expect(error.code).toBe('DAMAGED');
    expect(error.message).toMatch(
      /goes on after 3 commands, and the journals before it end after 2/,
    );
    const document = await open(disk, new StoppedTime(), { damaged: 'earlier' });
    expect(document.world.commandCount).toBe(2);
    expect(document.report.entries.map(({ type }) => type)).toContain('JournalGap');
  });
});

describe('a disk that cannot be written', () => {
  it.each([
    ['makeFolder', 'EROFS'],
    ['create', 'EACCES'],
  ] as const)('in %s refuses to open a world', async (call, code) => {
    const { disk, hash } = await saved();
    const before = filesOf(disk);
    disk.fault = (asked) => (asked === call ? code : undefined);
    const error = await rejection(open(disk));
    expect(error.code).toBe('READ_ONLY');
    expect(error.message).toMatch(/mount it writable|change the rights/);
    expect(filesOf(disk)).toEqual(before);
    disk.fault = undefined;
    const document = await open(disk);
    expect(document.world.hash()).toBe(hash);
  });

  it('refuses to open a world whose journal cannot be written', async () => {
    const { disk } = await saved();
    disk.fault = failing('write', /journal/, 'ENOSPC');
    const error = await rejection(open(disk));
    expect(error.code).toBe('NO_SPACE');
    expect(error.message).toMatch(/The journal of .* cannot be written: the disk is full/);
  });

  it('leaves no lock behind when a world could not be opened', async () => {
    const disk = new SimulatedDisk();
    disk.fault = failing('write', /regions/, 'ENOSPC');
    const error = await rejection(open(disk));
    expect(error.code).toBe('NO_SPACE');
    expect([...disk.files().keys()].filter((name) => name.endsWith('lock'))).toEqual([]);
    disk.fault = undefined;
    const document = await open(disk);
    expect(document.report.isNew).toBe(true);
    expect(document.world.size).toBe(3);
  });
});

describe('a lock that nobody holds', () => {
  // It is taken, or the one before it cleared, and the power fails before a byte is on the disk.
  it.each([1, 2, 4])('after %i losses of power keeps nobody out', async (losses) => {
    const { disk, hash } = await saved();
    for (let claim = -1; claim < losses - 1; claim += 1) {
      const name = claim === -1 ? 'lock' : `lock.unfinished.${claim}.claim`;
      disk.put(`${FOLDER}/${name}`, Buffer.alloc(0));
    }
    const document = await open(disk);
    expect(document.world.hash()).toBe(hash);
    await document.close();
    expect([...disk.files().keys()].filter((name) => name.includes('lock'))).toEqual([]);
  });
});

describe('a file of a later version', () => {
  it('is refused by its name and left as it is', async () => {
    const { disk } = await saved();
    const { createHash } = await import('node:crypto');
    const path = `${FOLDER}/world.json`;
    const { checksum: _, ...manifest } = JSON.parse(String(disk.files().get(path)));
    manifest.format = 7;
    const checksum = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
    disk.put(path, Buffer.from(JSON.stringify({ ...manifest, checksum })));
    const before = filesOf(disk);
    const error = await rejection(open(disk));
    expect(error.code).toBe('BAD_FORMAT');
    expect(error.message).toMatch(
      /world\.json has format 7, .* reads 1; use the version that wrote it/,
    );
    expect(filesOf(disk)).toEqual(before);
  });
});
