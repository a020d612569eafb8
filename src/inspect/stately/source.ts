/** Where records to show come from: a world in this process, or one that is asked over `/admin`. */

import type { SendResult } from '../../core/commands.ts';
import type { MachineEvent, StateValue } from '../../core/logic.ts';

/** A record as an inspector shows it. */
export interface ShownRecord {
  readonly id: string;
  readonly kind: string;
  readonly at: readonly number[];
  readonly value: StateValue;
  readonly context: unknown;
  readonly status: string;
  readonly tags: readonly string[];
}

/** What became of a record; `record` is undefined once it is gone. */
export type Told = (record: ShownRecord | undefined, event: MachineEvent) => void;

export interface RecordSource {
  /** All records, in the order of ids. */
  records(): Promise<readonly ShownRecord[]>;
  /** Tells of each change of a record until the function given back is called. */
  watch(id: string, told: Told): () => void;
  /** Sends an event to a record, as a command. */
  send(id: string, event: MachineEvent): Promise<SendResult>;
  /** The machine of a kind; undefined if it is not known here. */
  machineOf(kind: string): unknown;
}
