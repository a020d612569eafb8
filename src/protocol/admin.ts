/**
 * The messages between a server and an admin on `/admin`: the command line, the inspector page and
 * live reload. What changes the world goes in as a command (`do`); `watch` keeps telling, `query`
 * tells once. Times are in game milliseconds.
 */
import type { Command } from '../core/commands.ts';
import type { MachineEvent, StateValue } from '../core/logic.ts';
import type { Condition, Fault } from '../core/record.ts';
import type { Cause } from '../core/reports.ts';
import type { WorldStats } from '../core/stats.ts';
import type { KindChart } from '../machine/chart.ts';
import type { Draw, Drawn, Redraw } from './chart-edits.ts';
import type { ClockReading, ErrorMessage, Rich } from './messages.ts';

// From an admin

/** Adds `count` records of the kind `timer` that fire every `interval` game milliseconds. */
export interface SpawnTimers {
  readonly type: 'spawnTimers';
  readonly count: number;
  readonly interval: number;
  /** World units between neighbours. Default 1000. */
  readonly spacing?: number;
}

/** Saves a generation of the world as it is now. Answered when it is durable. */
export interface Save {
  readonly type: 'save';
}

/** Any command of the world, one that the server turns into such, or one for the server itself. */
export type AdminCommand = Exclude<Command, { readonly type: 'offline' }> | SpawnTimers | Save;

/** Answered by `done` or `refused` with the same `seq`, once no crash can undo it. */
export interface Do {
  readonly type: 'do';
  readonly seq: number;
  readonly command: AdminCommand;
}

/** What can be watched. Each is told at once, and again when it has changed, with each flush. */
export type Watched =
  | { readonly what: 'stats' }
  | { readonly what: 'record'; readonly id: string }
  | { readonly what: 'next'; readonly count?: number }
  /** The records of the cells that touch a rectangle; watched again with another, it moves there. */
  | { readonly what: 'map'; readonly from: Place; readonly to: Place }
  /** What happens from now on, to one record or to all. */
  | { readonly what: 'events'; readonly id?: string }
  /** The statecharts of all kinds. */
  | { readonly what: 'machines' }
  /** The records that rest with a fault. */
  | { readonly what: 'faults' };

/** World units. */
export type Place = readonly [x: number, y: number];

export type Watch = { readonly type: 'watch' } & Watched;

/** Ends a `watch` of the same `what` (and `id`). */
export type Unwatch =
  | {
      readonly type: 'unwatch';
      readonly what: 'stats' | 'next' | 'map' | 'machines' | 'faults';
    }
  | { readonly type: 'unwatch'; readonly what: 'record'; readonly id: string }
  | { readonly type: 'unwatch'; readonly what: 'events'; readonly id?: string };

/** Asks once. Answered by `records` with the same `seq`. */
export interface Query {
  readonly type: 'query';
  readonly seq: number;
  readonly what: 'records';
  /** Left out: all. Else a part of an id, of a kind, or of the name of a state. */
  readonly filter?: string;
  /** Records to give at the most. Default 1000. */
  readonly limit?: number;
}

export type FromAdmin = Do | Watch | Unwatch | Query | Draw | Redraw;

// From the server

/** The first message. */
export interface AdminWelcome {
  readonly type: 'welcome';
  readonly protocol: number;
  readonly world: string;
  readonly clock: ClockReading;
  /** Versions by kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

export interface Done {
  readonly type: 'done';
  readonly seq: number;
  /** The world's game time right after it. */
  readonly time: number;
  /** How many records a command added. */
  readonly added?: number;
  /** What a save saved. */
  readonly saved?: Saved;
}

/** A generation that was saved. */
export interface Saved {
  readonly generation: number;
  readonly records: number;
  /** Regions whose records were written; the others' files are named again. */
  readonly regionsWritten: number;
  readonly bytesWritten: number;
  /** Real milliseconds. */
  readonly took: number;
}

export interface Refused {
  readonly type: 'refused';
  readonly seq: number;
  readonly code: string;
  readonly message: string;
}

export interface StatsTold {
  readonly type: 'stats';
  readonly stats: ServerStats;
}

export interface RecordTold {
  readonly type: 'record';
  readonly id: string;
  /** Null if there is none of that id. */
  readonly record: InspectedRecord | null;
}

export interface NextTold {
  readonly type: 'next';
  readonly time: number;
  readonly events: readonly UpcomingEvent[];
}

export interface RecordsTold {
  readonly type: 'records';
  readonly seq: number;
  readonly time: number;
  readonly records: readonly InspectedRecord[];
  /** How many there are, those past the limit included. */
  readonly total: number;
}

/** Records in columns, so that a hundred thousand are soon written and read. */
export interface Marks {
  readonly ids: readonly string[];
  /** World units. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** The place of the kind in `kinds`, times 4, plus that of the condition in `CONDITIONS`. */
  readonly looks: readonly number[];
}

/** In the order in which `looks` counts them. */
export const CONDITIONS = [
  'waiting',
  'resting',
  'done',
  'faulted',
] as const satisfies readonly Condition[];

/**
 * What is new on the map. Cells are entered and left whole; a record belongs to the cell that its
 * place lies in, and one that left for a cell that is not watched is `gone`.
 */
export interface MapTold {
  readonly type: 'map';
  readonly time: number;
  readonly cellSize: number;
  /** Names of kinds in the order in which `looks` counts them. */
  readonly kinds: readonly string[];
  /** Everything told before no longer holds. Comes with where all records of the world lie. */
  readonly anew?: { readonly extent: { readonly from: Place; readonly to: Place } | null };
  /** Cells that are told no more; their records are forgotten. */
  readonly left: readonly string[];
  /** Records that are new or have changed. */
  readonly set: Marks;
  readonly gone: readonly string[];
  readonly notices: readonly MapNotice[];
  /** Records of cells in view that are still to be told. */
  readonly toCome: number;
}

