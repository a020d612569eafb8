/**
 * Servers that records use one at a time, and the line of those who wait for one: first come, first
 * served, or by priority where requests have one. A server is free again when its user releases it.
 */
import { byId, sender } from 'offstage';
import { assign, raise, sendTo, setup } from 'xstate';
import { askerOf, grant, isName, isThere, type LeaveEvent, SERVE_SOON } from './grants.ts';
import { givenInput, wholeNumber } from './input.ts';
import { type Ask, headOf, joined, type Line, NOBODY, withoutAsk, withoutHead } from './line.ts';

export interface FacilityInput {
  /** How many use it at once. Default 1. */
  readonly servers?: number;
  /** How many may wait at the most; who comes to a full line is denied. No limit if left out. */
  readonly queue?: number;
}

/** Who waits for a server. The lower the priority's number the sooner; equals in the order they came. */
export interface ServerAsk extends Ask {
  readonly priority: number;
}

export interface FacilityContext {
  readonly servers: number;
  /** null: no limit. */
  readonly mostWaiting: number | null;
  /** Who uses a server. */
  readonly users: readonly ServerAsk[];
  readonly line: Line<ServerAsk>;
  /** Whether a server is free for one that was in the middle of a step, and is to be offered it again. */
  readonly isOwing: boolean;
  /** How many were given a server, and how many were denied one, so far. */
  readonly granted: number;
  readonly denied: number;
}

type RequestEvent = { readonly type: 'REQUEST'; readonly as: string; readonly priority?: number };

export type FacilityEvent =
  /** Made by `request`. */
  | RequestEvent
  /** Made by `cancelRequest`. */
  | LeaveEvent
  /** Made by `release`. */
  | { readonly type: 'RELEASE'; readonly as: string }
  /** Frees the servers of users that were removed from outside, who could not release them. */
  | { readonly type: 'CHECK' }
  /** Its own: free servers are given to those who wait. */
  | { readonly type: 'SERVE' };

export const facilityMachine = setup({
  types: {
    context: {} as FacilityContext,
    events: {} as FacilityEvent,
    input: {} as FacilityInput | undefined,
  },
  guards: {
    isRequest: ({ event }) => isRequest(event as RequestEvent),
    isRequestTooMany: ({ context, event }) => isFull(context) && isRequest(event as RequestEvent),
    isRequestToServe: ({ context, event }) =>
      context.users.length < context.servers && isRequest(event as RequestEvent),
    isOwing: ({ context }) => context.isOwing,
    isNamed: ({ event }) => 'as' in event && isName(event.as),
    isUser: ({ context, event }) => placeOfUser(context.users, event) >= 0,
  },
  actions: {
    join: assign({
      line: ({ context, event }) => withRequest(context.line, event as RequestEvent),
    }),
    leave: assign({
      line: ({ context, event }) => {
        const { as } = event as LeaveEvent;
        return withoutAsk(context.line, askerOf(as), as);
      },
    }),
    countDenied: assign({ denied: ({ context }) => context.denied + 1 }),
    deny: sendTo(
      ({ event }) => byId(askerOf((event as RequestEvent).as)),
      ({ event }) => ({ type: `denied.${(event as RequestEvent).as}` }),
    ),
    passOn: assign(({ context, event }) => {
      const { users } = context;
      return served(context, users, placeOfUser(users, event));
    }),
    passOnOfRemoved: assign(({ context }) => served(context, context.users.filter(isThere))),
    serve: assign(({ context }) => served(context, context.users)),
    serveSoon: raise(...SERVE_SOON),
    noteOwing: assign({ isOwing: false }),
  },
}).createMachine({
  id: 'facility',
  context: ({ input }) => facilityContext(input),
  initial: 'open',
  states: {
    open: {
      always: { guard: 'isOwing', actions: ['noteOwing', 'serveSoon'] },
      on: {
        REQUEST: [
          { guard: 'isRequestTooMany', actions: ['countDenied', 'deny'] },
          { guard: 'isRequestToServe', actions: ['join', 'serveSoon'] },
          { guard: 'isRequest', actions: 'join' },
        ],
        LEAVE: { guard: 'isNamed', actions: 'leave' },
        RELEASE: { guard: 'isUser', actions: 'passOn' },
        CHECK: { actions: 'passOnOfRemoved' },
        SERVE: { actions: 'serve' },
      },
    },
  },
});

function isRequest({ as, priority = 0 }: RequestEvent): boolean {
  return isName(as) && Number.isFinite(priority);
}

/** Whether the line holds all that may wait, and those for whom a server is free already. */
function isFull({ line, mostWaiting, servers, users }: FacilityContext): boolean {
  return mostWaiting !== null && line.length >= mostWaiting + servers - users.length;
}

function withRequest(line: Line<ServerAsk>, { as, priority = 0 }: RequestEvent): Line<ServerAsk> {
  // Written out, not spread: every request passes here.
  const ask = { id: askerOf(as), as, priority };
  return joined(line, ask, isLater);
}

function isLater(other: ServerAsk, ask: ServerAsk): boolean {
  return other.priority > ask.priority;
}

function placeOfUser(users: readonly ServerAsk[], event: FacilityEvent): number {
  const id = sender();
  const { as } = event as LeaveEvent;
  for (let i = 0; i < users.length; i += 1) {
    const user = users[i] as ServerAsk;
    if (user.id === id && user.as === as) return i;
  }
  return -1;
}

/**
 * Free servers given to the first in line; who cannot take one has left. One in mid-step is not passed
 * by. Of the users, the one at `freed` has left, and whoever is granted that server takes that place.
 */
function served(
  context: FacilityContext,
  given: readonly ServerAsk[],
  freed = given.length,
): Partial<FacilityContext> {
  const { servers } = context;
  let { line, granted } = context;
  let users = given;
  let place = freed;
  let isOwing = false;
  for (let first = headOf(line); first !== undefined && place < servers; first = headOf(line)) {
    const offered = grant(first);
    isOwing = offered === 'busy';
    if (isOwing) break;
    line = withoutHead(line);
    if (offered === 'refused') continue;
    users = withUser(users, place, first);
    place = users.length;
    granted += 1;
  }
  if (place < users.length) users = users.toSpliced(place, 1);
  return { users, line, granted, isOwing };
}

/** The users with one more in a place, whoever had it before. */
function withUser(
  users: readonly ServerAsk[],
  place: number,
  user: ServerAsk,
): readonly ServerAsk[] {
  const changed = users.slice();
  changed[place] = user;
  return changed;
}

function facilityContext(input: FacilityInput | undefined): FacilityContext {
  const { servers = 1, queue } = givenInput(input ?? {}, 'facility', '{ servers?, queue? }');
  return {
    servers: wholeNumber(servers, 'facility: input.servers', 1),
    mostWaiting: queue === undefined ? null : wholeNumber(queue, 'facility: input.queue'),
    users: [],
    line: NOBODY,
    isOwing: false,
    granted: 0,
    denied: 0,
  };
}
