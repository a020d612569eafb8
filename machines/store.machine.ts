/**
 * Objects, up to so many: records wait to put one in, or to get one that fits a pattern. First come,
 * first served: an object goes to the first whom it fits, and the one that came first is given first.
 * Who waits for something else holds nobody up.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { askerOf, askOf, grant, isName, type LeaveEvent, SERVE_SOON } from './grants.ts';
import { badInput, givenInput, wholeNumber } from './input.ts';
import {
  type Ask,
  asksOf,
  headOf,
  joined,
  type Line,
  NOBODY,
  withoutAsk,
  withoutHead,
} from './line.ts';
import { fits } from './pattern.ts';

export interface StoreInput {
  /** How many objects it holds at the most. No limit if left out. */
  readonly capacity?: number;
  /** What is in it at first. */
  readonly objects?: readonly unknown[];
}

export interface PutAsk extends Ask {
  readonly object: unknown;
}

export interface GetAsk extends Ask {
  /** What the object must hold; `{}` for any. */
  readonly pattern: unknown;
}

export interface StoreContext {
  /** null: no limit. */
  readonly capacity: number | null;
  /** The one that came first is first. */
  readonly objects: readonly unknown[];
  readonly putting: Line<PutAsk>;
  readonly getting: Line<GetAsk>;
}

type RequestEvent =
  | { readonly type: 'REQUEST'; readonly as: string; readonly put: unknown }
  | { readonly type: 'REQUEST'; readonly as: string; readonly get: unknown };

export type StoreEvent =
  /** Made by `request`, with `{ put: object }` or `{ get: pattern }`. */
  | RequestEvent
  /** Made by `cancelRequest`. */
  | LeaveEvent
  /** Its own: those whose turn has come are served. */
  | { readonly type: 'SERVE' };

export const storeMachine = setup({
  types: {
    context: {} as StoreContext,
    events: {} as StoreEvent,
    input: {} as StoreInput | undefined,
  },
  guards: {
    isRequest: ({ event }) => isRequest(event as RequestEvent),
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
      if (canPut(context) || nextGet(context) !== undefined) enqueue.raise(...SERVE_SOON);
    }),
  },
}).createMachine({
  id: 'store',
  context: ({ input }) => storeContext(input),
  initial: 'open',
  states: {
    open: {
      on: {
        REQUEST: { guard: 'isRequest', actions: ['join', 'serveSoon'] },
        LEAVE: { guard: 'isNamed', actions: 'leave' },
        SERVE: { actions: ['serve', 'serveSoon'] },
      },
    },
  },
});

function isRequest(event: RequestEvent): boolean {
  const put = 'put' in event;
  if (!isName(event.as) || put === 'get' in event) return false;
  return (put ? event.put : event.get) !== undefined;
}

function withRequest(
  { putting, getting }: StoreContext,
  event: RequestEvent,
): Partial<StoreContext> {
  const ask = askOf(event.as);
  return 'put' in event
    ? { putting: joined(putting, { ...ask, object: event.put }) }
    : { getting: joined(getting, { ...ask, pattern: event.get }) };
}

function canPut({ putting, objects, capacity }: StoreContext): boolean {
  return putting.length > 0 && (capacity === null || objects.length < capacity);
}

/** The first who waits for an object that is there, and where it is. */
function nextGet(
  { getting, objects }: StoreContext,
  except: ReadonlySet<GetAsk> = new Set(),
): { readonly ask: GetAsk; readonly place: number } | undefined {
  if (objects.length === 0) return undefined;
  for (const ask of asksOf(getting)) {
    if (except.has(ask)) continue;
    const place = objects.findIndex((object) => fits(object, ask.pattern));
    if (place >= 0) return { ask, place };
  }
  return undefined;
}

/**
 * Objects given to those whom they fit, and taken in while there is room; who cannot take it has left.
 * One in the middle of a step waits for the next iteration.
 */
function served(context: StoreContext): StoreContext {
  let { objects, putting, getting } = context;
  let isPutBusy = false;
  const busy = new Set<GetAsk>();
  for (;;) {
    const now = { ...context, objects, putting, getting };
    const next = nextGet(now, busy);
    if (next !== undefined) {
      const { ask, place } = next;
      const offered = grant(ask, objects[place]);
      if (offered === 'busy') busy.add(ask);
      else getting = withoutAsk(getting, ask.id, ask.as);
      if (offered === 'taken') objects = objects.toSpliced(place, 1);
    } else if (!isPutBusy && canPut(now)) {
      const first = headOf(putting) as PutAsk;
      const offered = grant(first, first.object);
      isPutBusy = offered === 'busy';
      if (!isPutBusy) putting = withoutHead(putting);
      if (offered === 'taken') objects = [...objects, first.object];
    } else {
      return now;
    }
  }
}

function storeContext(input: StoreInput | undefined): StoreContext {
  const { capacity, objects = [] } = givenInput(input ?? {}, 'store', '{ capacity?, objects? }');
  if (!Array.isArray(objects)) throw badInput('store: input.objects', objects, 'a list of objects');
  if (capacity !== undefined) wholeNumber(capacity, 'store: input.capacity', 1);
  if (capacity !== undefined && objects.length > capacity) {
    throw badInput('store: input.objects', objects.length, `at most the capacity, ${capacity}`);
  }
  return { capacity: capacity ?? null, objects, putting: NOBODY, getting: NOBODY };
}
