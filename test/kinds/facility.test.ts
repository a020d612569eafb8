import { createWorld, defineKind, release, request } from 'offstage';
import { testKind } from 'offstage/testing';
import { describe, expect, test } from 'vitest';
import { emit, setup } from 'xstate';
import { facility } from '../../kinds/index.ts';
import { coming, HALL_KINDS, Hall, type Visit } from '../support/visitor.ts';

const use = (time: number, more: Partial<Visit> = {}): Visit => ({ do: 'use', for: time, ...more });

/** Uses of 10 each, at those times. */
function uses(...times: readonly number[]) {
  return Object.fromEntries(times.map((at, i) => [`u${i}`, coming(at, use(10))]));
}

function finished(hall: Hall): number[] {
  return hall.until(999).flatMap(([time, , what]) => (what === 'used' ? [time] : []));
}

describe('a facility', () => {
  test.each([
    [1, [0, 0, 4, 40], [10, 20, 30, 50]],
    [2, [0, 0, 0, 14], [10, 10, 20, 24]],
  ])('with %d servers, used for 10 from %o on, is done at %o', (servers, times, done) => {
    expect(finished(new Hall({ kind: 'facility', input: { servers } }, uses(...times)))).toEqual(
      done,
    );
  });

  test('serves first come, first served, whatever the order of turns', () => {
    for (let run = 0; run < 20; run += 1) {
      const hall = new Hall({ kind: 'facility' }, uses(0, 1, 2, 3, 4, 5));
      expect(hall.until(999).map(([, id]) => id)).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5']);
    }
  });

  test('serves by priority who has one, equals as they came', () => {
    const by = (at: number, priority: number) => coming(at, use(10, { what: { priority } }));
    const hall = new Hall(
      { kind: 'facility' },
      { first: by(0, 5), a: by(1, 5), b: by(2, 5), urgent: by(3, 1), c: by(4, 5), late: by(5, 9) },
    );
    expect(hall.until(999).map(([time, id]) => [time, id])).toEqual([
      [10, 'first'],
      [20, 'urgent'],
      [30, 'a'],
      [40, 'b'],
      [50, 'c'],
      [60, 'late'],
    ]);
  });

  test('denies who comes to a full line', () => {
    const hall = new Hall({ kind: 'facility', input: { queue: 1 } }, uses(0, 1, 2, 15));
    expect(hall.until(999)).toEqual([
      [2, 'u2', 'denied'],
      [10, 'u0', 'used'],
      [20, 'u1', 'used'],
      [30, 'u3', 'used'],
    ]);
    expect(hall.resource).toMatchObject({ granted: 3, denied: 1 });
  });

  test('counts those whom a free server awaits as served: with no line, one of two who come at once', () => {
    const hall = new Hall({ kind: 'facility', input: { queue: 0 } }, uses(5, 5));
    expect(hall.until(999).map(([time, , what]) => [time, what])).toEqual([
      [5, 'denied'],
      [15, 'used'],
    ]);
  });

  test('serves the follower of who gives up', () => {
    const hall = new Hall(
      { kind: 'facility' },
      {
        u0: coming(0, use(10)),
        impatient: coming(1, use(10, { patience: 5 })),
        u2: coming(2, use(10)),
      },
    );
    expect(hall.until(999)).toEqual([
      [6, 'impatient', 'gave up'],
      [10, 'u0', 'used'],
      [20, 'u2', 'used'],
    ]);
  });

  test('granted and timed out at the same instant: exactly one wins, and no server is lost', () => {
    const outcomes = new Set<string>();
    for (let i = 0; i < 40; i += 1) {
      const id = `impatient-${i}`;
      const hall = new Hall(
        { kind: 'facility' },
        {
          u0: coming(0, use(10)),
          [id]: coming(1, use(3, { patience: 9 })),
          last: coming(50, use(1)),
        },
      );
      const told = hall.until(999).filter(([, who]) => who === id);
      expect(told).toHaveLength(1);
      outcomes.add(told.join());
      expect(told[0]?.join(' ')).toMatch(/^(10 .* gave up|13 .* used)$/);
      // The server is free again, and whoever comes has it.
      expect(hall.told.at(-1)).toEqual([51, 'last', 'used']);
      expect(hall.resource.users).toEqual([]);
    }
    // Both happen, by the order of turns.
    const kinds = [...outcomes].map((text) => text.includes('used'));
    expect(new Set(kinds)).toEqual(new Set([true, false]));
  });

  test('who left at the instant of its grant and asks anew is not served for what it asked before', () => {
    for (let i = 0; i < 40; i += 1) {
      const id = `back-${i}`;
      const hall = new Hall(
        { kind: 'facility' },
        {
          u0: coming(0, use(10)),
          [id]: coming(1, use(3, { patience: 9 }), use(3)),
          next: coming(2, use(20)),
        },
      );
      const told = hall.until(999);
      if (!told.some(([, , what]) => what === 'gave up')) continue;
      expect(told.slice(-2)).toEqual([
        [30, 'next', 'used'],
        [33, id, 'used'],
      ]);
    }
  });

  test('a use that takes no time is released within its own grant', () => {
    const flash = defineKind({
      name: 'flash',
      version: 1,
      links: { to: '*' },
      machine: setup({
        types: { emitted: {} as { readonly type: string } },
        actions: { ask: request('to'), release: release('to'), done: emit({ type: 'done' }) },
      }).createMachine({
        id: 'flash',
        initial: 'waiting',
        states: {
          waiting: { entry: 'ask', on: { 'granted.to': 'using' } },
          using: { exit: 'release', always: { target: 'done', actions: 'done' } },
          done: { type: 'final' },
        },
      }),
    });
    const world = createWorld({ kinds: [facility, flash] });
    const done: string[] = [];
    world.on('notice', ({ id, time }) => done.push(`${id} at ${time}`));
    world.add({ id: 'to', kind: 'facility', at: [0, 0] });
    const ids = Array.from({ length: 50 }, (_, i) => `f${i}`);
    world.add(ids.map((id) => ({ id, kind: 'flash', at: [0, 0], links: { to: 'to' } })));
    expect([...done].sort()).toEqual(ids.map((id) => `${id} at 0`).sort());
    expect(world.find('to')?.context).toMatchObject({ users: [], granted: 50 });
    expect(world.stats()).toMatchObject({ faulted: 0, messagesDropped: 0 });
  });

  test('gives the servers of removed users back when it is asked to look', () => {
    const hall = new Hall(
      { kind: 'facility' },
      { u0: coming(0, use(1e6)), u1: coming(1, use(10)) },
    );
    hall.world.runUntil(5);
    hall.world.remove('u0');
    hall.at(20, 'CHECK');
    expect(hall.until(99)).toEqual([[30, 'u1', 'used']]);
  });

  test('refuses to be released by who does not use it', () => {
    const thief = defineKind({
      name: 'thief',
      version: 1,
      links: { to: '*' },
      machine: setup({ actions: { release: release('to') } }).createMachine({
        id: 'thief',
        initial: 'here',
        states: { here: { after: { 5: 'gone' }, exit: 'release' }, gone: {} },
      }),
    });
    const world = createWorld({ kinds: [facility, thief] });
    world.add([
      { id: 'to', kind: 'facility', at: [0, 0] },
      { id: 'thief', kind: 'thief', at: [0, 0], links: { to: 'to' } },
    ]);
    world.runUntil(10);
    expect(world.find('thief')?.fault).toMatchObject({ code: 'EDIT_REFUSED' });
  });

  test('goes on with the next when the first throws as it is served', () => {
    const broken = defineKind({
      name: 'broken',
      version: 1,
      links: { to: '*' },
      machine: setup({
        actions: {
          ask: request('to'),
          fail: () => {
            throw new Error('no');
          },
        },
      }).createMachine({
        id: 'broken',
        initial: 'waiting',
        states: {
          waiting: { entry: 'ask', on: { 'granted.to': { target: 'served', actions: 'fail' } } },
          served: {},
        },
      }),
    });
    const hall = new Hall({ kind: 'facility' }, uses(0, 2), [...HALL_KINDS, broken]);
    hall.world.runUntil(1);
    hall.world.add({ id: 'b', kind: 'broken', at: [0, 0], links: { to: 'to' } });
    expect(finished(hall)).toEqual([10, 20]);
    expect(hall.world.find('to')?.fault).toBeNull();
  });

  test.each([
    [{ servers: 0 }, /facility: input.servers is 0/],
    [{ servers: 1.5 }, /servers is 1.5/],
    [{ queue: -1 }, /queue is -1/],
    [{ queue: Number.NaN }, /queue is NaN/],
    [5, /facility: input is 5/],
  ])('is not made of %o', (input, message) => {
    expect(() => testKind(facility, { input: input as never })).toThrowError(message);
  });

  test.each([Number.NaN, 'high', Number.POSITIVE_INFINITY])(
    'refuses the priority %s',
    (priority) => {
      const hall = new Hall(
        { kind: 'facility' },
        { u: coming(1, use(1, { what: { priority } as never })) },
      );
      hall.until(5);
      expect(hall.world.find('u')?.fault).toMatchObject({ code: 'EDIT_REFUSED' });
      expect(hall.world.find('u')?.value).toBe('holding');
    },
  );
});
