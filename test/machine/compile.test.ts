/** Machines run from tables: what is peculiar to tables. Their semantics are in `compile-stories.test.ts`. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  and,
  assign,
  createMachine,
  emit,
  enqueueActions,
  raise,
  setup,
  stateIn,
} from 'xstate';
import type { MachineEvent, MachineState } from '../../src/core/logic.ts';
import { createWorld } from '../../src/index.ts';
import { byId } from '../../src/machine/addresses.ts';
import { compileMachine } from '../../src/machine/compile.ts';
import { defineKind } from '../../src/machine/define-kind.ts';
import { interpretMachine } from '../../src/machine/interpret.ts';
import { offer } from '../../src/machine/offer.ts';
import { type Recorded, Recorder } from './recorded.ts';

/** The same events given to both, each going on from its own state: all must be the same. */
function inStep(machine: AnyStateMachine, events: readonly (string | MachineEvent)[]) {
  const sides = [compileMachine(machine), interpretMachine(machine)].map((logic) => {
    const effects = new Recorder();
    let state = logic.initial(undefined, effects);
    const told: [MachineState, readonly Recorded[]][] = [[state, effects.take()]];
    for (const event of events) {
      const given = typeof event === 'string' ? { type: event } : event;
      state = logic.step(state, given, effects);
      told.push([state, effects.take()]);
    }
    return told;
  });
  const [compiled, interpreted] = sides as [(typeof sides)[0], (typeof sides)[0]];
  expect(compiled).toEqual(interpreted);
  return compiled.map(([state]) => state);
}

const collect = () => {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  for (let i = 0; i < 4; i += 1) gc();
};

describe('a kind', () => {
  const machine = createMachine({
    context: {},
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: {} },
  });
  /** XState itself asks its machine for the transitions; tables do not. */
  const asksXState = (compile?: boolean) => {
    const own = createMachine(machine.config);
    const { next } = Object.getPrototypeOf(own.root);
    let asked = 0;
    Object.getPrototypeOf(own.root).next = function (...args: unknown[]) {
      asked += 1;
      return next.apply(this, args);
    };
    try {
      const kind = defineKind({
        name: 'k',
        version: 1,
        machine: own,
        ...(compile === undefined ? {} : { compile }),
      });
      const state = kind.logic.initial(undefined, new Recorder());
      expect(kind.logic.step(state, { type: 'GO' }, new Recorder()).value).toBe('b');
      return asked > 0;
    } finally {
      Object.getPrototypeOf(own.root).next = next;
    }
  };

  it('runs from tables, unless it says that it should not', () => {
    expect(asksXState()).toBe(false);
    expect(asksXState(true)).toBe(false);
    expect(asksXState(false)).toBe(true);
  });
});

