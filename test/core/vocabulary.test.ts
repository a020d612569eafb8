/** What a discrete-event simulation needs of timers, events and messages, with its times and order. */
import {
  all,
  at,
  byId,
  createWorld,
  defineKind,
  edit,
  type Kind,
  selfId,
  sender,
  type World,
} from 'offstage';
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, cancel, emit, raise, sendTo, setup } from 'xstate';

function kindOf(machine: AnyStateMachine, links: Readonly<Record<string, string>> = {}): Kind {
  return defineKind({ name: machine.id, version: 1, machine, links });
}

const told = setup({
  types: { emitted: {} as { readonly type: string } },
  actions: {
    timer: emit({ type: 'timer' }),
    timeOut: emit({ type: 'time-out' }),
    unless: emit({ type: 'unless' }),
    ran: emit({ type: 'ran' }),
  },
});

/** What a record tells, with its game times, when it lives alone until 200 and gets `E` at 10. */
function toldBy(machine: AnyStateMachine, event?: string): string[] {
  const world = createWorld({ kinds: [kindOf(machine)] });
  const heard: string[] = [];
  world.on('notice', ({ event: { type }, time }) => heard.push(`${type} at ${time}`));
  world.add({ id: 'e', kind: machine.id, at: [0, 0] });
  world.runUntil(10);
  if (event !== undefined) expect(world.send('e', { type: event }).accepted).toBe(true);
  world.runUntil(200);
  return heard;
}

/** A timer of so long, given up after the shortest of the time-outs, or on `E`. */
function request(timer: number, ...timeOuts: readonly number[]): AnyStateMachine {
  const after = Object.fromEntries(
    timeOuts.map((n) => [n, { target: 'over', actions: 'timeOut' }]),
  );
  return told.createMachine({
    id: 'requests',
    initial: 'waiting',
    states: {
      waiting: {
        after: { ...after, [timer]: { target: 'over', actions: 'timer' } },
        on: { E: { target: 'over', actions: 'unless' }, CANCEL: 'over' },
      },
      over: {},
    },
  } as never) as unknown as AnyStateMachine;
}

