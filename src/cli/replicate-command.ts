/** `offstage replicate`: a scenario run once for each of many seeds, on all processors, and what they say together. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { Piscina } from 'piscina';
import { WorldError } from '../core/errors.ts';
import type { Figures, Scenario } from '../core/scenario.ts';
import { parseNumber } from './address.ts';
import { type Estimate, estimateOf, holds } from './estimate.ts';
import { isSource } from './kinds-file.ts';
import { print } from './printing.ts';
import type { Replicated, Replication } from './replication.ts';
import { scenarioOf } from './scenarios-file.ts';
import { counted } from './words.ts';

interface Options {
  readonly seeds: readonly string[];
  readonly confidence: number;
  readonly threads: number;
  readonly json?: true;
}

/** Seeds that are run at the most. */
const MOST_SEEDS = 100_000;

export function addReplicate(program: Command): void {
  program
    .command('replicate')
    .description('run a scenario once for each seed, and print means with confidence intervals')
    .argument('<scenario>', 'its name, such as mm1')
    .option('--seeds <list>', 'seeds: 1..30, or a,b,c', parseSeeds, parseSeeds('1..30'))
    .option(
      '--confidence <percent>',
      'how sure an interval is to hold the true mean',
      parseNumber('The confidence', { least: 1, most: 99.999 }),
      95,
    )
    .option(
      '--threads <number>',
      'runs at a time',
      parseNumber('The number of threads', { least: 1, most: 1024, whole: true }),
      availableParallelism(),
    )
    .option('--json', 'print JSON, for programs')
    .action((name: string, options: Options) => replicate(process.cwd(), name, options));
}

/** Seeds as they are typed: a range of whole numbers, or names between commas. */
function parseSeeds(text: string): readonly string[] {
  const range = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text);
  if (range !== null) {
    const [first, last] = [Number(range[1]), Number(range[2])];
    if (last >= first && last - first < MOST_SEEDS) {
      return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
    }
  } else if (!text.includes('..')) {
    const seeds = text.split(',').map((seed) => seed.trim());
    const isEach = seeds.every((seed) => seed !== '');
    if (isEach && new Set(seeds).size === seeds.length && seeds.length <= MOST_SEEDS) return seeds;
  }
  throw new InvalidArgumentError(
    `They must be a range, such as 1..30, or names, such as a,b,c; each once, at most ${MOST_SEEDS}.`,
  );
}

async function replicate(
  folder: string,
  name: string,
  { seeds, confidence, threads, json }: Options,
): Promise<void> {
  const scenario = await scenarioOf(folder, name);
  const runs = await runsOf(folder, name, seeds, threads);
  const estimates = estimatesOf(scenario, runs, confidence / 100);
  if (json) {
    print(JSON.stringify({ scenario: name, seeds, confidence, runs, estimates }));
    return;
  }
  print(`${name}: ${scenario.about}`);
  print(`${counted(seeds.length, 'run')}, intervals at ${confidence} %`);
  for (const line of table(estimates)) print(line);
}

/** The figures of each seed, in the order of the seeds, whichever thread was done first. */
async function runsOf(
  folder: string,
  scenario: string,
  seeds: readonly string[],
  threads: number,
): Promise<readonly Figures[]> {
  const file = isSource ? './replication-source.js' : './replication.js';
  const pool = new Piscina<Replication, Replicated>({
    filename: fileURLToPath(new URL(file, import.meta.url)),
    minThreads: 1,
    maxThreads: Math.min(threads, seeds.length),
  });
  try {
    const done = await Promise.all(seeds.map((seed) => pool.run({ folder, scenario, seed })));
    return done.map((result) => {
      if ('figures' in result) return result.figures;
      throw new WorldError(result.code, result.message);
    });
  } finally {
    await pool.destroy();
  }
}

interface Line extends Estimate {
  readonly figure: string;
  readonly known: number | null;
  readonly isKnownHeld: boolean | null;
}

function estimatesOf(
  { name, known = {} }: Scenario,
  runs: readonly Figures[],
  confidence: number,
): readonly Line[] {
  return Object.keys(runs[0] ?? {}).map((figure) => {
    const values = runs.map((figures) => {
      const value = figures[figure];
      if (value !== undefined) return value;
      throw new WorldError(
        'SCENARIO_FAILED',
        `Scenario '${name}' gave '${figure}' for some seeds and not for others; measure must give the same figures each time.`,
      );
    });
    const estimate = estimateOf(values, confidence);
    const value = known[figure];
    return {
      figure,
      ...estimate,
      known: value ?? null,
      isKnownHeld: value === undefined ? null : holds(estimate, value),
    };
  });
}

function table(lines: readonly Line[]): string[] {
  const width = Math.max(...lines.map(({ figure }) => figure.length));
  return lines.map(({ figure, mean, halfWidth, known, isKnownHeld }) => {
    const interval = halfWidth === null ? '' : ` ± ${shown(halfWidth)}`;
    const theory = known === null ? '' : `   in theory ${shown(known)}${verdict(isKnownHeld)}`;
    return `  ${figure.padEnd(width)}  ${shown(mean)}${interval}${theory}`;
  });
}

function verdict(isHeld: boolean | null): string {
  if (isHeld === null) return '';
  return isHeld ? ', within the interval' : ', outside the interval';
}

/** Four places that count. */
function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}
