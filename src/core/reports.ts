/** What a world says of what happens, and who hears it. */
import type { CommandReport } from './commands.ts';
import type { Change, Commit, Notice } from './commit.ts';
import type { MachineEvent } from './logic.ts';
import type { Fault } from './record.ts';
import type { ReloadReport } from './reload.ts';
import type { RecordSnapshot } from './snapshot.ts';
import type { Transaction } from './transaction.ts';

/** What made an event happen. */
export type Cause = 'timer' | 'prediction' | 'step' | 'message' | 'wake' | 'command';

/** One event, once it is over. */
export interface EventReport {
  /** Game time in milliseconds. */
  readonly time: number;
  readonly iteration: number;
  /** The record whose event it was. */
  readonly id: string;
  readonly kind: string;
  readonly cause: Cause;
  readonly event: MachineEvent;
  /** Whether the machine took it. */
  readonly taken: boolean;
  /** Why it failed, if it did. */
  readonly fault: Fault | null;
  /** Ids of the records it changed. */
  readonly changed: readonly string[];
}

/** A set of records an event depended on. */
export type ReadSet =
  | { readonly type: 'linkers'; readonly id: string }
  | {
      readonly type: 'selection';
      readonly kind?: string;
      readonly within?: { readonly at: readonly number[]; readonly radius: number };
    };

/** What an event looked at, whether or not it took anything. */
export interface ReadReport {
  readonly time: number;
  readonly iteration: number;
  readonly id: string;
  readonly event: MachineEvent;
  /** Ids looked up, present or not, its own first. */
  readonly ids: readonly string[];
  readonly sets: readonly ReadSet[];
}

/** Who hears what happens; absent ones cost nothing. */
export interface Listeners {
  commit: ((commit: Commit) => void) | undefined;
  appearance: ((change: Change) => void) | undefined;
  notice: ((notice: Notice) => void) | undefined;
  fault: ((fault: Fault & { readonly id: string; readonly kind: string }) => void) | undefined;
  wake:
    | ((wake: {
        readonly id: string;
        readonly links: readonly string[];
        readonly time: number;
      }) => void)
    | undefined;
  event: ((report: EventReport) => void) | undefined;
  read: ((report: ReadReport) => void) | undefined;
  log:
    | ((log: { readonly id: string; readonly time: number; readonly params: unknown }) => void)
    | undefined;
}

/** What a transaction looked at, itself and those who link to what it touched. */
export function readReport(transaction: Transaction, id: string, event: MachineEvent): ReadReport {
  const touched = transaction.drafts.ids();
  const ids = new Set([id, ...touched, ...(transaction.reads ?? [])]);
  ids.delete('');
  const sets: ReadSet[] = touched.map((linked) => ({ type: 'linkers', id: linked }));
  for (const { to } of transaction.outgoing.deliveries) {
    if (to.type !== 'offstage.all') continue;
    const { kind, within } = to;
    sets.push({
      type: 'selection',
      ...(kind === undefined ? {} : { kind }),
      ...(within === undefined ? {} : { within }),
    });
  }
  const { time, iteration } = transaction;
  return { time, iteration, id, event, ids: [...ids], sets };
}

/** What a world tells its listeners. */
export interface WorldEvents extends Record<string, unknown> {
  commit: Commit;
  /**
   * A record came, went, moved, or is in another condition or at another fault: what shows from afar.
   * Most events change nothing of it, and who hears only this slows none of those down.
   */
  appearance: Change;
  added: RecordSnapshot;
  removed: { readonly id: string; readonly kind: string; readonly time: number };
  notice: Notice;
  fault: Fault & { readonly id: string; readonly kind: string };
  wake: { readonly id: string; readonly links: readonly string[]; readonly time: number };
  command: CommandReport;
  event: EventReport;
  read: ReadReport;
  log: { readonly id: string; readonly time: number; readonly params: unknown };
  /** The kinds were exchanged; what was worked out from the old ones is out of date. */
  reload: ReloadReport;
}

/** Every name that `world.on` takes. */
export const WORLD_EVENTS: ReadonlySet<keyof WorldEvents> = new Set([
  'commit',
  'appearance',
  'added',
  'removed',
  'notice',
  'fault',
  'wake',
  'command',
  'event',
  'read',
  'log',
  'reload',
]);
