import { createWorld, defineKind, type Kind, type World } from 'offstage';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, raise, setup } from 'xstate';
import { stash, timer } from '../../kinds/index.ts';
import { bringingUp, Reloader } from '../../src/server/reload.ts';
import { type PorterVersion, porter } from '../support/porters.ts';
import { kindOf, pool, pulse } from '../support/small-kinds.ts';

const log = pino({ enabled: false });

function reload(world: World, ...kinds: readonly Kind[]) {
  return world.reload(kinds, bringingUp(world, log));
}

/** A kind with one state that waits, as its author has it at the moment. */
function kettle(after: Record<string, string>, more: object = {}, options: object = {}): Kind {
  const machine = setup({
    types: { context: {} as { whistles: number } },
    actions: { whistle: assign({ whistles: ({ context }) => context.whistles + 1 }) },
    delays: { boil: 1000, simmer: 3000, steep: 5000 },
  }).createMachine({
    id: 'kettle',
    context: { whistles: 0 },
    initial: 'heating',
    states: { heating: { after, on: { LIFT: 'off' } }, hot: {}, off: {}, ...more },
  } as never) as unknown as AnyStateMachine;
  return defineKind({ name: 'kettle', version: 1, machine, ...options });
}

/** A world with one kettle, 400 ms after it was put on. */
function kitchen(kind: Kind): World {
  const world = createWorld({ kinds: [kind] });
  world.add({ id: 'k', kind: 'kettle', at: [0, 0] });
  world.run(400);
  return world;
}

const timersOf = (world: World, id = 'k') =>
  world.find(id)?.timers.map(({ id: timer, at }) => `${timer.split('.')[2]} at ${at}`);

describe('a timer that is under way when its kind is reloaded', () => {
  test('keeps its time where its delay was edited; the new one counts from the next entry', () => {
    const world = kitchen(kettle({ boil: 'hot' }));
    const edited = setup({ delays: { boil: 50 } }).createMachine({
      id: 'kettle',
      context: { whistles: 0 },
      initial: 'heating',
      states: { heating: { after: { boil: { target: 'heating', reenter: true } } } },
    });
    reload(world, defineKind({ name: 'kettle', version: 1, machine: edited }));
    expect(timersOf(world)).toEqual(['boil at 1000']);
    world.runUntil(1000);
    expect(timersOf(world)).toEqual(['boil at 1050']);
  });

  test('takes the key at its place where its key is gone', () => {
    const world = kitchen(kettle({ boil: 'hot' }));
    reload(world, kettle({ simmer: 'off' }));
    expect(timersOf(world)).toEqual(['simmer at 1000']);
    world.runUntil(1000);
    expect(world.find('k')?.value).toBe('off');
  });

  test('keeps its key where keys were put before and behind it', () => {
    const world = kitchen(kettle({ boil: 'hot' }));
    reload(world, kettle({ simmer: 'off', boil: 'hot', steep: 'off' }));
    expect(timersOf(world)).toEqual(['boil at 1000']);
  });

  test('of two, each keeps its own when they change places', () => {
    const world = kitchen(kettle({ boil: 'hot', simmer: 'off' }));
    reload(world, kettle({ simmer: 'off', boil: 'hot' }));
    expect(timersOf(world)).toEqual(['boil at 1000', 'simmer at 3000']);
  });

  test('is never given the key of another that is under way: the record rests and says so', () => {
    const world = kitchen(kettle({ boil: 'hot', simmer: 'off' }));
    const { faulted } = reload(world, kettle({ simmer: 'off' }));
    expect(faulted).toMatchObject([{ id: 'k', code: 'TIMER_GONE' }]);
    expect(timersOf(world)).toEqual(['boil at 1000', 'simmer at 3000']);
    expect(world.find('k')).toMatchObject({ value: 'heating', nextEvent: null });
  });

  test('that has nowhere to go makes the record rest, and it goes on once there is a place again', () => {
    const world = kitchen(kettle({ boil: 'hot' }));
    expect(reload(world, kettle({})).faulted).toMatchObject([
      { code: 'TIMER_GONE', message: expect.stringContaining('boil') },
    ]);
    world.runUntil(2000);
    expect(world.find('k')?.value).toBe('heating');
    // Another key in its old place is not the place of a timer that had lost its own.
    expect(reload(world, kettle({ steep: 'off' })).recovered).toEqual([]);
    expect(reload(world, kettle({ boil: 'hot' })).recovered).toEqual(['k']);
    world.run(0);
    // It came due at 1000, while the record rested, and happens when it goes on.
    expect(world.find('k')).toMatchObject({ value: 'hot', fault: null, advancedTo: 2000 });
  });

  test('was set with an id of the author and stays', () => {
    const bell = (text: string) =>
      kindOf(
        setup({}).createMachine({
          id: 'bell',
          initial: 'a',
          states: {
            a: {
              entry: raise({ type: 'RING' }, { id: 'mine', delay: 900 }),
              on: { RING: 'b' },
              description: text,
            },
            b: {},
          },
        }),
      );
    const world = createWorld({ kinds: [bell('one')] });
    world.add({ id: 'k', kind: 'bell', at: [0, 0] });
    reload(world, bell('two'));
    expect(world.find('k')?.timers).toMatchObject([{ id: 'mine', at: 900 }]);
    world.runUntil(900);
    expect(world.find('k')?.value).toBe('b');
  });
});

