/**
 * Worlds that were saved by other code: kinds that have changed, are gone, or were newer. What can be
 * brought up is; what cannot is kept, byte for byte, through any number of saves.
 */
import { defineKind, type Kind, type World } from 'offstage';
import { openWorld, type WorldDocument } from 'offstage/saves';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

const FOLDER = '/saves/old';
const time = new StoppedTime();

function open(disk: SimulatedDisk, kinds: readonly Kind[], begin?: (world: World) => void) {
  return openWorld(FOLDER, { kinds, disk, time, ...(begin === undefined ? {} : { begin }) });
}

/** A mill, as it was written three times. */
function mill(version: 1 | 2 | 3): Kind {
  if (version === 1) {
    const machine = setup({ types: { context: {} as { sacks: number } } }).createMachine({
      id: 'mill',
      context: { sacks: 0 },
      initial: 'grinding',
      states: {
        grinding: {
          after: {
            1000: {
              target: 'grinding',
              reenter: true,
              actions: assign({ sacks: ({ context }) => context.sacks + 1 }),
            },
          },
        },
      },
    });
    return defineKind({ name: 'mill', version: 1, machine });
  }
  if (version === 2) {
    // The count has another name.
    const machine = setup({ types: { context: {} as { flour: number } } }).createMachine({
      id: 'mill',
      context: { flour: 0 },
      initial: 'grinding',
      states: {
        grinding: {
          after: {
            1000: {
              target: 'grinding',
              reenter: true,
              actions: assign({ flour: ({ context }) => context.flour + 1 }),
            },
          },
        },
      },
    });
    return defineKind({
      name: 'mill',
      version: 2,
      machine,
      migrate: (saved, { report }) => {
        const { sacks } = saved.context as { sacks: number };
        report(`had ${sacks} sacks`);
        return { ...saved, context: { flour: sacks } };
      },
    });
  }
  // The state has another name, and the timer with it; it grinds at another pace.
  const machine = setup({
    types: { context: {} as { flour: number; stones: ReadonlyMap<string, number> } },
    delays: { turn: 1500 },
  }).createMachine({
    id: 'mill',
    context: { flour: 0, stones: new Map() },
    initial: 'turning',
    states: {
      turning: {
        tags: ['busy'],
        after: {
          turn: {
            target: 'turning',
            reenter: true,
            actions: assign({ flour: ({ context }) => context.flour + 1 }),
          },
        },
      },
    },
  });
  return defineKind({
    name: 'mill',
    version: 3,
    machine,
    migrate: (saved, { fromVersion }) => {
      const old = saved.context as { sacks?: number; flour?: number };
      return {
        context: { flour: old.flour ?? old.sacks ?? 0, stones: new Map([['from', fromVersion]]) },
        value: 'turning',
        timers: saved.timers.map((timer) => ({
          ...timer,
          id: 'xstate.after.turn.mill.turning',
          event: { type: 'xstate.after.turn.mill.turning' },
        })),
      };
    },
  });
}

/** One more of the same with nothing in common. */
const rock = defineKind({
  name: 'rock',
  version: 1,
  machine: setup({}).createMachine({ id: 'rock', context: { weight: 3n, since: new Date(5) } }),
});

function begin(world: World): void {
  world.add({ id: 'mill-1', kind: 'mill', at: [0, 0] });
  world.add({ id: 'mill-2', kind: 'mill', at: [500_000, 0] });
}

async function savedBy(version: 1 | 2): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const document = await open(disk, [mill(version), rock], (world) => {
    begin(world);
    world.add({ id: 'rock-1', kind: 'rock', at: [0, 0] });
  });
  document.world.run(2400);
  await document.close();
  return disk;
}

function types({ report }: WorldDocument): string[] {
  return report.entries.map(({ type }) => type).sort();
}

