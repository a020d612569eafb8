/** Commands for worlds on disk: `verify`, `replay`, `restore`; and `save`, for one that is being served. */
import { basename } from 'node:path';
import { Argument, type Command } from 'commander';
import pc from 'picocolors';
import { CommandError } from '../core/errors.ts';
import { replayWorld, type VerifyReport, verifyWorld } from '../saves/examine.ts';
import { whoHolds } from '../saves/lock.ts';
import { nodeDisk } from '../saves/node-disk.ts';
import { restoreGeneration } from '../saves/restore-generation.ts';
import { parseNumber, parseWorldOrUrl, type WorldOrUrl } from './address.ts';
import { loadKinds } from './kinds-file.ts';
import { print } from './printing.ts';
import { findServed, worldFolder } from './target.ts';
import { clockText, counted, stretchText } from './words.ts';

interface Options {
  readonly saves?: string;
  readonly json?: true;
}

export function addSavedCommands(program: Command): void {
  const ofWorld = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .addArgument(new Argument('<world>', 'its name, or its folder'))
      .option('--saves <folder>', 'folder of the worlds (default: saves)')
      .option('--json', 'print JSON, for programs');

  ofWorld(
    'verify',
    'check every byte of a saved world, and whether its journals give what they gave',
  ).action(verify);

  ofWorld('replay', 'carry out all that the journals of a saved world hold, and compare')
    .option(
      '--until <seconds>',
      'game time to stop at (default: where the journals end)',
      parseNumber('The time', { least: 0, most: 1e12 }),
    )
    .action(replay);

  ofWorld('restore', 'go back to an earlier generation of a saved world')
    .requiredOption(
      '--generation <number>',
      'which; `offstage verify` lists them',
      parseNumber('The generation', { least: 1, most: 2 ** 53, whole: true }),
    )
    .option('--with-journals', 'with the commands that the journals have of the time since')
    .action(restore);

  program
    .command('save')
    .description('have a running world saved now')
    .argument('[world]', 'its name, or the address of its server', parseWorldOrUrl)
    .option('--saves <folder>', 'folder of the worlds (default: saves)')
    .option('--token <text>', 'its admin token')
    .option('--json', 'print JSON, for programs')
    .action(save);
}

async function verify(world: string, { saves, json }: Options): Promise<void> {
  const folder = worldFolder(world, saves);
  const report = await verified(folder);
  const holder = await whoHolds(nodeDisk, folder);
  if (json) print(JSON.stringify({ folder, served: holder !== undefined, ...report }));
  else {
    for (const line of verifyLines(folder, report)) print(line);
    if (holder !== undefined) {
      print(pc.dim(`  Process ${holder.pid} has it open; this is what it had saved so far.`));
    }
  }
  if (report.isWell) return;
  const count = counted(report.problems.length, 'thing');
  throw new CommandError('DAMAGED', `The world in ${folder} is not well: ${count} wrong with it.`);
}

/** A world that is being served may go on to its next generations while it is looked at. */
async function verified(folder: string): Promise<VerifyReport> {
  const { kinds } = await loadKinds(process.cwd());
  let report = await verifyWorld(folder, { kinds });
  for (let again = 0; again < 3 && !report.isWell; again += 1) {
    const next = await verifyWorld(folder, { kinds });
    const isSame = next.generations[0]?.generation === report.generations[0]?.generation;
    report = next;
    if (isSame) break;
  }
  return report;
}

function verifyLines(folder: string, report: VerifyReport): string[] {
  const { isWell, generations, problems, cures, notes, replayed, compared, stateHash } = report;
  const lines = [
    `${pc.bold(report.world || basename(folder))} in ${folder}: ${isWell ? pc.green('well') : pc.red('not well')}`,
    ...generations.map(({ generation, savedAt, time, records, regions, damages }) => {
      const state = damages.length === 0 ? 'whole' : pc.red(`${damages.length} damaged`);
      const what = `${counted(records, 'record')} in ${counted(regions, 'region')}`;
      return `  generation ${generation}  ${agoText(savedAt)}, at ${clockText(time)}  ${what}  ${state}`;
    }),
    `  journals   ${counted(replayed, 'command')} since, carried out again; ${compared === 1 ? '1 hash' : `${compared} hashes`} compared`,
  ];
  if (stateHash !== null) lines.push(`  hash       ${stateHash}`);
  lines.push(...problems.map((problem) => pc.red(`  wrong      ${problem}`)));
  lines.push(...cures.map((cure) => `  to do      ${cure}`));
  lines.push(...notes.map((note) => pc.dim(`  note       ${note}`)));
  return lines;
}

async function replay(
  world: string,
  { saves, json, until }: Options & { readonly until?: number },
): Promise<void> {
  const folder = worldFolder(world, saves);
  const { kinds } = await loadKinds(process.cwd());
  const report = await replayWorld(folder, {
    kinds,
    ...(until === undefined ? {} : { until: until * 1000 }),
  });
  const { generation, commands, compared, from, to, stateHash, firstDifference, problems } = report;
  if (json) print(JSON.stringify({ folder, ...report }));
  else {
    print(
      `Replayed ${basename(folder)} from generation ${generation}: ${counted(commands, 'command')} from ${clockText(from)} to ${clockText(to)}; ${compared === 1 ? '1 hash' : `${compared} hashes`} compared.`,
    );
    print(`  hash       ${stateHash}`);
    for (const problem of problems) print(pc.red(`  differs    ${problem}`));
  }
  if (firstDifference === null && problems.length === 0) return;
  const where =
    firstDifference === null
      ? ''
      : ` The first hash that differs is at ${clockText(firstDifference.time)}.`;
  throw new CommandError(
    'OTHER_WORLD',
    `The journals of ${folder} do not give what they gave.${where} Was a kind changed since?`,
  );
}

async function restore(
  world: string,
  options: Options & { readonly generation: number; readonly withJournals?: true },
): Promise<void> {
  const { saves, json, generation, withJournals = false } = options;
  const folder = worldFolder(world, saves);
  const report = await restoreGeneration(folder, generation, { withJournals });
  if (json) {
    print(JSON.stringify({ folder, ...report }));
    return;
  }
  const since = withJournals ? ', with what its journals have of the time since' : '';
  print(
    `${basename(folder)} is what generation ${report.from} was, at ${clockText(report.time)}, with ${counted(report.records, 'record')}${since}. It is generation ${report.generation} now.`,
  );
  print(pc.dim('What was newer is kept until three more are saved.'));
}

async function save(
  target: WorldOrUrl | undefined,
  { saves, json, token }: Options & { readonly token?: string },
): Promise<void> {
  const { admin } = await findServed({
    ...target,
    ...(saves === undefined ? {} : { saves }),
    ...(token === undefined ? {} : { token }),
  });
  try {
    const { saved } = await admin.do({ type: 'save' });
    if (saved === undefined) return;
    if (json) print(JSON.stringify(saved));
    else {
      const { generation, records, regionsWritten, took } = saved;
      print(
        `Saved generation ${generation}: ${counted(records, 'record')}, ${counted(regionsWritten, 'region')} written, in ${Math.round(took)} ms.`,
      );
    }
  } finally {
    admin.close();
  }
}

/** When something was, as seen from now. */
function agoText(at: number): string {
  return `saved ${stretchText(Math.max(0, Date.now() - at))} ago`;
}
