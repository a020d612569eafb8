/**
 * A server is killed again and again, at random moments, while clients give it commands and it saves
 * without pause. Each time it starts again and goes on; in the end the world is, to the last bit of its
 * hash, one that was never killed and got the same commands at the same times.
 */
import { join } from 'node:path';
import { createWorld, type World } from 'offstage';
import { afterEach, expect, test } from 'vitest';
import WebSocket from 'ws';
import { Mirror } from '../../src/client/mirror.ts';
import type { CellFrame, FromServer, Send } from '../../src/protocol/messages.ts';
import { openWorld } from '../../src/saves/open-world.ts';
import { COINS, PURSES, type PurseContext, purseKinds, purseSeed } from '../support/purses.ts';
import { type Scratch, scratch } from '../support/scratch.ts';
import { compiledServer, ServerProcess } from '../support/server-process.ts';
import { until } from '../support/serving.ts';

/** More kills by `OFFSTAGE_KILLS`. */
const KILLS = Number(process.env.OFFSTAGE_KILLS ?? 30);
const CLIENTS = 4;
const SPEED = 5;

const processes: ServerProcess[] = [];
const visitors: Visitor[] = [];
const folders: Scratch[] = [];
afterEach(async () => {
  for (const visitor of visitors.splice(0)) visitor.leave();
  for (const one of processes.splice(0)) await one.kill();
  for (const folder of folders.splice(0)) await folder.remove();
});

function newProcess(program: string): ServerProcess {
  const one = new ServerProcess(program);
  processes.push(one);
  return one;
}

/** What a client was told of its command. */
type Answer = { readonly time: number } | { readonly code: string };

/** A record as a client was shown it, at a game time. */
interface Shown {
  readonly time: number;
  readonly id: string;
  readonly context: string;
  readonly nextEvent: number | null;
}

