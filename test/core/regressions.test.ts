/** Faults that were found, each named for what was wrong. */
import {
  addRecord,
  all,
  byId,
  createWorld,
  edit,
  type Kind,
  link,
  linked,
  type MachineEvent,
  random,
  removeRecord,
  tryEdit,
  unlink,
  type World,
} from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, emit, sendTo, setup } from 'xstate';
import { kindOf, pile, pool, pulse, smith } from '../support/small-kinds.ts';

const at = [0, 0];

function worldOf(
  kinds: readonly Kind[],
  options: Partial<Parameters<typeof createWorld>[0]> = {},
): World {
  return createWorld({ kinds, settings: { freeze: true }, ...options });
}

const contextOf = (world: World, id: string): Record<string, unknown> =>
  world.find(id)?.context as Record<string, unknown>;

describe('the clock', () => {
  const shiftTo = (time: number) => ({
    source: { rank: 0, id: 'admin' },
    seq: 1,
    command: { type: 'shiftTo', time } as const,
  });

  it('set by a waiting command does not run the world past itself', () => {
    const world = worldOf([pulse]);
    world.add({ id: 'p', kind: 'pulse', at, input: { every: 100 } });
    world.runUntil(1000);
    world.commands.push(shiftTo(0));
    world.frame(16);
    expect(world.time).toBe(16);
    expect(world.clock.time).toBe(16);
    expect(contextOf(world, 'p')).toMatchObject({ beats: 10 });
    expect(world.find('p')?.nextEvent).toBe(100);
  });

  it('set by a waiting command ends a run to a time that then means nothing', () => {
    const world = worldOf([pulse]);
    world.add({ id: 'p', kind: 'pulse', at, input: { every: 100 } });
    world.commands.push(shiftTo(10_000));
    world.runUntil(1000);
    expect(world.time).toBe(10_000);
    expect(world.find('p')?.nextEvent).toBe(10_100);
  });

  it('takes the times that commands wait for along', () => {
    const world = worldOf([pile]);
    world.add({ id: 'heap', kind: 'pile', at });
    world.commands.push({
      source: { rank: 1, id: 'client' },
      seq: 1,
      at: 50,
      command: { type: 'send', id: 'heap', event: { type: 'PUT', count: 1 } },
    });
    world.shiftTo(1_000_000);
    world.run(49);
    expect(contextOf(world, 'heap')).toEqual({ ore: 0 });
    world.run(1);
    expect(contextOf(world, 'heap')).toEqual({ ore: 1 });
  });

  it('stops at the last game time', () => {
    const world = worldOf([pulse]);
    world.clock.setSpeed(1_000_000);
    for (let i = 0; i < 3; i += 1) world.frame(8_796_093_022_208);
    expect(world.time).toBe(8_796_093_022_208);
    world.run(0);
  });

  it('a prediction of 0 before the time 0 is not now', () => {
    const zero = kindOf(
      setup({}).createMachine({
        id: 'zero',
        initial: 'a',
        states: { a: { on: { HIT: 'b' } }, b: {} },
      }),
      { predict: { HIT: () => 0 } },
    );
    const world = worldOf([zero], { startAt: -1000 });
    world.add({ id: 'z', kind: 'zero', at });
    expect(world.find('z')).toMatchObject({ value: 'a', nextEvent: 0 });
  });

  it('a run that leaves out its end does not finish an instant that a budget left half done', () => {
    const world = worldOf([pulse], { settings: { eventsPerFrame: 1 } });
    for (const id of ['a', 'b', 'c']) world.add({ id, kind: 'pulse', at, input: { every: 100 } });
    world.clock.jump(100);
    world.frame(0);
    world.runUntil(100, { inclusive: false });
    const beats = ['a', 'b', 'c'].map((id) => contextOf(world, id).beats as number);
    expect(beats.reduce((sum, n) => sum + n)).toBe(1);
  });
});

