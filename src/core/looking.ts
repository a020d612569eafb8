/**
 * Looking at records without touching them: what `linked` gives, and the event that stands in the
 * ambient cell while a guard is asked from outside (`can`, `predict`). Whatever would change
 * something throws.
 */
import type { Address } from './address.ts';
import { type AmbientEvent, ambient, type LinkedRecord } from './ambient.ts';
import { messageOf, WorldError } from './errors.ts';
import type { Kind } from './kind.ts';
import { type MachineEvent, type MachineState, matchesValue, type StateValue } from './logic.ts';
import { checkedLinkName } from './names.ts';
import type { Links } from './record.ts';

/** What a record and the working copy of one in a transaction have in common. */
export interface Viewed {
  readonly id: string;
  readonly kind: Kind;
  readonly at: readonly number[];
  readonly links: Links;
  readonly state: MachineState;
  readonly advancedTo: number;
  /** Whether it is in the middle of a step, so that nothing else may be done to it. */
  readonly stepping?: boolean;
}

/** Where records are looked up: the store, a snapshot, or a transaction with its changes so far. */
export interface Records {
  readonly time: number;
  find(id: string): Viewed | undefined;
}

/** The id an address of one record leads to, from the record that has the links. */
export function resolveAddress(
  from: Pick<Viewed, 'id' | 'kind' | 'links'>,
  address: Address,
): string | undefined {
  if (typeof address === 'string') {
    const id = from.links[address];
    // What every object inherits is no text.
    if (typeof id === 'string') return id;
    checkedLinkName(address, from.id, from.kind);
    return undefined;
  }
  if (typeof address === 'object' && address !== null && typeof address.id === 'string')
    return address.id;
  throw badAddress(from.id, address);
}

function badAddress(id: string, address: unknown): WorldError {
  return new WorldError(
    'BAD_ADDRESS',
    `${id}: ${String(address)} is no link name and was not made by byId().`,
  );
}

/** Another record as it is when it is asked for, advanced to then. */
class LinkedView implements LinkedRecord {
  readonly id: string;
  readonly kind: string;
  readonly at: readonly number[];
  readonly links: Links;
  private readonly records: Records;
  /** What it takes to advance it, if it is to be. */
  private readonly viewed: Viewed | undefined;
  private readonly state: MachineState;
  private advanced: MachineState | undefined;

  constructor(records: Records, viewed: Viewed) {
    this.id = viewed.id;
    this.kind = viewed.kind.name;
    this.at = viewed.at;
    this.links = viewed.links;
    this.records = records;
    const { id, kind, at, links, state, advancedTo } = viewed;
    this.viewed =
      kind.advance === undefined ? undefined : { id, kind, at, links, state, advancedTo };
    this.state = state;
  }

  get value(): StateValue {
    return this.state.value;
  }
  get context(): unknown {
    if (this.viewed === undefined) return this.state.context;
    this.advanced ??= advancedFrom(this.records, this.viewed, this.state);
    return this.advanced.context;
  }
  get status(): MachineState['status'] {
    return this.state.status;
  }
  get tags(): readonly string[] {
    return this.state.tags;
  }
  matches(value: StateValue): boolean {
    return matchesValue(value, this.state.value);
  }
  hasTag(tag: string): boolean {
    return this.state.tags.includes(tag);
  }
  can(event: MachineEvent): boolean {
    const now = this.records.find(this.id);
    return now !== undefined && now.stepping !== true && canTake(this.records, now, event);
  }
}

/** A record's state with its context advanced to the time of the records; the same state if that changes nothing. */
export function advancedState(records: Records, viewed: Viewed): MachineState {
  return advancedFrom(records, viewed, viewed.state);
}

function advancedFrom(records: Records, viewed: Viewed, state: MachineState): MachineState {
  const { advance } = viewed.kind;
  const { advancedTo: from, at } = viewed;
  const { time: to } = records;
  if (advance === undefined || from >= to || state.status !== 'active') return state;
  // Whoever reads, the record advances as itself, and can do nothing but look.
  const context = whileLooking(records, viewed, () => {
    try {
      return advance(state.context, { from, to, value: state.value, at });
    } catch (error) {
      throw new WorldError(
        'BAD_ADVANCE',
        `${viewed.id} (${viewed.kind.name}): advance from ${from} to ${to} failed: ${messageOf(error)}`,
        { cause: error },
      );
    }
  });
  return context === state.context ? state : { ...state, context };
}

/** The view of a record, for `linked`. */
export function linkedView(records: Records, viewed: Viewed | undefined): LinkedRecord | undefined {
  return viewed === undefined ? undefined : new LinkedView(records, viewed);
}

/** Whether a record would take an event now. */
export function canTake(records: Records, viewed: Viewed, event: MachineEvent): boolean {
  if (viewed.state.status !== 'active') return false;
  return whileLooking(records, viewed, () =>
    viewed.kind.logic.can(advancedState(records, viewed), event),
  );
}

/** Runs something pure with that record as the one whose event it is, and nothing allowed but reads. */
export function whileLooking<T>(records: Records, viewed: Viewed, look: () => T): T {
  const { current, inGuard } = ambient;
  ambient.current = new Looking(records, viewed);
  ambient.inGuard = false;
  try {
    return look();
  } finally {
    ambient.current = current;
    ambient.inGuard = inGuard;
  }
}

class Looking implements AmbientEvent {
  readonly time: number;
  readonly selfId: string;
  readonly sender = undefined;
  readonly at: readonly number[];
  private readonly records: Records;
  private readonly viewed: Viewed;

  constructor(records: Records, viewed: Viewed) {
    this.records = records;
    this.viewed = viewed;
    this.time = records.time;
    this.selfId = viewed.id;
    this.at = viewed.at;
  }

  linked(address: Address): LinkedRecord | undefined {
    const id = resolveAddress(this.viewed, address);
    return id === undefined ? undefined : linkedView(this.records, this.records.find(id));
  }
  edit(): never {
    throw this.refusal('edit');
  }
  tell(): never {
    throw this.refusal('tell');
  }
  tryEdit(): never {
    throw this.refusal('tryEdit');
  }
  offer(): never {
    throw this.refusal('offer');
  }
  addRecord(): never {
    throw this.refusal('addRecord');
  }
  removeRecord(): never {
    throw this.refusal('removeRecord');
  }
  moveTo(): never {
    throw this.refusal('moveTo');
  }
  link(): never {
    throw this.refusal('link');
  }
  unlink(): never {
    throw this.refusal('unlink');
  }
  random(): never {
    throw this.refusal('random');
  }

  private refusal(what: string): WorldError {
    return new WorldError(
      'ONLY_LOOKING',
      `${what} was called for ${this.selfId} where records are only looked at (a guard asked by can(), or a prediction); do it in an action.`,
    );
  }
}
