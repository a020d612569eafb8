/**
 * The page's connection to `/admin`. What is watched is asked for again whenever the connection comes
 * back, which it does by itself; what was asked once while there is no connection is refused at once.
 * Nothing here knows React.
 */
import type {
  AdminCommand,
  AdminWelcome,
  Done,
  FromAdmin,
  FromAdminServer,
  RecordsTold,
  Watch,
} from '../../../src/protocol/admin.ts';
import type { ChartEdit, Drawn } from '../../../src/protocol/chart-edits.ts';

/** How the connection stands. */
export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'open'; readonly welcome: AdminWelcome }
  /** Gone; the next try comes at `retryAt`, by `Date.now()`. */
  | { readonly state: 'lost'; readonly retryAt: number; readonly wasOpen: boolean }
  /** The server wants a token, or another one. */
  | { readonly state: 'refused'; readonly hasToken: boolean }
  /** The server lets admins in, but no page of this address. */
  | { readonly state: 'foreign' };

class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Told<T extends FromAdminServer['type']> = Extract<FromAdminServer, { readonly type: T }>;
type Answer = Told<'done' | 'records' | 'drawn'>;

/** Real milliseconds to the first tries to connect again; the last goes on. */
const PAUSES = [300, 600, 1200, 2500, 5000];

export class Admin {
  private readonly url: URL;
  private token: string | undefined;
  private socket: WebSocket | undefined;
  private tries = 0;
  private wasEverOpen = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private seq = 0;
  private readonly waiting = new Map<
    number,
    { resolve(answer: Answer): void; reject(error: Error): void }
  >();
  private readonly watched = new Map<string, Watch>();
  private readonly listeners = new Map<string, Set<(message: FromAdminServer) => void>>();
  private readonly linkListeners = new Set<() => void>();
  private link: Link = { state: 'connecting' };

  constructor({ url, token }: { readonly url: URL; readonly token: string | undefined }) {
    this.url = url;
    this.token = token;
  }

  /** For `useSyncExternalStore`. */
  readonly getLink = (): Link => this.link;
  readonly onLink = (listener: () => void): (() => void) => {
    this.linkListeners.add(listener);
    return () => this.linkListeners.delete(listener);
  };

  connect(token = this.token): void {
    this.token = token;
    clearTimeout(this.retry);
    this.socket?.close();
    const address = new URL(this.url);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    if (token !== undefined) address.searchParams.set('token', token);
    const socket = new WebSocket(address);
    this.socket = socket;
    let wasOpen = false;
    socket.addEventListener('message', ({ data }) => {
      const message: FromAdminServer = JSON.parse(String(data));
      if (message.type === 'welcome') {
        wasOpen = true;
        this.wasEverOpen = true;
        this.tries = 0;
        this.setLink({ state: 'open', welcome: message });
        for (const watch of this.watched.values()) this.say(watch);
      }
      this.received(message);
    });
    socket.addEventListener('close', () => {
      if (this.socket === socket) void this.lost(wasOpen);
    });
  }

  /**
   * Calls back with what is told of something watched, until the function given back is called. The
   * same thing watched by several is asked for once.
   */
  watch<T extends FromAdminServer['type']>(
    watch: Watch,
    type: T,
    listener: (message: Told<T>) => void,
  ): () => void {
    const key = keyOf(watch);
    let listeners = this.listeners.get(key);
    if (listeners === undefined) {
      listeners = new Set();
      this.listeners.set(key, listeners);
    }
    const heard = (message: FromAdminServer): void => {
      if (message.type === type) listener(message as Told<T>);
    };
    listeners.add(heard);
    this.watched.set(key, watch);
    this.say(watch);
    return () => {
      listeners.delete(heard);
      if (listeners.size > 0) return;
      this.listeners.delete(key);
      this.watched.delete(key);
      const { what } = watch;
      const id = 'id' in watch ? watch.id : undefined;
      this.say(
        (id === undefined ? { type: 'unwatch', what } : { type: 'unwatch', what, id }) as FromAdmin,
      );
    };
  }

  /** Has the world carry out a command. Rejects with `Refusal`. */
  async do(command: AdminCommand): Promise<Done> {
    return (await this.ask((seq) => ({ type: 'do', seq, command }))) as Done;
  }

