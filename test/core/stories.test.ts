/** What a world promises, told as stories. */
import {
  addRecord,
  createWorld,
  edit,
  type Kind,
  linked,
  moveTo,
  now,
  removeRecord,
  selfId,
  type World,
} from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { kindOf, pile, pool, pulse, smith } from '../support/small-kinds.ts';

const HOUR = 3_600_000;

function worldOf(kinds: readonly Kind[], settings = {}): World {
  return createWorld({ kinds, seed: 'stories', settings: { freeze: true, ...settings } });
}

const at = [0, 0];

describe('nobody is near', () => {
  it('a smith finishes its rounds while nobody looks', () => {
    const world = worldOf([pile, smith]);
    world.add([
      { id: 'heap', kind: 'pile', at, input: { ore: 3 } },
      { id: 'smith', kind: 'smith', at: [900_000, 900_000], links: { ore: 'heap' } },
    ]);
    world.run(10_000);
    expect(world.find('smith')).toMatchObject({ value: 'waiting', context: { made: 3 } });
    expect(world.find('heap')?.context).toEqual({ ore: 0 });
  });

  it('looking changes nothing: the hash is the same with and without reads', () => {
    const run = (look: (world: World) => void): string => {
      const world = worldOf([pool, pulse]);
      world.add([
        { id: 'pool', kind: 'pool', at },
        { id: 'pulse', kind: 'pulse', at, input: { every: 700 } },
      ]);
      for (let i = 0; i < 50; i += 1) {
        world.run(333);
        look(world);
      }
      return world.hash();
    };
    const unseen = run(() => {});
    const seen = run((world) => {
      expect(world.find('pool')?.context).toHaveProperty('level');
      world.find('pool')?.can({ type: 'FILL', by: 1 });
      world.record('pool').getSnapshot();
      world.query({ kind: 'pool', within: { at, radius: 10 } });
      world.snapshot().hash();
      world.hash();
    });
    expect(seen).toBe(unseen);
  });
});

describe('a smith without ore', () => {
  it('rests, has no next event, and starts the moment ore arrives', () => {
    const world = worldOf([pile, smith]);
    world.add([
      { id: 'heap', kind: 'pile', at },
      { id: 'smith', kind: 'smith', at, links: { ore: 'heap' } },
    ]);
    expect(world.find('smith')).toMatchObject({ value: 'waiting', nextEvent: null });
    expect(world.nextEventAt).toBeUndefined();
    world.runUntil(5000);
    expect(world.send('heap', { type: 'PUT', count: 1 })).toEqual({ accepted: true });
    expect(world.find('smith')).toMatchObject({ value: 'forging', nextEvent: 6000 });
  });

  it('is woken when the pile it names is added later', () => {
    const world = worldOf([pile, smith]);
    world.add({ id: 'smith', kind: 'smith', at, links: { ore: 'heap' } });
    world.run(1000);
    world.add({ id: 'heap', kind: 'pile', at, input: { ore: 1 } });
    expect(world.find('smith')?.value).toBe('forging');
  });

  it('two smiths and one last ore: exactly one gets it, always the same one', () => {
    const winners = new Set<string>();
    for (const ids of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const world = worldOf([pile, smith]);
      world.add({ id: 'heap', kind: 'pile', at });
      for (const id of ids) world.add({ id, kind: 'smith', at, links: { ore: 'heap' } });
      world.send('heap', { type: 'PUT', count: 1 });
      const forging = ids.filter((id) => world.find(id)?.value === 'forging');
      expect(forging).toHaveLength(1);
      expect(world.find('heap')?.context).toEqual({ ore: 0 });
      winners.add(forging[0] as string);
    }
    expect(winners.size).toBe(1);
  });

  it('a pile with busy smiths wakes none of them', () => {
    const world = worldOf([pile, smith]);
    world.add({ id: 'heap', kind: 'pile', at, input: { ore: 50 } });
    for (let i = 0; i < 20; i += 1)
      world.add({ id: `s${i}`, kind: 'smith', at, links: { ore: 'heap' } });
    const woken: string[] = [];
    world.on('wake', ({ id }) => woken.push(id));
    world.send('heap', { type: 'PUT', count: 1 });
    expect(woken).toEqual([]);
  });
});

