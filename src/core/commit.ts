/**
 * What a transaction did, once it is done. Heap, indexes, marks, views, notices and whatever is
 * outside hear of changes here and nowhere else, after the store holds them. A listener never calls
 * back into what called it.
 */
import type { MachineEvent, StateValue } from './logic.ts';
import type { RecordValue } from './record.ts';

/** One record's change: `before` undefined if it was added, `after` if it was removed. */
export interface Change {
  readonly slot: number;
  readonly before: RecordValue | undefined;
  readonly after: RecordValue | undefined;
}

/** What a machine emitted for the outside. */
export interface Notice {
  readonly id: string;
  readonly kind: string;
  readonly at: readonly number[];
  readonly event: MachineEvent;
  /** Game time in milliseconds. */
  readonly time: number;
  /** Its place among the notices of that game time. */
  readonly order: number;
}

/** One transaction that changed something or emitted something. */
export interface Commit {
  /** Game time in milliseconds. */
  readonly time: number;
  readonly iteration: number;
  readonly changes: readonly Change[];
  readonly notices: readonly Notice[];
}

/** Inside the core: hears of each change in the order of the changes of a commit. */
export interface ChangeListener {
  changed(slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void;
}

/** Whether those who link to a record should hear of the change: its value, context or place, or that it came or went. */
export function isVisible(
  before: RecordValue | undefined,
  after: RecordValue | undefined,
): boolean {
  if (before === undefined || after === undefined) return true;
  if (before.at !== after.at) return true;
  if (before.context !== after.context) return true;
  return before.shape !== after.shape && !sameValue(before.shape.value, after.shape.value);
}

function sameValue(a: StateValue, b: StateValue): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string') return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    const inner = b[key];
    if (inner === undefined || !sameValue(a[key] as typeof inner, inner)) return false;
  }
  return true;
}
