/**
 * What serving a thousand clients costs: each has nine cells in sight, in each of which something
 * changes with every flush, five flushes a second. The server runs in one process, all clients in
 * another. In the same run the same bytes go to the same sockets with nothing but `ws.send`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { asked, heard } from './child.ts';
import { median, type Options, type Result } from './measure.ts';
import type { Served } from './replication-server.ts';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export async function replicationCosts(n: number, { quick }: Options): Promise<Result[]> {
  const times = quick ? 1 : 5;
  const seconds = quick ? 2 : 3;
  const server = fork(file('./replication-server.ts'), [String(n)]);
  const load = fork(file('./replication-load.ts'), [String(n)]);
  try {
    const port = (await heard(server)) as number;
    await asked(load, { connect: port });
    const rounds: Round[] = [];
    // In turn, so that the machine's noise hits all alike; the first round warms up.
    for (let round = 0; round <= times; round += 1) {
      const world = await measured(server, load, 'world', seconds);
      const served = await measured(server, load, 'offstage', seconds);
      const bare = await measured(server, load, 'ws.send', seconds);
      if (round > 0) rounds.push({ world, served, bare });
    }
    return rows(n, rounds);
  } finally {
    server.kill();
    load.kill();
  }
}

/** Frames that came: to all clients, and to the one that got the fewest. */
interface Received {
  readonly received: number;
  readonly fewest: number;
}

async function measured(
  server: ChildProcess,
  load: ChildProcess,
  engine: string,
  seconds: number,
): Promise<Served> {
  await asked(load, 'begin');
  const served = (await asked(server, { engine, seconds })) as Served;
  const { received, fewest } = (await asked(load, { until: served.sent })) as Received;
  if (received !== served.sent || (received > 0 && fewest < served.flushes * 9)) {
    throw new Error(
      `A client did not get every flush: ${received} of ${served.sent} frames came, and one client got ${fewest} in ${served.flushes} flushes.`,
    );
  }
  return served;
}

interface Round {
  /** The world with nobody to tell. */
  readonly world: Served;
  readonly served: Served;
  readonly bare: Served;
}

/** The world costs the same with nobody to tell, so that is taken off; the rest is what serving costs. */
function rows(n: number, rounds: readonly Round[]): Result[] {
  const [{ served: first }] = rounds as [Round];
  const row = (engine: string, value: number, unit: string): Result => ({
    group: 'replication',
    model: `${n} clients, 9 cells each, 5 flushes a second, ${Math.round(first.bytes / first.frames)} bytes a frame`,
    n,
    engine,
    value,
    unit,
  });
  const middle = (figure: (round: Round) => number): number => median(rounds.map(figure));
  /** Microseconds of CPU a second. */
  const load = ({ cpu, seconds }: Served): number => cpu / seconds;
  const serving = ({ served, world }: Round): number => load(served) - load(world);
  const bare = ({ bare: { frames, cpu } }: Round): number => frames / (cpu / 1e6);
  const all = ({ served: { frames, cpu } }: Round): number => frames / (cpu / 1e6);
  const own = (round: Round): number =>
    round.served.frames / round.served.seconds / (serving(round) / 1e6);
  const against = (figure: (round: Round) => number): Record<string, number> => ({
    'ws.send': middle((round) => figure(round) / bare(round)),
  });
  const flushes = ({ served }: Round): number => served.flushes / served.seconds;
  return [
    { ...row('offstage', middle(own), 'frames/core-s'), ratioTo: against(own) },
    { ...row('with its world', middle(all), 'frames/core-s'), ratioTo: against(all) },
    row('ws.send', middle(bare), 'frames/core-s'),
    row(
      'CPU a client, flush',
      middle((round) => serving(round) / flushes(round) / n),
      'us',
    ),
    row('CPU of serving', middle(serving) / 1e4, '% of a core'),
    row('CPU of the world', middle(({ world }) => load(world)) / 1e4, '% of a core'),
    row('flushes to everyone', middle(flushes), '/s'),
    row(
      'making a flush',
      middle(({ served }) => served.flushMilliseconds / served.flushes),
      'ms',
    ),
    row(
      'a frame of the world',
      middle(({ served }) => served.frameMilliseconds / served.worldFrames),
      'ms',
    ),
  ];
}
