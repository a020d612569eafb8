/**
 * Engines side by side: each in a process of its own, so that none suffers from another's heap or
 * from what the compiler learnt of another, and run in turn, so that the machine's noise hits all
 * alike. Each first runs until its records have had a few events, as they have in a world that goes on.
 * A figure is the median of the rounds; a ratio is taken round by round.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { heard } from './child.ts';
import { races } from './contenders.ts';
import { median, type Options, type Result } from './measure.ts';

const RUNNER = fileURLToPath(new URL('./runner.ts', import.meta.url));

export async function race(group: string, n: number, { quick }: Options): Promise<Result[]> {
  const { model, engines } = races[group] as (typeof races)[string];
  const names = engines(n);
  const runners: ChildProcess[] = [];
  try {
    // One after the other: adding a million records takes the whole machine.
    for (const engine of names) runners.push(await started(group, engine, n));
    const rates = names.map((): number[] => []);
    const rounds = quick ? 3 : 9;
    const slice = quick ? 100 : 300;
    for (const runner of runners) await warmUp(runner, n, slice);
    for (let round = 0; round < rounds; round += 1) {
      for (const [i, runner] of runners.entries()) {
        const { events, spent } = await sliceOf(runner, slice);
        (rates[i] as number[]).push((events / spent) * 1000);
      }
    }
    return names.map((engine, i) => ({
      group,
      model,
      n,
      engine,
      value: median(rates[i] as number[]),
      unit: 'events/s',
      ratioTo: Object.fromEntries(
        names.flatMap((other, j) =>
          i === j ? [] : [[other, ratio(rates[i] as number[], rates[j] as number[])]],
        ),
      ),
    }));
  } finally {
    for (const runner of runners) runner.kill();
  }
}

async function started(group: string, engine: string, n: number): Promise<ChildProcess> {
  const runner = fork(RUNNER, [group, engine, String(n)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await heard(runner);
  return runner;
}

/** Events that each record has had, on average, before anything is measured. */
const WARM = 3;

async function warmUp(runner: ChildProcess, n: number, slice: number): Promise<void> {
  let events = 0;
  for (let round = 0; round < 2 || events < WARM * n; round += 1) {
    events += (await sliceOf(runner, slice)).events;
  }
}

async function sliceOf(
  runner: ChildProcess,
  slice: number,
): Promise<{ events: number; spent: number }> {
  runner.send(slice);
  return (await heard(runner)) as { events: number; spent: number };
}

function ratio(rates: readonly number[], others: readonly number[]): number {
  return median(rates.map((rate, round) => rate / (others[round] as number)));
}
