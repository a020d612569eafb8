/**
 * The messages between a server and its clients on `/world`: a version and two unions. Every message
 * is one text frame of JSON with a `type`. Places are in world units, times in game milliseconds.
 */
import type { MachineEvent, StateValue } from '../core/logic.ts';

/** The version of this protocol; a client of another one is refused. */
export const PROTOCOL = 1;

/** Bytes that one message to the server may have. */
export const MOST_BYTES_IN = 16 * 1024;

/**
 * Commands of one client that may be under way: a client gives command `seq` only when the one of
 * `seq` less this many was answered, and a server remembers the answers to that many.
 */
export const MOST_UNDER_WAY = 64;

export type Place = readonly [x: number, y: number];

// From a client

/** The first message. `kinds` leaves out what the client cannot read; without it, it takes all. */
export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  /** Versions by kind. */
  readonly kinds?: Readonly<Record<string, number>>;
  /** Where the client looks; without it, it sees only what everyone sees. */
  readonly view?: Place;
  /** What the last `welcome` gave. */
  readonly resume?: string;
}

/** The client looks elsewhere. */
export interface View {
  readonly type: 'view';
  readonly at: Place;
}

/** A command: an event for a record. Answered by `ack` or `reject` with the same `seq`. */
export interface Send {
  readonly type: 'send';
  readonly seq: number;
  readonly id: string;
  readonly event: MachineEvent;
}

export type FromClient = Hello | View | Send;

// From the server

/** How the game clock goes. */
export interface ClockReading {
  readonly time: number;
  /** Game milliseconds per real millisecond. */
  readonly speed: number;
  readonly paused: boolean;
}

export interface Welcome {
  readonly type: 'welcome';
  readonly protocol: number;
  readonly world: string;
  readonly session: string;
  /** A secret: with it the next `hello` goes on with this session, also after the server was started anew. */
  readonly resume: string;
  /**
   * Set when the client is told only what changed since it was last heard of. Otherwise it is sent
   * everything anew; its commands count once all the same, as long as `session` is the same.
   */
  readonly resumed?: true;
  readonly clock: ClockReading;
  /** Versions by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly cellSize: number;
  readonly relevancyRadius: number;
}

/**
 * What changed in a cell. A record belongs to the cell that sent it last, and `gone` of any other
 * cell does not touch it; so a record that moved stays with a client that sees both cells.
 *
 * After `welcome` the cells of the view come in full, and `'always'` as the last of them, also when
 * it is empty: by then the client has everything it is near.
 */
export interface CellFrame {
  readonly type: 'cell';
  /** `'x,y'` or `'always'`. */
  readonly cell: string;
  /** The world's game time. */
  readonly time: number;
  /** Set when these are all the records of the cell. */
  readonly full?: true;
  readonly set: readonly Rec[];
  readonly gone: readonly string[];
  readonly notices?: readonly WireNotice[];
}

/** The client is no longer told of a cell and forgets the records that belong to it. */
export interface Leave {
  readonly type: 'leave';
  readonly cell: string;
}

export interface Ack {
  readonly type: 'ack';
  readonly seq: number;
  readonly time: number;
}

export interface Reject {
  readonly type: 'reject';
  readonly seq: number;
  readonly code: string;
  readonly message: string;
}

/** The clock was paused, resumed, set or made to go at another speed. */
export interface ClockChange extends ClockReading {
  readonly type: 'clock';
}

/** Notices of a cell that were not sent: there were too many, or the client did not keep up, or was away. */
export interface Missed {
  readonly type: 'missed';
  readonly cell: string;
  readonly notices: number;
}

/** Why the server closes the connection, right before it does. */
export interface ErrorMessage {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
}

export type FromServer =
  | Welcome
  | CellFrame
  | Leave
  | Ack
  | Reject
  | ClockChange
  | Missed
  | ErrorMessage;

// Records

/** What superjson makes of a value that JSON cannot hold. */
export interface Rich {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** A whole record. Its context is in `rich` if JSON cannot hold it. */
export interface FullRec {
  readonly id: string;
  readonly kind: string;
  /** The kind's version. */
  readonly v: number;
  readonly at: readonly number[];
  /** The game time the context is at. */
  readonly time: number;
  /** When something happens to it next, null while it rests. */
  readonly next: number | null;
  readonly value: StateValue;
  readonly context?: unknown;
  readonly rich?: Rich;
  readonly tags?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  /** Left out while the machine goes on. */
  readonly status?: RecStatus;
  /** The code of the fault it rests with. */
  readonly fault?: string;
}

/** What changed of a record. `rich` stands for `context.set` if JSON cannot hold that. */
export interface ChangedRec {
  readonly id: string;
  readonly at?: readonly number[];
  readonly time?: number;
  readonly next?: number | null;
  readonly value?: StateValue;
  readonly context?: {
    readonly set?: Readonly<Record<string, unknown>>;
    readonly unset?: readonly string[];
  };
  readonly rich?: Rich;
  readonly tags?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly status?: RecStatus;
  readonly fault?: string | null;
}

/** A whole record has a `kind`, a changed one has none. */
export type Rec = FullRec | ChangedRec;

export type RecStatus = 'active' | 'done' | 'error';

/** A notice of a record. Its event is in `rich` if JSON cannot hold it. */
export interface WireNotice {
  readonly id: string;
  readonly kind: string;
  readonly at: readonly number[];
  readonly event?: MachineEvent;
  readonly rich?: Rich;
  readonly time: number;
  /** Its place among the notices of that game time. */
  readonly order: number;
}
