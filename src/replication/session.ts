/** One client's connection: what it has said of itself, and the cells it is told of. */
import { ProtocolError } from '../core/errors.ts';
import type { ErrorMessage, FromServer, Hello, Place } from '../protocol/messages.ts';
import { encoded } from './frame.ts';
import type { KeptCell } from './interest.ts';
import type { Readership } from './readership.ts';

/** Where a session's bytes go; a server makes one of each socket. */
export interface Wire {
  /** Bytes that the socket has not taken yet. */
  readonly buffered: number;
  /** Sends text frames in one write. */
  write(frames: readonly Uint8Array[]): void;
  close(code: number, reason: string): void;
}

/** A client that is this far behind is let go: it would only cost memory. */
const MOST_BUFFERED = 1024 * 1024;

/** Close codes of WebSocket (RFC 6455, 7.4.1). */
export const CLOSE = {
  goingAway: 1001,
  protocol: 1002,
  policy: 1008,
  internal: 1011,
  tryLater: 1013,
} as const;

type State =
  | { readonly is: 'silent' }
  | { readonly is: 'open'; readonly readership: Readership }
  | { readonly is: 'closed' };

export class Session {
  readonly id: string;
  /** Where the client looks. */
  view: Place | undefined;
  /** The cells it is told of, without `always`. */
  cells: ReadonlyMap<string, KeptCell> = new Map();
  private readonly wire: Wire;
  private state: State = { is: 'silent' };
  private outbox: Uint8Array[] = [];

  constructor(id: string, wire: Wire) {
    this.id = id;
    this.wire = wire;
  }

  get isOpen(): boolean {
    return this.state.is === 'open';
  }

  /** Which kinds the client reads. */
  get readership(): Readership {
    return this.demandHello().readership;
  }

  open(hello: Hello, readership: Readership): void {
    if (this.state.is !== 'silent') {
      throw new ProtocolError('SECOND_HELLO', 'hello may come once in a connection.');
    }
    this.view = hello.view;
    this.state = { is: 'open', readership };
  }

  /** The client looks at another place. */
  look(at: Place): void {
    this.demandHello();
    this.view = at;
  }

  /** The bytes go with those of the same flush. */
  queue(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined && this.isOpen) this.outbox.push(bytes);
  }

  /** Sends what was queued. */
  release(): void {
    const { outbox, wire } = this;
    if (outbox.length === 0) return;
    this.outbox = [];
    if (!this.isOpen) return;
    if (wire.buffered > MOST_BUFFERED) {
      this.fail(CLOSE.tryLater, 'TOO_SLOW', 'The client does not keep up; connect again.');
    } else {
      wire.write(outbox);
    }
  }

  /** Sends a message at once. */
  tell(message: FromServer): void {
    if (this.isOpen) this.wire.write([encoded(message)]);
  }

  /** Says what is wrong and closes. */
  fail(closeCode: number, code: string, message: string): void {
    if (this.state.is === 'closed') return;
    this.state = { is: 'closed' };
    const error: ErrorMessage = { type: 'error', code, message };
    this.wire.write([encoded(error)]);
    this.wire.close(closeCode, code);
  }

  /** The connection has ended. */
  ended(): void {
    this.state = { is: 'closed' };
  }

  private demandHello(): Extract<State, { readonly is: 'open' }> {
    if (this.state.is === 'open') return this.state;
    throw new ProtocolError('NO_HELLO', 'The first message must be hello.');
  }
}
