/**
 * An amount of something, up to a capacity: records wait to put some in or to get some out. Those who
 * put and those who get stand in a line each, first come, first served: nobody overtakes, not even who
 * asks for little.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { askerOf, askOf, grant, isName, type LeaveEvent, SERVE_SOON } from './grants.ts';
import { badInput, givenInput, isPositive } from './input.ts';
import { type Ask, headOf, joined, type Line, NOBODY, withoutAsk, withoutHead } from './line.ts';

export interface ContainerInput {
  readonly capacity: number;
  /** How much is in it at first. Default 0. */
  readonly level?: number;
}

export interface AmountAsk extends Ask {
  readonly amount: number;
}

export interface ContainerContext {
  readonly capacity: number;
  readonly level: number;
  readonly putting: Line<AmountAsk>;
  readonly getting: Line<AmountAsk>;
}

type RequestEvent =
  | { readonly type: 'REQUEST'; readonly as: string; readonly put: number }
  | { readonly type: 'REQUEST'; readonly as: string; readonly get: number };

export type ContainerEvent =
  /** Made by `request`, with `{ put: amount }` or `{ get: amount }`; more than the capacity it refuses. */
  | RequestEvent
  /** Made by `cancelRequest`. */
  | LeaveEvent
  /** Its own: those whose turn has come are served. */
  | { readonly type: 'SERVE' };

export const containerMachine = setup({
  types: {
    context: {} as ContainerContext,
    events: {} as ContainerEvent,
    input: {} as ContainerInput,
  },
  guards: {
    isRequest: ({ context, event }) => isRequest(event as RequestEvent, context.capacity),
    isNamed: ({ event }) => 'as' in event && isName(event.as),
  },
  actions: {
    join: assign(({ context, event }) => withRequest(context, event as RequestEvent)),
    leave: assign(({ context: { putting, getting }, event }) => {
      const { as } = event as LeaveEvent;
      const id = askerOf(as);
      return { putting: withoutAsk(putting, id, as), getting: withoutAsk(getting, id, as) };
    }),
    serve: assign(({ context }) => served(context)),
    serveSoon: enqueueActions(({ context, enqueue }) => {
      if (canPut(context) || canGet(context)) enqueue.raise(...SERVE_SOON);
    }),
  },
}).createMachine({
  id: 'container',
  context: ({ input }) => containerContext(input),
  initial: 'open',
  states: {
    open: {
      on: {
        REQUEST: { guard: 'isRequest', actions: ['join', 'serveSoon'] },
        // Who leaves the head of its line may make room for its follower.
        LEAVE: { guard: 'isNamed', actions: ['leave', 'serveSoon'] },
        SERVE: { actions: ['serve', 'serveSoon'] },
      },
    },
  },
});

function isRequest(event: RequestEvent, capacity: number): boolean {
  const put = 'put' in event;
  if (!isName(event.as) || put === 'get' in event) return false;
  const amount = put ? event.put : event.get;
  return isPositive(amount) && amount <= capacity;
}

function withRequest(
  { putting, getting }: ContainerContext,
  event: RequestEvent,
): Partial<ContainerContext> {
  const ask = askOf(event.as);
  return 'put' in event
    ? { putting: joined(putting, { ...ask, amount: event.put }) }
    : { getting: joined(getting, { ...ask, amount: event.get }) };
}

function canPut({ putting, level, capacity }: ContainerContext): boolean {
  const first = headOf(putting);
  return first !== undefined && level + first.amount <= capacity;
}

function canGet({ getting, level }: ContainerContext): boolean {
  const first = headOf(getting);
  return first !== undefined && first.amount <= level;
}

/**
 * The first of each line served for as long as there is enough, or room; who cannot take it has left.
 * The level changes only by what was taken. One in the middle of a step is not passed by.
 */
function served(context: ContainerContext): ContainerContext {
  let { level, putting, getting } = context;
  let isPutBusy = false;
  let isGetBusy = false;
  for (;;) {
    const now = { ...context, level, putting, getting };
    if (!isGetBusy && canGet(now)) {
      const first = headOf(getting) as AmountAsk;
      const offered = grant(first, first.amount);
      isGetBusy = offered === 'busy';
      if (!isGetBusy) getting = withoutHead(getting);
      if (offered === 'taken') level -= first.amount;
    } else if (!isPutBusy && canPut(now)) {
      const first = headOf(putting) as AmountAsk;
      const offered = grant(first, first.amount);
      isPutBusy = offered === 'busy';
      if (!isPutBusy) putting = withoutHead(putting);
      if (offered === 'taken') level += first.amount;
    } else {
      return now;
    }
  }
}

function containerContext(input: ContainerInput): ContainerContext {
  const { capacity, level = 0 } = givenInput(input, 'container', '{ capacity, level? }');
  if (!isPositive(capacity)) {
    throw badInput('container: input.capacity', capacity, 'a finite number above 0');
  }
  if (level !== 0 && !(isPositive(level) && level <= capacity)) {
    throw badInput('container: input.level', level, `a number from 0 to the capacity, ${capacity}`);
  }
  return { capacity, level, putting: NOBODY, getting: NOBODY };
}
