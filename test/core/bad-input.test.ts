/** Bad input: a clear error each time, and the world goes on. */
import { addRecord, createWorld, defineKind, type Kind, link, random, type World } from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, fromPromise, raise, sendTo, setup } from 'xstate';
import { kindOf, pile, pulse, smith } from '../support/small-kinds.ts';

const at = [0, 0];

/** A world with a pulse that must go on beating whatever else happens. */
function worldWith(...kinds: Kind[]): World {
  const world = createWorld({ kinds: [pulse, ...kinds], settings: { freeze: true } });
  world.add({ id: 'beating', kind: 'pulse', at });
  return world;
}

function beats(world: World): number {
  return (world.valueOf('beating') as unknown as { state: { context: { beats: number } } }).state
    .context.beats;
}

function expectGoesOn(world: World): void {
  const before = beats(world);
  world.run(3000);
  expect(beats(world)).toBe(before + 3);
}

describe('a kind', () => {
  it.each([
    [
      'with invoke',
      () =>
        setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
          id: 'k',
          initial: 'a',
          states: { a: { invoke: { src: 'load' } } },
        }),
      /k.*a.*invoke/s,
    ],
    [
      'with a guard that does not exist',
      () =>
        setup({}).createMachine({
          id: 'k',
          initial: 'a',
          states: { a: { on: { GO: { guard: 'ready' as never, target: 'b' } } }, b: {} },
        }),
      /k.*ready/s,
    ],
    [
      'with an action that does not exist',
      () =>
        setup({}).createMachine({
          id: 'k',
          initial: 'a',
          states: { a: { entry: 'cheer' as never } },
        }),
      /k.*cheer/s,
    ],
    [
      'with a delay that does not exist',
      () =>
        setup({}).createMachine({
          id: 'k',
          initial: 'a',
          states: { a: { after: { soon: 'b' } as never }, b: {} },
        }),
      /k.*soon/s,
    ],
  ])('%s is refused by name when it is defined', (_, machine, message) => {
    expect(() => defineKind({ name: 'k', version: 1, machine: machine() as never })).toThrow(
      message,
    );
  });

  it.each(['', 'Upper', 'has space', 'slash/ed', '-dash', 'x'.repeat(65)])(
    'named %j is refused',
    (name) => {
      expect(() => kindOf(pulse.machine as never, { name })).toThrow(
        expect.objectContaining({ name: 'KindError' }),
      );
    },
  );

  it('that links to a kind which is not in the registry is refused by the world', () => {
    expect(() => createWorld({ kinds: [smith] })).toThrow(/smith.*ore.*pile/s);
    expect(() => createWorld({ kinds: [pile, pile] })).toThrow(/two kinds 'pile'/);
  });
});

describe('a record', () => {
  it.each([
    ['an id with a slash', { id: 'a/b', kind: 'pulse', at }, 'BAD_ID'],
    ['no id', { kind: 'pulse', at }, 'BAD_ID'],
    ['an id that is taken', { id: 'beating', kind: 'pulse', at }, 'DUPLICATE_ID'],
    ['an unknown kind', { id: 'x', kind: 'wizard', at }, 'UNKNOWN_KIND'],
    ['no place', { id: 'x', kind: 'pulse' }, 'BAD_PLACE'],
    ['a place that is NaN', { id: 'x', kind: 'pulse', at: [0, Number.NaN] }, 'BAD_PLACE'],
    ['a place of four numbers', { id: 'x', kind: 'pulse', at: [0, 1, 2, 3] }, 'BAD_PLACE'],
    ['a link to itself', { id: 'x', kind: 'smith', at, links: { ore: 'x' } }, 'LINK_TO_SELF'],
    [
      'a link its kind does not have',
      { id: 'x', kind: 'smith', at, links: { coal: 'heap' } },
      'NO_LINK',
    ],
    [
      'a link to a record of another kind',
      { id: 'x', kind: 'smith', at, links: { ore: 'beating' } },
      'BAD_LINK',
    ],
    ['a wrong relevancy', { id: 'x', kind: 'pulse', at, relevancy: 'near' }, 'BAD_RECORD'],
  ])('with %s is refused, and the others of the same call with it', (_, record, code) => {
    const world = worldWith(pile, smith);
    expect(() => world.add([{ id: 'good', kind: 'pulse', at }, record as never])).toThrow(
      expect.objectContaining({ name: 'WorldError', code }),
    );
    expect(world.size).toBe(1);
    expectGoesOn(world);
  });

  it('of a kind that an existing link does not allow there is refused', () => {
    const world = worldWith(pile, smith);
    world.add({ id: 's', kind: 'smith', at, links: { ore: 'heap' } });
    expect(() => world.add({ id: 'heap', kind: 'pulse', at })).toThrow(
      expect.objectContaining({ code: 'BAD_LINK' }),
    );
  });
});

