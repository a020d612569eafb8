/**
 * `npm run bench [-- --json] [--only <group>] [--quick]`: every figure of speed this project states,
 * as ratios of what ran side by side in this one run.
 */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { races } from './contenders.ts';
import {
  frameCosts,
  growthCosts,
  hashAndSnapshotCosts,
  memoryCosts,
  readCosts,
  stormCosts,
} from './costs.ts';
import type { Options, Result } from './measure.ts';
import { printResults } from './print.ts';
import { race } from './race.ts';
import { replicationCosts } from './replication.ts';
import { saveCosts } from './saves.ts';
import { slowReaderCosts } from './slow-reader.ts';

type Group = (options: Options) => Result[] | Promise<Result[]>;

const costs: Record<string, Group> = {
  frame: (options) => [
    ...frameCosts(10_000, 16.7, options),
    ...(options.quick ? [] : frameCosts(1_000_000, 50, options)),
  ],
  read: () => readCosts(10_000),
  wakes: (options) => stormCosts(options.quick ? 1000 : 10_000, options),
  hash: async (options) => [
    ...(await hashAndSnapshotCosts(10, options)),
    ...(await hashAndSnapshotCosts(10_000, options)),
    ...(await hashAndSnapshotCosts(100_000, options)),
  ],
  memory: ({ quick }) => (quick ? memoryCosts(100_000) : memoryCosts(1_000_000)),
  replication: async (options) => [
    ...(await replicationCosts(options.quick ? 100 : 1000, options)),
    ...(await slowReaderCosts(20, options)),
  ],
  growth: (options) => growthCosts(options.quick ? 1000 : 100_000, options),
  saves: (options) => saveCosts(options.quick ? 10_000 : 100_000, options),
};

const GROUPS = [...Object.keys(races), ...Object.keys(costs)];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      alone: { type: 'boolean', default: false },
    },
  });
  const { json, quick, only, alone } = values;
  if (only !== undefined && !GROUPS.includes(only)) {
    console.error(`There is no group '${only}'; there are: ${GROUPS.join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const results: Result[] = [];
  for (const group of only === undefined ? GROUPS : [only]) {
    if (!json) console.error(`measuring ${group} …`);
    results.push(...(await measured(group, { quick }, alone)));
  }
  if (json) console.log(JSON.stringify({ machine: machine(), results }));
  else {
    console.log(`\n${machine()}`);
    printResults(results);
  }
}

async function measured(group: string, options: Options, alone: boolean): Promise<Result[]> {
  const entrants = races[group];
  if (entrants !== undefined) {
    const results: Result[] = [];
    for (const n of options.quick ? entrants.quickSizes : entrants.sizes) {
      results.push(...(await race(group, n, options)));
    }
    return results;
  }
  // Each in a process of its own, so that nothing before it counts.
  return alone ? (costs[group] as Group)(options) : inOwnProcess(group, options.quick);
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
}

function inOwnProcess(group: string, quick: boolean): Result[] {
  const args = [
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    '--json',
    '--alone',
    '--only',
    group,
  ];
  const out = execFileSync(process.execPath, quick ? [...args, '--quick'] : args, {
    encoding: 'utf8',
  });
  return (JSON.parse(out) as { results: Result[] }).results;
}

await main();
