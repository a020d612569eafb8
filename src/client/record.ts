/** A record as a client shows it. Immutable: a change makes a new one. */
import { type MachineEvent, matchesValue, type StateValue } from '../core/logic.ts';
import type { RecordView } from '../protocol/record-view.ts';

export class ClientRecord<Context = unknown> implements RecordView {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  /** World units. */
  readonly at: readonly number[];
  readonly links: Readonly<Record<string, string>>;
  readonly value: StateValue;
  readonly context: Context;
  readonly status: RecordView['status'];
  readonly tags: readonly string[];
  /** The game time the context is at, in milliseconds. */
  readonly advancedTo: number;
  /** The game time of what comes next, null while it rests. */
  readonly nextEvent: number | null;
  /** The game time since which `nextEvent` is what it is: with it, how far the wait has come. */
  readonly waitingSince: number;
  /** The code of the fault it rests with. */
  readonly fault: string | null;

  constructor(view: RecordView, before?: ClientRecord) {
    this.id = view.id;
    this.kind = view.kind;
    this.version = view.version;
    this.at = view.at;
    this.links = view.links;
    this.value = view.value;
    this.context = view.context as Context;
    this.status = view.status;
    this.tags = view.tags;
    this.advancedTo = view.advancedTo;
    this.nextEvent = view.nextEvent;
    this.waitingSince =
      before !== undefined && before.nextEvent === view.nextEvent
        ? before.waitingSince
        : view.advancedTo;
    this.fault = view.fault;
    Object.freeze(this);
  }

  /** Whether the state lies within a pattern, as XState's `matches`. */
  matches(value: StateValue): boolean {
    return matchesValue(value, this.value);
  }

  hasTag(tag: string): boolean {
    return this.tags.includes(tag);
  }
}

/** Something a record's machine emitted for the outside. */
export interface ClientNotice {
  readonly id: string;
  readonly kind: string;
  readonly at: readonly number[];
  readonly event: MachineEvent;
  /** Game time in milliseconds. */
  readonly time: number;
  readonly order: number;
}