export interface MapNotice {
  readonly id: string;
  readonly at: Place;
  readonly event: string;
}

export interface EventsTold {
  readonly type: 'events';
  /** The record that was asked for, if it was one. */
  readonly id?: string;
  /** In the order in which they happened. */
  readonly happened: readonly Happening[];
  /** How many more there were than can be told. */
  readonly missed: number;
}

/** Something that happened: an event, or a notice that a machine gave. */
export type Happening = {
  /** Game milliseconds. */
  readonly time: number;
  readonly id: string;
  readonly kind: string;
  readonly event: MachineEvent;
} & (
  | {
      readonly what: 'event';
      readonly cause: Cause;
      readonly taken: boolean;
      readonly fault: Fault | null;
    }
  | { readonly what: 'notice' }
);

export interface MachinesTold {
  readonly type: 'machines';
  readonly machines: readonly KindChart[];
  /** Whether their sources can be drawn in: the server loads them again when they change (`--watch`). */
  readonly isDrawable: boolean;
  /** Why the sources as they are now were not loaded, null if they were. */
  readonly problem: string | null;
}

export interface FaultsTold {
  readonly type: 'faults';
  readonly faults: readonly { readonly id: string; readonly kind: string; readonly fault: Fault }[];
  /** How many there are, those that are not told included. */
  readonly total: number;
}

export type FromAdminServer =
  | AdminWelcome
  | Done
  | Refused
  | StatsTold
  | RecordTold
  | NextTold
  | RecordsTold
  | MapTold
  | EventsTold
  | MachinesTold
  | FaultsTold
  | Drawn
  | ErrorMessage;

/** A running world in figures. */
export interface ServerStats extends WorldStats {
  readonly world: string;
  /** The game time up to which everything has happened. */
  readonly time: number;
  readonly clock: ClockReading;
  /** When something happens next, null if nothing is to come. */
  readonly nextEvent: number | null;
  readonly clients: number;
  /** Cells that hold records and that some client is told of. */
  readonly cellsWatched: number;
  readonly replication: ReplicationStats & ReplicationRates;
  readonly saves: SaveStats;
  readonly frames: FrameStats;
  readonly memory: MemoryStats;
  /** Events that a frame runs at the most. */
  readonly budget: number;
}

/** What is kept of a world on disk. */
export interface SaveStats {
  /**
   * `save-failed`: the last generation could not be saved; the journal has everything. `held`: the
   * journal cannot be written either, and the world stands still until it can be saved.
   */
  readonly state: 'well' | 'save-failed' | 'held' | 'closed';
  /** What is wrong, null while all is well. */
  readonly code: string | null;
  readonly message: string | null;
  readonly generation: number;
  /** When the generation was saved, in real milliseconds since 1970. */
  readonly savedAt: number;
  /** Lines of the journal that are not durable yet. */
  readonly waiting: number;
}

/** What frames of the world cost, in real milliseconds. */
export interface FrameStats {
  /** Since the server began. */
  readonly count: number;
  readonly milliseconds: number;
  /** The longest of the last second or two. */
  readonly longest: number;
}

/** Bytes. */
export interface MemoryStats {
  readonly heapUsed: number;
  /** All that the process holds. */
  readonly resident: number;
}

/** What clients are sent: totals since the server began, and how things stand now. */
export interface ReplicationStats {
  /** Clients that are connected and have said hello. */
  readonly clients: number;
  /** Sessions whose client is away and may come back. */
  readonly away: number;
  /** Cells that hold records and that some client is told of. */
  readonly cells: number;
  readonly bytesSent: number;
  readonly framesSent: number;
  /** Bytes that clients' sockets have not taken yet. */
  readonly buffered: number;
  /** Flushes that a client was not sent because it was behind; it got the later state instead. */
  readonly conflations: number;
  readonly noticesMissed: number;
  /** Commands of clients that were let in. */
  readonly commands: number;
  /** Commands that were not carried out, by code. */
  readonly rejects: Readonly<Record<string, number>>;
  readonly flushes: number;
  /** Real milliseconds that making all flushes took. */
  readonly flushMilliseconds: number;
}

/** Of the last five seconds. */
export interface ReplicationRates {
  readonly bytesPerSecond: number;
  readonly framesPerSecond: number;
}

/** A record with all that an admin may see, server-only keys too. */
export interface InspectedRecord {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  readonly at: readonly number[];
  readonly cell: string;
  readonly region: string;
  readonly links: Readonly<Record<string, string>>;
  readonly linkedBy: readonly string[];
  readonly relevancy: string;
  readonly value: StateValue;
  /** As it is at `time`; in `rich` if JSON cannot hold it. */
  readonly context?: unknown;
  readonly rich?: Rich;
  readonly status: string;
  readonly tags: readonly string[];
  readonly time: number;
  readonly advancedTo: number;
  readonly nextEvent: number | null;
  readonly timers: readonly UpcomingTimer[];
  readonly fault: Fault | null;
  readonly revision: number;
  /** What the kind says of it in one line. */
  readonly description?: string;
}

export interface UpcomingTimer {
  readonly id: string;
  readonly event: MachineEvent;
  readonly at: number;
}

export interface UpcomingEvent {
  readonly id: string;
  readonly kind: string;
  readonly event: MachineEvent;
  readonly at: number;
}
