/**
 * What a record has before it: timers, predictions and its next step, as one immutable linked list
 * in the order in which they will happen. Most records hold none or one, so a list costs one small
 * object. A due place is (game time, iteration): iteration 0 for anything set for later, the next
 * iteration for what is set at a game time for that same time.
 */
import type { AllOf, ById } from './address.ts';
import type { MachineEvent } from './logic.ts';

/** Within one place: timers in the order they were set, then predictions, then the step. */
export const RANK = { timer: 0, prediction: 1, step: 2 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

export interface Pending {
  readonly rank: Rank;
  readonly id: string;
  readonly event: MachineEvent;
  /** Game time in milliseconds. */
  readonly at: number;
  readonly iteration: number;
  /** Set for a message sent with a delay: whom it goes to. */
  readonly to: ById | AllOf | undefined;
  readonly next: Pending | undefined;
}

export type PendingList = Pending | undefined;

function pending(
  rank: Rank,
  id: string,
  event: MachineEvent,
  at: number,
  iteration: number,
  to: Pending['to'],
  next: PendingList,
): Pending {
  return { rank, id, event, at, iteration, to, next };
}

/** Whether something due at `a` comes after (at, iteration, rank), so that the newcomer goes before it. */
function comesAfter(a: Pending, at: number, iteration: number, rank: Rank): boolean {
  if (a.at !== at) return a.at > at;
  if (a.iteration !== iteration) return a.iteration > iteration;
  return a.rank > rank;
}

/** The list with one more, behind all that is due no later. */
export function withPending(
  list: PendingList,
  rank: Rank,
  id: string,
  event: MachineEvent,
  at: number,
  iteration: number,
  to?: Pending['to'],
): Pending {
  if (list === undefined || comesAfter(list, at, iteration, rank)) {
    return pending(rank, id, event, at, iteration, to, list);
  }
  const before: Pending[] = [list];
  let after = list.next;
  while (after !== undefined && !comesAfter(after, at, iteration, rank)) {
    before.push(after);
    after = after.next;
  }
  return inFrontOf(before, pending(rank, id, event, at, iteration, to, after)) as Pending;
}

/** The list without the one of that rank and id; the same list if there is none. */
export function withoutId(list: PendingList, rank: Rank, id: string): PendingList {
  const entry = findPending(list, rank, id);
  return entry === undefined ? list : withoutEntry(list, entry);
}

/** The list without that very entry; the same list if it is not in it. */
function withoutEntry(list: PendingList, entry: Pending): PendingList {
  if (list === entry) return list.next;
  const before: Pending[] = [];
  let at = list;
  while (at !== undefined && at !== entry) {
    before.push(at);
    at = at.next;
  }
  return at === undefined ? list : inFrontOf(before, at.next);
}

/** The list with what is due by `time` in iteration 0. */
export function dueAtOnce(list: PendingList, time: number): PendingList {
  return mapped(list, (entry) => (entry.at <= time ? { ...entry, iteration: 0 } : entry));
}

/** The list with every time moved along. */
export function shifted(list: PendingList, delta: number): PendingList {
  return mapped(list, (entry) => ({ ...entry, at: entry.at + delta }));
}

function mapped(list: PendingList, change: (entry: Pending) => Pending): PendingList {
  let changed: PendingList;
  for (const entry of entriesOf(list).reverse()) changed = { ...change(entry), next: changed };
  return changed;
}

/** The entries in order. */
export function entriesOf(list: PendingList): Pending[] {
  const entries: Pending[] = [];
  for (let entry = list; entry !== undefined; entry = entry.next) entries.push(entry);
  return entries;
}

/** The one of that rank and id. */
export function findPending(list: PendingList, rank: Rank, id: string): PendingList {
  for (let entry = list; entry !== undefined; entry = entry.next) {
    if (entry.rank === rank && entry.id === id) return entry;
  }
  return undefined;
}

/** The entries of `before`, copied so that `after` follows them. */
function inFrontOf(before: readonly Pending[], after: PendingList): PendingList {
  let list = after;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const entry = before[i] as Pending;
    list = pending(entry.rank, entry.id, entry.event, entry.at, entry.iteration, entry.to, list);
  }
  return list;
}
