/**
 * One connection of a client. It has said nothing yet, speaks for a session, or is over; a session
 * outlives it, and may go on over another one.
 */
import type { ErrorMessage, FromServer } from '../protocol/messages.ts';
import type { Figures } from './figures.ts';
import { encoded } from './frame.ts';
import { CLOSE, type Wire } from './wire.ts';

/** Who a client is, as the server's own authentication says; a plain token says nothing. */
export interface User {
  readonly id: string;
}

/** Above this a connection is behind: it is sent no more until it has taken what it was sent. */
const MOST_BUFFERED = 64 * 1024;
/** Above this and getting no less, it only costs memory. */
const TOO_MUCH_BUFFERED = 1024 * 1024;
/** Real milliseconds after which a connection that takes nothing is let go. */
const PATIENCE = 10_000;

export class Connection {
  readonly wire: Wire;
  readonly user: User | undefined;
  private readonly figures: Figures;
  private readonly over: (connection: Connection) => void;
  private isClosed = false;
  /** Since when nothing was taken, and how much there was left to take then. */
  private stuck: { readonly since: number; readonly buffered: number } | undefined;

  /** `over` is called once, when it has ended from either side. */
  constructor(
    wire: Wire,
    user: User | undefined,
    figures: Figures,
    over: (connection: Connection) => void,
  ) {
    this.wire = wire;
    this.user = user;
    this.figures = figures;
    this.over = over;
  }

  get isOver(): boolean {
    return this.isClosed;
  }

  /** Sends frames in one write. */
  write(frames: readonly Uint8Array[]): void {
    if (this.isClosed || frames.length === 0) return;
    this.figures.sent(frames);
    this.wire.write(frames);
  }

  tell(message: FromServer): void {
    // Answers and the clock go at once; who sends and never reads would otherwise pile them up.
    if (this.wire.buffered > TOO_MUCH_BUFFERED) this.tooSlow();
    else this.write([encoded(message)]);
  }

  /**
   * Whether it has not yet taken most of what it was sent. One that takes nothing for ten seconds, or
   * has far too much before it and takes none of that, is let go.
   */
  isBehind(now: number): boolean {
    const { buffered } = this.wire;
    if (buffered <= MOST_BUFFERED) {
      this.stuck = undefined;
      return false;
    }
    const { stuck } = this;
    if (stuck === undefined || buffered < stuck.buffered) this.stuck = { since: now, buffered };
    else if (buffered > TOO_MUCH_BUFFERED || now - stuck.since >= PATIENCE) this.tooSlow();
    return true;
  }

  /** Says what is wrong and closes. */
  fail(closeCode: number, code: string, message: string): void {
    if (this.isClosed) return;
    const error: ErrorMessage = { type: 'error', code, message };
    this.write([encoded(error)]);
    this.ended();
    this.wire.close(closeCode, code);
  }

  /** It has ended. */
  ended(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.over(this);
  }

  private tooSlow(): void {
    this.fail(CLOSE.tryLater, 'TOO_SLOW', 'The client does not keep up; connect again.');
  }
}