describe('what fails', () => {
  const greedy = kindOf(
    setup({
      actions: {
        take: edit('ore', { type: 'TAKE', count: 1 }),
        takeTooMuch: edit('ore', { type: 'TAKE', count: 99 }),
        shout: emit({ type: 'SHOUT' }),
        add: addRecord({ id: 'never', kind: 'pulse' }),
      },
    }).createMachine({
      id: 'greedy',
      initial: 'calm',
      states: {
        calm: {
          after: { 1000: { target: 'wild', actions: ['shout', 'add', 'take', 'takeTooMuch'] } },
          on: { GRAB: { actions: ['shout', 'take', 'takeTooMuch'] }, REST: { actions: 'shout' } },
        },
        wild: {},
      },
    }),
    { links: { ore: 'pile' } },
  );

  it('an edit refused half-way leaves both as they were, and the first resting with a fault', () => {
    const world = worldOf([pile, greedy, pulse]);
    world.add([
      { id: 'heap', kind: 'pile', at, input: { ore: 5 } },
      { id: 'g', kind: 'greedy', at, links: { ore: 'heap' } },
    ]);
    const notices: string[] = [];
    const faults: string[] = [];
    world.on('notice', ({ event }) => notices.push(event.type));
    world.on('fault', ({ code }) => faults.push(code));
    const heapBefore = world.valueOf('heap');
    world.run(2000);
    expect(world.valueOf('heap')).toBe(heapBefore);
    expect(world.find('never')).toBeUndefined();
    expect(notices).toEqual([]);
    expect(faults).toEqual(['EDIT_REFUSED']);
    const g = world.find('g');
    expect(g).toMatchObject({
      value: 'calm',
      nextEvent: null,
      fault: { code: 'EDIT_REFUSED', time: 1000 },
    });
    expect(g?.timers).toHaveLength(1);
    expect(g?.fault?.message).toContain('heap');
    expect(world.stats()).toMatchObject({ faulted: 1, faults: 1 });
  });

  it('a fault ends when what was missing arrives, and the timer that came due happens then', () => {
    const world = worldOf([pile, greedy, pulse]);
    world.add([
      { id: 'heap', kind: 'pile', at, input: { ore: 5 } },
      { id: 'g', kind: 'greedy', at, links: { ore: 'heap' } },
    ]);
    world.run(2000);
    world.send('heap', { type: 'PUT', count: 200 });
    expect(world.find('g')).toMatchObject({ value: 'wild', fault: null });
    expect(world.find('heap')?.context).toEqual({ ore: 105 });
  });

  it('retry tries again what failed, and says so when there is nothing to retry', () => {
    const world = worldOf([pile, greedy, pulse]);
    world.add([
      { id: 'heap', kind: 'pile', at, input: { ore: 5 } },
      { id: 'g', kind: 'greedy', at, links: { ore: 'heap' } },
    ]);
    world.run(2000);
    expect(world.retry('g')).toEqual({ accepted: true });
    expect(world.find('g')?.fault).toMatchObject({ code: 'EDIT_REFUSED', time: 2000 });
    world.setState('heap', { context: { ore: 500 } });
    expect(world.find('g')).toMatchObject({ value: 'wild', fault: null });
    expect(world.retry('g')).toMatchObject({ accepted: false, code: 'NOT_FAULTED' });
  });

  it('a refused command leaves its record growing on', () => {
    const world = worldOf([pile, greedy, pulse]);
    world.add([
      { id: 'heap', kind: 'pile', at, input: { ore: 5 } },
      { id: 'g', kind: 'greedy', at, links: { ore: 'heap' } },
    ]);
    const before = world.hash();
    expect(world.send('g', { type: 'GRAB' })).toMatchObject({
      accepted: false,
      code: 'EDIT_REFUSED',
    });
    expect(world.hash()).toBe(before);
    expect(world.find('g')).toMatchObject({ fault: null, nextEvent: 1000 });
    expect(world.find('heap')?.context).toEqual({ ore: 5 });
  });

  it('a command that is taken clears a fault', () => {
    const world = worldOf([pile, greedy, pulse]);
    world.add([
      { id: 'heap', kind: 'pile', at, input: { ore: 5 } },
      { id: 'g', kind: 'greedy', at, links: { ore: 'heap' } },
    ]);
    world.run(1500);
    expect(world.find('g')?.fault).not.toBeNull();
    world.send('g', { type: 'REST' });
    // The timer that failed happens again at once, and fails again.
    expect(world.find('g')?.fault).toMatchObject({ time: 1500 });
  });

  it('an edit cycle is named, not lost', () => {
    const mirror = kindOf(
      setup({
        actions: { back: edit('other', { type: 'LOOK' }) },
      }).createMachine({ id: 'mirror', on: { LOOK: { actions: 'back' } } }),
      { links: { other: 'mirror' } },
    );
    const world = worldOf([mirror]);
    world.add([
      { id: 'left', kind: 'mirror', at, links: { other: 'right' } },
      { id: 'right', kind: 'mirror', at, links: { other: 'left' } },
    ]);
    const before = world.hash();
    const result = world.send('left', { type: 'LOOK' });
    expect(result).toMatchObject({ accepted: false, code: 'EDIT_CYCLE' });
    expect(result).toHaveProperty('message', expect.stringContaining('left'));
    expect(world.hash()).toBe(before);
  });
});

