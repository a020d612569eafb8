/**
 * Random machines with everything a record's machine may have, and random events for them; both follow
 * from one integer alone. Used to hold one way of running machines against another.
 *
 * The context is `{ n, h, fuel }`: `n` is small and guards look at it, `h` is mixed by every assign so
 * that it tells in which order actions ran, and `fuel` is spent by `always` so that no machine goes
 * round for ever by it alone. Raised events may still go round; such a machine throws after 200
 * microsteps, wherever it runs.
 */
import {
  type AnyStateMachine,
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  log,
  not,
  or,
  raise,
  sendTo,
  stateIn,
} from 'xstate';

export interface RandomMachineOptions {
  /** Levels of states below the root. Default 5. */
  readonly depth?: number;
  /** `sendTo` with the names of the links `left` and `right`. Default true. */
  readonly links?: boolean;
  /** Undelayed `sendTo` without a target, a message to itself. Default true. */
  readonly messagesToSelf?: boolean;
  /**
   * Also what is rare or wrong: guards, assigns and delays that throw, names that are not implemented,
   * histories as initial states, actions enqueued by enqueued actions. Default false.
   */
  readonly extras?: boolean;
  /** Microsteps after which an event is taken for a loop. Default 200. */
  readonly microsteps?: number;
}

export interface TestContext {
  readonly n: number;
  readonly h: number;
  readonly fuel: number;
}

export interface TestEvent {
  readonly type: string;
  readonly k?: number;
}

/** The links that `sendTo` names. */
const LINKS = ['left', 'right'] as const;

// What XState accepts here is typed only as the machine's author would write it, name by name.
type Loose = ReturnType<typeof JSON.parse>;

interface Args {
  readonly context: TestContext;
  readonly event: TestEvent;
}