describe('steps', () => {
  const stepped = (step: NonNullable<Parameters<typeof kindOf>[1]>['step']): Kind =>
    kindOf(
      setup({
        types: { context: {} as { n: number } },
        actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
      }).createMachine({
        id: 'stepped',
        context: { n: 0 },
        initial: 'on',
        states: {
          on: { on: { 'offstage.step': { actions: 'count' }, END: 'off' } },
          off: { type: 'final' },
        },
      }),
      step === undefined ? {} : { step },
    );

  it('of no length are refused as a setting', () => {
    const refused = expect.objectContaining({ code: 'BAD_SETTING' });
    expect(() => worldOf([pulse], { settings: { frameStep: 0.0004 } })).toThrow(refused);
    expect(() => worldOf([pulse]).configure({ coarseStep: 0.0001 })).toThrow(refused);
  });

  it('of one kind stay on one grid, whenever a record came and however often the clock was set', () => {
    const world = worldOf([stepped({ every: 100 / 3, phase: 10 })]);
    world.add({ id: 'early', kind: 'stepped', at });
    world.run(100_000);
    world.add({ id: 'late', kind: 'stepped', at });
    expect(world.find('early')?.nextEvent).toBe(world.find('late')?.nextEvent);
    world.shiftTo(5);
    world.run(200);
    world.add({ id: 'later', kind: 'stepped', at });
    expect(world.find('early')?.nextEvent).toBe(world.find('later')?.nextEvent);
  });

  it('come back with a record that setState brings back from its end', () => {
    const world = worldOf([stepped({ every: 100 })]);
    world.add({ id: 's', kind: 'stepped', at });
    world.send('s', { type: 'END' });
    expect(world.find('s')).toMatchObject({ status: 'done', nextEvent: null });
    world.setState('s', { value: 'on' });
    world.run(250);
    expect(contextOf(world, 's')).toEqual({ n: 2 });
  });
});

describe('a selection', () => {
  it('far from the origin is looked up and comes to an end', () => {
    const world = worldOf([pile]);
    world.add([1, 2, 3, 4, 5].map((i) => ({ id: `p${i}`, kind: 'pile', at: [i * 20_000, 0] })));
    world.add({ id: 'far', kind: 'pile', at: [1_099_511_627_776, 0] });
    const found = world.query({ within: { at: [1_099_511_627_776, 0], radius: 5 } });
    expect(found.map((record) => record.id)).toEqual(['far']);
    expect(() => world.add({ id: 'beyond', kind: 'pile', at: [1e20, 0] })).toThrow(
      expect.objectContaining({ code: 'BAD_PLACE' }),
    );
  });

  it.each([
    ['a place without numbers', { within: { radius: 5 } }],
    ['a negative radius', { within: { at, radius: -5 } }],
    ['an exception that is no id', { except: 5 }],
  ])('of %s fails its sender, and loses nothing of the others', (_, selection) => {
    const wrong = kindOf(
      setup({
        actions: { call: sendTo(() => all(selection as never), { type: 'X' }) },
      }).createMachine({
        id: 'wrong',
        after: { 50: { actions: 'call' } },
      }),
    );
    const payer = kindOf(
      setup({
        actions: { pay: sendTo(() => byId('heap'), { type: 'PUT', count: 1 }) },
      }).createMachine({
        id: 'payer',
        after: { 50: { actions: 'pay' } },
      }),
    );
    const world = worldOf([wrong, payer, pile]);
    world.add([
      { id: 'w', kind: 'wrong', at },
      { id: 'p', kind: 'payer', at },
      { id: 'heap', kind: 'pile', at },
    ]);
    world.frame(50);
    expect(world.find('w')?.fault).toMatchObject({ time: 50 });
    expect(contextOf(world, 'heap')).toEqual({ ore: 1 });
    expect(() => world.query(selection as never)).toThrow(
      expect.objectContaining({ name: 'WorldError' }),
    );
  });
});

describe('an event that is none', () => {
  const nothing = (() => undefined) as unknown as MachineEvent;

  it.each([
    ['sent', sendTo(() => byId('x'), nothing as never)],
    ['sent later', sendTo(() => byId('x'), nothing as never, { delay: 10 })],
    ['emitted', emit(nothing as never)],
    ['in an edit', edit(byId('heap'), nothing as never)],
    ['in a tryEdit', tryEdit(byId('heap'), nothing as never)],
  ])('fails the machine that has it %s, by name', (_, action) => {
    const wrong = kindOf(
      setup({}).createMachine({ id: 'wrong', after: { 50: { actions: action as never } } }),
    );
    const world = worldOf([wrong, pile]);
    world.add([
      { id: 'x', kind: 'wrong', at },
      { id: 'heap', kind: 'pile', at },
    ]);
    world.frame(100);
    expect(world.find('x')?.fault).toMatchObject({ code: 'BAD_EVENT', time: 50 });
  });
});

