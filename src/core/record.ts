/**
 * A record's value: immutable, made anew by each commit that changes it. Snapshots, diffs and saves
 * are pointers to these, kept a little longer.
 */
import type { Kind, Relevancy } from './kind.ts';
import type { MachineEvent, MachineState } from './logic.ts';
import type { PendingList } from './pending.ts';

/** Why a record rests although its machine has not ended. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  /** Game time in milliseconds. */
  readonly time: number;
  readonly event: MachineEvent;
}

export type Links = Readonly<Record<string, string>>;

export const NO_LINKS: Links = Object.freeze({});

/** What of a record seldom changes; its values of many revisions share one. */
export interface Standing {
  readonly id: string;
  readonly kind: Kind;
  /** World units, one to three numbers. */
  readonly at: readonly number[];
  readonly links: Links;
  readonly relevancy: Relevancy;
}

/** What most records never have. */
export interface Rarity {
  /** Random draws so far. */
  readonly draws: number;
  /** Records added so far without an id of their own. */
  readonly created: number;
  readonly fault: Fault | null;
}

export const NOTHING_RARE: Rarity = Object.freeze({ draws: 0, created: 0, fault: null });

/** A record at one revision. Lean: a world holds a million, and every event makes one. */
export class RecordValue {
  readonly standing: Standing;
  readonly state: MachineState;
  /** The game time the state's context is at. */
  readonly advancedTo: number;
  readonly pending: PendingList;
  readonly rarity: Rarity;
  /** Commits that changed it. */
  readonly revision: number;

  constructor(
    standing: Standing,
    state: MachineState,
    advancedTo: number,
    pending: PendingList,
    rarity: Rarity,
    revision: number,
  ) {
    this.standing = standing;
    this.state = state;
    this.advancedTo = advancedTo;
    this.pending = pending;
    this.rarity = rarity;
    this.revision = revision;
  }

  get id(): string {
    return this.standing.id;
  }
  get kind(): Kind {
    return this.standing.kind;
  }
  get at(): readonly number[] {
    return this.standing.at;
  }
  get links(): Links {
    return this.standing.links;
  }
  get relevancy(): Relevancy {
    return this.standing.relevancy;
  }
  get draws(): number {
    return this.rarity.draws;
  }
  get created(): number {
    return this.rarity.created;
  }
  get fault(): Fault | null {
    return this.rarity.fault;
  }

  /** The record resting with a fault, all else as it is. */
  withFault(fault: Fault): RecordValue {
    const { standing, state, advancedTo, pending, rarity, revision } = this;
    return new RecordValue(
      standing,
      state,
      advancedTo,
      pending,
      { ...rarity, fault },
      revision + 1,
    );
  }
}

/** What a record is doing, for counting. */
export type Condition = 'waiting' | 'resting' | 'done' | 'faulted';

/** Waiting has a next event; resting has none; a fault or a final state is told apart from resting. */
export function conditionOf(record: RecordValue): Condition {
  if (record.fault !== null) return 'faulted';
  if (record.state.status !== 'active') return 'done';
  return record.pending === undefined ? 'resting' : 'waiting';
}

/** The game time of its next event, undefined if it rests. */
export function nextEventOf(record: RecordValue): number | undefined {
  return record.fault === null ? record.pending?.at : undefined;
}

/** The state with its context advanced to `time`; the same state if that changes nothing. */
export function stateAt(
  record: {
    readonly kind: Kind;
    readonly at: readonly number[];
    readonly state: MachineState;
    readonly advancedTo: number;
  },
  time: number,
): MachineState {
  const { kind, state, advancedTo } = record;
  if (kind.advance === undefined || advancedTo >= time || state.status !== 'active') return state;
  const context = kind.advance(state.context, {
    from: advancedTo,
    to: time,
    value: state.value,
    at: record.at,
  });
  return context === state.context ? state : { ...state, context };
}

/** Whether a wake may do something to it. A faulted record is always worth another try. */
export function heedsWake(record: RecordValue): boolean {
  if (record.fault !== null) return true;
  if (record.state.status !== 'active') return false;
  return record.kind.predict.length > 0 || record.kind.logic.heedsWake(record.state);
}
