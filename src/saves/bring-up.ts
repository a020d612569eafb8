/**
 * Bringing a saved record up to its kind as it is now: through `migrate` if its version is older, and
 * its timers to the keys of `after` that stand in their place. What cannot be brought up is not guessed.
 */
import { codeOf, messageOf, WorldError } from '../core/errors.ts';
import type { Kind, SavedState } from '../core/kind.ts';
import { type Pending, RANK } from '../core/pending.ts';
import type { Fault } from '../core/record.ts';
import type { SavedPending, SavedRecord } from '../core/saved-world.ts';
import { checkedTime } from '../core/time.ts';
import { afterTimerId, type Delays, delaysOf, stateNow } from '../machine/continuity.ts';
import type { VersionedRecord } from './record-json.ts';
import { checkSavable } from './savable.ts';

/**
 * The record as its kind has it now. `then` are the delays of the kind when it was saved, `time` the
 * game time of the world. Throws `WorldError` (`MIGRATE_FAILED`, `UNKNOWN_STATE`) if it cannot be.
 */
export function broughtUp(
  saved: VersionedRecord,
  kind: Kind,
  then: Delays | undefined,
  time: number,
  note: (message: string) => void,
): SavedRecord {
  const isToMigrate = saved.version < kind.version || isWithoutItsState(saved, kind);
  const migrated = isToMigrate ? migratedBy(kind, saved, note) : saved;
  const state = { ...migrated.state, ...stateNow(kind, migrated.state.value) };
  const delays = delaysOf(kind);
  const gone: SavedPending[] = [];
  const pending = migrated.pending.map((entry) => {
    const id = timerIdNow(entry, then, delays);
    if (id === undefined) gone.push(entry);
    return id === undefined || id === entry.id ? entry : { ...entry, id, event: { type: id } };
  });
  const [lost] = gone;
  const fault = migrated.fault ?? (lost === undefined ? null : timerGone(saved, lost, time));
  const due = fault === null ? pending.map((entry) => notBefore(entry, time)) : pending;
  return { ...migrated, state, pending: due, fault, isChanged: true };
}

/** Whether the machine no longer has the state, although the kind's version is the same. */
function isWithoutItsState({ state }: SavedRecord, kind: Kind): boolean {
  try {
    stateNow(kind, state.value);
    return false;
  } catch {
    return true;
  }
}

function migratedBy(
  kind: Kind,
  saved: VersionedRecord,
  note: (message: string) => void,
): VersionedRecord {
  if (kind.migrate === undefined) return saved;
  const timers = saved.pending.filter(({ rank }) => rank === RANK.timer);
  const given: SavedState = {
    context: saved.state.context,
    value: saved.state.value,
    timers: timers.map(({ id, event, at }) => ({ id, event, at })),
  };
  try {
    const next = kind.migrate(given, { fromVersion: saved.version, report: note });
    if (typeof next !== 'object' || next === null || !Array.isArray(next.timers)) {
      throw new TypeError(`migrate gave ${String(next)}; it gives { context, value, timers }`);
    }
    checkSavable(next.context, undefined, 'context');
    return {
      ...saved,
      state: { ...saved.state, context: next.context, value: next.value },
      pending: [
        ...next.timers.map((timer) => pendingOf(timer, given, timers)),
        ...others(saved),
      ].sort(inOrder),
    };
  } catch (error) {
    throw new WorldError(
      'MIGRATE_FAILED',
      `${saved.id}: migrate of kind '${kind.name}' from version ${saved.version} to ${kind.version} failed: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** What came due while the record was outside the world happens as it comes back. */
function notBefore(entry: SavedPending, time: number): SavedPending {
  return entry.at < time ? { ...entry, at: time, iteration: 0 } : entry;
}

function others({ pending }: SavedRecord): SavedPending[] {
  return pending.filter(({ rank }) => rank !== RANK.timer);
}

/** A timer that `migrate` gave: one it was given, changed or not, or a new one. */
function pendingOf(
  timer: SavedState['timers'][number],
  given: SavedState,
  timers: readonly SavedPending[],
): SavedPending {
  const { id, event, at } = timer;
  if (typeof id !== 'string' || typeof event?.type !== 'string')
    throw new TypeError(`${JSON.stringify(timer)} is no timer; it is { id, event, at }`);
  const same = given.timers.indexOf(timer);
  const place = same >= 0 ? same : timers.findIndex((other) => other.id === id);
  const before = timers[place];
  return {
    rank: RANK.timer,
    id,
    event,
    at: checkedTime(at, `the timer ${id}`),
    iteration: before?.at === at ? before.iteration : 0,
    to: before?.to,
  };
}

function inOrder(a: SavedPending, b: SavedPending): number {
  return a.at - b.at || a.iteration - b.iteration || a.rank - b.rank;
}

/** The id of a timer as its machine has it now; undefined if `after` has nothing in its place. */
function timerIdNow(
  { rank, id }: Pick<Pending, 'rank' | 'id'>,
  then: Delays | undefined,
  now: Delays,
): string | undefined {
  if (rank !== RANK.timer || !id.startsWith('xstate.after.')) return id;
  const found = placeOf(id, now) ?? placeOf(id, then ?? {});
  if (found === undefined) return then === undefined ? onlyTimerAt(id, now) : undefined;
  const { node, place } = found;
  const keys = Object.hasOwn(now, node) ? now[node] : undefined;
  // The key itself where it still is, else what stands in its place.
  if (keys?.some((key) => afterTimerId(node, key) === id)) return id;
  const key = keys?.[place];
  // A key that the node had before has a timer of its own.
  if (key === undefined || then?.[node]?.includes(key)) return undefined;
  return afterTimerId(node, key);
}

function placeOf(
  id: string,
  delays: Delays,
): { readonly node: string; readonly place: number } | undefined {
  for (const [node, keys] of Object.entries(delays)) {
    const place = keys.findIndex((key) => afterTimerId(node, key) === id);
    if (place >= 0) return { node, place };
  }
  return undefined;
}

/** Where it is not known how the machine was: the one timer of the node whose id the timer's ends in. */
function onlyTimerAt(id: string, now: Delays): string | undefined {
  const nodes = Object.keys(now).filter((node) => id.endsWith(`.${node}`));
  const node = nodes.sort((a, b) => b.length - a.length)[0];
  const keys = node === undefined ? [] : (now[node] as readonly string[]);
  return keys.length === 1 ? afterTimerId(node as string, keys[0] as string) : undefined;
}

function timerGone(saved: SavedRecord, timer: SavedPending, time: number): Fault {
  return {
    code: 'TIMER_GONE',
    message: `${saved.id} (${saved.kind}) was saved with the timer '${timer.id}', and its machine no longer has it, nor another in its place. Give the state an \`after\` again, or drop the timer in \`migrate\`; or put the record elsewhere with setState.`,
    time,
    event: timer.event,
  };
}

/** The code and words of what a record could not be brought up for. */
export function refusalOf(error: unknown): { readonly code: string; readonly message: string } {
  return { code: codeOf(error), message: messageOf(error) };
}