describe('a kind at version 3', () => {
  it.each([1, 2] as const)(
    'loads what version %i saved: context, value and timers',
    async (version) => {
      const disk = await savedBy(version);
      const document = await open(disk, [mill(3), rock]);
      expect(document.report.entries).toMatchObject([
        { type: 'Migrated', kind: 'mill', fromVersion: version, records: 2 },
      ]);
      const found = document.world.find('mill-1');
      expect(found).toMatchObject({ version: 3, value: 'turning', tags: ['busy'] });
      expect(found?.context).toEqual({ flour: 2, stones: new Map([['from', version]]) });
      // The round that had begun ends when it would have; the next is as long as it is now.
      expect(found?.timers.map(({ at }) => at)).toEqual([3000]);
      document.world.run(700);
      expect(document.world.find('mill-1')?.context).toMatchObject({ flour: 3 });
      expect(document.world.nextEventAt).toBe(4500);
      const hash = document.world.hash();
      await document.close();
      const again = await open(disk.afterKill(), [mill(3), rock]);
      expect(again.report.entries).toEqual([]);
      expect(again.world.hash()).toBe(hash);
    },
  );

  it('loads both at once, and hands on what migrate reports', async () => {
    const disk = await savedBy(1);
    const second = await open(disk, [mill(2), rock]);
    expect(types(second)).toEqual(['MigrateNote', 'MigrateNote', 'Migrated']);
    expect(second.report.entries.map(({ message }) => message).join(' ')).toContain(
      'mill-1: had 2 sacks',
    );
    await second.close();
    const third = await open(disk, [mill(3), rock]);
    expect(third.world.find('mill-2')?.context).toMatchObject({ flour: 2 });
    await third.close();
  });

  it('keeps a record outside the world that migrate cannot bring up', async () => {
    const disk = await savedBy(1);
    const clumsy: Kind = {
      ...mill(2),
      migrate: (saved) => {
        throw new Error(`no idea what ${JSON.stringify(saved.context)} is`);
      },
    };
    const document = await open(disk, [clumsy, rock]);
    expect(document.report).toMatchObject({ records: 1, kept: 2 });
    expect(document.report.entries).toMatchObject([
      { type: 'NotBroughtUp', id: expect.any(String), code: 'MIGRATE_FAILED' },
      { type: 'NotBroughtUp', code: 'MIGRATE_FAILED' },
    ]);
    await document.close();
    const mended = await open(disk, [mill(2), rock]);
    expect(mended.world.find('mill-1')?.context).toEqual({ flour: 2 });
    expect(mended.report.kept).toBe(0);
  });
});

/** All that the region files say of records of a kind, as text. */
function textsOf(disk: SimulatedDisk, kind: string): string[] {
  const manifest = JSON.parse(String(disk.files().get(`${FOLDER}/world.json`)));
  const regions = Object.values(manifest.regions) as { file: string }[];
  return regions
    .flatMap(({ file }) => String(disk.files().get(`${FOLDER}/${file}`)).split('\n'))
    .map((line) => line.replace(/,$/, ''))
    .filter((line) => line.includes(`"kind":"${kind}"`))
    .flatMap((line) =>
      line.startsWith('{"id"') ? (JSON.parse(`[${line}]`) as unknown[]) : [JSON.parse(line)],
    )
    .map((record) => JSON.stringify(record))
    .sort();
}

describe('records that the code does not know', () => {
  it('come back unchanged after ten saves: a kind that is gone, and one that was newer', async () => {
    const disk = await savedBy(2);
    const before = { mill: textsOf(disk, 'mill'), rock: textsOf(disk, 'rock') };
    expect(before.mill).toHaveLength(2);
    expect(before.rock).toHaveLength(1);
    const other = defineKind({
      name: 'pulse',
      version: 1,
      machine: setup({}).createMachine({
        id: 'pulse',
        initial: 'on',
        states: { on: { after: { 100: { target: 'on', reenter: true } } } },
      }),
    });
    // Here `rock` is gone, and `mill` is an older version.
    for (let i = 0; i < 10; i += 1) {
      const document = await open(disk, [mill(1), other]);
      expect(types(document)).toEqual(['TooNew', 'UnknownKind']);
      expect(document.report).toMatchObject({ kept: 3 });
      expect(document.report.entries.map(({ message }) => message).join(' ')).toMatch(
        /2 records of kind 'mill' were saved by its version 2.*no kind 'rock' any more/s,
      );
      // The world goes on beside them, in the same region too.
      document.world.add({ id: `pulse-${i}`, kind: 'pulse', at: [i, 0] });
      document.world.add({ id: `mill-of-${i}`, kind: 'mill', at: [i, 0] });
      document.world.run(50);
      await document.save();
      document.world.run(50);
      await document.close();
      const found = [...textsOf(disk, 'mill'), ...textsOf(disk, 'rock')];
      for (const text of [...before.mill, ...before.rock]) expect(found).toContain(text);
    }
    const back = await open(disk, [mill(2), rock, other]);
    expect(back.world.find('rock-1')?.context).toEqual({ weight: 3n, since: new Date(5) });
    // The timer that came due while it was outside the world happened as it came back, and not in the past.
    expect(back.world.time).toBe(3400);
    expect(back.world.find('mill-1')).toMatchObject({ context: { flour: 3 } });
    expect(back.world.find('mill-1')?.timers).toMatchObject([{ at: 4400 }]);
    // Those that were added meanwhile were of version 1, and are brought up.
    expect(back.world.find('mill-of-9')?.version).toBe(2);
    await back.close();
  });

  it('never take the place of a record that has their id by now', async () => {
    const disk = await savedBy(2);
    const without = await open(disk, [mill(2)]);
    without.world.add({ id: 'rock-1', kind: 'mill', at: [0, 0] });
    await without.close();
    const both = await open(disk, [mill(2), rock]);
    expect(types(both)).toEqual(['DuplicateId']);
    expect(both.world.find('rock-1')?.kind).toBe('mill');
    expect(both.world.remove('rock-1')).toBe(true);
    await both.close();
    const again = await open(disk, [mill(2), rock]);
    expect(again.world.find('rock-1')?.kind).toBe('rock');
  });
});