describe('a state that no longer exists', () => {
  const busy = kettle({}, { singing: {} });

  function singing(): World {
    const world = createWorld({ kinds: [busy] });
    world.add({ id: 'k', kind: 'kettle', at: [0, 0] });
    world.setState('k', { value: 'singing', context: { whistles: 7 } });
    return world;
  }

  test('goes through migrate, with the version it had', () => {
    const world = singing();
    const versions: number[] = [];
    const migrate = (saved: object, args: { fromVersion: number }) => {
      versions.push(args.fromVersion);
      return { ...saved, value: 'hot' };
    };
    expect(reload(world, kettle({}, {}, { migrate })).faulted).toEqual([]);
    expect(world.find('k')).toMatchObject({ value: 'hot', context: { whistles: 7 }, fault: null });
    expect(versions).toEqual([1]);
  });

  test('makes the record rest with a fault that names it, holding all it held', () => {
    const world = singing();
    const { faulted } = reload(world, kettle({}));
    expect(faulted).toMatchObject([
      { id: 'k', code: 'UNKNOWN_STATE', message: expect.stringContaining("'singing'") },
    ]);
    const record = world.find('k');
    expect(record).toMatchObject({ value: 'singing', context: { whistles: 7 }, nextEvent: null });
    expect(record?.can({ type: 'LIFT' })).toBe(false);
    expect(world.send('k', { type: 'LIFT' })).toMatchObject({
      accepted: false,
      code: 'UNKNOWN_STATE',
    });
    expect(world.hash()).toBe(world.snapshot().hash());
    expect(world.stats()).toMatchObject({ faulted: 1, byKind: { kettle: { faulted: 1 } } });
  });

  test('and it goes on when the state is back, or is put elsewhere from outside', () => {
    const world = singing();
    reload(world, kettle({}));
    expect(reload(world, busy).recovered).toEqual(['k']);
    expect(world.find('k')?.fault).toBeNull();
    reload(world, kettle({}));
    world.setState('k', { value: 'hot' });
    expect(world.find('k')).toMatchObject({ value: 'hot', fault: null });
  });

  test('does not matter to a record that has ended in it', () => {
    const ended = kettle({}, { burst: { type: 'final' } });
    const world = createWorld({ kinds: [ended] });
    world.add({ id: 'k', kind: 'kettle', at: [0, 0] });
    world.setState('k', { value: 'burst' });
    expect(reload(world, kettle({})).faulted).toEqual([]);
    expect(world.find('k')).toMatchObject({ value: 'burst', status: 'done', fault: null });
  });
});

