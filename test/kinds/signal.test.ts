import {
  cancelRequest,
  createWorld,
  defineKind,
  edit,
  queueFor,
  type World,
  waitFor,
} from 'offstage';
import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { emit, sendTo, setup } from 'xstate';
import { signal } from '../../kinds/index.ts';
import { coming, HALL_KINDS, Hall, type Visit } from '../support/visitor.ts';

const wait: Visit = { do: 'wait' };
const queue: Visit = { do: 'queue' };

const kind = { kind: 'signal' };

/** Entities that wait for a barrier and queue for a funnel at once. */
const both = defineKind({
  name: 'both',
  version: 1,
  links: { barrier: 'signal', funnel: 'signal' },
  machine: setup({
    types: { emitted: {} as { readonly type: string } },
    actions: {
      wait: waitFor('barrier'),
      stopWaiting: cancelRequest('barrier'),
      queue: queueFor('funnel'),
      stopQueueing: cancelRequest('funnel'),
      passed: emit({ type: 'barrier' }),
      served: emit({ type: 'funnel' }),
    },
  }).createMachine({
    id: 'both',
    type: 'parallel',
    states: {
      barrier: {
        initial: 'waiting',
        states: {
          waiting: {
            entry: 'wait',
            exit: 'stopWaiting',
            on: { 'granted.barrier': { target: 'passed', actions: 'passed' } },
          },
          passed: {},
        },
      },
      funnel: {
        initial: 'queueing',
        states: {
          queueing: {
            entry: 'queue',
            exit: 'stopQueueing',
            on: { 'granted.funnel': { target: 'served', actions: 'served' } },
          },
          served: {},
        },
      },
    },
  }),
});

describe('waiting and queueing', () => {
  test('a barrier lets all hundred through, a funnel one', () => {
    const world = createWorld({ kinds: [signal, both] });
    const told: string[] = [];
    world.on('notice', ({ event, time, kind: of }) => {
      if (of === 'both') told.push(`${event.type} at ${time}`);
    });
    world.add([
      { id: 'barrier', kind: 'signal', at: [0, 0] },
      { id: 'funnel', kind: 'signal', at: [0, 0] },
      ...Array.from({ length: 100 }, (_, i) => ({
        id: `e${i}`,
        kind: 'both',
        at: [0, 0],
        links: { barrier: 'barrier', funnel: 'funnel' },
      })),
    ]);
    world.runUntil(10);
    world.send('barrier', { type: 'FLASH' });
    world.send('funnel', { type: 'FLASH' });
    world.runUntil(100);
    expect(told).toEqual([...Array(100).fill('barrier at 10'), 'funnel at 10']);
  });

  test('a queue is first come, first served, one for each flash', () => {
    const hall = new Hall(kind, {
      e0: coming(1, queue),
      e1: coming(2, queue),
      e2: coming(3, queue),
      e3: coming(4, queue),
    });
    hall.at(10, 'FLASH').at(20, 'FLASH').at(30, 'FLASH');
    expect(hall.until(99)).toEqual([
      [10, 'e0', 'granted'],
      [20, 'e1', 'granted'],
      [30, 'e2', 'granted'],
    ]);
  });

  test('those who come at the same time stand in the order of turns, however they were added', () => {
    const served = (ids: readonly string[]): readonly unknown[] => {
      const hall = new Hall(kind, Object.fromEntries(ids.map((id) => [id, coming(5, queue)])));
      return hall
        .at(10, 'FLASH')
        .at(20, 'FLASH')
        .at(30, 'FLASH')
        .told.map(([, id]) => id);
    };
    const order = served(['a', 'b', 'c']);
    expect([...order].sort()).toEqual(['a', 'b', 'c']);
    expect(served(['c', 'a', 'b'])).toEqual(order);
  });

  test('one that times out or gives up never eats the flash meant for the next', () => {
    const hall = new Hall(kind, {
      impatient: coming(1, { ...queue, patience: 4 }),
      cancelled: coming(2, queue),
      next: coming(3, queue),
    });
    hall.world.runUntil(6);
    hall.world.send('cancelled', { type: 'GIVE_UP' });
    hall.at(10, 'FLASH');
    expect(hall.until(99)).toEqual([
      [5, 'impatient', 'gave up'],
      [6, 'cancelled', 'gave up'],
      [10, 'next', 'granted'],
    ]);
    expect(hall.resource.queue?.length).toBe(0);
  });

  test('one that was removed while it queued does not eat it either', () => {
    const hall = new Hall(kind, { gone: coming(1, queue), next: coming(2, queue) });
    hall.world.runUntil(5);
    hall.world.remove('gone');
    hall.at(10, 'FLASH');
    expect(hall.told).toEqual([[10, 'next', 'granted']]);
  });

  test('one that left and came again stands at the end', () => {
    const hall = new Hall(kind, {
      back: coming(1, { ...queue, patience: 3 }, queue),
      other: coming(2, queue),
    });
    hall.at(10, 'FLASH').at(20, 'FLASH');
    expect(hall.told).toEqual([
      [4, 'back', 'gave up'],
      [10, 'other', 'granted'],
      [20, 'back', 'granted'],
    ]);
  });

  test('a machine that forgets to leave the queue on its exit still eats nothing', () => {
    const forgetful = defineKind({
      name: 'forgetful',
      version: 1,
      links: { to: '*' },
      machine: setup({ actions: { queue: queueFor('to') } }).createMachine({
        id: 'forgetful',
        initial: 'queueing',
        states: {
          queueing: { entry: 'queue', on: { 'granted.to': 'served' }, after: { 5: 'gone' } },
          served: {},
          gone: {},
        },
      }),
    });
    const world = createWorld({ kinds: [signal, forgetful] });
    world.add({ id: 'to', kind: 'signal', at: [0, 0] });
    world.add({ id: 'first', kind: 'forgetful', at: [0, 0], links: { to: 'to' } });
    world.runUntil(3);
    world.add({ id: 'second', kind: 'forgetful', at: [0, 0], links: { to: 'to' } });
    world.runUntil(6);
    world.send('to', { type: 'FLASH' });
    expect([world.find('first')?.value, world.find('second')?.value]).toEqual(['gone', 'served']);
  });
});