describe('records added and removed in an event', () => {
  const camp = kindOf(
    setup({
      types: { context: {} as { seen: number } },
      actions: {
        raise: addRecord(() => ({ id: 'tent', kind: 'pulse', at: [5, 5] })),
        look: assign({
          seen: () => (linked({ type: 'offstage.byId', id: 'tent' }) === undefined ? 0 : 1),
        }),
        raze: removeRecord('tent'),
        leave: removeRecord(),
        some: addRecord({ kind: 'pulse' }),
      },
    }).createMachine({
      id: 'camp',
      context: { seen: -1 },
      on: {
        RAISE: { actions: ['raise', 'look'] },
        RAZE: { actions: ['raze', 'look'] },
        LEAVE: { actions: 'leave' },
        SOME: { actions: ['some', 'some'] },
        AGAIN: { actions: ['raze', 'raise'] },
      },
    }),
  );

  it('appear and go once it is over', () => {
    const world = worldOf([camp, pulse]);
    world.add({ id: 'camp', kind: 'camp', at });
    world.send('camp', { type: 'RAISE' });
    expect(world.find('camp')?.context).toEqual({ seen: 0 });
    expect(world.find('tent')).toMatchObject({ at: [5, 5], nextEvent: 1000 });
    world.send('camp', { type: 'RAZE' });
    expect(world.find('camp')?.context).toEqual({ seen: 1 });
    expect(world.find('tent')).toBeUndefined();
    expect(world.nextEventAt).toBeUndefined();
  });

  it('removals come before additions, so an id can be used anew in one event', () => {
    const world = worldOf([camp, pulse]);
    world.add({ id: 'camp', kind: 'camp', at });
    world.send('camp', { type: 'RAISE' });
    world.run(2500);
    world.send('camp', { type: 'AGAIN' });
    expect(world.find('tent')).toMatchObject({ context: { beats: 0 }, nextEvent: 3500 });
    expect(world.size).toBe(2);
  });

  it('a second record of a taken id fails the whole event', () => {
    const world = worldOf([camp, pulse]);
    world.add({ id: 'camp', kind: 'camp', at });
    world.send('camp', { type: 'RAISE' });
    expect(world.send('camp', { type: 'RAISE' })).toMatchObject({
      accepted: false,
      code: 'DUPLICATE_ID',
    });
  });

  it('without an id they get one of their kind, the same in every run, at the place of who adds them', () => {
    const ids = [1, 2].map(() => {
      const world = worldOf([camp, pulse]);
      world.add({ id: 'camp', kind: 'camp', at: [7, 8] });
      world.send('camp', { type: 'SOME' });
      const added = world.query({ kind: 'pulse' });
      expect(added.map((record) => record.at)).toEqual([
        [7, 8],
        [7, 8],
      ]);
      return added.map((record) => record.id);
    });
    expect(ids[0]).toEqual(ids[1]);
    for (const id of ids[0] ?? []) expect(id).toMatch(/^pulse-[0-9a-f]{16}$/);
  });

  it('a record can remove itself', () => {
    const world = worldOf([camp, pulse]);
    world.add({ id: 'camp', kind: 'camp', at });
    world.send('camp', { type: 'LEAVE' });
    expect(world.size).toBe(0);
  });
});