describe('timers', () => {
  test.each([
    ['+10', request(10), undefined, ['timer at 10']],
    ['+10 with a time-out of 5', request(10, 5), undefined, ['time-out at 5']],
    ['+10 with a time-out of 20', request(10, 20), undefined, ['timer at 10']],
    ['+50 with time-outs of 20 and 10', request(50, 20, 10), undefined, ['time-out at 10']],
    ['+50 unless E, which comes at 10', request(50), 'E', ['unless at 10']],
    ['+50, cancelled at 10', request(50, 90), 'CANCEL', []],
  ])('%s', (_, machine, event, expected) => {
    expect(toldBy(machine, event)).toEqual(expected);
  });

  test('armed again every 10 up to 100, it runs at 10, 20, … 100', () => {
    const machine = setup({
      types: { context: {} as { n: number }, emitted: {} as { readonly type: string } },
      guards: { isOver: ({ context }) => context.n === 10 },
      actions: {
        count: assign({ n: ({ context }) => context.n + 1 }),
        ran: emit({ type: 'ran' }),
      },
    }).createMachine({
      id: 'repeater',
      context: { n: 0 },
      initial: 'on',
      states: {
        on: {
          always: { guard: 'isOver', target: 'off' },
          after: { 10: { target: 'on', reenter: true, actions: ['count', 'ran'] } },
        },
        off: {},
      },
    });
    expect(toldBy(machine)).toEqual(
      [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((n) => `ran at ${n}`),
    );
  });

  test('+0 fires at the same time, after the event that set it is over, never inside it', () => {
    const machine = setup({
      types: { emitted: {} as { readonly type: string } },
      actions: {
        begin: emit({ type: 'begin' }),
        end: emit({ type: 'end' }),
        zero: emit({ type: 'zero' }),
        arm: raise({ type: 'ZERO' }, { delay: 0 }),
      },
    }).createMachine({
      id: 'zero',
      on: { E: { actions: ['begin', 'arm', 'end'] }, ZERO: { actions: 'zero' } },
    });
    expect(toldBy(machine, 'E')).toEqual(['begin at 10', 'end at 10', 'zero at 10']);
  });

  test('cancelled by its id, it never fires', () => {
    const machine = setup({
      types: { emitted: {} as { readonly type: string } },
      actions: {
        arm: raise({ type: 'LATE' }, { delay: 50, id: 'late' }),
        cancel: cancel('late'),
        late: emit({ type: 'late' }),
      },
    }).createMachine({
      id: 'cancelling',
      entry: 'arm',
      on: { E: { actions: 'cancel' }, LATE: { actions: 'late' } },
    });
    expect(toldBy(machine)).toEqual(['late at 50']);
    expect(toldBy(machine, 'E')).toEqual([]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    'a delay of %s is refused, at once or when it is worked out',
    (delay) => {
      const dynamic = setup({ delays: { wrong: () => delay } }).createMachine({
        id: 'wrong',
        initial: 'here',
        states: { here: { on: { E: 'there' } }, there: { after: { wrong: 'here' } } },
      });
      const world = createWorld({ kinds: [kindOf(dynamic)] });
      world.add({ id: 'w', kind: 'wrong', at: [0, 0] });
      const hash = world.hash();
      expect(world.send('w', { type: 'E' })).toMatchObject({ accepted: false, code: 'BAD_DELAY' });
      expect(world.hash()).toBe(hash);
      const written = setup({ delays: { wrong: delay } }).createMachine({
        id: 'written',
        initial: 'here',
        states: { here: { after: { wrong: 'here' } } },
      });
      expect(() => kindOf(written)).toThrowError(/wrong/);
    },
  );
});

/** Sends `HELLO` at 10, or 10 later at 10 if it is told so, to whom `to` says; everybody keeps who it was from. */
function senders(to: () => unknown, delay?: number): Kind {
  return kindOf(
    setup({
      types: { context: {} as { heard: string[] }, emitted: {} as { type: string; from?: string } },
      actions: {
        greet: sendTo(
          to as () => ReturnType<typeof byId>,
          { type: 'HELLO' },
          delay === undefined ? {} : { delay },
        ),
        hear: emit(() => ({ type: 'heard', from: sender() ?? '' })),
      },
    }).createMachine({
      id: 'person',
      context: { heard: [] },
      on: { GREET: { actions: 'greet' }, HELLO: { actions: 'hear' } },
    }),
    { next: 'person' },
  );
}

function hall(kind: Kind, more: readonly Kind[] = []) {
  const world = createWorld({ kinds: [kind, ...more] });
  const heard: string[] = [];
  world.on('notice', ({ id, event, time }) => heard.push(`${id} from ${event.from} at ${time}`));
  for (const [i, id] of ['a', 'b', 'c', 'd'].entries()) {
    world.add({ id, kind: 'person', at: [i * 10, 0], links: { next: id === 'a' ? 'b' : 'a' } });
  }
  const greet = (): string[] => {
    world.runUntil(10);
    world.send('a', { type: 'GREET' });
    world.runUntil(100);
    return heard.sort();
  };
  return { world, greet };
}

describe('messages', () => {
  test.each([
    ['one link', () => 'next', ['b']],
    ['one by its id', () => byId('c'), ['c']],
    ['all of a kind', () => all({ kind: 'person' }), ['a', 'b', 'c', 'd']],
    ['all but itself', () => all({ except: selfId() }), ['b', 'c', 'd']],
    ['all but some', () => all({ except: ['a', 'c'] }), ['b', 'd']],
    ['all within a radius', () => all({ within: { at: at(), radius: 20 } }), ['a', 'b', 'c']],
    [
      'all of a kind within a radius but itself',
      () => all({ kind: 'person', within: { at: at(), radius: 10 }, except: selfId() }),
      ['b'],
    ],
  ])('to %s', (_, to, receivers) => {
    expect(hall(senders(to)).greet()).toEqual(receivers.map((id) => `${id} from a at 10`));
    expect(hall(senders(to, 10)).greet()).toEqual(receivers.map((id) => `${id} from a at 20`));
  });

  test('to a list: those in it', () => {
    const kind = kindOf(
      setup({
        types: { emitted: {} as { type: string; from?: string } },
        actions: {
          greetB: sendTo(() => byId('b'), { type: 'HELLO' }),
          greetD: sendTo(() => byId('d'), { type: 'HELLO' }),
          hear: emit(() => ({ type: 'heard', from: sender() ?? '' })),
        },
      }).createMachine({
        id: 'person',
        on: { GREET: { actions: ['greetB', 'greetD'] }, HELLO: { actions: 'hear' } },
      }),
      { next: 'person' },
    );
    expect(hall(kind).greet()).toEqual(['b from a at 10', 'd from a at 10']);
  });

  test('with no delay it arrives at the same time, after the event that sent it', () => {
    const kind = senders(() => 'next');
    const { world, greet } = hall(kind);
    const order: string[] = [];
    world.on('event', ({ id, cause, iteration }) => order.push(`${id} ${cause} ${iteration}`));
    greet();
    expect(order).toEqual(['a command 0', 'b message 1']);
  });

  test('that nobody takes is dropped and counted, by kind and type', () => {
    const deaf = kindOf(setup({}).createMachine({ id: 'deaf' }));
    const { world, greet } = hall(
      senders(() => all({ except: ['a', 'b', 'c', 'd'] })),
      [deaf],
    );
    world.add({ id: 'x', kind: 'deaf', at: [0, 0] });
    expect(greet()).toEqual([]);
    expect(world.stats()).toMatchObject({
      messagesDropped: 1,
      droppedByKind: { deaf: { HELLO: 1 } },
      faulted: 0,
    });
  });

  test('to all: who they are is settled when it is delivered', () => {
    const { world, greet } = hall(senders(() => all({ kind: 'person', except: selfId() }), 10));
    world.commands.push({
      source: { rank: 1, id: 't' },
      seq: 1,
      at: 15,
      command: {
        type: 'add',
        records: [{ id: 'joined', kind: 'person', at: [0, 0], links: { next: 'a' } }],
      },
    });
    world.commands.push({
      source: { rank: 1, id: 't' },
      seq: 2,
      at: 15,
      command: { type: 'remove', id: 'b' },
    });
    expect(greet()).toEqual(['c', 'd', 'joined'].map((id) => `${id} from a at 20`));
  });

  test('ping-pong: each answers after 10 with its name at the end', () => {
    const player = kindOf(
      setup({
        types: {
          context: {} as { ball: string; name: string },
          events: {} as { readonly type: 'BALL'; readonly text: string },
          input: {} as { name: string },
          emitted: {} as { type: string; text: string },
        },
        actions: {
          hit: sendTo('other', ({ context }) => ({
            type: 'BALL',
            text: `${context.ball}${context.name}`,
          })),
          take: assign({ ball: ({ event }) => event.text }),
          tell: emit(({ event }) => ({ type: 'got', text: event.text })),
        },
      }).createMachine({
        id: 'player',
        context: ({ input }) => ({ ball: '', name: input.name }),
        initial: 'ready',
        states: {
          ready: { on: { BALL: { target: 'holding', actions: ['take', 'tell'] } } },
          holding: { after: { 10: { target: 'ready', actions: 'hit' } } },
        },
      }),
      { other: 'player' },
    );
    const world = createWorld({ kinds: [player] });
    const got: string[] = [];
    world.on('notice', ({ id, time, event }) => got.push(`'${event.text}' to ${id} at ${time}`));
    world.add([
      { id: 'Jack', kind: 'player', at: [0, 0], links: { other: 'Jill' }, input: { name: 'Jack' } },
      { id: 'Jill', kind: 'player', at: [0, 0], links: { other: 'Jack' }, input: { name: 'Jill' } },
    ]);
    world.send('Jill', { type: 'BALL', text: 'INITIAL' });
    world.runUntil(20);
    expect(got).toEqual([
      "'INITIAL' to Jill at 0",
      "'INITIALJill' to Jack at 10",
      "'INITIALJillJack' to Jill at 20",
    ]);
  });
});

describe('running', () => {
  function ticking(): { readonly world: World; readonly ran: number[] } {
    const machine = told.createMachine({
      id: 'ticking',
      initial: 'on',
      states: { on: { after: { 10: { target: 'on', reenter: true, actions: 'ran' } } } },
    });
    const world = createWorld({ kinds: [kindOf(machine)] });
    const ran: number[] = [];
    world.on('notice', ({ time }) => ran.push(time));
    world.add({ id: 't', kind: 'ticking', at: [0, 0] });
    return { world, ran };
  }

  test('to an end that is included or not; what comes first after it is never lost', () => {
    const { world, ran } = ticking();
    world.runUntil(20, { inclusive: false });
    expect(ran).toEqual([10]);
    world.runUntil(20);
    expect(ran).toEqual([10, 20]);
    world.runUntil(25);
    world.runUntil(30);
    expect(ran).toEqual([10, 20, 30]);
  });

  test('one event at a time', () => {
    const { world, ran } = ticking();
    expect(world.step()).toMatchObject({ time: 10, id: 't', cause: 'timer', taken: true });
    expect(world.step()).toMatchObject({ time: 20 });
    expect([world.time, ran]).toEqual([20, [10, 20]]);
  });

  test('in real time, faster or slower', () => {
    const { world, ran } = ticking();
    world.clock.setSpeed(2);
    world.frame(10);
    expect(ran).toEqual([10, 20]);
    world.clock.setSpeed(0.5);
    world.frame(10);
    expect(world.time).toBe(25);
  });

  test('edit of what is in the middle of its own step is a named error, a message is not', () => {
    const machine = setup({ actions: { back: edit('other', { type: 'GO' }) } }).createMachine({
      id: 'mirror',
      on: { GO: { actions: 'back' } },
    });
    const world = createWorld({ kinds: [kindOf(machine, { other: 'mirror' })] });
    world.add([
      { id: 'a', kind: 'mirror', at: [0, 0], links: { other: 'b' } },
      { id: 'b', kind: 'mirror', at: [0, 0], links: { other: 'a' } },
    ]);
    expect(world.send('a', { type: 'GO' })).toMatchObject({ code: 'EDIT_CYCLE' });
  });
});
