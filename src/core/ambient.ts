/**
 * The event that is happening now, for the actions and reads inside a machine. XState hands its
 * actions no place to put ours, so the transaction stands in one cell while a machine's code runs.
 * The cell lies under a versioned global symbol: two copies of the package that would silently be
 * apart meet there, and are noticed.
 */
import type { Address } from './address.ts';
import { OutsideEventError } from './errors.ts';
import type { MachineEvent, StateValue } from './logic.ts';

/** Another record as a machine sees it: as it is now, advanced to now. Stores nothing. */
export interface LinkedRecord<Context = unknown, Event extends { type: string } = MachineEvent> {
  readonly id: string;
  readonly kind: string;
  readonly at: readonly number[];
  readonly links: Readonly<Record<string, string>>;
  readonly value: StateValue;
  readonly context: Context;
  readonly status: 'active' | 'done' | 'error';
  readonly tags: readonly string[];
  matches(value: StateValue): boolean;
  hasTag(tag: string): boolean;
  /** Whether an `edit` with that event would be taken. */
  can(event: Event): boolean;
}

/** What it takes to add a record. */
export interface NewRecord {
  /** Left out inside an event: the kind's name and a hash of who added it. */
  readonly id?: string;
  readonly kind: string;
  /** Place in world units, one to three numbers. Left out inside an event: the place of who adds it. */
  readonly at?: readonly number[];
  readonly input?: unknown;
  readonly links?: Readonly<Record<string, string>>;
  readonly relevancy?: 'none' | 'spatial' | 'always';
}

/** What became of an offer. */
export type Offered = 'taken' | 'refused' | 'busy';

/** What actions and reads may ask of the event that is happening. */
export interface AmbientEvent {
  /** Game time in milliseconds. */
  readonly time: number;
  readonly selfId: string;
  /** Who sent the message or made the edit that is being handled; undefined for anything else. */
  readonly sender: string | undefined;
  /** Where the record stands, in world units. */
  readonly at: readonly number[];
  linked(address: Address): LinkedRecord | undefined;
  edit(address: Address, event: MachineEvent): void;
  /**
   * Edits a record, or sends it a message where an edit cannot get to it now: it is not there, it is in
   * the middle of a step of this event, or a message between the two is on its way, which an edit would
   * overtake or cross. A message arrives at the same game time, in the next iteration.
   */
  tell(address: Address, event: MachineEvent): void;
  /** Set within a `tryEdit`: a refusal fails nothing but that. */
  readonly isTrying?: boolean;
  /** False, and nothing changed, if the other record does not take the event. */
  tryEdit(address: Address, event: MachineEvent): boolean;
  /** As `tryEdit`; `busy`, and nothing changed, where an edit cannot get to the record now, as for `tell`. */
  offer(address: Address, event: MachineEvent): Offered;
  /** Gives the id the record will have. */
  addRecord(record: NewRecord): string;
  removeRecord(id: string): void;
  moveTo(at: readonly number[]): void;
  link(name: string, id: string): void;
  unlink(name: string): void;
  /** At least 0 and below 1; throws while a guard is being evaluated. */
  random(): number;
}

/** The cell the event stands in. `inGuard` is set by the machine logic while it evaluates guards. */
export interface AmbientCell {
  current: AmbientEvent | undefined;
  inGuard: boolean;
  copies: number;
}

const key = Symbol.for('offstage.event/1');
const holder = globalThis as { [key]?: AmbientCell };

const cell: AmbientCell = holder[key] ?? { current: undefined, inGuard: false, copies: 0 };
holder[key] = cell;

/** The one cell of this process. */
export const ambient = cell;
ambient.copies += 1;

/** How many copies of the package share this process; more than one is worth a warning. */
export function copiesOfOffstage(): number {
  return ambient.copies;
}

/** The event that is happening, or an error that says `what` was called outside one. */
export function currentEvent(what: string): AmbientEvent {
  const event = ambient.current;
  if (event === undefined) throw new OutsideEventError(what);
  return event;
}
