/** `offstage serve`: runs a world until it is told to stop. */
import { dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { messageOf } from '../core/errors.ts';
import type { Inspection } from '../inspect/stately/inspection.ts';
import { HOW_TO_CHOOSE } from '../inspect/stately/selection.ts';
import { worldSource } from '../inspect/stately/world-source.ts';
import type { Damaged } from '../saves/document.ts';
import type { LiveReloadOptions } from '../server/live-reload.ts';
import { type Server, serve } from '../server/serve.ts';
import { parseNumber } from './address.ts';
import { INSPECTOR_PORT, openInspectors, parseInspectorPort, tellOf } from './inspect-command.ts';
import { type KindsFile, loadKinds, loadKindsAgain, savesOf } from './kinds-file.ts';
import { print, untilStopped } from './printing.ts';
import { DEFAULT_WORLD } from './target.ts';

interface Options {
  readonly port: number;
  readonly host: string;
  readonly saves?: string;
  readonly token?: string;
  readonly adminToken?: string;
  readonly speed?: number;
  readonly damaged?: Damaged;
  readonly watch?: true;
  readonly inspect?: true | readonly string[];
  readonly inspectPort: number;
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run a world and serve it to clients, until Ctrl-C')
    .argument(
      '[world]',
      'its name; it is kept in saves/<world>, and begins from saves/<world>.seed.json',
      DEFAULT_WORLD,
    )
    .option(
      '--port <number>',
      'port to listen on; 0 takes a free one',
      parseNumber('The port', { least: 0, most: 65_535, whole: true }),
      4400,
    )
    .option(
      '--host <address>',
      'address to listen on; any but this machine needs --token',
      '127.0.0.1',
    )
    .option('--saves <folder>', 'folder of the worlds (default: saves)')
    .option('--token <text>', 'what clients must show')
    .option(
      '--admin-token <text>',
      'what admins must show (default: admins must be on this machine)',
    )
    .option(
      '--speed <factor>',
      'game seconds per real second (default: as it went last, 1 for a new world)',
      parseNumber('The speed', { least: 0, most: 1_000_000 }),
    )
    .addOption(
      new Option(
        '--damaged <how>',
        'what to do if files of the world are not as they were written: take the newest generation that is whole with all commands since, or leave damaged regions out (default: refuse)',
      ).choices(['refuse', 'earlier', 'without']),
    )
    .option('--watch', 'load kinds and machines again whenever their files change')
    .option(
      '--inspect [record...]',
      `show records in Stately's inspectors: ${HOW_TO_CHOOSE}; left out: one of each kind`,
    )
    .option(
      '--inspect-port <number>',
      "port of the inspectors' page; 0 takes a free one",
      parseInspectorPort,
      INSPECTOR_PORT,
    )
    .action(run);
}

async function run(world: string, options: Options): Promise<void> {
  const folder = process.cwd();
  const file = await loadKinds(folder);
  const { port, host, token, adminToken, speed } = options;
  const server = await serve({
    world,
    kinds: file.kinds,
    port,
    host,
    ...savesOf(options.saves, folder, world, file),
    log: openLog(),
    ...(speed === undefined ? {} : { speed }),
    ...(options.damaged === undefined ? {} : { damaged: options.damaged }),
    ...(options.watch === true ? { reload: reloadOf(file) } : {}),
    ...(token === undefined ? {} : { token }),
    ...(adminToken === undefined ? {} : { adminToken }),
  });
  const stopped = untilStopped();
  print(`listening on ${server.url}`);
  if (process.stdout.isTTY) {
    const where = port === 4400 ? '' : ` ${server.url}`;
    print(pc.dim(`See it in another terminal: npx offstage watch${where}`));
    print(pc.dim('Ctrl-C saves the world and stops.'));
  }
  const inspection = await inspectionOf(server, options);
  await stopped;
  if (process.stdout.isTTY) print(pc.dim('Saving… Ctrl-C again ends at once.'));
  await inspection?.close();
  await server.close();
}

/** What `--inspect` asks for. What goes wrong with it is told, and the world runs on. */
async function inspectionOf(
  { world }: Server,
  { inspect, inspectPort }: Options,
): Promise<Inspection | undefined> {
  if (inspect === undefined) return undefined;
  const wanted = inspect === true ? [] : inspect;
  const warn = (message: string): void => {
    process.stderr.write(`${pc.yellow(message)}\n`);
  };
  try {
    const source = worldSource(world);
    const inspection = await openInspectors({ source, wanted, port: inspectPort, warn });
    tellOf(inspection);
    return inspection;
  } catch (error) {
    warn(`The inspectors are not open: ${messageOf(error)}`);
    return undefined;
  }
}

/** The folders beside the registry that machines and kinds are in. */
function reloadOf({ path }: KindsFile): LiveReloadOptions {
  const kinds = dirname(path);
  const machines = join(dirname(kinds), 'machines');
  return { folders: [kinds, machines], load: () => loadKindsAgain(path) };
}

/** On stderr: in words in a terminal, else as lines of JSON. */
function openLog(): Logger {
  if (!process.stderr.isTTY) return pino(pino.destination({ dest: 2, sync: true }));
  const ignore = 'pid,hostname,world,records,generation,found,url,id,kind,code,gameTime';
  return pino(pretty({ destination: 2, sync: true, ignore }));
}