describe('a machine', () => {
  it('with a delay of NaN fails the event that meets it, and the world goes on', () => {
    const broken = kindOf(
      setup({ delays: { never: () => Number.NaN } }).createMachine({
        id: 'broken',
        initial: 'a',
        states: { a: { after: { 100: 'b' } }, b: { after: { never: 'a' } } },
      }),
    );
    const world = worldWith(broken);
    world.add({ id: 'x', kind: 'broken', at });
    expectGoesOn(world);
    expect(world.find('x')).toMatchObject({ value: 'a', fault: { code: 'BAD_DELAY', time: 100 } });
    expect(world.find('x')?.fault?.message).toMatch(/never|broken\.b/);
  });

  it('with a loop of zero delays faults by name, and the world goes on', () => {
    const loop = kindOf(
      setup({}).createMachine({
        id: 'loop',
        initial: 'a',
        states: { a: { after: { 0: 'b' } }, b: { after: { 0: 'a' } } },
      }),
    );
    const world = worldWith(loop);
    world.configure({ iterationsPerInstant: 50 });
    world.add({ id: 'x', kind: 'loop', at });
    const fault = world.find('x')?.fault;
    expect(fault).toMatchObject({ code: 'INSTANT_LOOP', time: 0 });
    expect(world.find('x')?.timers).toHaveLength(1);
    expectGoesOn(world);
  });

  it('that sends itself a message for ever faults by name, and the messages are counted', () => {
    const echo = kindOf(
      setup({ actions: { again: sendTo(({ self }) => self, { type: 'ECHO' }) } }).createMachine({
        id: 'echo',
        on: { ECHO: { actions: 'again' } },
      }),
    );
    const world = worldWith(echo);
    world.add({ id: 'x', kind: 'echo', at });
    world.send('x', { type: 'ECHO' });
    expect(world.find('x')?.fault).toMatchObject({ code: 'INSTANT_LOOP' });
    expect(world.stats().messagesDropped).toBe(1);
    expectGoesOn(world);
  });

  it('with an always that never rests faults, and the world goes on', () => {
    const spin = kindOf(
      setup({}).createMachine({
        id: 'spin',
        context: { n: 0 },
        initial: 'a',
        states: {
          a: { after: { 10: 'b' } },
          b: { always: { target: 'c', actions: assign({ n: ({ context }) => context.n + 1 }) } },
          c: { always: 'b' },
        },
      }),
    );
    const world = worldWith(spin);
    world.add({ id: 'x', kind: 'spin', at });
    expectGoesOn(world);
    expect(world.find('x')).toMatchObject({ value: 'a', fault: { code: 'MICROSTEP_LOOP' } });
  });

  it('whose action throws faults with what was thrown', () => {
    const thrower = kindOf(
      setup({
        actions: {
          boom: () => {
            throw new Error('the kettle exploded');
          },
        },
      }).createMachine({
        id: 'thrower',
        after: { 10: { actions: 'boom' } },
        on: { BOOM: { actions: 'boom' } },
      }),
    );
    const world = worldWith(thrower);
    world.add({ id: 'x', kind: 'thrower', at });
    expect(world.send('x', { type: 'BOOM' })).toEqual({
      accepted: false,
      code: 'THREW',
      message: 'the kettle exploded',
    });
    expect(world.find('x')?.fault).toBeNull();
    expectGoesOn(world);
    expect(world.find('x')?.fault).toMatchObject({
      code: 'THREW',
      message: 'the kettle exploded',
      event: { type: 'xstate.after.10.thrower' },
    });
  });

  it('whose action mutates its context is named', () => {
    const mutant = kindOf(
      setup({
        types: { context: {} as { list: number[] } },
        actions: { push: ({ context }) => context.list.push(1) },
      }).createMachine({ id: 'mutant', context: { list: [] }, after: { 10: { actions: 'push' } } }),
    );
    const world = worldWith(mutant);
    world.add({ id: 'x', kind: 'mutant', at });
    expectGoesOn(world);
    expect(world.find('x')).toMatchObject({
      context: { list: [] },
      fault: { code: 'CONTEXT_MUTATED' },
    });
  });

  it.each([
    ['a function', () => () => 1],
    ['a symbol', () => Symbol('s')],
    ['a Buffer', () => new Uint8Array(2)],
    // biome-ignore lint/suspicious/noSparseArray: it is what is refused.
    ['a sparse array', () => [1, , 2]],
    ['a key named constructor', () => JSON.parse('{"constructor": 1}')],
    ['a key named __proto__', () => JSON.parse('{"__proto__": 1}')],
  ])('that puts %s into its context fails that event', (_, value) => {
    const hoarder = kindOf(
      setup({ actions: { keep: assign(() => ({ kept: value() })) } }).createMachine({
        id: 'hoarder',
        context: {},
        on: { KEEP: { actions: 'keep' } },
      }),
    );
    const world = worldWith(hoarder);
    world.add({ id: 'x', kind: 'hoarder', at });
    expect(world.send('x', { type: 'KEEP' })).toMatchObject({
      accepted: false,
      code: 'NOT_SAVABLE',
    });
    expect(world.find('x')?.context).toEqual({});
    expectGoesOn(world);
  });

  it('that draws a random number in a guard is told to draw elsewhere', () => {
    const gambler = kindOf(
      setup({ guards: { lucky: () => random() < 0.5 } }).createMachine({
        id: 'gambler',
        on: { BET: { guard: 'lucky', target: '.won' } },
        initial: 'won',
        states: { won: {} },
      }),
      {},
    );
    const world = worldWith(gambler);
    world.add({ id: 'x', kind: 'gambler', at });
    expect(world.send('x', { type: 'BET' })).toMatchObject({
      accepted: false,
      code: 'RANDOM_IN_GUARD',
    });
    expectGoesOn(world);
  });

  it('that adds records without end fails that event', () => {
    const breeder = kindOf(
      setup({ actions: { breed: addRecord({ kind: 'breeder' }) } }).createMachine({
        id: 'breeder',
        initial: 'calm',
        states: { calm: { entry: 'breed' } },
      }),
    );
    const world = worldWith(breeder);
    expect(() => world.add({ id: 'x', kind: 'breeder', at })).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_ADDED' }),
    );
    expect(world.size).toBe(1);
    expectGoesOn(world);
  });

  it('that raises itself for ever in one macrostep faults', () => {
    const raiser = kindOf(
      setup({ actions: { again: raise({ type: 'R' }) } }).createMachine({
        id: 'raiser',
        on: { R: { actions: 'again' } },
      }),
    );
    const world = worldWith(raiser);
    world.add({ id: 'x', kind: 'raiser', at });
    expect(world.send('x', { type: 'R' })).toMatchObject({
      accepted: false,
      code: 'MICROSTEP_LOOP',
    });
    expectGoesOn(world);
  });

  it('that links to itself, or to nothing it may link to, fails that event', () => {
    const linker = kindOf(
      setup({
        actions: {
          self: link('ore', 'x'),
          wrong: link('ore', 'beating'),
          unknown: link('coal', 'beating'),
        },
      }).createMachine({
        id: 'linker',
        on: {
          SELF: { actions: 'self' },
          WRONG: { actions: 'wrong' },
          UNKNOWN: { actions: 'unknown' },
        },
      }),
      { links: { ore: 'pile' } },
    );
    const world = worldWith(linker, pile);
    world.add({ id: 'x', kind: 'linker', at });
    expect(world.send('x', { type: 'SELF' })).toMatchObject({
      accepted: false,
      code: 'LINK_TO_SELF',
    });
    expect(world.send('x', { type: 'WRONG' })).toMatchObject({ accepted: false, code: 'BAD_LINK' });
    expect(world.send('x', { type: 'UNKNOWN' })).toMatchObject({
      accepted: false,
      code: 'NO_LINK',
    });
    expectGoesOn(world);
  });
});

