import { Mirror } from '../../src/client/mirror.ts';
import type { FromServer } from '../../src/protocol/messages.ts';
import type { Connection } from '../../src/replication/connection.ts';
import type { Replication } from '../../src/replication/replication.ts';
import type { Wire } from '../../src/replication/wire.ts';

/** A network that takes its time, and loses what it has not delivered when the connection ends. */
class SlowWire implements Wire {
  isSlow = false;
  /** Whether what arrives now was sent a while ago. */
  isLate = false;
  isClosed = false;
  readonly sent: Uint8Array[] = [];
  private waiting: (readonly Uint8Array[] | number)[] = [];
  private readonly arrived: (what: readonly Uint8Array[] | number) => void;

  constructor(arrived: (what: readonly Uint8Array[] | number) => void) {
    this.arrived = arrived;
  }

  /** Whatever waits counts for more than a connection may have before it. */
  get buffered(): number {
    return this.waiting.length * 70_000;
  }

  write(frames: readonly Uint8Array[]): void {
    this.sent.push(...frames);
    this.pass(frames);
  }

  ping(count: number): void {
    this.pass(count);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Lets so many writes through. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    this.isLate = true;
    for (let i = 0; i < count; i += 1) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.arrived(next);
    }
    this.isLate = false;
  }

  private pass(what: readonly Uint8Array[] | number): void {
    if (this.isSlow || this.waiting.length > 0) this.waiting.push(what);
    else this.arrived(what);
  }
}

/** A client over connections that come and go; it keeps its records and its secret, as the real one does. */
export class Player {
  readonly mirror = new Mirror();
  /** Whether the server goes on with what this client has. */
  resumes = 0;
  view: readonly [number, number];
  connection!: Connection;
  wire!: SlowWire;
  readonly kinds: Readonly<Record<string, number>> | undefined;
  private readonly replication: Replication;
  private readonly wrote: (player: Player) => void;
  private pings = 0;
  private secret: string | undefined;

  /** `wrote` is called when all of one write has arrived. */
  constructor(
    replication: Replication,
    view: readonly [number, number],
    kinds: Readonly<Record<string, number>> | undefined,
    wrote: (player: Player) => void,
  ) {
    this.replication = replication;
    this.view = view;
    this.kinds = kinds;
    this.wrote = wrote;
    this.connect();
  }

  connect(): void {
    const wire = new SlowWire((what) => {
      if (this.wire !== wire) return;
      if (typeof what !== 'number') this.apply(what);
      // Only the answer to the last one counts, as for the heartbeat of a server.
      else if (what === this.pings) this.replication.ponged(this.connection);
    });
    this.wire = wire;
    this.connection = this.replication.connect(wire);
    this.say({
      type: 'hello',
      protocol: 1,
      view: this.view,
      kinds: this.kinds,
      resume: this.secret,
    });
  }

  ping(): void {
    this.pings += 1;
    this.replication.pinged(this.connection);
    this.wire.ping(this.pings);
  }

  look(at: readonly [number, number]): void {
    this.view = at;
    this.say({ type: 'view', at });
  }

  say(message: object): void {
    this.replication.receive(this.connection, JSON.stringify(message));
  }

  private apply(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.hear(JSON.parse(Buffer.from(frame).toString()));
    this.wrote(this);
  }

  private hear(message: FromServer): void {
    switch (message.type) {
      case 'welcome':
        this.secret = message.resume;
        if (message.resumed === true) this.resumes += 1;
        else this.mirror.beginAgain();
        break;
      case 'cell':
        this.mirror.cell(message);
        if (message.cell === 'always' && message.full === true) this.mirror.settle();
        break;
      case 'leave':
        this.mirror.leave(message.cell);
        break;
      default:
        break;
    }
  }
}
