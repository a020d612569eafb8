/**
 * Records on the wire, from the server's side: a record's value as a client may see it, and the
 * difference of two of them. Pure functions over values. Keys that are `serverOnly` are taken away
 * before anything else looks at a context, so no difference can hold one either.
 */
import { nextEventOf, type RecordValue } from '../core/record.ts';
import type { ChangedRec, FullRec, Rec } from './messages.ts';
import { isPlainJson, isPlainObject, isSame, toRich } from './rich.ts';

/** A record whole. */
export function fullRec(record: RecordValue): FullRec {
  const { id, kind, at, state, advancedTo, links, fault } = record;
  return {
    id,
    kind: kind.name,
    v: kind.version,
    at,
    time: advancedTo,
    next: nextEventOf(record) ?? null,
    value: state.value,
    ...packed(visibleContext(record)),
    ...(state.tags.length > 0 ? { tags: state.tags } : {}),
    ...(Object.keys(links).length > 0 ? { links } : {}),
    ...(state.status === 'active' ? {} : { status: state.status }),
    ...(fault === null ? {} : { fault: fault.code }),
  };
}

/** What changed between two values of one record; undefined if a client would see no difference. */
export function recDiff(before: RecordValue, after: RecordValue): Rec | undefined {
  if (before === after) return undefined;
  if (before.kind !== after.kind) return fullRec(after);
  const context = contextDiff(visibleContext(before), visibleContext(after));
  if (context === 'whole') return fullRec(after);
  const changed: Writable<ChangedRec> = { id: after.id };
  if (!isSame(before.at, after.at)) changed.at = after.at;
  if (before.advancedTo !== after.advancedTo) changed.time = after.advancedTo;
  const next = nextEventOf(after);
  if (nextEventOf(before) !== next) changed.next = next;
  // Values of one state share one.
  if (before.shape !== after.shape) {
    if (!isSame(before.shape.value, after.shape.value)) changed.value = after.shape.value;
    if (!isSame(before.shape.tags, after.shape.tags)) changed.tags = after.shape.tags;
    if (before.shape.status !== after.shape.status) changed.status = after.shape.status;
  }
  if (context?.context !== undefined) changed.context = context.context;
  if (context?.rich !== undefined) changed.rich = context.rich;
  if (!isSame(before.links, after.links)) changed.links = after.links;
  const fault = after.fault?.code ?? null;
  if ((before.fault?.code ?? null) !== fault) changed.fault = fault;
  for (const key in changed) if (key !== 'id') return changed;
  return undefined;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The context without what never leaves the server. */
function visibleContext({ kind, state }: Pick<RecordValue, 'kind' | 'state'>): unknown {
  const { context } = state;
  const { serverOnly } = kind;
  if (serverOnly.length === 0 || typeof context !== 'object' || context === null) return context;
  return Object.fromEntries(Object.entries(context).filter(([key]) => !serverOnly.includes(key)));
}

function packed(context: unknown): Pick<FullRec, 'context' | 'rich'> {
  return isPlainJson(context) ? { context } : { rich: toRich(context) };
}

/** By top-level key; `'whole'` where a context is no plain object and has no keys to go by. */
function contextDiff(
  before: unknown,
  after: unknown,
): Pick<ChangedRec, 'context' | 'rich'> | 'whole' | undefined {
  if (before === after) return undefined;
  if (!isPlainObject(before) || !isPlainObject(after)) {
    return isSame(before, after) ? undefined : 'whole';
  }
  const set: Record<string, unknown> = {};
  let isSet = false;
  for (const key in after) {
    const value = after[key];
    if (Object.hasOwn(before, key) && isSame(before[key], value)) continue;
    define(set, key, value);
    isSet = true;
  }
  let unset: string[] | undefined;
  for (const key in before) {
    if (Object.hasOwn(after, key)) continue;
    unset ??= [];
    unset.push(key);
  }
  if (!isSet) return unset === undefined ? undefined : { context: { unset } };
  if (isPlainJson(set)) return { context: unset === undefined ? { set } : { set, unset } };
  return { context: unset === undefined ? {} : { unset }, rich: toRich(set) };
}

/** Defines a key and calls no setter, whatever it is named. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true });
}
