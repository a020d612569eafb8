/** A client of one server: the records near its view, live, and the commands it gives. */
import { messageOf, ProtocolError } from '../core/errors.ts';
import type { ContextOf, EventOf, Kind } from '../core/kind.ts';
import type { MachineEvent } from '../core/logic.ts';
import type { Observer, Subscription } from '../core/views.ts';
import {
  type FromClient,
  type FromServer,
  type Place,
  PROTOCOL,
  type Welcome,
} from '../protocol/messages.ts';
import { ClockEstimate } from './clock.ts';
import { Connection, type Status } from './connection.ts';
import { Mirror, type MirrorChange } from './mirror.ts';
import { Outbox } from './outbox.ts';
import type { ClientNotice, ClientRecord } from './record.ts';
import { socketUrl } from './socket.ts';

export interface ClientOptions {
  /** The kinds this client has; records of other kinds or versions are not sent. Left out: all are. */
  readonly kinds?: readonly Pick<Kind, 'name' | 'version'>[];
  readonly token?: string;
  /** Where it looks, in world units. */
  readonly view: Place;
  /** Whether a lost connection is made again. Default true. */
  readonly reconnect?: boolean;
}

/** What a client tells its listeners. */
export interface ClientEvents {
  /** A record that is new or has changed. */
  record: ClientRecord;
  /** A record that is no longer there or no longer near, as it was last known. */
  gone: ClientRecord;
  notice: ClientNotice;
  /** Notices of a cell that this client did not get: too many at once, or it was too slow, or away. */
  missed: { readonly cell: string; readonly notices: number };
  /** The game clock was paused, resumed, set, or goes at another speed. */
  clock: { readonly speed: number; readonly paused: boolean };
  /** A command given through a ref that was not carried out. */
  rejected: { readonly id: string; readonly event: MachineEvent; readonly error: Error };
  status: Status;
}

/** One record, as XState's `ActorRef` and any `subscribe`/`getSnapshot` store show it. */
export interface ClientRef<
  Context = unknown,
  Event extends { readonly type: string } = MachineEvent,
> {
  readonly id: string;
  /** Undefined while the record is not near or not there. The same object until something changes. */
  getSnapshot(): ClientRecord<Context> | undefined;
  /** Calls the observer with each change, and with undefined when the record is gone. */
  subscribe(observer: Observer<ClientRecord<Context> | undefined>): Subscription;
  /** Sends an event as a command. If it is not carried out, the client's `rejected` listeners hear why. */
  send(event: Event): void;
}

/** How often a moving view is told to the server, in real milliseconds. */
const VIEW_EVERY = 100;
/** For how long a session is gone on with, in real milliseconds; servers remember it for a day. */
const RESUMED_WITHIN = 23 * 3_600_000;

/** Codes with which a server lets a client go that may come again at once. */
const COMES_AGAIN: ReadonlySet<string> = new Set(['CLOSING', 'TOO_SLOW', 'KINDS_CHANGED']);

/**
 * Connects to a server. The client is there at once and fills as messages come.
 *
 * @example
 * const client = connect('ws://127.0.0.1:4400', { view: [0, 0] });
 * await client.ready;
 * client.on('record', (record) => console.log(record.id, record.value));
 */
export function connect(url: string, options: ClientOptions): Client {
  return new Client(url, options);
}

export class Client {
  /** Settled once: when everything near has come, or with the error for which it never will. */
  readonly ready: Promise<void>;
  readonly clock: Pick<ClockEstimate, 'now' | 'speed' | 'paused'>;
  private readonly clockEstimate = new ClockEstimate();
  private readonly mirror = new Mirror();
  private readonly outbox = new Outbox();
  private readonly connection: Connection;
  private readonly refs = new Map<string, ClientRef>();
  private readonly observers = new Map<string, Set<(record: ClientRecord | undefined) => void>>();
  private readonly listeners = new Map<keyof ClientEvents, Set<(value: never) => void>>();
  private readonly options: ClientOptions;
  private view: Place;
  private viewTimer: ReturnType<typeof setTimeout> | undefined;
  private isWelcome = false;
  private worldName: string | undefined;
  /** What the last welcome gave to go on with. */
  private session: { readonly id: string; readonly secret: string } | undefined;
  private lostAt: number | undefined;
  private isReady = { yes: (): void => {}, no: (_: Error): void => {} };

  constructor(url: string, options: ClientOptions) {
    this.options = options;
    this.view = options.view;
    this.clock = this.clockEstimate;
    this.ready = new Promise((yes, no) => {
      this.isReady = { yes, no };
    });
    // Who does not wait for it hears the same from `status`.
    this.ready.catch(() => {});
    this.connection = new Connection({
      url: socketUrl(url, '/world', options.token),
      reconnect: options.reconnect ?? true,
      opened: () => this.hello(),
      received: (text) => this.received(text),
      changed: (status) => this.statusChanged(status),
    });
    // Not before the caller has had its turn to listen.
    queueMicrotask(() => this.connection.open());
  }

  /** The world's name, once the server has said it. */
  get world(): string | undefined {
    return this.worldName;
  }

  /** The records near the view and those that everyone sees, by id. */
  get records(): ReadonlyMap<string, ClientRecord> {
    return this.mirror.records;
  }

  /** One record, which may not be there yet. The same ref for the same id. */
  record(id: string): ClientRef;
  record<One extends Kind>(id: string, kind: One): ClientRef<ContextOf<One>, EventOf<One>>;
  record(id: string): ClientRef {
    let ref = this.refs.get(id);
    if (ref === undefined) {
      ref = {
        id,
        getSnapshot: () => this.records.get(id),
        subscribe: (observer) => this.observe(id, observer),
        send: (event) => {
          this.send(id, event).catch((error: Error) => this.emit('rejected', { id, event, error }));
        },
      };
      this.refs.set(id, ref);
    }
    return ref;
  }

