/**
 * Small kinds for tests of the core: a store of ore, a smith who needs it, a pool that drains, and
 * whatever machine a test makes up. The starter kinds have tests of their own.
 */
import { type DefinedKind, defineKind, edit, linked } from 'offstage';
import { type AnyStateMachine, assign, emit, setup } from 'xstate';

/** A kind around any machine, with no questions asked. */
export function kindOf(
  machine: AnyStateMachine,
  more: Partial<Omit<Parameters<typeof defineKind>[0], 'machine'>> = {},
): DefinedKind {
  return defineKind({ name: machine.id, version: 1, machine, ...more });
}

type Pile = { type: 'PUT' | 'TAKE'; count: number };

const pileMachine = setup({
  types: {
    context: {} as { ore: number },
    events: {} as Pile,
    input: {} as { ore?: number } | undefined,
  },
  guards: { hasEnough: ({ context, event }) => context.ore >= event.count },
  actions: {
    put: assign({ ore: ({ context, event }) => context.ore + event.count }),
    take: assign({ ore: ({ context, event }) => context.ore - event.count }),
  },
}).createMachine({
  id: 'pile',
  context: ({ input }) => ({ ore: input?.ore ?? 0 }),
  on: { PUT: { actions: 'put' }, TAKE: { guard: 'hasEnough', actions: 'take' } },
});

/** Ore, counted. */
export const pile = kindOf(pileMachine);

const smithMachine = setup({
  types: {
    context: {} as { made: number; round: number },
    events: {} as { type: 'BREAK' },
    input: {} as { round?: number } | undefined,
    emitted: {} as { type: 'MADE'; made: number },
  },
  guards: { hasOre: () => linked('ore')?.can({ type: 'TAKE', count: 1 }) ?? false },
  actions: {
    takeOre: edit('ore', { type: 'TAKE', count: 1 }),
    finish: assign({ made: ({ context }) => context.made + 1 }),
    announce: emit(({ context }) => ({ type: 'MADE', made: context.made })),
  },
  delays: { round: ({ context }) => context.round },
}).createMachine({
  id: 'smith',
  context: ({ input }) => ({ made: 0, round: input?.round ?? 1000 }),
  initial: 'waiting',
  states: {
    waiting: { always: { guard: 'hasOre', target: 'forging', actions: 'takeOre' } },
    forging: { after: { round: { target: 'waiting', actions: ['finish', 'announce'] } } },
  },
});

/** Takes one ore a round, rests when there is none. */
export const smith = kindOf(smithMachine, { links: { ore: 'pile' } });

interface PoolContext {
  level: number;
  /** Level lost a game millisecond. */
  drain: number;
}

const poolMachine = setup({
  types: {
    context: {} as PoolContext,
    events: {} as { type: 'FILL'; by: number } | { type: 'EMPTY' },
    input: {} as Partial<PoolContext> | undefined,
  },
  actions: {
    fill: assign({
      level: ({ context, event }) => context.level + (event.type === 'FILL' ? event.by : 0),
    }),
  },
}).createMachine({
  id: 'pool',
  context: ({ input }) => ({ level: input?.level ?? 100, drain: input?.drain ?? 0.001 }),
  initial: 'wet',
  states: {
    wet: { on: { FILL: { actions: 'fill' }, EMPTY: 'dry' } },
    dry: { on: { FILL: { target: 'wet', actions: 'fill' } } },
  },
});

/** Drains as time passes, and predicts when it will be empty. */
export const pool = kindOf(poolMachine, {
  advance: (context: PoolContext, { from, to, value }) =>
    value === 'dry'
      ? context
      : { ...context, level: Math.max(0, context.level - context.drain * (to - from)) },
  predict: {
    EMPTY: (context: PoolContext, { time, value }) =>
      value === 'dry' ? undefined : time + context.level / context.drain,
  },
});

const pulseMachine = setup({
  types: {
    context: {} as { beats: number; every: number },
    input: {} as { every?: number } | undefined,
  },
  actions: { beat: assign({ beats: ({ context }) => context.beats + 1 }) },
  delays: { every: ({ context }) => context.every },
}).createMachine({
  id: 'pulse',
  context: ({ input }) => ({ beats: 0, every: input?.every ?? 1000 }),
  initial: 'on',
  states: { on: { after: { every: { target: 'on', reenter: true, actions: 'beat' } } } },
});

/** Beats for ever. */
export const pulse = kindOf(pulseMachine);