describe('tables', () => {
  it('give way to XState and take over again at any moment, on the same state', () => {
    const machine = createMachine({
      context: { n: 0 },
      type: 'parallel',
      states: {
        a: {
          initial: 'x',
          on: { OUT: '.away', BACK: '.back' },
          states: {
            x: { on: { NEXT: 'y' }, after: { 10: 'y' } },
            y: { entry: assign({ n: ({ context }) => context.n + 1 }), on: { NEXT: 'x' } },
            away: {},
            back: { type: 'history' },
          },
        },
        b: { initial: 'u', states: { u: { on: { NEXT: 'v' } }, v: { on: { NEXT: 'u' } } } },
      },
    });
    const ways = [compileMachine(machine), interpretMachine(machine)];
    const alone = compileMachine(machine);
    const effects = new Recorder();
    let mixed = alone.initial(undefined, effects);
    let state = mixed;
    const events = ['NEXT', 'OUT', 'BACK', 'NEXT', 'NEXT', 'OUT', 'NEXT', 'BACK', 'NEXT'];
    events.forEach((type, i) => {
      const way = ways[i % 2] as (typeof ways)[0];
      mixed = way.step(i % 3 === 0 ? JSON.parse(JSON.stringify(mixed)) : mixed, { type }, effects);
      state = alone.step(state, { type }, effects);
      expect(mixed).toEqual(state);
    });
  });

  it('know a history that is overwritten by the very step that asks for it', () => {
    // Leaving `p` remembers `y`, and the same transition enters `p` by what it remembers.
    const machine = createMachine({
      initial: 'p',
      states: {
        p: {
          initial: 'x',
          on: { AGAIN: { target: 'p.back', reenter: true } },
          states: { x: { on: { NEXT: 'y' } }, y: { on: { NEXT: 'x' } }, back: { type: 'history' } },
        },
      },
    });
    const values = inStep(machine, ['AGAIN', 'NEXT', 'AGAIN', 'AGAIN', 'NEXT', 'AGAIN']).map(
      (state) => (state.value as { p: string }).p,
    );
    expect(values).toEqual(['x', 'x', 'y', 'y', 'y', 'x', 'x']);
  });

  it('know that a guard asked the state, and ask it anew in another', () => {
    const machine = createMachine({
      type: 'parallel',
      states: {
        a: { initial: 'x', states: { x: { on: { A: 'y' } }, y: { on: { A: 'x' } } } },
        b: {
          initial: 'u',
          states: {
            u: { on: { B: { guard: and([stateIn({ a: 'y' }), stateIn('a.y')]), target: 'v' } } },
            v: {},
          },
        },
      },
    });
    const [, first, , last] = inStep(machine, ['B', 'A', 'B']);
    expect(first?.value).toEqual({ a: 'x', b: 'u' });
    expect(last?.value).toEqual({ a: 'y', b: 'v' });
  });

  it('ask guards that another copy of XState made, with a snapshot', () => {
    const foreign = Object.assign(() => false, {
      check: (snapshot: { value: unknown; context: { n: number } }) =>
        snapshot.value === 'a' && snapshot.context.n === 1,
    });
    const machine = createMachine({
      context: { n: 0 },
      initial: 'a',
      states: {
        a: {
          on: {
            ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) },
            GO: { guard: foreign as never, target: 'b' },
          },
        },
        b: {},
      },
    });
    const [, tried, , gone] = inStep(machine, ['GO', 'ADD', 'GO']);
    expect([tried?.value, gone?.value]).toEqual(['a', 'b']);
  });

  it('tell wildcards apart by the types they match, not by how they are written', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          on: {
            'x.*': { actions: emit({ type: 'x.*' }) },
            'x.y.*': { actions: emit({ type: 'x.y.*' }) },
            'x.y.z': [{ guard: () => false, actions: 'never' }, { guard: () => true }],
            '*': { actions: emit({ type: '*' }) },
            'FORBIDDEN.*': undefined,
          },
        },
      },
    });
    inStep(machine, ['x', 'x.y', 'x.y.z', 'x.y.z.w', 'x.*', 'x.y.*', 'q', '', 'FORBIDDEN.q']);
  });

  it('raise from within what was enqueued by what was enqueued, each in its place', () => {
    const machine = setup({
      types: { context: {} as { seen: string[] } },
      actions: {
        saw: assign(({ context }, { what }: { what: string }) => ({
          seen: [...context.seen, what],
        })),
      },
    }).createMachine({
      context: { seen: [] },
      on: {
        GO: {
          actions: [
            enqueueActions(({ enqueue }) => {
              enqueue({ type: 'saw', params: { what: 'first' } });
              enqueue(
                enqueueActions(({ enqueue, context }) => {
                  enqueue.raise({ type: 'R' });
                  enqueue({ type: 'saw', params: { what: `inner after ${context.seen.length}` } });
                }) as never,
              );
              enqueue({ type: 'saw', params: { what: 'last' } });
            }),
            raise({ type: 'S' }),
          ],
        },
        R: { actions: { type: 'saw', params: { what: 'R' } } },
        S: { actions: { type: 'saw', params: { what: 'S' } } },
      },
    });
    const [, after] = inStep(machine, ['GO']);
    expect(after?.context).toEqual({ seen: ['first', 'inner after 1', 'last', 'R', 'S'] });
  });

  it('step another record of the same machine from within enqueueActions, and then go on', () => {
    const other = new Recorder();
    let otherState: MachineState | undefined;
    const machine = createMachine({
      context: { n: 0 },
      on: {
        INNER: {
          actions: [
            enqueueActions(({ enqueue }) => enqueue.emit({ type: 'inner' })),
            raise({ type: 'NEVER' }),
          ],
        },
        GO: {
          actions: enqueueActions(({ enqueue }) => {
            enqueue.assign({ n: 1 });
            const begun = logic.initial(undefined, other);
            otherState = logic.step(begun, { type: 'INNER' }, other);
            enqueue.emit({ type: 'outer' });
          }),
        },
      },
    });
    const logic = compileMachine(machine);
    const effects = new Recorder();
    const state = logic.step(logic.initial(undefined, effects), { type: 'GO' }, effects);
    expect([state.context, otherState?.context]).toEqual([{ n: 1 }, { n: 0 }]);
    expect(effects.take()).toEqual([['emit', { type: 'outer' }]]);
    expect(other.take()).toEqual([['emit', { type: 'inner' }]]);
  });

  it('keep the arguments of an expression that brings about the same event in another record', () => {
    type Asked = { context: { n: number; next: string | null }; event: { add: number } };
    const counting = (compile: boolean) => {
      const machine = setup({
        types: {
          context: {} as { readonly n: number; readonly next: string | null },
          input: {} as { readonly n: number; readonly next: string | null },
          events: {} as { readonly type: 'ADD'; readonly add: number },
        },
        actions: {
          add: assign({
            n: (asked) => {
              const { next } = asked.context;
              if (next !== null) offer(byId(next), { type: 'ADD', add: 1000 });
              return (asked as Asked).context.n + (asked as Asked).event.add;
            },
          }),
        },
        delays: {
          soon: (asked) => {
            const { next } = asked.context;
            if (next !== null) offer(byId(next), { type: 'ADD', add: 5 });
            return asked.context.n;
          },
        },
      }).createMachine({
        id: 'counter',
        context: ({ input }) => input,
        initial: 'a',
        states: {
          a: { on: { ADD: { target: 'a', actions: 'add', reenter: true } }, after: { soon: 'b' } },
          b: {},
        },
      });
      const world = createWorld({
        kinds: [defineKind({ name: 'counter', version: 1, machine, compile })],
      });
      world.add({ id: 'last', kind: 'counter', at: [0, 0], input: { n: 1, next: null } });
      world.add({ id: 'mid', kind: 'counter', at: [0, 0], input: { n: 10, next: 'last' } });
      world.add({ id: 'top', kind: 'counter', at: [0, 0], input: { n: 100, next: 'mid' } });
      for (const add of [1, 2, 3]) world.send('top', { type: 'ADD', add });
      return { hash: world.hash(), top: world.find('top')?.context };
    };
    expect(counting(true)).toEqual({ hash: counting(false).hash, top: { n: 106, next: 'mid' } });
  });

  it('go on after an action that threw in the middle of a macrostep', () => {
    let isBroken = true;
    const machine = createMachine({
      context: { n: 0 },
      initial: 'a',
      states: {
        a: { on: { GO: { target: 'b', actions: [raise({ type: 'R' }), assign({ n: 1 })] } } },
        b: {
          entry: () => {
            if (isBroken) throw new Error('no room');
          },
          on: { R: 'c' },
        },
        c: {},
      },
    });
    const logic = compileMachine(machine);
    const effects = new Recorder();
    const state = logic.initial(undefined, effects);
    expect(() => logic.step(state, { type: 'GO' }, effects)).toThrow('no room');
    isBroken = false;
    expect(logic.step(state, { type: 'GO' }, effects)).toMatchObject({
      value: 'c',
      context: { n: 1 },
    });
    expect(state).toMatchObject({ value: 'a', context: { n: 0 } });
  });

  it('refuse a value that a machine whose initial state is a history state cannot complete', () => {
    const machine = createMachine({
      initial: 'back',
      states: { a: { on: { GO: 'b' } }, b: {}, back: { type: 'history', target: 'a' } },
    });
    for (const logic of [compileMachine(machine), interpretMachine(machine)]) {
      const state = logic.initial(undefined, new Recorder());
      expect(state.value).toBe('a');
      // XState would make the history state itself active, and then look for its end for ever.
      expect(() => logic.set(state, { value: {} }, new Recorder())).toThrow(
        "There is no state 'back'",
      );
    }
  });
});

