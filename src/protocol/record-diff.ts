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
  const changed: ChangedRec = {
    id: after.id,
    ...field('at', before.at, after.at),
    ...field('time', before.advancedTo, after.advancedTo),
    ...field('next', nextEventOf(before) ?? null, nextEventOf(after) ?? null),
    ...field('value', before.state.value, after.state.value),
    ...context,
    ...field('tags', before.state.tags, after.state.tags),
    ...field('links', before.links, after.links),
    ...field('status', before.state.status, after.state.status),
    ...field('fault', before.fault?.code ?? null, after.fault?.code ?? null),
  };
  return Object.keys(changed).length > 1 ? changed : undefined;
}

/** The context without what never leaves the server. */
function visibleContext({ kind, state }: Pick<RecordValue, 'kind' | 'state'>): unknown {
  const { context } = state;
  const { serverOnly } = kind;
  if (serverOnly.length === 0 || typeof context !== 'object' || context === null) return context;
  return Object.fromEntries(Object.entries(context).filter(([key]) => !serverOnly.includes(key)));
}

function field<Name extends keyof ChangedRec>(
  name: Name,
  before: ChangedRec[Name],
  after: ChangedRec[Name],
): { readonly [K in Name]?: ChangedRec[Name] } {
  if (isSame(before, after)) return {};
  // A computed key widens to an index signature; this says which key it is.
  return { [name]: after } as { readonly [K in Name]: ChangedRec[Name] };
}

function packed(context: unknown): Pick<FullRec, 'context' | 'rich'> {
  return isPlainJson(context) ? { context } : { rich: toRich(context) };
}

/** By top-level key; `'whole'` where a context is no plain object and has no keys to go by. */
function contextDiff(
  before: unknown,
  after: unknown,
): Pick<ChangedRec, 'context' | 'rich'> | 'whole' {
  if (before === after) return {};
  if (!isPlainObject(before) || !isPlainObject(after)) return isSame(before, after) ? {} : 'whole';
  const set = Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => !Object.hasOwn(before, key) || !isSame(before[key], value),
    ),
  );
  const unset = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const gone = unset.length > 0 ? { unset } : {};
  if (Object.keys(set).length === 0) return unset.length > 0 ? { context: gone } : {};
  if (isPlainJson(set)) return { context: { set, ...gone } };
  return { context: gone, rich: toRich(set) };
}
