/**
 * Event types sorted into classes: all types that match the same descriptors of a machine find the
 * same transitions in it, so tables are kept for each class. A machine has few classes, however many
 * types of events it is sent.
 */
import { matchesDescriptor } from '../wake.ts';
import { isReserved, nodesOf, type XMachine } from '../xstate-internals.ts';

export interface EventClass {
  /** Its place in tables. */
  readonly index: number;
  /** One of its types. All its types have the same candidates. */
  readonly type: string;
  /** Whether a record cannot be sent such an event. */
  readonly isReserved: boolean;
}

/** How many types are remembered beside those that the machine names. */
const REMEMBERED = 1000;

export class EventClasses {
  readonly #descriptors: readonly string[];
  readonly #byType = new Map<string, EventClass>();
  readonly #byMatch = new Map<string, EventClass>();
  // Most events of a world are timers, and often the same again.
  #lastType: string | undefined = undefined;
  #last: EventClass | undefined = undefined;

  constructor(machine: XMachine) {
    this.#descriptors = [
      ...new Set(nodesOf(machine).flatMap((node) => [...node.transitions.keys()])),
    ];
  }

  of(type: string): EventClass {
    if (type === this.#lastType) return this.#last as EventClass;
    const found = this.#byType.get(type) ?? this.#classed(type);
    this.#lastType = type;
    this.#last = found;
    return found;
  }

  #classed(type: string): EventClass {
    const reserved = isReserved(type);
    const matched = this.#descriptors.filter((descriptor) => matchesDescriptor(type, descriptor));
    const exact = matched.includes(type) ? type : undefined;
    const key = JSON.stringify([reserved, exact, matched]);
    let found = this.#byMatch.get(key);
    if (found === undefined) {
      found = { index: this.#byMatch.size, type, isReserved: reserved };
      this.#byMatch.set(key, found);
    }
    if (this.#byType.size >= this.#descriptors.length + REMEMBERED) this.#byType.clear();
    this.#byType.set(type, found);
    return found;
  }
}