describe('the clock', () => {
  it('pause and slow motion reach every record', () => {
    const world = worldOf([pulse]);
    world.add({ id: 'p', kind: 'pulse', at });
    world.clock.pause();
    for (let i = 0; i < 100; i += 1) world.frame(100);
    expect(world.find('p')?.context).toMatchObject({ beats: 0 });
    world.clock.resume();
    world.clock.setSpeed(0.5);
    for (let i = 0; i < 100; i += 1) world.frame(100);
    expect(world.time).toBe(5000);
    expect(world.find('p')?.context).toMatchObject({ beats: 5 });
  });

  it('a paused world takes commands and does what they make due now', () => {
    const world = worldOf([pile, smith]);
    world.add([
      { id: 'heap', kind: 'pile', at },
      { id: 'smith', kind: 'smith', at, links: { ore: 'heap' } },
    ]);
    world.clock.pause();
    world.commands.push({
      source: { rank: 1, id: 'player' },
      seq: 1,
      command: { type: 'send', id: 'heap', event: { type: 'PUT', count: 1 } },
    });
    world.frame(16);
    expect(world.find('smith')?.value).toBe('forging');
    expect(world.time).toBe(0);
  });

  it('a jump of an hour ends in the same hash as the hour in frames of 16 ms', () => {
    const make = (): World => {
      const world = worldOf([pile, smith, pool, pulse]);
      world.add([
        { id: 'heap', kind: 'pile', at, input: { ore: 2000 } },
        { id: 'smith', kind: 'smith', at, links: { ore: 'heap' } },
        { id: 'pool', kind: 'pool', at, input: { drain: 0.00003 } },
        { id: 'pulse', kind: 'pulse', at, input: { every: 777 } },
      ]);
      return world;
    };
    const slow = make();
    while (slow.time < HOUR) slow.frame(16);
    const jumped = make();
    jumped.clock.jump(HOUR);
    while (jumped.frame(0).backlog);
    expect(jumped.time).toBe(HOUR);
    expect(jumped.hash()).toBe(slow.hash());
  });

  it('carries what a frame leaves over, so that odd frames lose no time', () => {
    const world = worldOf([pulse]);
    world.add({ id: 'p', kind: 'pulse', at });
    for (let i = 0; i < 3000; i += 1) world.frame(1000 / 60);
    expect(world.time).toBeGreaterThan(49_999);
    expect(world.time).toBeLessThanOrEqual(50_000);
  });

  it('shiftTo sets the clock with no time passed', () => {
    const stamp = kindOf(
      setup({
        types: { context: {} as { since: number } },
        actions: { note: assign({ since: () => now() }) },
      }).createMachine({
        id: 'stamp',
        context: { since: -1 },
        initial: 'a',
        states: { a: { entry: 'note', after: { 1000: 'b' } }, b: {} },
      }),
      {
        shiftTimes: (context: { since: number }, delta: number) => ({
          since: context.since + delta,
        }),
      },
    );
    const world = worldOf([stamp, pool]);
    world.add([
      { id: 's', kind: 'stamp', at },
      { id: 'pool', kind: 'pool', at },
    ]);
    world.run(400);
    const level = world.find('pool')?.context;
    world.shiftTo(1_000_000);
    expect(world.time).toBe(1_000_000);
    expect(world.clock.time).toBe(1_000_000);
    expect(world.find('pool')?.context).toEqual(level);
    expect(world.find('s')).toMatchObject({
      value: 'a',
      context: { since: 999_600 },
      nextEvent: 1_000_600,
    });
    world.run(600);
    expect(world.find('s')?.value).toBe('b');
    world.shiftTo(0);
    expect(world.find('pool')?.nextEvent).toBe(100_000 - 1000);
  });
});

