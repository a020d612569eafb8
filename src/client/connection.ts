/**
 * One address that is connected to, again and again if it must be. It knows sockets and waiting, and
 * nothing of what is said; each attempt that fails waits longer than the one before.
 */
import { messageOf, ProtocolError } from '../core/errors.ts';
import { openSocket, type Socket } from './socket.ts';

/** How a client stands with its server. */
export type Status =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** It will try again in so many real milliseconds. */
  | { readonly state: 'waiting'; readonly reason: string; readonly retryIn: number }
  /** It is over; `error` says why, unless `close()` was called. */
  | { readonly state: 'closed'; readonly error?: Error };

export interface ConnectionParts {
  readonly url: string;
  readonly reconnect: boolean;
  opened(): void;
  received(text: string): void;
  changed(status: Status): void;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
/** Answers to the upgrade after which another try would be answered the same. */
const FINAL = /Unexpected server response: (401|403|404)\b/;

export class Connection {
  private readonly parts: ConnectionParts;
  private socket: Socket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempts = 0;
  private isClosed = false;

  constructor(parts: ConnectionParts) {
    this.parts = parts;
  }

  open(): void {
    if (this.isClosed) return;
    this.parts.changed({ state: 'connecting' });
    openSocket(this.parts.url).then(
      (socket) => this.follow(socket),
      (error: unknown) => this.end(new ProtocolError('BAD_ADDRESS', messageOf(error))),
    );
  }

  send(text: string): void {
    this.socket?.send(text);
  }

  /** It went well: the next wait is a short one again. */
  proved(): void {
    this.attempts = 0;
    this.parts.changed({ state: 'open' });
  }

  /** Ends it for good. */
  end(error?: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = undefined;
    this.parts.changed(error === undefined ? { state: 'closed' } : { state: 'closed', error });
  }

  private follow(socket: Socket): void {
    if (this.isClosed) {
      socket.close();
      return;
    }
    this.socket = socket;
    let reason = '';
    // What an old socket still says after another has taken its place is not heard.
    const isCurrent = (): boolean => this.socket === socket;
    socket.addEventListener('open', () => {
      if (isCurrent()) this.parts.opened();
    });
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent() && typeof data === 'string') this.parts.received(data);
    });
    socket.addEventListener('error', (event) => {
      // Browsers say no more than that it failed; `ws` says why.
      if ('message' in event && typeof event.message === 'string') reason = event.message;
    });
    socket.addEventListener('close', (event) => {
      if (isCurrent()) this.lost(reason || event.reason || `closed with code ${event.code}`);
    });
  }

  private lost(reason: string): void {
    this.socket = undefined;
    if (FINAL.test(reason)) {
      this.end(new ProtocolError('REFUSED', `The server refused the connection: ${reason}.`));
    } else if (!this.parts.reconnect) {
      this.end(new ProtocolError('DISCONNECTED', `There is no connection: ${reason}.`));
    } else {
      const most = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.attempts);
      // Not all clients of a server that went away may come back at the same moment.
      const retryIn = most * (0.5 + Math.random() / 2);
      this.attempts += 1;
      this.timer = setTimeout(() => this.open(), retryIn);
      this.parts.changed({ state: 'waiting', reason, retryIn });
    }
  }
}
