/** Kinds that each break one law, to prove that the law bites, and in what way a reader would break it. */
import { defineKind, edit, linked, now, selfId } from 'offstage';
import { assign, setup } from 'xstate';
import { pile } from './small-kinds.ts';

let visitors = 0;

/** Keeps its count beside the machine, so a second world goes on from the first. */
export const visitorBook = defineKind({
  name: 'visitor-book',
  version: 1,
  machine: setup({
    types: { context: {} as { readonly visitor: number }, events: {} as { type: 'VISIT' } },
    actions: {
      count: assign({
        visitor: () => {
          visitors += 1;
          return visitors;
        },
      }),
    },
  }).createMachine({
    id: 'visitor-book',
    context: { visitor: 0 },
    on: { VISIT: { actions: 'count' } },
  }),
});

/** Wears its hammer in place, and then finds no ore: the wear stays although the event failed. */
export const clumsySmith = defineKind({
  name: 'clumsy-smith',
  version: 1,
  machine: setup({
    types: {
      context: {} as { readonly tools: ReadonlyMap<string, number> },
      events: {} as { type: 'FORGE' },
    },
    actions: {
      wear: ({ context: { tools } }) => {
        (tools as Map<string, number>).set('hammer', (tools.get('hammer') ?? 0) + 1);
      },
      takeOre: edit('ore', { type: 'TAKE', count: 1 }),
    },
  }).createMachine({
    id: 'clumsy-smith',
    context: () => ({ tools: new Map([['hammer', 0]]) }),
    on: { FORGE: { actions: ['wear', 'takeOre'] } },
  }),
  links: { ore: pile.name },
});

class Coin {
  readonly face: number;
  constructor(face: number) {
    this.face = face;
  }
}

/** Holds an object with a class of its own, which comes back from a save as a plain one. */
export const purse = defineKind({
  name: 'purse',
  version: 1,
  machine: setup({ types: { context: {} as { readonly coin: Coin } } }).createMachine({
    id: 'purse',
    context: () => ({ coin: new Coin(5) }),
  }),
});

/** Adds to a Set in place. */
export const guestList = defineKind({
  name: 'guest-list',
  version: 1,
  machine: setup({
    types: {
      context: {} as { readonly guests: Set<string> },
      events: {} as { type: 'INVITE'; name: string },
    },
    actions: { add: assign(({ context, event }) => ({ guests: context.guests.add(event.name) })) },
  }).createMachine({
    id: 'guest-list',
    context: () => ({ guests: new Set<string>() }),
    on: { INVITE: { actions: 'add' } },
  }),
});

/** Counts in `advance`, which every reader runs. */
export const shyPond = defineKind({
  name: 'shy-pond',
  version: 1,
  machine: setup({
    types: { context: {} as { readonly ripples: Map<string, number> } },
  }).createMachine({
    id: 'shy-pond',
    context: () => ({ ripples: new Map() }),
    initial: 'still',
    states: { still: { after: { 1000: { target: 'still', reenter: true } } } },
  }),
  advance: (context) => {
    context.ripples.set('seen', (context.ripples.get('seen') ?? 0) + 1);
    return context;
  },
});

const door = defineKind({
  name: 'creaking-door',
  version: 1,
  machine: setup({ types: { events: {} as { type: 'KNOCK' } | { type: 'LEAVE' } } }).createMachine({
    id: 'creaking-door',
    initial: 'shut',
    states: { shut: { on: { KNOCK: 'open' } }, open: { on: { LEAVE: 'shut' } } },
  }),
});

/** As its tables would be if they had a fault: what it was sent last is all that counts. */
export const creakingDoor = {
  ...door,
  logic: {
    ...door.logic,
    shortcut: undefined,
    fork: undefined,
    step: (state, event, effects) =>
      event.type === 'KNOCK' && state.value === 'open'
        ? { ...state }
        : door.logic.step(state, event, effects),
  },
} satisfies typeof door;

/** Loses a part of what is there at each step, so one long step loses less than many short ones. */
export const leakyTank = defineKind({
  name: 'leaky-tank',
  version: 1,
  machine: setup({ types: { context: {} as { readonly level: number } } }).createMachine({
    id: 'leaky-tank',
    context: { level: 100 },
  }),
  advance: ({ level }, { from, to }) => ({ level: level * Math.max(0, 1 - (to - from) / 1e7) }),
});

/** Predicts the same stretch from whenever it is asked. */
export const eternalSoon = defineKind({
  name: 'eternal-soon',
  version: 1,
  machine: setup({ types: { events: {} as { type: 'COME' } } }).createMachine({
    id: 'eternal-soon',
    initial: 'waiting',
    states: { waiting: { on: { COME: 'here' } }, here: {} },
  }),
  predict: { COME: (_, { time, value }) => (value === 'waiting' ? time + 1000 : undefined) },
});

/** Keeps a game time and has no `shiftTimes`. */
export const hourglass = defineKind({
  name: 'hourglass',
  version: 1,
  machine: setup({
    types: { context: {} as { readonly turnedAt: number }, events: {} as { type: 'TURN' } },
    actions: { turn: assign({ turnedAt: () => now() }) },
  }).createMachine({
    id: 'hourglass',
    context: { turnedAt: 0 },
    on: { TURN: { actions: 'turn' } },
  }),
});

const secrets = new WeakMap<object, number>();

/** Remembers by the identity of an object, which a save does not know. */
export const forgetfulSphinx = defineKind({
  name: 'forgetful-sphinx',
  version: 1,
  machine: setup({
    types: {
      context: {} as { readonly face: { readonly id: string }; readonly answers: number },
      events: {} as { type: 'ASK' },
    },
    actions: {
      answer: assign({
        answers: ({ context: { face } }) => {
          const known = (secrets.get(face) ?? 0) + 1;
          secrets.set(face, known);
          return known;
        },
      }),
    },
  }).createMachine({
    id: 'forgetful-sphinx',
    context: () => ({ face: { id: selfId() }, answers: 0 }),
    on: { ASK: { actions: 'answer' } },
  }),
});

/** Two hands that both see the last ore, and both take it. */
export const greedyPair = defineKind({
  name: 'greedy-pair',
  version: 1,
  machine: setup({
    types: { events: {} as { type: 'GRAB' } },
    guards: { hasOre: () => linked('ore')?.can({ type: 'TAKE', count: 1 }) ?? false },
    actions: { takeOre: edit('ore', { type: 'TAKE', count: 1 }) },
  }).createMachine({
    id: 'greedy-pair',
    type: 'parallel',
    states: {
      left: {
        initial: 'empty',
        states: {
          empty: { on: { GRAB: { guard: 'hasOre', target: 'full', actions: 'takeOre' } } },
          full: {},
        },
      },
      right: {
        initial: 'empty',
        states: {
          empty: { on: { GRAB: { guard: 'hasOre', target: 'full', actions: 'takeOre' } } },
          full: {},
        },
      },
    },
  }),
  links: { ore: pile.name },
});