describe('a command', () => {
  it('for an unknown record, or one that does not take it, is refused by name', () => {
    const world = worldWith();
    expect(world.send('nobody', { type: 'X' })).toMatchObject({
      accepted: false,
      code: 'UNKNOWN_RECORD',
    });
    expect(world.send('beating', { type: 'X' })).toMatchObject({
      accepted: false,
      code: 'NOT_TAKEN',
    });
    expect(world.send('beating', null as never)).toMatchObject({
      accepted: false,
      code: 'BAD_EVENT',
    });
    expect(world.send('beating', {} as never)).toMatchObject({
      accepted: false,
      code: 'BAD_EVENT',
    });
    expect(world.remove('nobody')).toBe(false);
    expect(() => world.setState('nobody', {})).toThrow(/nobody/);
    expect(() => world.setState('beating', { value: 'off' })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_STATE' }),
    );
    expectGoesOn(world);
  });

  it('from inside a listener is refused with BUSY, and what the listener threw is heard', () => {
    const world = worldWith();
    const stop = world.on('event', () => world.send('beating', { type: 'X' }));
    expect(() => world.run(1000)).toThrow(expect.objectContaining({ code: 'BUSY' }));
    stop();
    expect(world.find('beating')?.context).toMatchObject({ beats: 1 });
    expectGoesOn(world);
  });

  it('from inside an action is refused with BUSY, and fails that event', () => {
    const holder: { world?: World } = {};
    const meddler = kindOf(
      setup({
        actions: { meddle: () => holder.world?.send('beating', { type: 'X' }) },
      }).createMachine({
        id: 'meddler',
        on: { GO: { actions: 'meddle' } },
      }),
    );
    const world = worldWith(meddler);
    holder.world = world;
    world.add({ id: 'x', kind: 'meddler', at });
    expect(world.send('x', { type: 'GO' })).toMatchObject({ accepted: false, code: 'BUSY' });
    expectGoesOn(world);
  });

  it('is refused when 4096 wait already, and what waits is carried out', () => {
    const world = worldWith(pile);
    world.add({ id: 'heap', kind: 'pile', at });
    const push = (seq: number): void =>
      world.commands.push({
        source: { rank: 1, id: 'client' },
        seq,
        command: { type: 'send', id: 'heap', event: { type: 'PUT', count: 1 } },
      });
    for (let seq = 0; seq < 4096; seq += 1) push(seq);
    expect(() => push(4096)).toThrow(expect.objectContaining({ code: 'E_RATE' }));
    expect(world.frame(1)).toMatchObject({ commands: 512, backlog: true });
    while (world.frame(1).backlog);
    expect(world.find('heap')?.context).toEqual({ ore: 4096 });
  });

  it.each([
    ['runUntil the past', (world: World) => world.runUntil(-1), 'BAD_TIME'],
    ['runUntil NaN', (world: World) => world.runUntil(Number.NaN), 'BAD_TIME'],
    ['a negative run', (world: World) => world.run(-5), 'BAD_DELAY'],
    ['a negative frame', (world: World) => world.frame(-1), 'BAD_DELAY'],
    ['an infinite jump', (world: World) => world.clock.jump(Number.POSITIVE_INFINITY), 'BAD_DELAY'],
    ['a negative speed', (world: World) => world.clock.setSpeed(-1), 'BAD_SPEED'],
    ['an unknown setting', (world: World) => world.configure({ fps: 60 } as never), 'BAD_SETTING'],
    ['a cell size of 0', (world: World) => world.configure({ cellSize: 0 }), 'BAD_SETTING'],
  ])('%s is refused', (_, act, code) => {
    const world = worldWith();
    expect(() => act(world)).toThrow(expect.objectContaining({ name: 'WorldError', code }));
    expectGoesOn(world);
  });
});