describe('a prediction', () => {
  it('follows every change it depends on', () => {
    const world = worldOf([pool]);
    world.add({ id: 'pool', kind: 'pool', at, input: { level: 10, drain: 0.01 } });
    expect(world.find('pool')?.nextEvent).toBe(1000);
    world.run(500);
    expect(world.find('pool')?.context).toMatchObject({ level: 5 });
    world.send('pool', { type: 'FILL', by: 10 });
    expect(world.find('pool')?.nextEvent).toBe(2000);
    world.setState('pool', { context: { level: 1, drain: 0.01 } });
    expect(world.find('pool')?.nextEvent).toBe(600);
    world.run(100);
    expect(world.find('pool')).toMatchObject({
      value: 'dry',
      nextEvent: null,
      context: { level: 0 },
    });
    world.send('pool', { type: 'FILL', by: 1 });
    expect(world.find('pool')).toMatchObject({ value: 'wet', nextEvent: 700 });
  });

  it('is asked again when a record it links to changes', () => {
    const watcher = kindOf(
      setup({}).createMachine({
        id: 'watcher',
        initial: 'calm',
        states: { calm: { on: { LOW: 'worried' } }, worried: {} },
      }),
      {
        links: { pool: 'pool' },
        predict: {
          LOW: (
            _: unknown,
            {
              time,
              value,
              linked: look,
            }: {
              time: number;
              value: unknown;
              linked(name: string): { context: unknown } | undefined;
            },
          ) => {
            const context = look('pool')?.context as { level: number; drain: number } | undefined;
            if (context === undefined || value === 'worried') return undefined;
            return time + (context.level - 2) / context.drain;
          },
        },
      },
    );
    const world = worldOf([pool, watcher]);
    world.add([
      { id: 'pool', kind: 'pool', at, input: { level: 10, drain: 0.01 } },
      { id: 'w', kind: 'watcher', at, links: { pool: 'pool' } },
    ]);
    expect(world.find('w')?.nextEvent).toBe(800);
    world.run(500);
    world.send('pool', { type: 'FILL', by: 5 });
    expect(world.find('w')?.nextEvent).toBe(1300);
    world.run(800);
    expect(world.find('w')?.value).toBe('worried');
  });

  it('of a past time means now, and one nobody takes happens once', () => {
    const late = kindOf(
      setup({
        types: { context: {} as { n: number } },
        actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
      }).createMachine({
        id: 'late',
        context: { n: 0 },
        initial: 'a',
        states: {
          a: { on: { PAST: { target: 'b', actions: 'count' } } },
          b: { on: { GO: { actions: 'count' } } },
        },
      }),
      { predict: { PAST: () => -5 } },
    );
    const world = worldOf([late]);
    const events: string[] = [];
    world.on('event', ({ event, taken }) => events.push(`${event.type} ${taken}`));
    world.add({ id: 'l', kind: 'late', at });
    expect(world.find('l')).toMatchObject({ value: 'b', context: { n: 1 }, nextEvent: null });
    expect(events).toEqual(['PAST true', 'PAST false']);
  });
});

