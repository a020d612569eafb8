/**
 * A save writes the regions that are not as they were saved before, and no others: whatever came, went
 * or moved meanwhile, whether the save before failed, and also after a restart.
 */
import fc from 'fast-check';
import { defineKind, moveTo, type World } from 'offstage';
import { openWorld, verifyWorld, type WorldDocument } from 'offstage/saves';
import { expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

const FOLDER = '/saves/valley';
/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 60);

const wandererMachine = setup({
  types: {
    context: {} as { visits: number },
    events: {} as { type: 'VISIT' } | { type: 'GO'; x: number; y: number },
  },
}).createMachine({
  id: 'wanderer',
  context: { visits: 0 },
  on: {
    VISIT: { actions: assign({ visits: ({ context }) => context.visits + 1 }) },
    GO: { actions: moveTo(({ event }) => [event.x, event.y]) },
  },
});

const kinds = [defineKind({ name: 'wanderer', version: 1, machine: wandererMachine })];

const id = fc.integer({ min: 0, max: 7 }).map((n) => `w-${n}`);
const place = fc.record({
  x: fc.integer({ min: -250, max: 250 }),
  y: fc.integer({ min: -50, max: 50 }),
});

interface Step {
  /** Whether a record is there afterwards that was not before, or the other way round. */
  readonly isComingOrGoing: boolean;
  run(world: World): void;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  id.map((to) => ({
    isComingOrGoing: false,
    run: (world: World) => void world.send(to, { type: 'VISIT' }),
  })),
  fc.tuple(id, place).map(([to, { x, y }]) => ({
    isComingOrGoing: false,
    run: (world: World) => void world.send(to, { type: 'GO', x, y }),
  })),
  fc.tuple(id, place).map(([to, { x, y }]) => ({
    isComingOrGoing: true,
    run: (world: World) => {
      if (world.find(to) === undefined) world.add({ id: to, kind: 'wanderer', at: [x, y] });
      else world.remove(to);
    },
  })),
);

/** What happens, and how it is kept. */
const stretch = fc.record({
  steps: fc.array(step, { maxLength: 4 }),
  end: fc.constantFrom('save', 'save', 'save', 'failed save', 'other size', 'restart'),
});

/** The records of each region, as one can tell whether they changed. */
function byRegion(world: World): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const { id: name, revision, region } of world.snapshot().records())
    found.set(region, [...(found.get(region) ?? []), `${name} ${revision}`]);
  return new Map([...found].map(([region, all]) => [region, all.sort().join()]));
}

const open = (disk: SimulatedDisk): Promise<WorldDocument> =>
  openWorld(FOLDER, {
    kinds,
    disk,
    time: new StoppedTime(),
    autosave: false,
    settings: { regionSize: 100 },
  });

/** A save that writes its regions, and fails as it commits them. */
async function failToSave(document: WorldDocument, disk: SimulatedDisk): Promise<void> {
  disk.fault = (call, path) => (call === 'rename' && /world\.json/.test(path) ? 'EIO' : undefined);
  await expect(document.save()).rejects.toMatchObject({ code: 'DISK_FAILED' });
  disk.fault = undefined;
}

async function expectWell(disk: SimulatedDisk): Promise<void> {
  const { isWell, problems } = await verifyWorld(FOLDER, { kinds, disk });
  expect({ isWell, problems }).toEqual({ isWell: true, problems: [] });
}

it('is of the regions that changed, and of the world as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stretch, { minLength: 1, maxLength: 12 }), async (stretches) => {
      const disk = new SimulatedDisk();
      let document = await open(disk);
      let saved = byRegion(document.world);
      let savedSize = 100;
      // Whoever came and is gone again before a save leaves a region as it was, which nobody has to notice.
      let isExact = true;
      // Regions of another size were begun, and no save of them was ever committed.
      let isAnew = false;
      for (const { steps, end } of stretches) {
        for (const { isComingOrGoing, run } of steps) {
          run(document.world);
          if (isComingOrGoing) isExact = false;
        }
        if (end === 'restart') {
          await document.close({ save: false });
          document = await open(disk);
          isAnew = false;
          continue;
        }
        if (end === 'failed save') {
          await failToSave(document, disk);
          isExact = false;
          if (document.world.settings.regionSize !== savedSize) isAnew = true;
          continue;
        }
        if (end === 'other size') {
          const { regionSize } = document.world.settings;
          document.world.configure({ regionSize: regionSize === 100 ? 70 : 100 });
        }
        const { regionSize } = document.world.settings;
        const now = byRegion(document.world);
        const isWhole = isAnew || regionSize !== savedSize;
        const changed = isWhole
          ? [...now.keys()]
          : [...new Set([...now.keys(), ...saved.keys()])].filter(
              (region) => now.get(region) !== saved.get(region),
            );
        const { regionsWritten } = await document.save();
        expect(regionsWritten).toBeGreaterThanOrEqual(changed.length);
        if (isExact) expect(regionsWritten).toBe(changed.length);
        await expectWell(disk);
        saved = now;
        savedSize = regionSize;
        isExact = true;
        isAnew = false;
      }
      await document.close();
    }),
    { numRuns: RUNS },
  );
}, 120_000);

it('is of all there are, and of none that is gone, once regions of another size could not be saved', async () => {
  const disk = new SimulatedDisk();
  const first = await open(disk);
  first.world.add({ id: 'w', kind: 'wanderer', at: [10, 10] });
  first.world.configure({ regionSize: 70 });
  await first.save();
  await first.close({ save: false });
  // Its settings say 100 again.
  const document = await open(disk);
  const { world } = document;
  world.send('w', { type: 'GO', x: 240, y: 10 });
  await failToSave(document, disk);
  world.configure({ regionSize: 70 });
  expect((await document.save()).regionsWritten).toBe(1);
  await expectWell(disk);
  expect((await document.save()).regionsWritten).toBe(0);
  await document.close();
});
