/**
 * A world as it was saved, and how one is made to go on from there. What is restored is the same world:
 * the same hash, the same records due in the same order, an instant in the same place of its middle.
 * Slots, indexes and what records share are made anew, since nothing that happens depends on them.
 */
import type { Agenda, InstantState } from './agenda.ts';
import { Draft } from './draft.ts';
import { WorldError } from './errors.ts';
import { faultOf } from './failure.ts';
import { deepFreeze } from './freeze.ts';
import type { Kind, Relevancy } from './kind.ts';
import type { LinkIndex } from './link-index.ts';
import { type MachineEvent, type MachineState, STEP } from './logic.ts';
import {
  entriesOf,
  findPending,
  type Pending,
  type PendingList,
  RANK,
  withoutId,
} from './pending.ts';
import type { PlaceIndex } from './place-index.ts';
import { replanPredictions, type StepSizes, withNextStep } from './planning.ts';
import { type Fault, type Links, NO_LINKS, NOTHING_RARE, RecordValue } from './record.ts';
import type { Shape, Sharing } from './sharing.ts';
import type { StateHash } from './state-hash.ts';
import type { Counters } from './stats.ts';
import type { Store } from './store.ts';

/** Something a record has before it, in the order in which it comes. */
export type SavedPending = Omit<Pending, 'next'>;

/** All of a record that makes it what it is. */
export interface SavedRecord {
  readonly id: string;
  /** The kind's name. */
  readonly kind: string;
  readonly at: readonly number[];
  readonly links: Links;
  readonly relevancy: Relevancy;
  readonly state: MachineState;
  /** The game time the context is at. */
  readonly advancedTo: number;
  readonly draws: number;
  readonly created: number;
  readonly fault: Fault | null;
  readonly revision: number;
  readonly pending: readonly SavedPending[];
  /** Its kind is another than when it was saved: predictions and steps are planned anew. */
  readonly isChanged?: boolean;
}

/** All of a world that makes it what it is, beside its seed and settings. */
export interface SavedWorld {
  /** Game time in milliseconds. */
  readonly time: number;
  readonly instant: InstantState | undefined;
  readonly clock: { readonly time: number; readonly speed: number; readonly paused: boolean };
  /** Commands it has had. */
  readonly commands: number;
  readonly records: Iterable<SavedRecord>;
}

/** What there is to save of a record. */
export function savedRecordOf(record: RecordValue): SavedRecord {
  const { id, at, links, relevancy, state, advancedTo, draws, created, fault, revision } = record;
  const pending = entriesOf(record.pending).map(({ next: _, ...entry }) => entry);
  const kind = record.kind.name;
  return {
    id,
    kind,
    at,
    links,
    relevancy,
    state,
    advancedTo,
    draws,
    created,
    fault,
    revision,
    pending,
  };
}

/** What records are put into. */
export interface RestoredParts {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly places: PlaceIndex;
  readonly links: LinkIndex;
  readonly stateHash: StateHash;
  readonly counters: Counters;
  readonly kinds: ReadonlyMap<string, Kind>;
  sharingOf(kind: Kind): Sharing;
  readonly steps: StepSizes;
  /** Whether contexts are frozen. */
  readonly isFreezing: boolean;
}

/** Puts saved records, and the instant they were in, into a world that has none. */
export function restoreRecords(parts: RestoredParts, saved: SavedWorld): void {
  const { store, agenda, places, links, stateHash, counters } = parts;
  const revive = reviver(parts);
  const changed: number[] = [];
  for (const record of saved.records) {
    if (store.slotOf(record.id) >= 0)
      throw new WorldError('DUPLICATE_ID', `There are two saved records ${record.id}.`);
    const slot = store.reserve();
    const value = revive(record);
    store.apply(slot, undefined, value, true);
    places.changed(slot, undefined, value);
    links.changed(slot, undefined, value);
    counters.changed(slot, undefined, value);
    stateHash.changed(slot);
    if (record.isChanged === true) changed.push(slot);
  }
  // Predictions may look at any record, so all have to be there.
  for (const slot of changed) planAnew(parts, slot, saved.time);
  agenda.restore(saved.time, saved.instant);
}

/** Plans the predictions and the step of a record as its kind has them now. */
function planAnew(parts: RestoredParts, slot: number, time: number): void {
  const { store, steps, links, counters } = parts;
  const before = store.get(slot) as RecordValue;
  // In iteration 0 of what comes next: no instant of the world as it is now has begun.
  const when = { steps, time, iteration: -1, isSameStep: true };
  const after = plannedAnew(before, slot, when, (id) => store.find(id));
  store.replace(slot, after);
  links.changed(slot, before, after);
  counters.changed(slot, before, after);
}