/** Random numbers that follow from a seed: mulberry32. */
export class Dice {
  /** Whether what is thrown for may be rare or wrong. */
  extras = false;
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number of at least `from` and at most `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** True in that share of all throws. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(of: readonly T[]): T {
    return of[this.between(0, of.length - 1)] as T;
  }

  /** Up to `most` things, each made anew. */
  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.between(0, most) }, make);
  }
}

const EVENT_TYPES = ['A', 'B', 'C', 'a.b', 'a.c', 'a.b.c', 'x.y', 'R1', 'R2', 'R3'];
const DESCRIPTORS = [...EVENT_TYPES, 'a.*', 'a.b.*', 'x.*', '*'];
const TIMER_IDS = ['t1', 't2', 't3'];

/** A random sequence of events, some of types that no machine names. */
export function randomEvents(seed: number, count: number): TestEvent[] {
  const dice = new Dice(seed ^ 0x5eed);
  return Array.from({ length: count }, () => ({
    type: dice.chance(0.05)
      ? dice.pick(['unknown', 'offstage.wake', 'a', 'x'])
      : dice.pick(EVENT_TYPES),
    k: dice.between(0, 9),
  }));
}

/** A random machine. The same seed and options give the same machine. */
export function randomMachine(seed: number, options: RandomMachineOptions = {}): AnyStateMachine {
  return createMachine(...machineParts(seed, options));
}

const mixed = (h: number, with_: number) => (Math.imul(h, 31) + with_) % 1_000_003;
const weight = (event: TestEvent) => event.k ?? 1;

/** The implementations that random machines name. */
const implementations = {
  actions: {
    plain: () => undefined,
    note: () => undefined,
    bump: assign(({ context }: Args, params: Loose) => ({
      n: (context.n + ((params?.by as number) ?? 1)) % 7,
      h: mixed(context.h, 17),
    })),
    judge: enqueueActions(({ enqueue, check, context }: Loose, params: Loose) => {
      if (check('even')) enqueue('plain');
      if (check({ type: 'atLeast', params: { min: params?.min ?? 2 } })) {
        enqueue.assign({ h: mixed(context.h, 23) });
      }
      if (check(({ context }: Args) => context.n > 4)) enqueue.emit({ type: 'high', n: context.n });
    }),
  },
  guards: {
    even: ({ context }: Args) => context.n % 2 === 0,
    small: ({ context }: Args) => context.n < 3,
    light: ({ event }: Args) => weight(event) < 5,
    atLeast: ({ context }: Args, params: Loose) => context.n >= params.min,
    evenAndSmall: and(['even', 'small']) as Loose,
  },
  delays: {
    short: 7,
    byContext: ({ context }: Args) => 20 + context.n * 13,
    byEvent: ({ event }: Args) => 5 + weight(event) * 3,
  },
};

/** The same with those that only machines with extras name. */
const extraImplementations = {
  actions: {
    ...implementations.actions,
    relay: sendTo('right', (_: Args, params: Loose) => params, {
      delay: 'byParams',
      id: 'relay',
    } as Loose),
  },
  guards: { ...implementations.guards, alias: 'evenAndSmall' as Loose },
  delays: {
    ...implementations.delays,
    byParams: (_: Args, params: Loose) => params?.salt ?? 1,
  },
};

interface Sketch {
  readonly key: string;
  readonly id: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly parent: Sketch | undefined;
  readonly children: Sketch[];
}

function machineParts(seed: number, options: RandomMachineOptions): [Loose, Loose] {
  const dice = new Dice(seed);
  dice.extras = options.extras ?? false;
  const root = sketched(dice, undefined, 'm', options.depth ?? 5);
  const all = listed(root);
  const config = written(dice, root, all, options);
  return [
    {
      ...config,
      id: 'm',
      context: dice.chance(0.5)
        ? { n: seed % 7, h: 1, fuel: 40 }
        : ({ input }: Loose) => ({ n: (input?.n ?? 3) % 7, h: 1, fuel: 40 }),
      ...(dice.chance(0.5) ? { output: ({ context }: Args) => ({ h: context.h }) } : {}),
      options: { maxIterations: options.microsteps ?? 200 },
    },
    dice.extras ? extraImplementations : implementations,
  ];
}

/** The states, before anything is written into them. */
function sketched(dice: Dice, parent: Sketch | undefined, key: string, depth: number): Sketch {
  const inner = depth > 0 && (parent === undefined || dice.chance(0.45));
  const type = inner ? (dice.chance(0.3) ? 'parallel' : 'compound') : 'atomic';
  const id = parent === undefined ? key : `${parent.id}.${key}`;
  const node: Sketch = { key, id, type, parent, children: [] };
  if (!inner) return node;
  const count = dice.between(type === 'parallel' ? 1 : 2, parent === undefined ? 4 : 3);
  // Now and then names like numbers, which JavaScript puts first.
  const numbered = dice.chance(0.1);
  for (let i = 0; i < count; i += 1) {
    node.children.push(sketched(dice, node, numbered ? String(9 - i) : `s${i}`, depth - 1));
  }
  const leaf = (name: string, kind: 'final' | 'history') =>
    node.children.push({ key: name, id: `${id}.${name}`, type: kind, parent: node, children: [] });
  if (type === 'compound' && dice.chance(0.35)) leaf('end', 'final');
  if (dice.chance(0.35)) leaf('hist', 'history');
  if (dice.chance(0.1)) leaf('hist2', 'history');
  return node;
}

function listed(node: Sketch): Sketch[] {
  return [node, ...node.children.flatMap(listed)];
}

function written(
  dice: Dice,
  node: Sketch,
  all: readonly Sketch[],
  options: RandomMachineOptions,
): Loose {
  const config: Loose = {};
  if (dice.chance(0.3)) config.tags = dice.some(2, () => dice.pick(['t1', 't2', 't3', 't4']));
  if (dice.chance(0.1)) config.meta = { about: node.id };
  if (node.type === 'history') {
    config.type = 'history';
    config.history = dice.pick(['shallow', 'deep']);
    const siblings = (node.parent as Sketch).children.filter((child) => child.type !== 'history');
    // An initial history state without a target would lead to itself for ever.
    if (dice.chance(0.5) || dice.extras) config.target = dice.pick(siblings).key;
    return config;
  }
  const actions = (most: number) => dice.some(most, () => randomAction(dice, options)).flat();
  if (dice.chance(0.4)) config.entry = actions(3);
  if (dice.chance(0.4)) config.exit = actions(2);
  if (node.type === 'final') {
    config.type = 'final';
    if (dice.chance(0.5)) config.output = ({ context }: Args) => ({ n: context.n });
    else if (dice.extras) config.output = { fixed: node.id };
    return config;
  }
  const transition = (fallback = false) => randomTransition(dice, node, all, actions, fallback);
  const list = () => {
    const first = transition();
    return dice.chance(0.3) ? [{ ...first, guard: randomGuard(dice, all) }, transition()] : first;
  };
  config.on = {};
  for (const descriptor of dice.some(4, () => dice.pick(DESCRIPTORS))) {
    config.on[descriptor] = dice.chance(0.08) ? dice.pick([undefined, {}]) : list();
  }
  if (dice.chance(0.35)) {
    config.after = {};
    for (const delay of dice.some(3, () => randomDelayKey(dice))) config.after[delay] = list();
  }
  if (dice.chance(0.25)) {
    config.always = dice.some(2, () =>
      spending(dice, randomTransition(dice, node, all, actions, true), all),
    );
  }
  if (node.children.length > 0 && dice.chance(0.5)) config.onDone = list();
  if (node.type === 'parallel') config.type = 'parallel';
  const real = node.children.filter((child) => child.type !== 'history');
  if (node.type === 'compound') {
    const { key } = dice.chance(0.9) ? (real[0] as Sketch) : dice.pick(real);
    config.initial = dice.chance(0.3) ? { target: key, actions: actions(2) } : key;
    const history = node.children.find((child) => child.type === 'history');
    if (dice.extras && history !== undefined && dice.chance(0.1)) config.initial = history.key;
  }
  if (node.children.length > 0) {
    config.states = Object.fromEntries(
      node.children.map((child) => [child.key, written(dice, child, all, options)]),
    );
  }
  return config;
}

function randomTransition(
  dice: Dice,
  node: Sketch,
  all: readonly Sketch[],
  actions: (most: number) => Loose[],
  always: boolean,
): Loose {
  const transition: Loose = {};
  if (dice.chance(always ? 0.9 : 0.75)) transition.target = randomTarget(dice, node, all);
  if (dice.chance(0.6)) transition.actions = actions(3);
  if (dice.chance(0.35)) transition.guard = randomGuard(dice, all);
  if (dice.chance(0.2)) transition.reenter = true;
  return transition;
}

/** An `always` that runs out: it needs fuel and spends some. */
function spending(dice: Dice, transition: Loose, all: readonly Sketch[]): Loose {
  const fuelled = ({ context }: Args) => context.fuel > 0;
  return {
    ...transition,
    guard: and([fuelled as Loose, randomGuard(dice, all)]),
    actions: [
      assign({ fuel: ({ context }: Args) => context.fuel - 1 }),
      ...(transition.actions ?? []),
    ],
  };
}

function randomTarget(dice: Dice, node: Sketch, all: readonly Sketch[]): string | string[] {
  if (node.parent !== undefined && dice.chance(0.5)) return dice.pick(node.parent.children).key;
  if (node.children.length > 0 && dice.chance(0.4)) return `.${dice.pick(node.children).key}`;
  const target = dice.pick(all);
  if (dice.chance(0.1)) {
    // Two targets at once, in two regions of the same parallel state.
    const parallel = all.find((one) => one.type === 'parallel' && one.children.length > 1);
    const [a, b] = parallel?.children.filter((one) => one.type !== 'history') ?? [];
    if (a !== undefined && b !== undefined) {
      return [`#${dice.pick(listed(a)).id}`, `#${dice.pick(listed(b)).id}`];
    }
  }
  return `#${target.id}`;
}