describe('an id that is none', () => {
  it('in removeRecord removes nobody, least of all the record itself', () => {
    const remover = kindOf(
      setup({
        actions: {
          remove: removeRecord((() => undefined) as never),
          drop: link('ore', (() => undefined) as never),
        },
      }).createMachine({
        id: 'remover',
        on: {
          GO: { actions: 'remove' },
          LINK: { actions: 'drop' },
          TYPO: { actions: unlink('or') },
        },
      }),
      { links: { ore: 'pile' } },
    );
    const world = worldOf([remover, pile]);
    world.add([
      { id: 'heap', kind: 'pile', at },
      { id: 'r', kind: 'remover', at, links: { ore: 'heap' } },
    ]);
    expect(world.send('r', { type: 'GO' })).toMatchObject({ accepted: false, code: 'BAD_ID' });
    expect(world.send('r', { type: 'LINK' })).toMatchObject({ accepted: false, code: 'BAD_ID' });
    expect(world.send('r', { type: 'TYPO' })).toMatchObject({ accepted: false, code: 'NO_LINK' });
    expect(world.find('r')?.links).toEqual({ ore: 'heap' });
  });
});

describe('links', () => {
  it('that lead elsewhere wake the record that waits for what is there', () => {
    const world = worldOf([pile, smith]);
    world.add([
      { id: 'empty', kind: 'pile', at },
      { id: 'full', kind: 'pile', at, input: { ore: 1 } },
      { id: 's', kind: 'smith', at, links: { ore: 'empty' } },
    ]);
    expect(world.find('s')?.value).toBe('waiting');
    world.setState('s', { links: { ore: 'full' } });
    expect(world.find('s')?.value).toBe('forging');
  });

  it('are checked against what is there after the event, whatever the order of the ids', () => {
    for (const [linker, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const world = worldOf([pile, smith, pulse]);
      expect(() =>
        world.add([
          { id: linker, kind: 'smith', at, links: { ore: other } },
          { id: other, kind: 'pulse', at },
        ]),
      ).toThrow(expect.objectContaining({ code: 'BAD_LINK' }));
    }
  });

  it('taken away in an event do not forbid what takes their place', () => {
    const changer = kindOf(
      setup({
        actions: { let: unlink('ore'), add: addRecord({ id: 'x', kind: 'pulse' }) },
      }).createMachine({
        id: 'changer',
        on: { GO: { actions: ['let', 'add'] } },
      }),
      { links: { ore: 'pile' } },
    );
    const world = worldOf([changer, pile, pulse]);
    world.add({ id: 'c', kind: 'changer', at, links: { ore: 'x' } });
    expect(world.send('c', { type: 'GO' })).toEqual({ accepted: true });
    expect(world.find('x')?.kind).toBe('pulse');
  });

  it('named like what every object has are no links unless they are set', () => {
    const odd = kindOf(
      setup({ guards: { there: () => linked('constructor') !== undefined } }).createMachine({
        id: 'odd',
        initial: 'a',
        states: { a: { on: { GO: { guard: 'there', target: 'b' } } }, b: {} },
      }),
      { links: { constructor: 'pile' } },
    );
    const world = worldOf([odd, pile]);
    world.add({ id: 'o', kind: 'odd', at });
    expect(world.send('o', { type: 'GO' })).toMatchObject({ code: 'NOT_TAKEN' });
  });
});

describe('a fault', () => {
  it('of an instant that never rested can be retried at the same game time', () => {
    const loop = kindOf(
      setup({
        types: { context: {} as { n: number } },
        actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
      }).createMachine({
        id: 'loop',
        context: { n: 0 },
        initial: 'a',
        states: { a: { after: { 0: { target: 'a', reenter: true, actions: 'count' } } } },
      }),
    );
    const world = worldOf([loop], { settings: { iterationsPerInstant: 20 } });
    world.add({ id: 'x', kind: 'loop', at });
    const first = contextOf(world, 'x').n as number;
    expect(world.find('x')?.fault?.code).toBe('INSTANT_LOOP');
    world.retry('x');
    expect(contextOf(world, 'x').n).toBeGreaterThanOrEqual(first * 2 - 1);
  });

  it('ends an instant in which every message brings forth two', () => {
    const hydra = kindOf(
      setup({
        actions: { twice: sendTo(({ self }) => self, { type: 'HEAD' }) },
      }).createMachine({ id: 'hydra', on: { HEAD: { actions: ['twice', 'twice'] } } }),
    );
    const world = worldOf([hydra, pulse]);
    world.add([
      { id: 'h', kind: 'hydra', at },
      { id: 'p', kind: 'pulse', at },
    ]);
    expect(world.send('h', { type: 'HEAD' })).toEqual({ accepted: true });
    expect(world.find('h')?.fault).toMatchObject({ code: 'INSTANT_LOOP' });
    expect(world.stats().messagesDropped).toBeGreaterThan(100_000);
    world.run(1000);
    expect(contextOf(world, 'p')).toMatchObject({ beats: 1 });
  });

  it('of advance names the record that cannot be read', () => {
    const rotten = kindOf(setup({}).createMachine({ id: 'rotten' }), {
      advance: () => {
        throw new Error('mould');
      },
    });
    const world = worldOf([rotten]);
    world.add({ id: 'cheese', kind: 'rotten', at });
    world.run(10);
    expect(() => world.find('cheese')).toThrow(/cheese \(rotten\).*mould/);
    expect(() => world.find('cheese')).toThrow(expect.objectContaining({ code: 'BAD_ADVANCE' }));
  });
});

describe('looking', () => {
  it('at a record that draws in its advance draws from nobody', () => {
    const gambler = kindOf(setup({}).createMachine({ id: 'gambler' }), {
      advance: (context: unknown) => {
        random();
        return context;
      },
    } as never);
    const looker = kindOf(
      setup({
        types: { context: {} as { seen: unknown } },
        actions: { look: assign({ seen: () => linked(byId('g'))?.context ?? null }) },
      }).createMachine({ id: 'looker', context: { seen: 0 }, after: { 10: { actions: 'look' } } }),
    );
    const world = worldOf([gambler, looker]);
    world.add([
      { id: 'g', kind: 'gambler', at },
      { id: 'l', kind: 'looker', at },
    ]);
    world.run(10);
    expect(world.valueOf('l')?.draws).toBe(0);
    expect(world.find('l')?.fault).toMatchObject({ code: 'BAD_ADVANCE' });
  });

  it('with linked gives what is there when it is asked, also after an edit of it', () => {
    const careful = kindOf(
      setup({
        types: { context: {} as { seen: unknown[] } },
        actions: {
          look: assign(({ context }) => {
            const { ore } = (linked(byId('heap'))?.context ?? { ore: -1 }) as { ore: number };
            return { seen: [...context.seen, ore] };
          }),
          take: edit(byId('heap'), { type: 'TAKE', count: 1 }),
        },
      }).createMachine({
        id: 'careful',
        context: { seen: [] },
        on: { GO: { actions: ['look', 'take', 'look'] } },
      }),
    );
    const world = worldOf([careful, pile]);
    world.add([
      { id: 'c', kind: 'careful', at },
      { id: 'heap', kind: 'pile', at, input: { ore: 5 } },
    ]);
    world.send('c', { type: 'GO' });
    expect(contextOf(world, 'c')).toEqual({ seen: [5, 4] });
  });

  it('reports ids that are not there, and what a refused command looked at', () => {
    const asker = kindOf(
      setup({
        guards: { never: () => linked(byId('other')) !== undefined && false },
      }).createMachine({
        id: 'asker',
        on: {
          TRY: { actions: tryEdit(byId('ghost'), { type: 'X' }) },
          ASK: { guard: 'never', target: '.a' },
        },
        initial: 'a',
        states: { a: {} },
      }),
    );
    const world = worldOf([asker]);
    world.add({ id: 'k', kind: 'asker', at });
    const reads: (readonly string[])[] = [];
    world.on('read', ({ ids }) => reads.push(ids));
    world.send('k', { type: 'TRY' });
    world.send('k', { type: 'ASK' });
    expect(reads).toEqual([
      ['k', 'ghost'],
      ['k', 'other'],
    ]);
  });

  it('through a view shows the cell of a new cell size', () => {
    const world = worldOf([pile]);
    world.add({ id: 'heap', kind: 'pile', at: [500, 0] });
    const ref = world.record('heap');
    expect(ref.getSnapshot()?.cell).toBe('0,0');
    world.configure({ cellSize: 100 });
    expect(ref.getSnapshot()?.cell).toBe('5,0');
  });

  it('shows a prediction that asks for a link its kind does not have', () => {
    const typo = kindOf(
      setup({}).createMachine({
        id: 'typo',
        initial: 'a',
        states: { a: { on: { X: 'b' } }, b: {} },
      }),
      {
        links: { pool: 'pool' },
        predict: {
          X: (_: unknown, { linked: look }: { linked(name: string): unknown }) =>
            look('pol') === undefined ? 1 : 2,
        },
      } as never,
    );
    const world = worldOf([typo, pool]);
    expect(() => world.add({ id: 't', kind: 'typo', at })).toThrow(
      expect.objectContaining({ code: 'NO_LINK' }),
    );
  });
});

describe('what is shared', () => {
  it('an event sent to many cannot be changed by one of them', () => {
    const changer = kindOf(
      setup({
        types: { context: {} as { n: number }, events: {} as { type: 'HI'; v: number } },
        actions: {
          change: assign({
            n: ({ event }) => {
              event.v += 1;
              return event.v;
            },
          }),
        },
      }).createMachine({ id: 'changer', context: { n: 0 }, on: { HI: { actions: 'change' } } }),
    );
    const caller = kindOf(
      setup({
        actions: { call: sendTo(() => all({ kind: 'changer' }), { type: 'HI', v: 0 }) },
      }).createMachine({
        id: 'caller',
        after: { 10: { actions: 'call' } },
      }),
    );
    const world = worldOf([changer, caller]);
    world.add([
      { id: 'a', kind: 'changer', at },
      { id: 'b', kind: 'changer', at },
      { id: 'c', kind: 'caller', at },
    ]);
    world.run(10);
    expect([contextOf(world, 'a'), contextOf(world, 'b')]).toEqual([{ n: 0 }, { n: 0 }]);
    expect(world.stats().messagesDropped).toBe(2);
    expect(world.send('a', { type: 'HI', v: 1 })).toMatchObject({
      accepted: false,
      code: 'CONTEXT_MUTATED',
    });
  });
});

describe('reports', () => {
  it('of a command name what it changed', () => {
    const giver = kindOf(
      setup({ actions: { give: edit(byId('heap'), { type: 'PUT', count: 1 }) } }).createMachine({
        id: 'giver',
        on: { GIVE: { actions: 'give' } },
      }),
    );
    const world = worldOf([giver, pile]);
    world.add([
      { id: 'g', kind: 'giver', at },
      { id: 'heap', kind: 'pile', at },
    ]);
    const changed: (readonly string[])[] = [];
    world.on('event', (report) => changed.push(report.changed));
    world.send('g', { type: 'GIVE' });
    expect(changed[0]).toContain('heap');
  });

  it('of a step are given, whoever begins to listen meanwhile', () => {
    const world = worldOf([pulse]);
    world.add({ id: 'p', kind: 'pulse', at });
    world.on('commit', () => world.on('event', () => {}));
    expect(world.step()).toMatchObject({ id: 'p' });
  });

  it('of listeners come with the call they belong to', () => {
    const world = worldOf([pulse, pile]);
    world.add({ id: 'heap', kind: 'pile', at });
    const stop = world.on('command', () => {
      throw new Error('the listener broke');
    });
    expect(() => world.setState('nobody', {})).toThrow(AggregateError);
    stop();
    world.run(1);
  });

  it('do not reach a listener that another one ended', () => {
    const world = worldOf([pulse]);
    world.add({ id: 'p', kind: 'pulse', at });
    let heard = 0;
    const stops: (() => void)[] = [];
    world.on('event', () =>
      stops.forEach((stop) => {
        stop();
      }),
    );
    stops.push(
      world.on('event', () => {
        heard += 1;
      }),
    );
    world.run(1000);
    expect(heard).toBe(0);
  });

  it('count one revision a commit, also after a refused tryEdit', () => {
    const trier = kindOf(
      setup({
        actions: {
          put: edit(byId('heap'), { type: 'PUT', count: 1 }),
          fail: tryEdit(byId('heap'), { type: 'TAKE', count: 99 }),
        },
      }).createMachine({ id: 'trier', on: { GO: { actions: ['put', 'fail', 'put', 'fail'] } } }),
    );
    const world = worldOf([trier, pile]);
    world.add([
      { id: 't', kind: 'trier', at },
      { id: 'heap', kind: 'pile', at },
    ]);
    world.send('t', { type: 'GO' });
    expect(world.find('heap')).toMatchObject({ context: { ore: 2 }, revision: 1 });
  });
});

describe('calls with what makes no sense', () => {
  const source = { rank: 1, id: 'x' };
  it.each([
    ['add(null)', (world: World) => world.add(null as never), 'BAD_RECORD'],
    ['add([null])', (world: World) => world.add([null] as never), 'BAD_RECORD'],
    ['addIfMissing(null)', (world: World) => world.addIfMissing(null as never), 'BAD_RECORD'],
    [
      'links: null',
      (world: World) => world.add({ id: 'y', kind: 'pile', at, links: null } as never),
      'BAD_LINK',
    ],
    ['setState(id, null)', (world: World) => world.setState('heap', null as never), 'BAD_CHANGE'],
    [
      'setState(id, { vlaue })',
      (world: World) => world.setState('heap', { vlaue: 1 } as never),
      'BAD_CHANGE',
    ],
    ['configure(null)', (world: World) => world.configure(null as never), 'BAD_SETTING'],
    ['push(null)', (world: World) => world.commands.push(null as never), 'BAD_COMMAND'],
    [
      'push without a source',
      (world: World) => world.commands.push({ seq: 1 } as never),
      'BAD_COMMAND',
    ],
    [
      'push without a command',
      (world: World) => world.commands.push({ source, seq: 1 } as never),
      'BAD_COMMAND',
    ],
    [
      'setState to a context that is none',
      (world: World) => world.setState('heap', { context: null }),
      'BAD_CHANGE',
    ],
    [
      'setState to a context that is a list',
      (world: World) => world.setState('heap', { context: [] }),
      'BAD_CHANGE',
    ],
    ["on('typo')", (world: World) => world.on('typo' as never, () => {}), 'BAD_LISTENER'],
    ["on('commit', 5)", (world: World) => world.on('commit', 5 as never), 'BAD_LISTENER'],
  ])('%s is refused by name', (_, call, code) => {
    const world = worldOf([pile]);
    world.add({ id: 'heap', kind: 'pile', at });
    expect(() => call(world)).toThrow(expect.objectContaining({ name: 'WorldError', code }));
    expect(world.size).toBe(1);
  });

  it('a record that cannot start is named, among however many', () => {
    const picky = kindOf(
      setup({
        types: { context: {} as { size: number }, input: {} as { size: number } },
      }).createMachine({
        id: 'picky',
        context: ({ input }) => ({ size: input.size }),
      }),
    );
    const world = worldOf([picky]);
    const records = ['a', 'b', 'c'].map((id) => ({
      id,
      kind: 'picky',
      at,
      ...(id === 'b' ? {} : { input: { size: 1 } }),
    }));
    expect(() => world.add(records)).toThrow(/^b \(picky\) could not start without input: /);
    expect(world.size).toBe(0);
  });

  it('ids that are none lead to no record, and kinds that are none to no world', () => {
    const world = worldOf([pile]);
    expect(world.find(undefined as never)).toBeUndefined();
    expect(world.send(undefined as never, { type: 'X' })).toMatchObject({ code: 'UNKNOWN_RECORD' });
    expect(() => createWorld({} as never)).toThrow(expect.objectContaining({ name: 'KindError' }));
    const results: unknown[] = [];
    world.commands.push({
      source,
      seq: 1,
      command: { type: 'add' } as never,
      done: (result) => results.push(result),
    });
    world.frame(1);
    expect(results).toEqual([expect.objectContaining({ accepted: false, code: 'BAD_RECORD' })]);
  });

  it('what was refused once is refused again, though parts of it were looked at', () => {
    const world = worldOf([pile]);
    world.add({ id: 'heap', kind: 'pile', at });
    const context = { a: { deep: JSON.parse('{"__proto__": 0}') } };
    const ring: { self?: unknown } = {};
    ring.self = { ring };
    for (let i = 0; i < 2; i += 1) {
      const refused = expect.objectContaining({ code: 'NOT_SAVABLE' });
      expect(() => world.setState('heap', { context })).toThrow(refused);
      expect(() => world.setState('heap', { context: ring })).toThrow(refused);
    }
  });

  it('a context that cannot be hashed is named with its record', () => {
    const world = createWorld({ kinds: [pile] });
    world.add({ id: 'heap', kind: 'pile', at });
    world.setState('heap', { context: { ore: () => 1 } });
    expect(() => world.hash()).toThrow(/heap \(pile\)/);
  });
});
