/**
 * What one client that stops reading costs the others. Twenty megabytes of changes pass, and it is
 * measured how long each takes from the command that makes it to each of the other clients: in turn
 * with nobody else there, and beside one that reads nothing. The server is this process, all clients
 * are in another.
 */
import { fork } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createWorld, defineKind } from 'offstage';
import { assign, setup } from 'xstate';
import { asked } from './child.ts';
import { median, type Options, quantile, type Result } from './measure.ts';
import { servedWorld, wait } from './served.ts';

const LOAD = fileURLToPath(new URL('./slow-reader-load.ts', import.meta.url));
const CHANGE = 'x'.repeat(200_000);
const CHANGES = 100;
/** Real milliseconds between two changes. */
const EVERY = 40;

const boardMachine = setup({
  types: { context: {} as { text: string }, events: {} as { type: 'WRITE'; text: string } },
}).createMachine({
  id: 'board',
  context: { text: '' },
  on: { WRITE: { actions: assign({ text: ({ event }) => event.text }) } },
});
const board = defineKind({ name: 'board', version: 1, machine: boardMachine });

/** How long the changes of one round took to the others, in real milliseconds. */
interface Round {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

export async function slowReaderCosts(others: number, { quick }: Options): Promise<Result[]> {
  // A flush for every change, at once.
  const world = createWorld({ kinds: [board], settings: { flushesPerSecond: 50 } });
  world.add({ id: 'board', kind: 'board', at: [0, 0] });
  const { loop, http, replication } = servedWorld(world);
  const load = fork(LOAD);
  try {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    loop.start();
    await asked(load, { connect: (http.address() as AddressInfo).port, others });
    const change = async (): Promise<void> => {
      for (let i = 0; i < CHANGES; i += 1) {
        // The clock of all processes of a machine.
        world.send('board', { type: 'WRITE', text: `${process.hrtime.bigint()} ${CHANGE}` });
        await wait(EVERY);
      }
    };
    const rounds: Round[] = [];
    // The first warms up.
    for (let round = 0; round <= (quick ? 1 : 3); round += 1) {
      await change();
      const alone = await latencies(load, others);
      await asked(load, 'connect one that does not read');
      const { conflations } = replication.stats();
      await change();
      if (replication.stats().conflations === conflations) {
        throw new Error('The client that does not read was never behind.');
      }
      const beside = await latencies(load, others);
      await asked(load, 'let it go');
      if (round > 0) rounds.push({ alone, beside });
    }
    return rows(others, rounds);
  } finally {
    load.kill();
    loop.stop();
    http.close();
    http.closeAllConnections();
  }
}

async function latencies(load: Parameters<typeof asked>[0], others: number): Promise<number[]> {
  const taken = (await asked(load, 'latencies')) as number[];
  if (taken.length === others * CHANGES) return taken;
  throw new Error(`${taken.length} of ${others * CHANGES} changes came to the other clients.`);
}

function rows(others: number, rounds: readonly Round[]): Result[] {
  const row = (
    engine: string,
    of: (round: Round) => readonly number[],
    q: number,
  ): Result & { readonly ratioTo?: Record<string, number> } => ({
    group: 'slow reader',
    model: `${CHANGES} changes of ${CHANGE.length / 1000} KB to ${others} clients, from the command to each of them`,
    n: others,
    engine,
    value: median(rounds.map((round) => quantile(of(round), q))),
    unit: 'ms',
  });
  const against = (q: number): Record<string, number> => ({
    'without it': median(
      rounds.map(({ alone, beside }) => quantile(beside, q) / quantile(alone, q)),
    ),
  });
  return [
    row('all read', ({ alone }) => alone, 0.5),
    { ...row('one more reads nothing', ({ beside }) => beside, 0.5), ratioTo: against(0.5) },
    row('all read, 95 %', ({ alone }) => alone, 0.95),
    { ...row('one reads nothing, 95 %', ({ beside }) => beside, 0.95), ratioTo: against(0.95) },
  ];
}