describe('what a reload changes beside the machine', () => {
  test('a higher version runs migrate, which sees and may change the timers', () => {
    const world = kitchen(kettle({ boil: 'hot' }));
    const next = kettle(
      { steep: 'off' },
      {},
      {
        version: 2,
        migrate: (
          saved: { timers: readonly { at: number }[] },
          { fromVersion }: { fromVersion: number },
        ) => ({
          ...saved,
          context: { whistles: fromVersion },
          timers: saved.timers.map(({ at }) => ({
            id: 'xstate.after.steep.kettle.heating',
            event: { type: 'xstate.after.steep.kettle.heating' },
            at: at + 100,
          })),
        }),
      },
    );
    reload(world, next);
    expect(world.find('k')).toMatchObject({ version: 2, context: { whistles: 1 } });
    expect(timersOf(world)).toEqual(['steep at 1100']);
  });

  test('a migrate that throws makes the record rest, holding all it held', () => {
    const world = kitchen(kettle({ boil: 'hot' }));
    const migrate = () => {
      throw new Error('not today');
    };
    const { faulted } = reload(world, kettle({ boil: 'hot' }, {}, { version: 2, migrate }));
    expect(faulted).toMatchObject([
      { code: 'MIGRATE_FAILED', message: expect.stringContaining('not today') },
    ]);
    expect(timersOf(world)).toEqual(['boil at 1000']);
  });

  test('predictions are asked again', () => {
    const world = createWorld({ kinds: [pool] });
    world.add({ id: 'k', kind: 'pool', at: [0, 0], input: { level: 100, drain: 1 } });
    expect(world.nextEventAt).toBe(100);
    reload(world, { ...pool, predict: [['EMPTY', () => 40]] });
    expect(world.nextEventAt).toBe(40);
    reload(world, { ...pool, predict: [] });
    expect(world.nextEventAt).toBeUndefined();
  });

  test('steps come at the times of the new rule', () => {
    const world = createWorld({ kinds: [pulse] });
    world.add({ id: 'k', kind: 'pulse', at: [0, 0], input: { every: 10_000 } });
    world.run(250);
    reload(world, { ...pulse, step: { every: 100 } });
    expect(world.nextEventAt).toBe(300);
    reload(world, { ...pulse, step: { every: 1000 } });
    expect(world.nextEventAt).toBe(1000);
    reload(world, pulse);
    expect(world.nextEventAt).toBe(10_000);
  });

  test('kinds that are new may have records, and clients’ figures count them', () => {
    const world = createWorld({ kinds: [pulse] });
    expect(reload(world, pulse, timer).added).toEqual(['timer']);
    world.add({ id: 't', kind: 'timer', at: [0, 0], input: { every: 10 } });
    world.run(100);
    expect(world.stats().byKind).toMatchObject({ timer: { records: 1, events: 10 } });
    expect(world.query({ kind: 'timer' })).toHaveLength(1);
  });

  test('nobody is woken, nothing happens, and the counts of events go on', () => {
    const world = createWorld({ kinds: [stash, porter({ walk: 'w', long: 100, wash: false })] });
    world.add([
      { id: 's', kind: 'stash', at: [0, 0], input: { capacity: 9, items: { sack: 3 } } },
      { id: 'p', kind: 'porter', at: [0, 0], links: { from: 's', to: 's' } },
    ]);
    world.run(1000);
    const before = world.stats();
    const heard: string[] = [];
    world.on('event', ({ cause }) => heard.push(cause));
    reload(world, stash, porter({ walk: 'w', long: 100, wash: false }));
    world.run(0);
    expect(heard).toEqual([]);
    expect(world.stats()).toEqual(before);
  });
});

