/** A connection to a server's `/admin`, for commands that ask or do one thing and end. */
import { openSocket, type Socket, socketUrl } from '../client/socket.ts';
import { CommandError } from '../core/errors.ts';
import type {
  AdminCommand,
  AdminWelcome,
  Done,
  FromAdmin,
  FromAdminServer,
  InspectedRecord,
  RecordsTold,
  ServerStats,
} from '../protocol/admin.ts';
import { noServer } from './address.ts';

type Answer = Done | RecordsTold;

export class AdminConnection {
  readonly welcome: AdminWelcome;
  private readonly socket: Socket;
  private readonly waiting = new Map<
    number,
    { resolve(answer: Answer): void; reject(error: Error): void }
  >();
  private statsListener: ((stats: ServerStats) => void) | undefined;
  private readonly recordListeners = new Map<string, (record: InspectedRecord | null) => void>();
  private failed: (error: Error) => void = () => {};
  /** Rejects when the connection ends before it was closed here. */
  private readonly lost: Promise<never>;
  private seq = 0;

  /** Connects. Throws `NO_SERVER`, or `REFUSED` if the server does not take us for an admin. */
  static async open(url: string, token: string | undefined): Promise<AdminConnection> {
    const socket = await openSocket(socketUrl(url, '/admin', token));
    const welcome = await new Promise<AdminWelcome>((resolve, reject) => {
      let reason = 'the connection was closed';
      socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data))), {
        once: true,
      });
      socket.addEventListener('error', (event) => {
        if ('message' in event && typeof event.message === 'string') reason = event.message;
      });
      socket.addEventListener('close', () => reject(refusedOr(url, reason)));
    });
    return new AdminConnection(socket, welcome);
  }

  private constructor(socket: Socket, welcome: AdminWelcome) {
    this.socket = socket;
    this.welcome = welcome;
    this.lost = new Promise((_, reject) => {
      this.failed = reject;
    });
    this.lost.catch(() => {});
    socket.addEventListener('message', ({ data }) => this.received(JSON.parse(String(data))));
    socket.addEventListener('close', () =>
      this.failed(new CommandError('DISCONNECTED', 'The server went away before it had answered.')),
    );
  }

  /** Has the world carry out a command. Throws `CommandError` if it is refused. */
  async do(command: AdminCommand): Promise<Done> {
    return (await this.ask((seq) => ({ type: 'do', seq, command }))) as Done;
  }

  async records(filter: string, limit: number): Promise<RecordsTold> {
    const query = { type: 'query', what: 'records', filter, limit } as const;
    return (await this.ask((seq) => ({ ...query, seq }))) as RecordsTold;
  }

  /** The world's figures as soon as they are as wanted; at once, if anything is. */
  stats(isWanted: (stats: ServerStats) => boolean = () => true): Promise<ServerStats> {
    const wanted = new Promise<ServerStats>((resolve) => {
      this.statsListener = (stats) => {
        if (!isWanted(stats)) return;
        this.statsListener = undefined;
        this.send({ type: 'unwatch', what: 'stats' });
        resolve(stats);
      };
    });
    this.send({ type: 'watch', what: 'stats' });
    return Promise.race([wanted, this.lost]);
  }

  /** Tells of a record now and whenever it has changed; null while there is none of that id. */
  watchRecord(id: string, told: (record: InspectedRecord | null) => void): () => void {
    this.recordListeners.set(id, told);
    this.send({ type: 'watch', what: 'record', id });
    return () => {
      this.recordListeners.delete(id);
      this.send({ type: 'unwatch', what: 'record', id });
    };
  }

  /** Rejects once the server has gone. */
  get ended(): Promise<never> {
    return this.lost;
  }

  close(): void {
    this.socket.close();
  }

  private ask(message: (seq: number) => FromAdmin): Promise<Answer> {
    this.seq += 1;
    const { seq } = this;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.waiting.set(seq, { resolve, reject });
    });
    this.send(message(seq));
    return Promise.race([answer, this.lost]);
  }

  private received(message: FromAdminServer): void {
    switch (message.type) {
      case 'done':
      case 'records':
        this.waiting.get(message.seq)?.resolve(message);
        break;
      case 'refused':
        this.waiting.get(message.seq)?.reject(new CommandError(message.code, message.message));
        break;
      case 'stats':
        this.statsListener?.(message.stats);
        break;
      case 'record':
        this.recordListeners.get(message.id)?.(message.record);
        break;
      case 'error':
        this.failed(new CommandError(message.code, message.message));
        break;
      default:
        break;
    }
  }

  private send(message: FromAdmin): void {
    this.socket.send(JSON.stringify(message));
  }
}

function refusedOr(url: string, reason: string): CommandError {
  if (!/Unexpected server response: (401|403)\b/.test(reason)) return noServer(url, reason);
  return new CommandError(
    'REFUSED',
    `The server at ${url} does not take this for an admin. Give its admin token with --token, or run the command on the server's own machine.`,
  );
}