describe('places', () => {
  it('a record that moves is found where it went', () => {
    const walker = kindOf(
      setup({ actions: { go: moveTo(() => [25_000, -1]) } }).createMachine({
        id: 'walker',
        on: { GO: { actions: 'go' } },
      }),
    );
    const world = worldOf([walker]);
    world.add({ id: 'w', kind: 'walker', at: [1, 1] });
    expect(world.inCell('0,0').map((record) => record.id)).toEqual(['w']);
    world.send('w', { type: 'GO' });
    expect(world.inCell('0,0')).toEqual([]);
    expect(world.inCell('2,-1').map((record) => record.id)).toEqual(['w']);
    expect(world.find('w')).toMatchObject({ cell: '2,-1', region: '0,-1' });
    expect(world.cells()).toEqual(['2,-1']);
    expect(world.query({ within: { at: [25_000, 0], radius: 1 } })).toHaveLength(1);
    expect(world.query({ within: { at: [25_000, 0], radius: 0.5 } })).toHaveLength(0);
    world.configure({ cellSize: 100 });
    expect(world.inCell('250,-1').map((record) => record.id)).toEqual(['w']);
  });
});

describe('a view on the server', () => {
  it('shows one record, also before it is there, and is told after each change', () => {
    const world = worldOf([pile]);
    const ref = world.record('heap');
    const seen: unknown[] = [];
    const subscription = ref.subscribe((snapshot) => seen.push(snapshot?.context));
    expect(ref.getSnapshot()).toBeUndefined();
    world.add({ id: 'heap', kind: 'pile', at });
    const first = ref.getSnapshot();
    world.run(1000);
    expect(ref.getSnapshot()).toBe(first);
    ref.send({ type: 'PUT', count: 2 });
    expect(ref.getSnapshot()).not.toBe(first);
    world.remove('heap');
    subscription.unsubscribe();
    world.add({ id: 'heap', kind: 'pile', at });
    expect(seen).toEqual([{ ore: 0 }, { ore: 2 }, undefined]);
  });
});

describe('steps', () => {
  it('advance a record at fixed game times, whatever the frames', () => {
    const stepped = kindOf(
      setup({
        types: { context: {} as { steps: number; sum: number; age: number } },
        actions: {
          count: assign(({ context, event }) => ({
            ...context,
            steps: context.steps + 1,
            sum: context.sum + (event as unknown as { dt: number }).dt,
          })),
        },
      }).createMachine({
        id: 'stepped',
        context: { steps: 0, sum: 0, age: 0 },
        on: { 'offstage.step': { actions: 'count' } },
      }),
      {
        step: { every: 250, phase: 100 },
        advance: (
          context: { steps: number; sum: number; age: number },
          { from, to }: { from: number; to: number },
        ) => ({
          ...context,
          age: context.age + (to - from),
        }),
      },
    );
    const world = worldOf([stepped]);
    world.add({ id: 's', kind: 'stepped', at });
    expect(world.find('s')?.nextEvent).toBe(100);
    world.frame(1000);
    expect(world.find('s')?.context).toEqual({ steps: 4, sum: 850, age: 1000 });
    expect(world.valueOf('s')?.advancedTo).toBe(850);
    expect(world.find('s')?.nextEvent).toBe(1100);
  });
});

describe('who acts', () => {
  it('a record knows its id, the time and where it is', () => {
    const self = kindOf(
      setup({
        types: { context: {} as { id: string; time: number } },
        actions: { note: assign({ id: () => selfId(), time: () => now() }) },
      }).createMachine({
        id: 'self',
        context: { id: '', time: -1 },
        after: { 10: { actions: 'note' } },
      }),
    );
    const world = worldOf([self]);
    world.add({ id: 'me', kind: 'self', at });
    world.run(100);
    expect(world.find('me')?.context).toEqual({ id: 'me', time: 10 });
  });
});

describe('what is seldom meant', () => {
  it('is told by the world, with its cure', () => {
    const greedy = kindOf(
      setup({ actions: { note: emit({ type: 'ANY' }) } }).createMachine({
        id: 'greedy',
        on: { '*': { actions: 'note' } },
      }),
    );
    const [warning] = worldOf([greedy]).warnings;
    expect(warning).toContain('greedy');
    expect(warning).toContain("'offstage.*': {}");
    expect(worldOf([pulse]).warnings).toEqual([]);
  });
});