describe('memory', () => {
  it('does not grow with the configurations a machine goes through', () => {
    // 2 to the power of 17 configurations, far more than are remembered.
    const region = (i: number) => ({
      initial: 'x',
      states: { x: { on: { [`E${i}`]: 'y' } }, y: { on: { [`E${i}`]: 'x' } } },
    });
    const count = 17;
    const machine = createMachine({
      type: 'parallel',
      states: Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, region(i)])),
    });
    const logic = compileMachine(machine);
    const effects = new Recorder();
    let state = logic.initial(undefined, effects);
    const go = (steps: number) => {
      for (let i = 1; i <= steps; i += 1) {
        // A Gray code: each step changes one region, and no configuration comes twice.
        const bit = 31 - Math.clz32(i & -i);
        state = logic.step(state, { type: `E${bit % count}` }, effects);
      }
    };
    go(6000);
    collect();
    const before = process.memoryUsage().heapUsed;
    go(12_000);
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(30_000_000);
    // What is forgotten is met anew, and is the same.
    const shown = Object.values(state.value as object).join('');
    expect(shown).toMatch(/^[xy]{17}$/);
    expect(interpretMachine(machine).step(state, { type: 'E3' }, effects)).toEqual(
      logic.step(state, { type: 'E3' }, effects),
    );
  });

  it('is shared by all states in one configuration', () => {
    const machine = createMachine({
      context: { n: 0 },
      type: 'parallel',
      states: { a: { tags: 't', on: { ADD: { actions: assign({ n: 1 }) } } }, b: {} },
    });
    const logic = compileMachine(machine);
    const one = logic.initial(undefined, new Recorder());
    const other = logic.step(
      logic.initial(undefined, new Recorder()),
      { type: 'ADD' },
      new Recorder(),
    );
    expect(other).not.toBe(one);
    expect(other.value).toBe(one.value);
    expect(other.tags).toBe(one.tags);
    expect(other.historyValue).toBe(one.historyValue);
    expect(Object.isFrozen(other.value)).toBe(true);
  });
});
