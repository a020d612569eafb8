/** Records on the wire, from the client's side: what a whole record says, and what a change makes of it. */
import type { StateValue } from '../core/logic.ts';
import type { ChangedRec, FullRec, Rec, RecStatus } from './messages.ts';
import { fromRich, isPlainObject } from './rich.ts';

/** A record as a client knows it. Immutable. */
export interface RecordView {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  /** World units. */
  readonly at: readonly number[];
  readonly links: Readonly<Record<string, string>>;
  readonly value: StateValue;
  readonly context: unknown;
  readonly status: RecStatus;
  readonly tags: readonly string[];
  /** The game time the context is at. */
  readonly advancedTo: number;
  /** When something happens to it next, null while it rests. */
  readonly nextEvent: number | null;
  /** The code of the fault it rests with. */
  readonly fault: string | null;
}

export function isFull(rec: Rec): rec is FullRec {
  return 'kind' in rec;
}

export function viewOf(rec: FullRec): RecordView {
  return {
    id: rec.id,
    kind: rec.kind,
    version: rec.v,
    at: rec.at,
    links: rec.links ?? {},
    value: rec.value,
    context: rec.rich === undefined ? rec.context : fromRich(rec.rich),
    status: rec.status ?? 'active',
    tags: rec.tags ?? [],
    advancedTo: rec.time,
    nextEvent: rec.next,
    fault: rec.fault ?? null,
  };
}

export function viewWith(view: RecordView, change: ChangedRec): RecordView {
  return {
    ...view,
    at: change.at ?? view.at,
    links: change.links ?? view.links,
    value: change.value ?? view.value,
    context: changedContext(view.context, change),
    status: change.status ?? view.status,
    tags: change.tags ?? view.tags,
    advancedTo: change.time ?? view.advancedTo,
    nextEvent: change.next === undefined ? view.nextEvent : change.next,
    fault: change.fault === undefined ? view.fault : change.fault,
  };
}

function changedContext(context: unknown, { context: change, rich }: ChangedRec): unknown {
  if (change === undefined || !isPlainObject(context)) return context;
  const { unset = [], set = {} } = change;
  const kept = Object.entries(context).filter(([key]) => !unset.includes(key));
  // Spread defines keys and never calls a setter, whatever a key is named.
  return {
    ...Object.fromEntries(kept),
    ...(rich === undefined ? set : (fromRich(rich) as object)),
  };
}