describe('kinds that do not fit are refused, and nothing has changed', () => {
  const first = kettle({ boil: 'hot' });
  test.each([
    ['one of which there are records is gone', [pulse], 'KIND_IN_USE', /no longer in the registry/],
    [
      'its records would have their turns elsewhere',
      [{ ...first, order: 3 }],
      'KIND_IN_USE',
      /another order/,
    ],
    ['it is older', [{ ...first, version: 0 }], 'KIND_IN_USE', /version 0 now and was 1/],
    ['a link leads to none of them', [{ ...first, links: { a: 'tea' } }], 'UNKNOWN_KIND', /'tea'/],
    ['one is none', [first, {}], 'BAD_KIND', /made by defineKind/],
  ] as const)('%s', (_, kinds, code, message) => {
    const world = kitchen(first);
    const hash = world.hash();
    const run = () => reload(world, ...(kinds as readonly Kind[]));
    expect(run).toThrowError(message);
    expect(run).toThrowError(expect.objectContaining({ code }));
    expect(world.hash()).toBe(hash);
    expect(world.kinds.get('kettle')).toBe(first);
    world.runUntil(1000);
    expect(world.find('k')?.value).toBe('hot');
  });

  test('and a world that is in the middle of an event takes none', () => {
    const world = kitchen(first);
    let error: unknown;
    world.on('event', () => {
      try {
        reload(world, first);
      } catch (thrown) {
        error = thrown;
      }
    });
    world.runUntil(1000);
    expect(error).toMatchObject({ code: 'BUSY' });
  });
});

describe('1,000 porters at work, whose kind is reloaded 50 times', () => {
  const porters = 1000;
  const stashes = 20;
  const sacks = 25;

  const versionAt = (n: number): PorterVersion => ({
    walk: ['walk', 'stride', 'march'][n % 3] as string,
    long: 500 + ((n * 377) % 2000),
    wash: n % 4 < 2,
    // Every other time washing is given up, those who wash are lost until it is back.
    ...(n % 8 < 4 ? { instead: 'returning' } : {}),
  });

  function total(world: World): number {
    let sum = 0;
    for (const { context } of world.query({ kind: 'stash' })) {
      sum += (context as { items: { sack?: number } }).items.sack ?? 0;
    }
    for (const { context } of world.query({ kind: 'porter' }))
      sum += (context as { cargo: number }).cargo;
    return sum;
  }

  test('lose no item, and no timer is lost, doubled or moved', () => {
    const world = createWorld({ kinds: [stash, porter(versionAt(0))], settings: { freeze: true } });
    world.add(
      Array.from({ length: stashes }, (_, i) => ({
        id: `s${i}`,
        kind: 'stash',
        at: [i, 0],
        input: { capacity: 100, items: { sack: sacks } },
      })),
    );
    world.add(
      Array.from({ length: porters }, (_, i) => ({
        id: `p${i}`,
        kind: 'porter',
        at: [i % 50, 1],
        links: { from: `s${i % stashes}`, to: `s${(i * 7 + 3) % stashes}` },
      })),
    );
    const figures = { recovered: 0, faulted: 0, renamed: 0, migrated: 0 };
    for (let n = 1; n <= 50; n += 1) {
      // Reloads come in the middle of an instant too.
      world.run(137);
      world.clock.jump(300);
      let left = (n * 37) % 500;
      world.frame(0, {
        mayGoOn: () => {
          left -= 1;
          return left > 0;
        },
      });
      const before = new Map(world.query({ kind: 'porter' }).map((record) => [record.id, record]));
      const report = reload(world, stash, porter(versionAt(n)));
      figures.recovered += report.recovered.length;
      figures.faulted += report.faulted.length;
      expect(report.faulted.filter(({ code }) => code !== 'UNKNOWN_STATE')).toEqual([]);
      const stopped: string[] = [];
      const back = new Set(report.recovered);
      for (const [id, was] of before) {
        const is = world.find(id) as NonNullable<ReturnType<World['find']>>;
        expect(is.context).toEqual(was.context);
        if (was.value !== is.value) {
          // Given up washing: its one timer was dropped by migrate.
          expect([was.value, is.value, is.timers]).toEqual(['washing', 'returning', []]);
          figures.migrated += 1;
          stopped.push(id);
          continue;
        }
        // What came due while it was lost happens as it goes on.
        const since = back.has(id) ? world.time : 0;
        expect(is.timers.map(({ at }) => at)).toEqual(
          was.timers.map(({ at }) => Math.max(at, since)),
        );
        expect(new Set(is.timers.map((one) => one.id)).size).toBe(is.timers.length);
        if (is.value === 'walking') {
          expect(is.timers.map((one) => one.id)).toEqual([
            `xstate.after.${versionAt(n).walk}.porter.walking`,
          ]);
          if (is.timers[0]?.id !== was.timers[0]?.id) figures.renamed += 1;
        }
        const isTimed = ['walking', 'returning', 'washing'].includes(is.value as string);
        expect(is.timers.length, `${id} in ${String(is.value)}`).toBe(isTimed ? 1 : 0);
      }
      expect(world.hash()).toBe(world.snapshot().hash());
      expect(total(world)).toBe(stashes * sacks);
      // As an author would who wants them to go on.
      for (const id of stopped) world.setState(id, { value: 'waiting' });
    }
    world.run(60_000);
    expect(total(world)).toBe(stashes * sacks);
    // Each of these was tried, and often.
    for (const [what, count] of Object.entries(figures)) expect(count, what).toBeGreaterThan(100);
    process.stdout.write(`${porters} porters, 50 reloads: ${JSON.stringify(figures)}\n`);
  });
});

