/**
 * `npm run bench [-- --json] [--only <group>] [--quick]`: every figure of speed this project states,
 * as ratios of what ran side by side in this one run.
 */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  frameCosts,
  growthCosts,
  hashAndSnapshotCosts,
  memoryCosts,
  readCosts,
  stormCosts,
} from './costs.ts';
import { deepMachine, machineContenders, parallelMachine, stationContenders } from './machines.ts';
import { type Options, type Result, race } from './measure.ts';
import { printResults } from './print.ts';
import { timerContenders } from './timers.ts';

type Group = (options: Options) => Result[];

const SIZES = [10, 1000, 10_000, 100_000, 1_000_000];

const groups: Record<string, Group> = {
  timers: (options) =>
    SIZES.filter((n) => !options.quick || n <= 100_000).flatMap((n) =>
      race('timers', 'repeating timers, periods 1000 to 1999 ms', n, timerContenders(n), options),
    ),
  stations: (options) =>
    [100, 10_000].flatMap((n) =>
      race('stations', 'linked stations and stashes', n, stationContenders(n), options),
    ),
  parallel: (options) =>
    race(
      'parallel',
      'a machine with 4 parallel regions',
      1000,
      machineContenders(parallelMachine, 1000),
      options,
    ),
  deep: (options) =>
    race('deep', 'a machine 5 levels deep', 1000, machineContenders(deepMachine, 1000), options),
  frame: (options) => [
    ...frameCosts(10_000, 16.7, options),
    ...(options.quick ? [] : frameCosts(1_000_000, 50, options)),
  ],
  read: (options) => readCosts(10_000, options),
  wakes: (options) => stormCosts(options.quick ? 1000 : 10_000, options),
  hash: (options) => [10, 10_000, 100_000].flatMap((n) => hashAndSnapshotCosts(n, options)),
  memory: ({ quick }) => (quick ? memoryCosts(100_000) : memoryCosts(1_000_000)),
  growth: (options) => growthCosts(options.quick ? 1000 : 100_000, options),
};

/** Groups that need a process to themselves, so that nothing before them counts. */
const ALONE = new Set(['memory', 'growth']);

function main(): void {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      alone: { type: 'boolean', default: false },
    },
  });
  const { json, quick, only, alone } = values;
  if (only !== undefined && groups[only] === undefined) {
    console.error(`There is no group '${only}'; there are: ${Object.keys(groups).join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const chosen = only === undefined ? Object.keys(groups) : [only];
  const results = chosen.flatMap((name) => {
    if (!json) console.error(`measuring ${name} …`);
    return ALONE.has(name) && !alone
      ? inOwnProcess(name, quick)
      : (groups[name] as Group)({ quick });
  });
  if (json) console.log(JSON.stringify({ machine: machine(), results }));
  else {
    console.log(`\n${machine()}`);
    printResults(results);
  }
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
}

function inOwnProcess(name: string, quick: boolean): Result[] {
  const args = [
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    '--json',
    '--alone',
    '--only',
    name,
  ];
  const out = execFileSync(process.execPath, quick ? [...args, '--quick'] : args, {
    encoding: 'utf8',
  });
  return (JSON.parse(out) as { results: Result[] }).results;
}

main();