function randomDelayKey(dice: Dice): string {
  return dice.chance(0.5)
    ? String(dice.between(1, 60))
    : dice.pick(['short', 'byContext', 'byEvent']);
}

function randomGuard(dice: Dice, all: readonly Sketch[], depth = 2): Loose {
  if (dice.extras && dice.chance(0.2)) return extraGuard(dice, all);
  const limit = dice.between(1, 5);
  const inner = () => randomGuard(dice, all, depth - 1);
  switch (dice.between(0, depth > 0 ? 9 : 6)) {
    case 0:
      return 'even';
    case 1:
      return 'small';
    case 2:
      return { type: 'atLeast', params: { min: limit } };
    case 3:
      return { type: 'atLeast', params: ({ event }: Args) => ({ min: weight(event) % 5 }) };
    case 4:
      return ({ context, event }: Args) => (context.n + weight(event)) % limit === 0;
    case 5:
      return stateIn(`#${dice.pick(all.filter((one) => one.type !== 'history')).id}`);
    case 6:
      return dice.pick(['light', 'evenAndSmall']);
    case 7:
      return and([inner(), inner()]);
    case 8:
      return or([inner(), inner()]);
    default:
      return not(inner());
  }
}

function randomAction(dice: Dice, options: RandomMachineOptions): Loose[] {
  if (dice.extras && dice.chance(0.25)) return extraActions(dice, options);
  const salt = dice.between(1, 1000);
  const id = dice.pick(TIMER_IDS);
  const type = dice.pick(EVENT_TYPES);
  const delay = dice.pick<Loose>([
    dice.between(1, 90),
    'short',
    'byContext',
    ({ context }: Args) => 11 + context.n,
  ]);
  switch (dice.between(0, 15)) {
    case 0:
      return ['plain'];
    case 1:
      return [{ type: 'note', params: { salt } }];
    case 2:
      return [{ type: 'note', params: ({ context }: Args) => ({ n: context.n, salt }) }];
    case 3:
      return [function inline() {}];
    case 4:
    case 5:
      return [
        assign(({ context, event }: Args) => ({
          n: (context.n + weight(event)) % 7,
          h: mixed(context.h, salt),
          fuel: Math.min(40, context.fuel + 1),
        })),
      ];
    case 6:
      return [
        assign({
          n: ({ context }: Args) => (context.n * 3 + salt) % 7,
          h: ({ context }: Args) => mixed(context.h, context.n + salt),
        }),
      ];
    case 7:
      return [{ type: 'bump', params: { by: salt % 5 } }];
    case 8:
      return [dice.chance(0.5) ? 'judge' : { type: 'judge', params: { min: salt % 6 } }];
    case 9:
      return [
        enqueueActions(({ enqueue, check, context }: Loose) => {
          enqueue.assign({ h: mixed(context.h, salt) });
          if (check(not('even'))) enqueue({ type: 'note', params: { salt } });
          else enqueue.assign(({ context }: Args) => ({ n: (context.n + 1) % 7 }));
          if (check('small')) {
            enqueue.cancel(id);
            enqueue.raise({ type, k: salt % 10 }, { id, delay });
          }
        }),
      ];
    case 10:
      return dice.chance(0.3) ? [raise({ type: dice.pick(['R1', 'R2', 'R3']) })] : ['plain'];
    case 11:
      // A timer of the same id again replaces the first in a world, and leaks it in XState.
      return dice.chance(0.3)
        ? [raise({ type }, { delay })]
        : [cancel(id), raise(({ context }: Args) => ({ type, k: context.n }), { id, delay })];
    case 12:
      return [
        cancel(dice.chance(0.8) ? id : ((({ context }: Args) => `t${context.n % 4}`) as Loose)),
      ];
    case 13: {
      const event = ({ context }: Args) => ({ type, k: context.n });
      const to = options.links !== false ? dice.pick<Loose>([...LINKS, undefined]) : undefined;
      const target = to ?? (({ self }: Loose) => self);
      if (dice.chance(0.5)) return [cancel(id), sendTo(target, event, { id, delay })];
      if (to === undefined && options.messagesToSelf === false) return ['plain'];
      return [sendTo(target, event)];
    }
    case 14:
      return [emit(({ context }: Args) => ({ type: 'told', h: context.h, salt }))];
    default:
      return [log(({ context }: Args) => `n is ${context.n}`, 'test')];
  }
}

