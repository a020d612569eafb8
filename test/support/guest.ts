/**
 * A client for tests of what no crash may undo. It gives commands without pause, keeps its secret over
 * all connections, sends again what was not answered and some that was, and writes down all it is told.
 */
import WebSocket from 'ws';
import { Mirror } from '../../src/client/mirror.ts';
import type { CellFrame, FromServer, Send } from '../../src/protocol/messages.ts';
import { COINS, coinsIn, PURSES, type PurseContext } from './purses.ts';

/** What a client was told of its command. */
type Answer = { readonly time: number } | { readonly code: string };

/** A record as a client was shown it, at a game time. */
export interface Shown {
  readonly time: number;
  readonly id: string;
  readonly context: string;
  readonly nextEvent: number | null;
}

export class Guest {
  /** The id of its session. */
  session = '';
  readonly commands = new Map<number, Send>();
  readonly answers = new Map<number, Answer>();
  readonly shown: Shown[] = [];
  /** Answers that came again, and were as the first time. */
  repeated = 0;
  /** Commands that were refused, whatever they were. */
  refused = 0;
  /** Moments at which all coins were counted. */
  counted = 0;
  readonly wrong: string[] = [];
  private readonly unanswered = new Set<number>();
  /** What was sent again though it was answered, and is not answered again yet. */
  private readonly again = new Set<number>();
  private isWelcome = false;
  private mirror = new Mirror();
  private shownAt = Number.NEGATIVE_INFINITY;
  private secret: string | undefined;
  private socket: WebSocket | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private seq = 0;

  visit(url: string): void {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/world`);
    this.socket = socket;
    // A connection to a server that is killed ends somehow.
    socket.on('error', () => undefined);
    socket.on('open', () =>
      this.say({ type: 'hello', protocol: 1, view: [300, 100], resume: this.secret }),
    );
    socket.on('message', (data) => {
      if (this.socket === socket) this.hear(JSON.parse(String(data)));
    });
  }

  leave(): void {
    clearInterval(this.timer);
    this.socket?.terminate();
    this.socket = undefined;
    this.isWelcome = false;
    this.again.clear();
  }

  /** Gives no more commands. */
  rest(): void {
    clearInterval(this.timer);
  }

  /** Whether the server has answered all that it was sent, on this connection too. */
  get isAnswered(): boolean {
    return this.isWelcome && this.unanswered.size === 0 && this.again.size === 0;
  }

  /** How much it was told. */
  get heard(): number {
    return this.answers.size + this.repeated + this.shown.length;
  }

  private say(message: object): void {
    this.socket?.send(JSON.stringify(message));
  }

  private hear(message: FromServer): void {
    switch (message.type) {
      case 'welcome':
        if (this.session !== '' && message.session !== this.session) {
          this.wrong.push(`The session ${this.session} became ${message.session}.`);
        }
        this.session = message.session;
        this.secret = message.resume;
        this.isWelcome = true;
        this.mirror = new Mirror();
        this.shownAt = Number.NEGATIVE_INFINITY;
        this.begin();
        break;
      case 'ack':
        this.answered(message.seq, { time: message.time });
        break;
      case 'reject':
        this.answered(message.seq, { code: message.code });
        break;
      case 'cell':
        this.see(message);
        break;
      case 'error':
        // The last server is not killed.
        if (message.code !== 'CLOSING') this.wrong.push(`${message.code}: ${message.message}`);
        break;
      default:
        break;
    }
  }

  /** Sends again what is not answered, and some that is; then gives new commands. */
  private begin(): void {
    const known = [...this.answers.keys()].slice(-5);
    for (const seq of known) this.again.add(seq);
    for (const seq of [...known, ...this.unanswered].sort((a, b) => a - b)) {
      this.say(this.commands.get(seq) as Send);
    }
    clearInterval(this.timer);
    this.timer = setInterval(() => this.command(), 9);
  }

  private command(): void {
    if (this.unanswered.size >= 40) return;
    this.seq += 1;
    const type = Math.random() < 0.5 ? 'GIVE' : 'POST';
    const count = 1 + Math.floor(Math.random() * 20);
    const id = `purse-${Math.floor(Math.random() * PURSES)}`;
    const message: Send = { type: 'send', seq: this.seq, id, event: { type, count } };
    this.commands.set(this.seq, message);
    this.unanswered.add(this.seq);
    this.say(message);
  }

  private answered(seq: number, answer: Answer): void {
    this.unanswered.delete(seq);
    this.again.delete(seq);
    const before = this.answers.get(seq);
    if (before === undefined) {
      // These are no answers for good: such a command never was one of the world.
      if ('code' in answer && ['E_RATE', 'E_JOURNAL'].includes(answer.code)) {
        this.commands.delete(seq);
        this.refused += 1;
      } else this.answers.set(seq, answer);
      return;
    }
    if (JSON.stringify(before) === JSON.stringify(answer)) this.repeated += 1;
    else this.wrong.push(`${seq}: first ${JSON.stringify(before)}, then ${JSON.stringify(answer)}`);
  }

  private see(frame: CellFrame): void {
    // A flush is of one moment, and its messages come one after the other.
    if (frame.time > this.shownAt) this.count();
    this.shownAt = frame.time;
    for (const { id, context, nextEvent } of this.mirror.cell(frame).set) {
      this.shown.push({ time: frame.time, id, context: JSON.stringify(context), nextEvent });
    }
  }

  private count(): void {
    const purses = [...this.mirror.records.values()].filter(({ kind }) => kind === 'purse');
    if (purses.length < PURSES) return;
    this.counted += 1;
    const coins = coinsIn(purses.map(({ context }) => context as PurseContext));
    if (coins !== COINS) this.wrong.push(`At ${this.shownAt} there were ${coins} coins.`);
  }
}
