/**
 * A world's kinds exchanged for newer ones while it stands: every record goes on in its state, under
 * its kind as it is now, with the timers it had. What cannot go on is not guessed: the record rests with
 * a fault that says why, holding all it held, and goes on once a later exchange can bring it up. It is
 * no event and no command: nobody is woken and nothing is sent.
 */
import type { Agenda } from './agenda.ts';
import type { Change } from './commit.ts';
import { codeOf, KindError, messageOf } from './errors.ts';
import type { Kind } from './kind.ts';
import { entriesOf, RANK } from './pending.ts';
import type { StepSizes } from './planning.ts';
import { type Fault, RecordValue } from './record.ts';
import { checkedKinds } from './registry.ts';
import {
  plannedAnew,
  Revival,
  type SavedPending,
  type SavedRecord,
  savedRecordOf,
} from './saved-world.ts';
import { Sharing } from './sharing.ts';
import type { Counters } from './stats.ts';
import type { Store } from './store.ts';

/** Brings a record of one kind up to that kind as it is now; throws if it cannot be. */
export type BringUp = (record: SavedRecord, before: Kind, now: Kind) => SavedRecord;

/** What an exchange of kinds did. */
export interface ReloadReport {
  /** Kinds that were exchanged, and kinds that are new. */
  readonly kinds: readonly string[];
  readonly added: readonly string[];
  /** How many records go on under another kind. */
  readonly records: number;
  /** Records that cannot go on, and rest with a fault. */
  readonly faulted: readonly {
    readonly id: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Records that could not go on before, and do now. */
  readonly recovered: readonly string[];
}

/** What an exchange works on. */
export interface ReloadParts {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly counters: Counters;
  readonly kinds: Map<string, Kind>;
  readonly sharings: Map<Kind, Sharing>;
  readonly steps: StepSizes;
  readonly time: number;
  commit(changes: readonly Change[]): void;
}

/** The event that a fault of an exchange names. */
const RELOAD = Object.freeze({ type: 'offstage.reload' });

/** Throws `KindError`, and has changed nothing, if the new kinds do not fit together or do not fit the world. */
export function exchangeKinds(
  parts: ReloadParts,
  kinds: readonly Kind[],
  bringUp: BringUp,
): ReloadReport {
  const { store, counters, time } = parts;
  const now = checkedKinds(kinds);
  for (const [name, before] of parts.kinds) checkExchange(before, now.get(name), counters);
  const before = new Map(parts.kinds);
  const sharings = new Map(kinds.map((kind) => [kind, sharingAfter(parts, kind)]));
  const revivals = new Map([...sharings].map(([kind, sharing]) => [kind, new Revival(sharing)]));
  const faulted: ReloadReport['faulted'][number][] = [];
  const recovered: string[] = [];
  const changes: Change[] = [];
  for (const value of store.values()) {
    const kind = now.get(value.kind.name) as Kind;
    const sharing = sharings.get(kind) as Sharing;
    const wasLost = isLost(value.fault);
    const saved = savedRecordOf(value);
    let after: RecordValue;
    let fault: Fault | null = null;
    try {
      const up = bringUp(wasLost ? { ...saved, fault: null } : saved, value.kind, kind);
      const isNewlyLost = up.fault !== null && (wasLost || saved.fault === null);
      if (isNewlyLost) fault = { ...(up.fault as Fault), event: RELOAD };
      const revived = (revivals.get(kind) as Revival).valueOf({
        ...up,
        fault: fault ?? up.fault,
        pending: wasLost && fault === null ? dueNow(up.pending, time) : up.pending,
      });
      after = under(value, revived, sharing);
    } catch (error) {
      fault = { code: codeOf(error), message: messageOf(error), time, event: RELOAD };
      after = lost(value, sharing, fault);
    }
    if (fault !== null) faulted.push({ id: value.id, code: fault.code, message: fault.message });
    else if (wasLost) recovered.push(value.id);
    changes.push({ slot: store.slotOf(value.id), before: value, after });
  }
  takeOver(parts, now, sharings);
  parts.commit(changes);
  parts.commit(replanned(parts, changes));
  return {
    kinds: [...before.keys()].filter((name) => now.get(name) !== before.get(name)),
    added: [...now.keys()].filter((name) => !before.has(name)),
    records: changes.length,
    faulted,
    recovered,
  };
}

/** Throws if a kind that has records would be gone, or would have its turn in another phase. */
function checkExchange(before: Kind, now: Kind | undefined, counters: Counters): void {
  const records = counters.recordsOf(before.name);
  if (records === 0) return;
  if (now === undefined) {
    throw new KindError(
      'KIND_IN_USE',
      `Kind '${before.name}' is no longer in the registry, and ${records} of its records are in the world. Remove them first, or put it back.`,
    );
  }
  if (now.order !== before.order) {
    throw new KindError(
      'KIND_IN_USE',
      `Kind '${before.name}' has another order (${before.order} before, ${now.order} now), by which its records have their turns. Stop the server and start it again.`,
    );
  }
  if (now.version < before.version) {
    throw new KindError(
      'KIND_IN_USE',
      `Kind '${before.name}' is version ${now.version} now and was ${before.version}; records do not go back. Give it the version it had.`,
    );
  }
}

/** What the records of a kind share from now on; its events are counted on. */
function sharingAfter({ kinds, sharings }: ReloadParts, kind: Kind): Sharing {
  const sharing = new Sharing(kind);
  const before = kinds.get(kind.name);
  sharing.events = (before && sharings.get(before)?.events) ?? 0;
  return sharing;
}

/** Puts the new kinds in the place of the old, where all parts of the world look for them. */
function takeOver(
  { kinds, sharings, counters }: ReloadParts,
  now: ReadonlyMap<string, Kind>,
  shared: ReadonlyMap<Kind, Sharing>,
): void {
  kinds.clear();
  sharings.clear();
  for (const [name, kind] of now) {
    kinds.set(name, kind);
    counters.include(name);
  }
  for (const [kind, sharing] of shared) sharings.set(kind, sharing);
}

/** Whether a record rests because an exchange could not bring it up. */
function isLost(fault: Fault | null): boolean {
  return fault?.event.type === RELOAD.type;
}

/** What came due while a record could not go on is due now. */
function dueNow(pending: readonly SavedPending[], time: number): SavedPending[] {
  return pending.map((entry) => (entry.at <= time ? { ...entry, iteration: 0 } : entry));
}

/** What was revived, as the next value of the record: its place and links are what they were. */
function under(before: RecordValue, revived: RecordValue, sharing: Sharing): RecordValue {
  const standing = { ...before.standing, kind: sharing.kind, sharing };
  const { shape, context, advancedTo, rarity, planned, dueAt, dueIteration, later } = revived;
  const revision = before.revision + 1;
  return new RecordValue(
    standing,
    shape,
    context,
    advancedTo,
    rarity,
    revision,
    planned,
    dueAt,
    dueIteration,
    later,
  );
}

/** The record with all it held, resting. */
function lost(before: RecordValue, sharing: Sharing, fault: Fault): RecordValue {
  const standing = { ...before.standing, kind: sharing.kind, sharing };
  const { context, advancedTo, planned, dueAt, dueIteration, later, rarity } = before;
  return new RecordValue(
    standing,
    { ...before.shape, heedsWake: false, sharing },
    context,
    advancedTo,
    { ...rarity, fault },
    before.revision + 1,
    planned && sharing.plannedOf(planned.rank, planned.id, planned.event, planned.to),
    dueAt,
    dueIteration,
    later,
  );
}

/** Predictions and steps as the kinds have them now. They may look at any record, so all have to be there. */
function replanned(parts: ReloadParts, changes: readonly Change[]): Change[] {
  const { store, agenda, steps, time } = parts;
  const iteration = agenda.isOpen ? agenda.iteration : -1;
  return changes.flatMap(({ slot, before }) => {
    const value = store.get(slot) as RecordValue;
    if (value.fault !== null || !hasPlans(value)) return [];
    const isSameStep = before !== undefined && isSame(before.kind.step, value.kind.step);
    const after = plannedAnew(value, slot, { steps, time, iteration, isSameStep }, (id) =>
      store.find(id),
    );
    return after === value ? [] : [{ slot, before: value, after }];
  });
}

function hasPlans(value: RecordValue): boolean {
  const { predict, step } = value.kind;
  if (predict.length > 0 || step !== 'events') return true;
  return entriesOf(value.pending).some(({ rank }) => rank !== RANK.timer);
}

function isSame(a: Kind['step'], b: Kind['step']): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
