/**
 * A world document as its users hold it: a world that is kept on disk while it runs. Every command
 * goes into its journal; `save` writes a generation, which the world does not wait for. Whoever shows
 * the world to others does so through `whenDurable`, so that nobody sees what a crash could undo.
 */
import type { World, WorldOptions } from '../core/world.ts';
import type { RememberedSessions } from '../protocol/remembered-sessions.ts';
import type { Disk } from './disk.ts';
import type { ImportReport } from './import-report.ts';
import type { RealTime } from './real-time.ts';

/** What to do about files that are not as they were written. */
export type Damaged =
  /** Refuse to open it, with `DAMAGED`. */
  | 'refuse'
  /** Take the newest generation that is whole, and what the journals have of the time since. */
  | 'earlier'
  /** Leave out the records of damaged regions; the files lie in `quarantine`. */
  | 'without';

/**
 * `seed`, `startAt` and `settings` are for a world that has no document yet. Of one that has, seed,
 * time and settings are those saved; settings given here that change no results take their place.
 */
export interface OpenOptions extends WorldOptions {
  /** The world's name. Default: the name of the folder. */
  readonly name?: string;
  /** Fills a world that has no document yet, before its first generation is saved. */
  readonly begin?: (world: World) => void;
  /** Default `refuse`. */
  readonly damaged?: Damaged;
  /** The game time to go on from, in milliseconds: every time is moved along. Default: as saved. */
  readonly at?: number;
  /** False: saves only when asked. Default true: each `settings.autosaveSeconds`. */
  readonly autosave?: boolean;
  /** Told while the world catches up with the time it was not running: game milliseconds. */
  readonly catchingUp?: (done: number, of: number) => void;
  /** Where files are; for tests. */
  readonly disk?: Disk;
  /** The real time to go by; for tests. */
  readonly time?: RealTime;
}

/** What a save did. */
export interface SaveReport {
  readonly generation: number;
  readonly records: number;
  /** Regions whose records were written; the others' files are named again. */
  readonly regionsWritten: number;
  readonly bytesWritten: number;
  /** Real milliseconds from the snapshot to the commit. */
  readonly took: number;
  /** The longest that the save kept the thread from anything else, in real milliseconds. */
  readonly longestPause: number;
}

/** What went wrong with the files, while the world lives. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  /** When it was first seen, in real milliseconds since 1970. */
  readonly since: number;
}

export interface DocumentHealth {
  /** `held`: the journal failed, and the world stands still until a new generation is saved. */
  readonly state: 'well' | 'save-failed' | 'held' | 'closed';
  /** Null while all is well. */
  readonly trouble: Trouble | null;
  readonly generation: number;
  /** When the generation was saved, in real milliseconds since 1970. */
  readonly savedAt: number;
  /** Whether a save is under way. */
  readonly isSaving: boolean;
  /** Journal lines that are not yet durable. */
  readonly waiting: number;
}

/** What a document tells. */
export interface DocumentEvents extends Record<string, unknown> {
  saved: SaveReport;
  /** A save or the journal failed. The document tries again by itself. */
  trouble: Trouble;
  /** All is well again. */
  recovered: { readonly after: Trouble };
}

export interface WorldDocument {
  readonly folder: string;
  readonly name: string;
  readonly world: World;
  /** What came of loading it. */
  readonly report: ImportReport;
  /** What clients' commands were answered; saved with the world. */
  readonly sessions: RememberedSessions;
  /** The last generation that was saved. */
  readonly generation: number;
  readonly health: DocumentHealth;
  /**
   * Saves a generation of the world as it is now. Saves asked for while one is under way share it if
   * it has not taken its snapshot yet, else the next. Rejects with `SaveError` if it fails; nothing is then lost, and it is tried again.
   */
  save(): Promise<SaveReport>;
  /** Writes the game time into the journal: a crash from then on does not undo it. */
  mark(): void;
  /**
   * Runs something, in the order of the calls, once the journal durably holds every command so far and
   * the game time of now: at once, within this call, if it already does. What a client is shown or
   * answered goes through here. While the journal fails it waits until a generation holds it all.
   *
   * @example
   * document.whenDurable(() => socket.send(ack));
   */
  whenDurable(run: () => void): void;
  on<E extends keyof DocumentEvents & string>(
    event: E,
    listener: (value: DocumentEvents[E]) => void,
  ): () => void;
  /** Saves, and gives up the lock. After a save that failed the journal still holds everything. */
  close(options?: { readonly save?: boolean }): Promise<void>;
}