describe('a kind that changed at the same version', () => {
  const lamp = (delays: Readonly<Record<string, string>>, states = ['dim', 'lit']): Kind => {
    const [dim, lit] = states as [string, string];
    const machine = setup({ delays: { short: 500, long: 900, other: 700 } }).createMachine({
      id: 'lamp',
      initial: lit,
      states: { [lit]: { after: delays as never }, [dim]: {} },
    });
    return defineKind({ name: 'lamp', version: 1, machine });
  };
  const start = async (kind: Kind): Promise<SimulatedDisk> => {
    const disk = new SimulatedDisk();
    const document = await open(disk, [kind], (world) =>
      world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] }),
    );
    document.world.run(100);
    await document.close();
    return disk;
  };

  it('is told, and saved before the world runs on', async () => {
    const disk = await start(lamp({ short: 'dim' }));
    const document = await open(disk, [lamp({ short: 'dim', long: 'dim' })]);
    expect(types(document)).toEqual(['ChangedKind']);
    expect(document.report.entries[0]?.message).toMatch(/still version 1/);
    expect(document.generation).toBeGreaterThan(document.report.generation);
    await document.close({ save: false });
    const again = await open(disk.afterKill(), [lamp({ short: 'dim', long: 'dim' })]);
    expect(again.report.entries).toEqual([]);
  });

  it('keeps a timer whose key is still there, and its time', async () => {
    const disk = await start(lamp({ short: 'dim' }));
    const { world } = await open(disk, [lamp({ other: 'dim', short: 'dim' })]);
    expect(world.find('lamp')?.timers).toMatchObject([
      { id: 'xstate.after.short.lamp.lit', at: 500 },
    ]);
    world.run(400);
    expect(world.find('lamp')?.value).toBe('dim');
  });

  it('gives a timer the key that stands in its place', async () => {
    const disk = await start(lamp({ short: 'dim', long: 'lit' }));
    const { world } = await open(disk, [lamp({ other: 'dim', long: 'lit' })]);
    expect(world.find('lamp')?.timers).toMatchObject([
      { id: 'xstate.after.other.lamp.lit', at: 500 },
      { id: 'xstate.after.long.lamp.lit', at: 900 },
    ]);
    world.run(400);
    expect(world.find('lamp')?.value).toBe('dim');
  });

  it('lets a record rest with a fault where that is impossible', async () => {
    const disk = await start(lamp({ short: 'dim', long: 'dim' }));
    const document = await open(disk, [lamp({ short: 'dim' })]);
    expect(types(document)).toEqual(['ChangedKind', 'Faulted']);
    const found = document.world.find('lamp');
    expect(found?.fault).toMatchObject({ code: 'TIMER_GONE' });
    expect(found?.fault?.message).toMatch(/'xstate\.after\.long\.lamp\.lit'/);
    expect(document.world.nextEventAt).toBeUndefined();
    // It is still there for whoever mends the kind.
    await document.close();
    const again = await open(disk, [lamp({ short: 'dim' })]);
    expect(again.world.find('lamp')?.fault?.code).toBe('TIMER_GONE');
    expect(again.world.find('lamp')?.timers).toHaveLength(2);
  });

  it('keeps a record outside the world whose state is gone', async () => {
    const disk = await start(lamp({ short: 'dim' }));
    const document = await open(disk, [lamp({ short: 'dim' }, ['dim', 'bright'])]);
    expect(document.report.entries).toMatchObject([
      { type: 'ChangedKind' },
      { type: 'NotBroughtUp', id: 'lamp', code: 'UNKNOWN_STATE' },
    ]);
    await document.close();
    const back = await open(disk, [lamp({ short: 'dim' })]);
    expect(back.world.find('lamp')?.timers).toMatchObject([{ at: 500 }]);
  });

  it('asks predictions again, and drops those that are gone', async () => {
    const tank = (predict: Record<string, number>, step?: 'coarse'): Kind =>
      defineKind({
        name: 'tank',
        version: 1,
        machine: setup({}).createMachine({
          id: 'tank',
          on: { DRY: { actions: assign({}) }, FULL: { actions: assign({}) } },
        }),
        predict: Object.fromEntries(
          Object.entries(predict).map(([type, at]) => [type, () => at]),
        ) as never,
        ...(step === undefined ? {} : { step }),
      });
    const disk = new SimulatedDisk();
    const first = await open(disk, [tank({ DRY: 4000 }, 'coarse')], (world) =>
      world.add({ id: 'tank', kind: 'tank', at: [0, 0] }),
    );
    first.world.run(500);
    await first.close();
    const second = await open(disk, [tank({ FULL: 6000 })]);
    expect(second.world.upcoming(5)).toMatchObject([{ at: 6000, event: { type: 'FULL' } }]);
    await second.close();
    const third = await open(disk, [tank({}, 'coarse')]);
    expect(third.world.upcoming(5)).toMatchObject([{ at: 1000, event: { type: 'offstage.step' } }]);
  });
});
