/**
 * Commands: the only input of a world. Each is plain, so that it can be journaled and sent, and the
 * queue in which those from outside wait for the next frame, or for the game time they name.
 */
import type { NewRecord } from './ambient.ts';
import { WorldError } from './errors.ts';
import type { MachineEvent, StateValue } from './logic.ts';
import type { Settings } from './settings.ts';
import { checkedTime } from './time.ts';

/** What `setState` changes; what is left out stays. Context and links are given whole. */
export interface StateChange {
  readonly value?: StateValue;
  readonly context?: unknown;
  readonly at?: readonly number[];
  readonly links?: Readonly<Record<string, string>>;
}

export type Command =
  | { readonly type: 'add'; readonly records: readonly NewRecord[] }
  | { readonly type: 'addIfMissing'; readonly record: NewRecord }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'send'; readonly id: string; readonly event: MachineEvent }
  | { readonly type: 'setState'; readonly id: string; readonly change: StateChange }
  | { readonly type: 'retry'; readonly id: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'setSpeed'; readonly speed: number }
  | { readonly type: 'jump'; readonly milliseconds: number }
  /** The clock jumps for the time the world was not running; a `shiftTo` sets it back once that is caught up. */
  | { readonly type: 'offline'; readonly milliseconds: number }
  | { readonly type: 'shiftTo'; readonly time: number }
  | { readonly type: 'configure'; readonly settings: Partial<Settings> };

/** What became of a command. `code` and `message` say why it was not carried out. */
export type SendResult =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly code: string; readonly message: string };

/** Who gave a command: lower ranks first, then by id. */
export interface CommandSource {
  readonly rank: number;
  readonly id: string;
}

/** A command that was carried out or refused, for a journal. */
export interface CommandReport {
  /** How many commands this world has had, this one included. */
  readonly n: number;
  /** The game time at which it was carried out, in milliseconds. */
  readonly time: number;
  readonly source: CommandSource;
  readonly seq: number;
  readonly command: Command;
  readonly result: SendResult;
}

/** A command that waits. */
export interface QueuedCommand {
  readonly source: CommandSource;
  /** Counts the commands of one source. */
  readonly seq: number;
  /** The game time it is for; left out, or past: as soon as its turn comes. */
  readonly at?: number;
  readonly command: Command;
  /** Told when it was carried out or refused, before the next one. */
  readonly done?: (result: SendResult, time: number) => void;
}

/** Commands the queue holds at the most. */
const MOST_QUEUED = 4096;

/** Who gives commands by calling the world itself. */
export const LOCAL_SOURCE: CommandSource = Object.freeze({ rank: 0, id: 'local' });

/**
 * Who runs a world's frames and sleeps between them. Told of commands, so that each happens at the
 * time it comes and not at that of the last frame.
 */
export interface Host {
  /** The command as it is to wait: with the game time of now, if it names none. */
  stamped(command: QueuedCommand): QueuedCommand;
  /** A command waits. */
  commandWaits(): void;
  /** Called before a command that is given by a call, to run what is due until now. */
  catchUp(): void;
}

const NOW = Number.NEGATIVE_INFINITY;

export class CommandQueue {
  host: Host | undefined;
  private waiting: QueuedCommand[] = [];
  private isSorted = true;

  get size(): number {
    return this.waiting.length;
  }

  /** The earliest game time a command waits for, −Infinity for now, undefined if none waits. */
  get nextAt(): number | undefined {
    this.sort();
    const next = this.waiting.at(-1);
    return next === undefined ? undefined : (next.at ?? NOW);
  }

  /** Lets a command wait. Throws `E_RATE` when the queue is full. */
  push(command: QueuedCommand): void {
    const source = command?.source;
    if (
      !Number.isFinite(source?.rank) ||
      typeof source?.id !== 'string' ||
      !Number.isFinite(command.seq)
    ) {
      throw new WorldError(
        'BAD_COMMAND',
        'A queued command needs source: { rank: number, id: string } and a numeric seq.',
      );
    }
    if (typeof command.command?.type !== 'string') {
      throw new WorldError(
        'BAD_COMMAND',
        `A queued command needs command: { type, … }; got ${JSON.stringify(command.command)}.`,
      );
    }
    if (this.waiting.length >= MOST_QUEUED) {
      throw new WorldError(
        'E_RATE',
        `${MOST_QUEUED} commands wait already; ${source.id} has to try again after the next frame.`,
      );
    }
    const stamped = this.host?.stamped(command) ?? command;
    this.waiting.push(
      stamped.at === undefined ? stamped : { ...stamped, at: checkedTime(stamped.at, 'at') },
    );
    this.isSorted = false;
    this.host?.commandWaits();
  }

  /** Takes out the next command for `time` or before. */
  takeDue(time: number): QueuedCommand | undefined {
    this.sort();
    const next = this.waiting.at(-1);
    if (next === undefined || (next.at ?? NOW) > time) return undefined;
    return this.waiting.pop();
  }

  /** Moves the times that commands wait for along. */
  shift(delta: number): void {
    this.waiting = this.waiting.map((command) =>
      command.at === undefined ? command : { ...command, at: command.at + delta },
    );
  }

  /** The next to run stands last, so that taking it is cheap. */
  private sort(): void {
    if (this.isSorted) return;
    this.waiting.sort((a, b) => inOrder(b, a));
    this.isSorted = true;
  }
}

function inOrder(a: QueuedCommand, b: QueuedCommand): number {
  const at = (a.at ?? NOW) === (b.at ?? NOW) ? 0 : (a.at ?? NOW) - (b.at ?? NOW);
  if (at !== 0) return at;
  if (a.source.rank !== b.source.rank) return a.source.rank - b.source.rank;
  if (a.source.id !== b.source.id) return a.source.id < b.source.id ? -1 : 1;
  return a.seq - b.seq;
}