  /**
   * Sends an event to a record as a command. Resolves when the server has carried it out and stored it
   * durably; rejects with a `CommandError` whose code says why not. Waits while there is no connection.
   * A command whose answer was lost with a connection is sent again over the next one, and counts once.
   *
   * @example
   * const { time } = await client.send('field-3', { type: 'HARVEST' });
   */
  send(id: string, event: MachineEvent): Promise<{ readonly time: number }> {
    const answer = this.outbox.add(id, event);
    this.deliver();
    return answer;
  }

  /** Looks elsewhere. May be called as often as a camera moves. */
  moveView(at: Place): void {
    this.view = at;
    if (this.viewTimer !== undefined || !this.isWelcome) return;
    this.tell({ type: 'view', at });
    this.viewTimer = setTimeout(() => {
      this.viewTimer = undefined;
      if (this.view !== at) this.moveView(this.view);
    }, VIEW_EVERY);
  }

  /** Listens; the function given back stops it. */
  on<E extends keyof ClientEvents>(
    event: E,
    listener: (value: ClientEvents[E]) => void,
  ): () => void {
    const listeners = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Ends the connection for good. */
  close(): void {
    this.connection.end();
  }

  private hello(): void {
    const { kinds } = this.options;
    // What was answered is not remembered for ever, and what is sent again then would count again.
    if (Date.now() - (this.lostAt ?? Date.now()) > RESUMED_WITHIN) this.session = undefined;
    this.tell({
      type: 'hello',
      protocol: PROTOCOL,
      view: this.view,
      ...(this.session === undefined ? {} : { resume: this.session.secret }),
      ...(kinds === undefined
        ? {}
        : { kinds: Object.fromEntries(kinds.map(({ name, version }) => [name, version])) }),
    });
  }

  private received(text: string): void {
    const message = JSON.parse(text) as FromServer;
    switch (message.type) {
      case 'welcome':
        this.welcome(message);
        break;
      case 'cell':
        this.clockEstimate.atLeast(message.time);
        this.apply(this.mirror.cell(message));
        // The last of what comes after a welcome.
        if (message.cell === 'always' && message.full === true) {
          this.apply(this.mirror.settle());
          this.isReady.yes();
        }
        break;
      case 'leave':
        this.apply(this.mirror.leave(message.cell));
        break;
      case 'ack':
      case 'reject':
        this.outbox.answer(message);
        // Others may have been waiting for room.
        this.deliver();
        break;
      case 'clock':
        this.clockEstimate.set(message);
        this.emit('clock', { speed: message.speed, paused: message.paused });
        break;
      case 'missed':
        this.emit('missed', { cell: message.cell, notices: message.notices });
        break;
      case 'error':
        this.refused(message.code, message.message);
        break;
      default:
        // A newer server may say more; what is not understood changes nothing.
        message satisfies never;
    }
  }

  private welcome({ world, session, resume, resumed, clock }: Welcome): void {
    this.isWelcome = true;
    this.worldName = world;
    this.clockEstimate.set(clock);
    if (resumed !== true) this.mirror.beginAgain();
    if (session !== this.session?.id) this.outbox.sessionLost();
    this.session = { id: session, secret: resume };
    this.lostAt = undefined;
    this.connection.proved();
    this.deliver();
  }

  /** The server says why it closes. Some reasons pass; the others would be the same another time. */
  private refused(code: string, message: string): void {
    if (COMES_AGAIN.has(code)) return;
    this.connection.end(new ProtocolError(code, message));
  }

  private apply({ set, gone, notices }: MirrorChange): void {
    for (const record of set) {
      this.emit('record', record);
      this.tellObservers(record.id, record);
    }
    for (const record of gone) {
      this.emit('gone', record);
      this.tellObservers(record.id, undefined);
    }
    for (const notice of notices) this.emit('notice', notice);
  }

  private statusChanged(status: Status): void {
    if (status.state === 'waiting' || status.state === 'closed') {
      if (this.isWelcome) this.lostAt = Date.now();
      this.isWelcome = false;
      clearTimeout(this.viewTimer);
      this.viewTimer = undefined;
      this.outbox.lost();
    }
    if (status.state === 'closed') {
      this.outbox.closed();
      this.isReady.no(status.error ?? new ProtocolError('CLOSED', 'The client was closed.'));
    }
    this.emit('status', status);
  }

  private deliver(): void {
    if (this.isWelcome) for (const message of this.outbox.unsent()) this.tell(message);
  }

  private tell(message: FromClient): void {
    this.connection.send(JSON.stringify(message));
  }

  private observe(id: string, observer: Observer<ClientRecord | undefined>): Subscription {
    const next =
      typeof observer === 'function'
        ? observer
        : (record: ClientRecord | undefined): void => observer.next?.(record);
    const own = (record: ClientRecord | undefined): void => next(record);
    const observers = this.observers.get(id) ?? new Set();
    this.observers.set(id, observers.add(own));
    return {
      unsubscribe: () => {
        observers.delete(own);
        if (observers.size === 0 && this.observers.get(id) === observers) this.observers.delete(id);
      },
    };
  }

  private tellObservers(id: string, record: ClientRecord | undefined): void {
    for (const observer of [...(this.observers.get(id) ?? [])]) guarded(() => observer(record));
  }

  private emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) {
      guarded(() => listener(value as never));
    }
  }
}

/** What a listener throws is reported as uncaught, and keeps nobody else from hearing. */
function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error instanceof Error ? error : new Error(messageOf(error));
    });
  }
}