describe('flash and sustained', () => {
  test('each flash serves who waits then, and is over', () => {
    const hall = new Hall(kind, { w: [wait, { do: 'hold', for: 10 }, wait] });
    hall.at(10, 'FLASH').at(21, 'FLASH');
    expect(hall.until(99)).toEqual([
      [10, 'w', 'granted'],
      [21, 'w', 'granted'],
    ]);
  });

  test('sustained it serves at once until it is cleared', () => {
    const hall = new Hall(kind, {
      w: [wait, { do: 'hold', for: 10 }, wait, { do: 'hold', for: 20 }, wait],
    });
    hall.at(10, 'SUSTAIN').at(30, 'CLEAR').at(41, 'FLASH');
    expect(hall.until(99)).toEqual([
      [10, 'w', 'granted'],
      [20, 'w', 'granted'],
      [41, 'w', 'granted'],
    ]);
  });

  test.each([
    ['SUSTAIN', 9, 10],
    ['FLASH', 9, 10],
    ['SUSTAIN', 11, 11],
    ['FLASH', 11, undefined],
  ])('fired by %s at 10 and asked at %d it serves at %s', (type, asked, served) => {
    const hall = new Hall(kind, { w: coming(asked, wait) });
    hall.at(10, type);
    expect(hall.until(999)).toEqual(served === undefined ? [] : [[served, 'w', 'granted']]);
  });

  test('a request made after a flash at the same instant is not served', () => {
    const hall = new Hall(kind, { early: coming(10, wait) });
    hall.at(10, 'FLASH');
    hall.world.add({ id: 'late', kind: 'visitor', at: [0, 0], links: { to: 'to' }, input: [wait] });
    expect(hall.until(999)).toEqual([[10, 'early', 'granted']]);
    expect(hall.resource.waiting?.length).toBe(1);
  });

  test('one let through that waits again at once is not served twice by one flash', () => {
    const hall = new Hall(kind, { again: [wait, wait], queues: [queue, queue] });
    hall.at(10, 'FLASH');
    expect([...hall.told].sort()).toEqual([
      [10, 'again', 'granted'],
      [10, 'queues', 'granted'],
    ]);
    expect(hall.at(11, 'FLASH').told).toHaveLength(4);
  });

  test('sustained it serves all who wait and all who queue', () => {
    const hall = new Hall(kind, {
      w0: coming(1, wait),
      q0: coming(2, queue),
      q1: coming(3, queue),
      w1: coming(4, wait),
      late: coming(50, queue),
    });
    hall.at(10, 'SUSTAIN');
    expect(hall.until(99)).toEqual([
      [10, 'w0', 'granted'],
      [10, 'w1', 'granted'],
      [10, 'q0', 'granted'],
      [10, 'q1', 'granted'],
      [50, 'late', 'granted'],
    ]);
  });

  test('who came while it was sustained is served, though it is cleared in the same instant', () => {
    const clearer = defineKind({
      name: 'clearer',
      version: 1,
      links: { to: '*' },
      machine: setup({ actions: { clear: edit('to', { type: 'CLEAR' }) } }).createMachine({
        id: 'clearer',
        initial: 'set',
        states: { set: { after: { 10: { target: 'done', actions: 'clear' } } }, done: {} },
      }),
    });
    const outcomes = new Set<string>();
    for (let i = 0; i < 20; i += 1) {
      const hall = new Hall(kind, { w: coming(10, wait) }, [...HALL_KINDS, clearer]);
      const turns: string[] = [];
      hall.world.on('event', ({ id, time, iteration }) => {
        if (time === 10 && iteration === 0) turns.push(id);
      });
      hall.world.add({ id: `c${i}`, kind: 'clearer', at: [0, 0], links: { to: 'to' } });
      hall.at(5, 'SUSTAIN');
      hall.until(99);
      const outcome = `${turns[0] === 'w' ? 'came first' : 'cleared first'}: ${hall.told.length}`;
      outcomes.add(outcome);
    }
    expect([...outcomes].sort()).toEqual(['came first: 1', 'cleared first: 0']);
  });

  test('clearing it while it is passive does nothing', () => {
    const hall = new Hall(kind, { w: coming(1, wait) });
    hall.at(10, 'CLEAR').at(20, 'FLASH').at(30, 'CLEAR');
    expect(hall.told).toEqual([[20, 'w', 'granted']]);
    expect(hall.world.find('to')?.value).toBe('passive');
  });
});