describe('a reloader', () => {
  let world: World;
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const listening = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  beforeEach(() => {
    lines.length = 0;
    world = kitchen(kettle({ boil: 'hot' }));
  });
  let reloader: Reloader;
  afterEach(() => reloader.close());

  const reloading = (load: () => Promise<readonly Kind[]>, order: string[] = []): Reloader =>
    new Reloader({
      world,
      load,
      atSeam: async (exchange) => {
        order.push('saved');
        await Promise.resolve();
        exchange();
      },
      log: listening,
    });

  test('leaves the old kind running when the files do not load, and says why', async () => {
    reloader = reloading(async () => {
      throw new SyntaxError('kettle.machine.ts:3:7: Unexpected "}"');
    });
    expect(await reloader.reload()).toBeUndefined();
    expect(lines).toMatchObject([
      { level: 50, msg: expect.stringContaining('kettle.machine.ts:3:7') },
    ]);
    world.runUntil(1000);
    expect(world.find('k')?.value).toBe('hot');
  });

  test('has a generation saved before the exchange, and none for kinds that do not load', async () => {
    const order: string[] = [];
    world.on('reload', () => order.push('exchanged'));
    let works = false;
    reloader = reloading(async () => {
      if (!works) throw new Error('no');
      return [kettle({ simmer: 'off' })];
    }, order);
    await reloader.reload();
    expect(order).toEqual([]);
    works = true;
    await reloader.reload();
    expect(order).toEqual(['saved', 'exchanged']);
  });

  test('says how many rest, and one of them by name', async () => {
    world.add(Array.from({ length: 9 }, (_, i) => ({ id: `k${i}`, kind: 'kettle', at: [0, 0] })));
    reloader = reloading(async () => [kettle({})]);
    await reloader.reload();
    expect(lines.map(({ msg }) => msg)).toEqual([
      'Reloaded the kinds: 10 records go on.',
      expect.stringMatching(/k\d? \(kettle\).*and 9 others with TIMER_GONE/),
    ]);
  });

  test('begins once when many files change at once, and never after it was closed', async () => {
    let loads = 0;
    reloader = reloading(async () => {
      loads += 1;
      return [kettle({ boil: 'hot' })];
    });
    const done = new Promise<void>((resolve) => world.on('reload', () => resolve()));
    for (let i = 0; i < 5; i += 1) reloader.changed();
    await done;
    expect(loads).toBe(1);
    reloader.changed();
    await reloader.close();
    expect(await reloader.reload()).toBeUndefined();
    expect(loads).toBe(1);
  });
});
