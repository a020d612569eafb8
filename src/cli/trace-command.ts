/** `offstage trace`: one line for each event of a scenario, or of a world from its seed or its save on. */
import type { Command } from 'commander';
import { CommandError } from '../core/errors.ts';
import { beginScenario } from '../core/scenario.ts';
import { traceLine } from '../core/trace.ts';
import { createWorld, type World } from '../core/world.ts';
import { readSeed } from '../server/seed-file.ts';
import { parseNumber } from './address.ts';
import { loadKinds, savesOf } from './kinds-file.ts';
import { print } from './printing.ts';
import { loadScenarios } from './scenarios-file.ts';
import { worldFolder } from './target.ts';

interface Options {
  readonly seed?: string;
  readonly until?: number;
  readonly saved?: true;
  readonly saves?: string;
  readonly hash?: true;
  readonly json?: true;
}

export function addTrace(program: Command): void {
  program
    .command('trace')
    .description(
      'print a line for each event of a scenario, or of a world from its seed or its save on',
    )
    .argument('<name>', 'a scenario, such as mm1, or a world')
    .option('--seed <text>', 'what is drawn at random; default: 1, or what the seed file says')
    .option(
      '--until <seconds>',
      'game seconds from the beginning, or from where it is saved; default: the end of the scenario',
      parseNumber('Seconds', { least: 0, most: 3.15e9 }),
    )
    .option('--saved', 'go on from where the saved world is; nothing of it is changed')
    .option('--saves <folder>', 'where <world>.seed.json and the saved worlds are; default: saves')
    .option('--hash', 'end each line with the state hash after the event')
    .option('--json', 'print each event as JSON, for programs')
    .action((name: string, options: Options) => traceOf(process.cwd(), name, options));
}

async function traceOf(folder: string, name: string, options: Options): Promise<void> {
  const { world, until } = await beginning(folder, name, options);
  world.on('event', (report) => {
    const hash = options.hash ? { hash: world.hash() } : {};
    if (options.json) print(JSON.stringify({ ...report, ...hash }));
    else print(options.hash ? `${traceLine(report)}\t${world.hash()}` : traceLine(report));
  });
  world.runUntil(until);
}

async function beginning(
  folder: string,
  name: string,
  options: Options,
): Promise<{ readonly world: World; readonly until: number }> {
  if (options.saved) return await goingOn(folder, name, options);
  const { seed, until, saves } = options;
  const scenario = (await loadScenarios(folder)).find((known) => known.name === name);
  if (scenario !== undefined) {
    const world = beginScenario(scenario, seed ?? '1');
    return { world, until: until === undefined ? scenario.until : until * 1000 };
  }
  if (until === undefined) {
    throw new CommandError(
      'NOTHING_FOUND',
      `There is no scenario '${name}'. To trace a world of that name, say how far: --until <seconds>.`,
    );
  }
  const registry = await loadKinds(folder);
  const {
    records,
    settings,
    startAt = 0,
    ...begun
  } = await readSeed(savesOf(saves, folder, name, registry).seed, name);
  const world = createWorld({
    kinds: registry.kinds,
    seed: seed ?? begun.seed,
    startAt,
    ...(settings === undefined ? {} : { settings }),
  });
  world.add(records);
  return { world, until: startAt + until * 1000 };
}

/** A saved world as it would be if it were opened now. */
async function goingOn(
  folder: string,
  name: string,
  { seed, until, saves }: Options,
): Promise<{ readonly world: World; readonly until: number }> {
  if (seed !== undefined) {
    throw new CommandError('BAD_OPTION', 'A saved world has its seed; leave out --seed.');
  }
  if (until === undefined) {
    throw new CommandError('BAD_OPTION', 'Say how far from where it is: --until <seconds>.');
  }
  const { kinds } = await loadKinds(folder);
  const { readWorld } = await import('../saves/examine.ts');
  const { world } = await readWorld(worldFolder(name, saves), { kinds });
  return { world, until: world.time + until * 1000 };
}