/** Waits, and answers each grant with what it is made to do. */
function answering(name: string, type: string, doing: 'wait' | 'queue') {
  return defineKind({
    name,
    version: 1,
    links: { to: '*' },
    machine: setup({
      types: { emitted: {} as { readonly type: string } },
      actions: {
        ask: doing === 'wait' ? waitFor('to') : queueFor('to'),
        leave: cancelRequest('to'),
        fire: sendTo('to', { type }),
        told: emit({ type: 'granted' }),
      },
    }).createMachine({
      id: name,
      initial: 'waiting',
      states: {
        waiting: {
          entry: 'ask',
          exit: 'leave',
          on: { 'granted.to': { target: 'through', actions: ['told', 'fire'] } },
        },
        through: {},
      },
    }),
  });
}

function told(world: World): string[] {
  const heard: string[] = [];
  world.on('notice', ({ id, time }) => {
    if (id !== 'to') heard.push(`${id} at ${time}`);
  });
  return heard;
}

describe('what SIM.JS gets wrong', () => {
  test('a fire inside a fire: the queue does not overtake those who wait', () => {
    const waiter = answering('waiter', 'FLASH', 'wait');
    const queuer = answering('queuer', 'NOTHING', 'queue');
    const world = createWorld({ kinds: [signal, waiter, queuer] });
    const heard = told(world);
    world.add({ id: 'to', kind: 'signal', at: [0, 0] });
    const ids = ['queuer-0', 'queuer-1', 'waiter-0', 'waiter-1', 'waiter-2'];
    for (const id of ids) {
      world.runUntil(world.time + 1);
      world.add({ id, kind: id.slice(0, 6), at: [0, 0], links: { to: 'to' } });
    }
    world.runUntil(10);
    world.send('to', { type: 'FLASH' });
    world.runUntil(20);
    // The waiters fire three times more while they are served by the first.
    expect(heard).toEqual([
      'waiter-0 at 10',
      'waiter-1 at 10',
      'waiter-2 at 10',
      'queuer-0 at 10',
      'queuer-1 at 10',
    ]);
    // Nobody listens for what the queuers send.
    expect(world.stats().droppedByKind).toEqual({ signal: { NOTHING: 2 } });
  });

  test('a sustained signal and one that waits again at once end in a named fault', () => {
    const eager = defineKind({
      name: 'eager',
      version: 1,
      links: { to: '*' },
      machine: setup({
        actions: { wait: waitFor('to'), leave: cancelRequest('to') },
      }).createMachine({
        id: 'eager',
        initial: 'waiting',
        states: {
          waiting: {
            entry: 'wait',
            exit: 'leave',
            on: { 'granted.to': { target: 'waiting', reenter: true } },
          },
        },
      }),
    });
    const world = createWorld({ kinds: [signal, eager] });
    world.add([
      { id: 'to', kind: 'signal', at: [0, 0] },
      { id: 'e', kind: 'eager', at: [0, 0], links: { to: 'to' } },
    ]);
    world.runUntil(10);
    world.send('to', { type: 'SUSTAIN' });
    expect(world.time).toBe(10);
    expect(world.find('to')?.fault).toMatchObject({ code: 'INSTANT_LOOP', time: 10 });
    world.runUntil(1000);
    expect(world.time).toBe(1000);
  });
});

describe('a signal', () => {
  test('is of no use to who is no record: asking by a command is refused with what to do', () => {
    const t = testKind(signal);
    expect(t.send({ type: 'WAIT', as: 'x' })).toMatchObject({
      accepted: false,
      code: 'BAD_EVENT',
      message: expect.stringMatching(/waitFor/),
    });
  });

  test('says what it does, for the outside', () => {
    const t = testKind(signal);
    for (const type of ['FLASH', 'SUSTAIN', 'SUSTAIN', 'CLEAR', 'CLEAR'] as const) t.send({ type });
    expect(t.notices.map(({ event }) => event.type)).toEqual(['FLASHED', 'SUSTAINED', 'CLEARED']);
    expect(t.context.flashes).toBe(1);
  });

  test('that is added after those who wait for it serves them all the same', () => {
    const hall = new Hall(kind, {});
    const record = { kind: 'visitor', at: [0, 0] };
    hall.world.add([
      { ...record, id: 'a', links: { to: 'late' }, input: [wait] },
      { ...record, id: 'z', links: { to: 'late' }, input: [wait] },
      { id: 'late', kind: 'signal', at: [0, 0] },
    ]);
    hall.world.send('late', { type: 'FLASH' });
    expect(hall.told.filter(([, , what]) => what === 'granted')).toHaveLength(2);
  });
});