/**
 * A record with its predictions and its step as its kind has them now. `isSameStep`: a step that is
 * planned already stands.
 */
export function plannedAnew(
  before: RecordValue,
  slot: number,
  {
    steps,
    time,
    iteration,
    isSameStep,
  }: {
    readonly steps: StepSizes;
    readonly time: number;
    readonly iteration: number;
    readonly isSameStep: boolean;
  },
  find: (id: string) => RecordValue | undefined,
): RecordValue {
  if (before.shape.status !== 'active') return before;
  const draft = Draft.of(slot, before);
  const { kind } = draft;
  for (const { rank, id } of entriesOf(before.pending)) {
    const isPlannedStill =
      rank === RANK.timer ||
      (rank === RANK.prediction && kind.predict.some(([type]) => type === id)) ||
      (rank === RANK.step && kind.step !== 'events' && isSameStep);
    if (!isPlannedStill) draft.pending = withoutId(draft.pending, rank, id);
  }
  if (findPending(draft.pending, RANK.step, STEP) === undefined)
    draft.pending = withNextStep(draft.pending, kind, time, steps);
  const planned = draft.after as RecordValue;
  try {
    replanPredictions(draft, { time, find }, iteration);
    return draft.after as RecordValue;
  } catch (error) {
    return planned.withFault(faultOf(error, { type: 'offstage.restored' }, time));
  }
}

/** Makes values of saved records, which share what they have in common. */
function reviver({
  kinds,
  sharingOf,
  isFreezing,
}: RestoredParts): (saved: SavedRecord) => RecordValue {
  const revivals = new Map<Kind, Revival>();
  return (saved) => {
    const kind = kinds.get(saved.kind);
    if (kind === undefined) {
      throw new WorldError(
        'UNKNOWN_KIND',
        `${saved.id}: there is no kind '${saved.kind}' in this world; it has: ${[...kinds.keys()].join(', ')}.`,
      );
    }
    let revival = revivals.get(kind);
    if (revival === undefined) {
      revival = new Revival(sharingOf(kind));
      revivals.set(kind, revival);
    }
    if (isFreezing) deepFreeze(saved.state.context);
    return revival.valueOf(saved);
  };
}

/** Makes values of the saved records of one kind. */
export class Revival {
  private readonly sharing: Sharing;
  private readonly shapes = new Map<string, Shape>();
  private readonly events = new Map<string, MachineEvent>();

  constructor(sharing: Sharing) {
    this.sharing = sharing;
  }

  valueOf(saved: SavedRecord): RecordValue {
    const { id, at, links, relevancy, fault, draws, created } = saved;
    const { sharing } = this;
    const standing = {
      id,
      kind: sharing.kind,
      at: Object.freeze(at.slice()),
      links: linksOf(links),
      relevancy,
      sharing,
    };
    const rarity =
      fault === null && draws === 0 && created === 0 ? NOTHING_RARE : { draws, created, fault };
    const [first] = saved.pending;
    const event = first && this.eventOf(first.event);
    return new RecordValue(
      standing,
      this.shapeOf(saved.state),
      saved.state.context,
      saved.advancedTo,
      rarity,
      saved.revision,
      first && sharing.plannedOf(first.rank, first.id, event as MachineEvent, first.to),
      first?.at ?? 0,
      first?.iteration ?? 0,
      this.listOf(saved.pending, 1),
    );
  }

  private shapeOf(state: MachineState): Shape {
    const { value, status, historyValue, output, error, tags } = state;
    if (output !== undefined || error !== undefined) return this.sharing.shapeOf(state, undefined);
    const key = JSON.stringify([value, status, historyValue, tags]);
    let shape = this.shapes.get(key);
    if (shape === undefined) {
      shape = this.sharing.shapeOf(state, undefined);
      this.shapes.set(key, shape);
    }
    return shape;
  }

  /** The event; one object for all that carry nothing but their type. */
  private eventOf(event: MachineEvent): MachineEvent {
    if (Object.keys(event).length > 1) return event;
    const known = this.events.get(event.type);
    if (known !== undefined) return known;
    this.events.set(event.type, event);
    return event;
  }

  private listOf(entries: readonly SavedPending[], from: number): PendingList {
    let list: PendingList;
    for (let i = entries.length - 1; i >= from; i -= 1) {
      const { rank, id, event, at, iteration, to } = entries[i] as SavedPending;
      list = { rank, id, event: this.eventOf(event), at, iteration, to, next: list };
    }
    return list;
  }
}

function linksOf(links: Links): Links {
  const names = Object.keys(links).sort();
  if (names.length === 0) return NO_LINKS;
  return Object.freeze(Object.fromEntries(names.map((name) => [name, links[name] as string])));
}