/** What guards of machines with extras were asked, in order, with what they saw of the ambient event. */
export const asked: unknown[] = [];

const inGuard = () =>
  (globalThis as { [key: symbol]: { inGuard?: boolean } | undefined })[
    Symbol.for('offstage.event/1')
  ]?.inGuard;

function extraGuard(dice: Dice, all: readonly Sketch[]): Loose {
  const salt = dice.between(1, 1000);
  const state = dice.pick(all);
  switch (dice.between(0, 9)) {
    case 0: {
      // A path from the root, of which XState takes the dots apart.
      const path = state.id.split('.').slice(1);
      return stateIn(path.length === 0 ? 's0' : path.join('.'));
    }
    case 1:
      return stateIn({ s0: 's1' });
    case 2:
      return dice.chance(0.3)
        ? dice.pick<Loose>(['absent', { type: 'absent', params: { salt } }, stateIn('#absent')])
        : 'alias';
    case 3:
      return ({ context }: Args) => {
        if ((context.h + salt) % 11 === 0) throw new Error(`guard ${salt}`);
        return context.n % 2 === 1;
      };
    case 4:
      return ({ context, event }: Args) => {
        asked.push([salt, context, event, inGuard()]);
        return (context.h + salt) % 3 === 0 ? 'yes' : 0;
      };
    case 5:
      return {
        type: 'evenAndSmall',
        params: ({ context }: Args) => asked.push([salt, context.n, inGuard()]),
      };
    case 6:
      return { type: 'even', params: undefined };
    case 7:
      return not(stateIn(`#${state.id}`));
    case 8:
      return and([]);
    default:
      return or([not('alias'), stateIn(`#${state.id}`)]);
  }
}