/** A client that keeps its secret over all connections, and sends again what was not answered. */
class Visitor {
  /** The id of its session. */
  session = '';
  readonly commands = new Map<number, Send>();
  readonly answers = new Map<number, Answer>();
  readonly shown: Shown[] = [];
  /** Answers that came again, and were as the first time. */
  repeated = 0;
  /** Moments at which all coins were counted. */
  counted = 0;
  readonly wrong: string[] = [];
  private readonly unanswered = new Set<number>();
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
  }

  /** Gives no more commands. */
  rest(): void {
    clearInterval(this.timer);
  }

  get isAnswered(): boolean {
    return this.unanswered.size === 0;
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
    const before = this.answers.get(seq);
    if (before === undefined) {
      // Only this one is no answer for good: such a command never was one of the world.
      if ('code' in answer && answer.code === 'E_RATE') this.commands.delete(seq);
      else this.answers.set(seq, answer);
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

/** The coins in purses and under way. */
function coinsIn(purses: readonly PurseContext[]): number {
  return purses.reduce((sum, { coins, posted, arrived }) => sum + coins + posted - arrived, 0);
}

interface Given {
  readonly time: number;
  readonly session: string;
  readonly message: Send;
}

/**
 * What clients were told was carried out, by its time. Commands of one time are in the order in which
 * the last server that had them carried them out.
 */
function carriedOut(all: readonly Visitor[], numbers: ReadonlyMap<string, number>): Given[] {
  const given = all.flatMap(({ session, commands, answers }) =>
    [...answers].flatMap(([seq, answer]) =>
      'time' in answer ? [{ time: answer.time, session, message: commands.get(seq) as Send }] : [],
    ),
  );
  const number = ({ session, message }: Given): number =>
    numbers.get(keyOf(session, message.seq)) ?? Number.NaN;
  return given.sort((a, b) => a.time - b.time || number(a) - number(b));
}

function keyOf(session: string, seq: number): string {
  return `${session} ${seq}`;
}

/** A world that was never killed, with the same commands; gives what was shown and never was so in it. */
function neverKilled(
  given: readonly Given[],
  shown: readonly Shown[],
  end: number,
): { readonly world: World; readonly undone: readonly Shown[] } {
  const { seed, settings, records } = purseSeed;
  const world = createWorld({ kinds: purseKinds, seed, settings });
  world.add(records);
  const shownAt = byTime(shown);
  const givenAt = byTime(given);
  const undone: Shown[] = [];
  for (const time of [...new Set([...shownAt.keys(), ...givenAt.keys()])].sort((a, b) => a - b)) {
    let unseen = shownAt.get(time) ?? [];
    // What was shown at that time may be of any moment between two events or commands of it.
    const look = (): void => {
      unseen = unseen.filter((one) => !isSo(world, one));
    };
    world.runUntil(time, { inclusive: false });
    look();
    while ((world.nextEventAt ?? Number.POSITIVE_INFINITY) <= time) {
      world.step();
      look();
    }
    for (const { session, message } of givenAt.get(time) ?? []) {
      const { id, event, seq } = message;
      const source = { rank: 1, id: session };
      expect(world.execute({ type: 'send', id, event }, source, seq)).toEqual({ accepted: true });
      look();
    }
    undone.push(...unseen);
  }
  world.runUntil(end);
  return { world, undone };
}

function byTime<T extends { readonly time: number }>(all: readonly T[]): Map<number, T[]> {
  const times = new Map<number, T[]>();
  for (const one of all) times.set(one.time, [...(times.get(one.time) ?? []), one]);
  return times;
}

function isSo(world: World, { id, context, nextEvent }: Shown): boolean {
  const record = world.find(id);
  return JSON.stringify(record?.context) === context && record?.nextEvent === nextEvent;
}

test(
  `a server killed ${KILLS} times (OFFSTAGE_KILLS) has lost, doubled, moved and undone nothing`,
  async () => {
    const code = await scratch('kill');
    const saves = await scratch('kill', { outside: true });
    folders.push(code, saves);
    const program = await compiledServer(code);
    await saves.write({ 'purses.seed.json': JSON.stringify(purseSeed) });
    const options = { savesDir: saves.path, speed: SPEED };
    for (let i = 0; i < CLIENTS; i += 1) visitors.push(new Visitor());
    const found = new Set<string>();
    let replayed = 0;
    const numbers = new Map<string, number>();
    const number = ({ commands }: ServerProcess): void => {
      for (const { n, id, seq } of commands) numbers.set(keyOf(id, seq), n);
    };
    let next = newProcess(program);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = next;
      // The next one loads while this one runs.
      next = newProcess(program);
      await server.open(options);
      if (Math.random() < 0.2) {
        await pause(Math.random() * 80);
      } else {
        const listening = await server.listening();
        for (const type of listening.found) found.add(type);
        replayed += listening.replayed;
        for (const visitor of visitors) visitor.visit(listening.url);
        await pause(30 + Math.random() * 350);
      }
      await server.kill();
      for (const visitor of visitors) visitor.leave();
      number(server);
    }
    await next.open(options);
    const { url } = await next.listening();
    for (const visitor of visitors) visitor.visit(url);
    await pause(100);
    for (const visitor of visitors) visitor.rest();
    await until(() => visitors.every(({ isAnswered }) => isAnswered));
    expect(await next.stop(), next.output).toBe(0);
    number(next);

    const document = await openWorld(join(saves.path, 'purses'), { kinds: purseKinds });
    const { world } = document;
    await document.close();
    const given = carriedOut(visitors, numbers);
    const shown = visitors.flatMap((visitor) => visitor.shown);
    const reference = neverKilled(given, shown, world.time);

    expect(visitors.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(reference.undone).toEqual([]);
    expect(world.hash()).toBe(reference.world.hash());
    const purses = world.query({ kind: 'purse' }).map(({ context }) => context as PurseContext);
    expect(coinsIn(purses)).toBe(COINS);
    expect(purses.reduce((sum, { gifts }) => sum + gifts, 0)).toBe(given.length);
    expect(world.find('fast')?.context).toMatchObject({ fired: Math.floor(world.time / 37) });
    // What a kill leaves is at the most the line that was being written.
    expect([...found].filter((type) => type !== 'JournalEnds')).toEqual([]);
    // All of it did take place.
    expect(given.length).toBeGreaterThan(KILLS * 5);
    expect(replayed).toBeGreaterThan(0);
    expect(shown.length).toBeGreaterThan(KILLS * 10);
    for (const visitor of visitors) {
      expect(visitor.repeated).toBeGreaterThan(0);
      expect(visitor.counted).toBeGreaterThan(0);
    }
  },
  60_000 + KILLS * 6000,
);

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
