/**
 * What came of loading a world: everything that is not exactly as it was saved, each with words for
 * people. An empty report means that the world goes on as if it had never been down.
 */
import type { Command } from '../core/commands.ts';

/** One thing that a load has to tell. `message` says what it is and what can be done. */
export type ImportEntry = { readonly message: string } & (
  | {
      /** The registry has no such kind; its records are kept as they were and saved again unchanged. */
      readonly type: 'UnknownKind';
      readonly kind: string;
      readonly records: number;
    }
  | {
      /** Saved by a newer version of the kind; kept as they were and saved again unchanged. */
      readonly type: 'TooNew';
      readonly kind: string;
      readonly version: number;
      readonly records: number;
    }
  | {
      /** Brought up from an older version. */
      readonly type: 'Migrated';
      readonly kind: string;
      readonly fromVersion: number;
      readonly records: number;
    }
  | { /** Told by a kind's `migrate`. */ readonly type: 'MigrateNote'; readonly id: string }
  | {
      /** The kind was changed and its version was not. */
      readonly type: 'ChangedKind';
      readonly kind: string;
    }
  | {
      /** It could not be brought up to its kind, and is kept as it was, outside the world. */
      readonly type: 'NotBroughtUp';
      readonly id: string;
      readonly code: string;
    }
  | {
      /** The record rests with a fault, since its machine has changed under it. */
      readonly type: 'Faulted';
      readonly id: string;
      readonly code: string;
    }
  | {
      /** Not taken into the world, since another record has its id; kept as it was. */
      readonly type: 'DuplicateId';
      readonly id: string;
    }
  | {
      /** A file that is not as it was written. `quarantined`: where it, or a copy of it, lies now. */
      readonly type: 'Damaged';
      readonly file: string;
      readonly quarantined: string | null;
    }
  | {
      /** The world is an older generation, and what the journals have of the time since. */
      readonly type: 'EarlierGeneration';
      readonly generation: number;
      readonly newest: number;
    }
  | {
      /** The records of a damaged region were left out, as asked. */
      readonly type: 'LeftOut';
      readonly region: string;
      readonly records: number;
    }
  | {
      /** Commands of later journals were given up, since some before them are missing. As asked. */
      readonly type: 'JournalGap';
    }
  | {
      /** A journal ends in something that is no whole line, as after a loss of power. */
      readonly type: 'JournalEnds';
      readonly file: string;
      readonly line: number;
      /** Whether more than one torn line was given up. */
      readonly isDamaged: boolean;
    }
  | {
      /** What was saved does not have the hash it had. */
      readonly type: 'OtherHash';
      readonly expected: string;
      readonly found: string;
      readonly time: number;
    }
  | {
      /** A command of the journal had another result than when it was first carried out. */
      readonly type: 'OtherResult';
      readonly n: number;
      readonly command: Command['type'];
    }
  | {
      /** The world ran on by this much for the time it was not running. Game milliseconds. */
      readonly type: 'Offline';
      readonly milliseconds: number;
    }
  | {
      /** Every time was moved along. Game milliseconds. */
      readonly type: 'Shifted';
      readonly by: number;
    }
);

export interface ImportReport {
  /** Whether a new world was made, since there was no document. */
  readonly isNew: boolean;
  /** The generation it was loaded from; 0 for a new world. */
  readonly generation: number;
  /** Records in the world when it had been loaded. */
  readonly records: number;
  /** Records kept as they were, outside the world. */
  readonly kept: number;
  /** Commands of the journals that were carried out again. */
  readonly replayed: number;
  /** The game time after all of it, in milliseconds. */
  readonly time: number;
  readonly entries: readonly ImportEntry[];
}
