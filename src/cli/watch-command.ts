/** `offstage watch`: shows the records near a point, live. */
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { type Client, connect } from '../client/client.ts';
import type { Status } from '../client/connection.ts';
import type { ClientNotice, ClientRecord } from '../client/record.ts';
import { CommandError } from '../core/errors.ts';
import type { Place } from '../protocol/messages.ts';
import { isPlainJson, toRich } from '../protocol/rich.ts';
import { DEFAULT_URL, noServer, parseUrl, parseView } from './address.ts';
import { print, untilStopped } from './printing.ts';
import { type Key, Terminal } from './terminal.ts';
import { drawn, eventText, plainLine, plainTable, type Scene, troubleOf } from './watch-screen.ts';
import { clockText } from './words.ts';

interface Options {
  readonly view: Place;
  readonly token?: string;
  readonly json?: true;
  readonly once?: true;
}

/** Real milliseconds between two drawings. */
const REDRAW = 100;
/** Real milliseconds for which a record that changed stands out. */
const FRESH = 1000;
/** World units that an arrow key moves the view. */
const STEP = 2500;
/** Width of a table that nobody's terminal limits. */
const WIDE = 120;

export function addWatch(program: Command): void {
  program
    .command('watch')
    .description('show the records near a point, live: state, what comes next, and when')
    .argument('[url]', 'address of the server', parseUrl, DEFAULT_URL)
    .addOption(
      new Option('--view <x,y>', 'where to look, in world units')
        .argParser(parseView)
        .default([0, 0], '0,0'),
    )
    .option('--token <text>', "the server's token")
    .option('--json', 'print each change as a line of JSON, for programs')
    .option('--once', 'print what is there now, and end')
    .action(run);
}

async function run(url: string, { view, token, json, once }: Options): Promise<void> {
  const client = connect(url, { view, ...(token === undefined ? {} : { token }) });
  try {
    const live = json ? jsonLines(client) : undefined;
    await firstContact(client, url);
    if (once) {
      if (!json) printTable(client, view);
    } else if (json) {
      await ended(client);
    } else if (process.stdout.isTTY) {
      await onScreen(client, view);
    } else {
      await asLines(client);
    }
    live?.();
  } finally {
    client.close();
  }
}

/** Everything near is there. Throws if the server does not answer at the first try. */
function firstContact(client: Client, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = client.on('status', (status) => {
      if (status.state === 'waiting') reject(noServer(url, status.reason));
    });
    client.ready.then(resolve, (error: Error) => reject(explained(error, url))).finally(stop);
  });
}

function explained(error: Error, url: string): Error {
  if (!/Unexpected server response: (401|403)\b/.test(error.message)) return error;
  return new CommandError(
    'REFUSED',
    `The server at ${url} refuses the connection: its token is missing or wrong. Give it with --token.`,
  );
}

/** Until Ctrl-C, or an error of the connection that no other try would mend. */
function ended(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on('status', (status) => {
      if (status.state === 'closed' && status.error !== undefined) reject(status.error);
    });
    void untilStopped().then(() => resolve());
  });
}

function jsonLines(client: Client): () => void {
  const line = (type: string, fields: object): void => print(JSON.stringify({ type, ...fields }));
  const stops = [
    client.on('status', ({ state }) => line('status', { state })),
    client.on('record', (record) => line('record', recordJson(record))),
    client.on('gone', ({ id, kind }) => line('gone', { id, kind })),
    client.on('notice', (notice) => line('notice', noticeJson(notice))),
    client.on('clock', (clock) => line('clock', { time: client.clock.now(), ...clock })),
    client.on('missed', (missed) => line('missed', missed)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function recordJson({ context, ...record }: ClientRecord): object {
  return { ...record, ...(isPlainJson(context) ? { context } : { rich: toRich(context) }) };
}

function noticeJson({ event, ...notice }: ClientNotice): object {
  return { ...notice, ...(isPlainJson(event) ? { event } : { rich: toRich(event) }) };
}

async function asLines(client: Client): Promise<void> {
  const now = (): number => client.clock.now();
  for (const record of client.records.values()) print(plainLine(record, now()));
  client.on('record', (record) => print(plainLine(record, now())));
  client.on('gone', ({ id, kind }) => print(`${clockText(now())}  ${id}  ${kind}  gone`));
  client.on('notice', ({ time, id, event }) =>
    print(`${clockText(time)}  ${id}  says ${eventText(event)}`),
  );
  client.on('status', (status) => {
    const trouble = troubleOf(status, 0);
    if (trouble !== undefined) process.stderr.write(`${trouble}\n`);
  });
  await ended(client);
}

function printTable(client: Client, view: Place): void {
  const scene = sceneOf(client, view, [], new Set(), undefined);
  const lines = plainTable(scene, process.stdout.columns ?? WIDE);
  if (lines.length === 0)
    print(`Nothing is near ${view.join(',')}; look elsewhere with --view x,y.`);
  for (const line of lines) print(line);
}

async function onScreen(client: Client, from: Place): Promise<void> {
  let view = from;
  let [status, since]: [Status, number] = [{ state: 'open' }, 0];
  /** Where the game clock stood when the connection was lost: what is shown is of then. */
  let lostAt: number | undefined;
  const notices: ClientNotice[] = [];
  const changed = new Map<string, number>();
  const draw = (): void => {
    const limit = performance.now() - FRESH;
    for (const [id, at] of changed) if (at < limit) changed.delete(id);
    const trouble = troubleOf(status, performance.now() - since);
    const now = lostAt ?? client.clock.now();
    const scene = { ...sceneOf(client, view, notices, new Set(changed.keys()), trouble), now };
    terminal.draw(drawn(scene, { ...terminal.size, colors: pc.isColorSupported }));
  };
  let quit = (): void => {};
  const isOver = new Promise<void>((resolve) => {
    quit = resolve;
  });
  const pressed = (key: Key): void => {
    if (key === 'quit') {
      quit();
      return;
    }
    view = moved(view, key);
    client.moveView(view);
    draw();
  };
  const terminal = new Terminal(process.stdout, process.stdin, { pressed, resized: draw });
  client.on('record', ({ id }) => changed.set(id, performance.now()));
  client.on('notice', (notice) => {
    notices.push(notice);
    if (notices.length > 10) notices.shift();
  });
  client.on('status', (next) => {
    [status, since] = [next, performance.now()];
    lostAt = next.state === 'open' ? undefined : (lostAt ?? client.clock.now());
  });
  terminal.open();
  const timer = setInterval(draw, REDRAW);
  try {
    draw();
    await Promise.race([isOver, ended(client)]);
  } finally {
    clearInterval(timer);
    terminal.close();
  }
}

function moved([x, y]: Place, key: Exclude<Key, 'quit'>): Place {
  switch (key) {
    case 'left':
      return [x - STEP, y];
    case 'right':
      return [x + STEP, y];
    case 'up':
      return [x, y + STEP];
    case 'down':
      return [x, y - STEP];
    default:
      key satisfies never;
      return [x, y];
  }
}

function sceneOf(
  client: Client,
  view: Place,
  notices: readonly ClientNotice[],
  fresh: ReadonlySet<string>,
  trouble: string | undefined,
): Scene {
  const { clock, records, world = '' } = client;
  return {
    world,
    view,
    records: records.values(),
    notices,
    now: clock.now(),
    speed: clock.speed,
    paused: clock.paused,
    trouble,
    fresh,
  };
}