function extraActions(dice: Dice, options: RandomMachineOptions): Loose[] {
  const salt = dice.between(1, 1000);
  const type = dice.pick(EVENT_TYPES);
  const inner = () => randomAction(dice, options);
  switch (dice.between(0, 15)) {
    case 0:
      return [assign({ n: salt % 7, extra: { salt } })];
    case 1:
      return [assign(() => (salt % 2 === 0 ? undefined : {}) as Loose)];
    case 2: {
      const [first, second] = [inner(), inner()];
      return [
        enqueueActions(({ enqueue, check }: Loose) => {
          for (const action of first) enqueue(action);
          asked.push([salt, check('small'), check(stateIn('s0'))]);
          enqueue(
            enqueueActions(({ enqueue, context }: Loose) => {
              if (context.n > 2) for (const action of second) enqueue(action);
            }),
          );
        }),
      ];
    }
    case 3:
      return [
        enqueueActions(({ enqueue }: Loose) => {
          enqueue.sendTo('left', { type }, { delay: 'short', id: `later ${salt}` });
          enqueue.sendTo(
            ({ self }: Loose) => self,
            ({ context }: Args) => ({ type, k: context.n }),
          );
          enqueue.emit(({ context }: Args) => ({ type: 'told', n: context.n }));
          if (salt % 4 === 0) enqueue.raise({ type: 'R1' });
          enqueue.cancel(({ context }: Args) => `t${context.n % 4}`);
        }),
      ];
    case 4:
      return dice.chance(0.2) ? [dice.pick<Loose>(['ghost', { type: 'ghost', params: 1 }])] : [];
    case 5:
      return [
        { type: 'bump', params: ({ context, event }: Args) => ({ by: context.n + weight(event) }) },
      ];
    case 6:
      return [raise({ type, k: salt % 10 } as TestEvent, { id: `r${salt % 3}`, delay: salt })];
    case 7:
      return dice.chance(0.3)
        ? [
            raise(
              { type },
              {
                id: 'wrong',
                delay: dice.pick<Loose>([
                  -1,
                  Number.NaN,
                  'missing',
                  () => 'soon',
                  ({ context }: Args) => context.n - 2,
                ]),
              },
            ),
          ]
        : [];
    case 8:
      return [
        function failing({ context }: Args) {
          if ((context.h + salt) % 13 === 0) throw new Error(`action ${salt}`);
        },
      ];
    case 9:
      return [
        assign({
          n: ({ context }: Args) => {
            if ((context.h + salt) % 13 === 0) throw new RangeError(`assign ${salt}`);
            return (context.n + salt) % 7;
          },
        }),
      ];
    case 10:
      return [emit({ type: 'fixed', salt }), cancel(`r${salt % 3}`)];
    case 11:
      return [log('fixed'), log()];
    case 12:
      return dice.chance(0.2)
        ? [
            dice.pick<Loose>([
              sendTo('', { type }),
              sendTo('#_parent', { type }),
              raise('R1' as Loose),
            ]),
          ]
        : [sendTo(dice.pick<Loose>(['#_internal', '#_right']), { type, salt } as TestEvent)];
    case 13:
      return [{ type: 'relay', params: { type, salt } }];
    case 14:
      return [
        enqueueActions(({ enqueue }: Loose, params: Loose) => {
          enqueue({ type: 'relay', params: { type, salt } });
          enqueue({ type: 'note', params: ({ context }: Args) => ({ n: context.n, params }) });
          if (salt % 5 === 0)
            enqueue.raise({ type }, { delay: salt % 10 === 0 ? -1 : 4, id: 'five' });
        }),
      ];
    default:
      return [assign(({ context }: Args) => ({ ...context, h: mixed(context.h, salt) }))];
  }
}