  async records(filter: string, limit: number): Promise<RecordsTold> {
    return (await this.ask((seq) => ({
      type: 'query',
      what: 'records',
      seq,
      filter,
      limit,
    }))) as RecordsTold;
  }

  /** Shows what an edit makes of a source, or writes it. */
  async draw(kind: string, edit: ChartEdit, base?: string): Promise<Drawn> {
    const write = base === undefined ? {} : { write: { base } };
    return (await this.ask((seq) => ({ type: 'draw', seq, kind, edit, ...write }))) as Drawn;
  }

  async redraw(kind: string, what: 'undo' | 'redo'): Promise<Drawn> {
    return (await this.ask((seq) => ({ type: 'redraw', seq, kind, what }))) as Drawn;
  }

  private ask(message: (seq: number) => FromAdmin): Promise<Answer> {
    if (this.link.state !== 'open') {
      return Promise.reject(new Refusal('DISCONNECTED', 'There is no connection to the server.'));
    }
    this.seq += 1;
    const { seq } = this;
    return new Promise((resolve, reject) => {
      this.waiting.set(seq, { resolve, reject });
      this.say(message(seq));
    });
  }

  private say(message: FromAdmin): void {
    if (this.link.state === 'open') this.socket?.send(JSON.stringify(message));
  }

  private received(message: FromAdminServer): void {
    switch (message.type) {
      case 'done':
      case 'records':
      case 'drawn':
        this.waiting.get(message.seq)?.resolve(message);
        this.waiting.delete(message.seq);
        break;
      case 'refused':
        this.waiting.get(message.seq)?.reject(new Refusal(message.code, message.message));
        this.waiting.delete(message.seq);
        break;
      case 'record':
      case 'events':
        this.tell(
          message.id === undefined ? message.type : `${message.type} ${message.id}`,
          message,
        );
        break;
      case 'stats':
      case 'next':
      case 'map':
      case 'machines':
      case 'faults':
        this.tell(message.type, message);
        break;
      case 'welcome':
      case 'error':
        break;
      default:
        message satisfies never;
    }
  }

  private tell(key: string, message: FromAdminServer): void {
    for (const listener of this.listeners.get(key) ?? []) listener(message);
  }

  private async lost(wasOpen: boolean): Promise<void> {
    for (const { reject } of this.waiting.values()) {
      reject(
        new Refusal('DISCONNECTED', 'The connection was lost before the server had answered.'),
      );
    }
    this.waiting.clear();
    const was = this.link;
    const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)] ?? 5000;
    this.tries += 1;
    if (!wasOpen) {
      const refused = await this.whyNot();
      if (refused !== undefined) {
        this.setLink(refused);
        // Only another token helps the one; the other may have been a server that was just starting.
        if (refused.state === 'foreign') this.retry = setTimeout(() => this.connect(), pause);
        return;
      }
    }
    this.setLink({
      state: 'lost',
      retryAt: Date.now() + pause,
      wasOpen: wasOpen || (was.state === 'lost' && was.wasOpen),
    });
    this.retry = setTimeout(() => this.connect(), pause);
  }

  /** A browser does not say why a WebSocket was refused, so the same address is asked plainly. */
  private async whyNot(): Promise<Link | undefined> {
    const address = new URL(this.url);
    if (this.token !== undefined) address.searchParams.set('token', this.token);
    try {
      const { status } = await fetch(address, { cache: 'no-store' });
      if (status === 401 || status === 403) {
        return { state: 'refused', hasToken: this.token !== undefined };
      }
      // A server that lets this page in once does so again; it may have started between the two asks.
      const isForeign = status === 426 && this.tries > 2 && !this.wasEverOpen;
      return isForeign ? { state: 'foreign' } : undefined;
    } catch {
      // Nobody answers there: that is a lost connection, and will be tried again.
      return undefined;
    }
  }

  private setLink(link: Link): void {
    this.link = link;
    for (const listener of this.linkListeners) listener();
  }
}

function keyOf(watch: Watch): string {
  const id = 'id' in watch ? watch.id : undefined;
  return id === undefined ? watch.what : `${watch.what} ${id}`;
}
