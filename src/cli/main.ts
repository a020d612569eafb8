import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { CommandError, KindError, ProtocolError, SaveError, WorldError } from '../core/errors.ts';
import { stopWhenNobodyReads } from './printing.ts';

type Add = (program: Command) => void;

/**
 * The files of the commands, each with their names, in the order in which help lists them. Only the one
 * that is asked for is loaded, since of a short command most of the time is its start.
 */
const COMMANDS: readonly (readonly [names: readonly string[], load: () => Promise<Add>])[] = [
  [['serve'], async () => (await import('./serve-command.ts')).addServe],
  [['watch'], async () => (await import('./watch-command.ts')).addWatch],
  [
    ['info', 'dump', 'advance', 'spawn-timers'],
    async () => (await import('./admin-commands.ts')).addAdminCommands,
  ],
  [
    ['add', 'remove', 'set-state', 'send', 'retry'],
    async () => (await import('./change-commands.ts')).addChangeCommands,
  ],
  [
    ['verify', 'replay', 'restore', 'save'],
    async () => (await import('./saved-commands.ts')).addSavedCommands,
  ],
  [['inspect'], async () => (await import('./inspect-command.ts')).addInspect],
  [['new-kind'], async () => (await import('./new-kind-command.ts')).addNewKind],
  [['trace'], async () => (await import('./trace-command.ts')).addTrace],
  [['replicate'], async () => (await import('./replicate-command.ts')).addReplicate],
];

/** Runs one `offstage` command and gives its exit code: 0 only when it did what was asked. */
export async function main(argv: readonly string[]): Promise<number> {
  stopWhenNobodyReads();
  const program = new Command('offstage')
    .description('Persistent worlds of XState records that live on the game clock.')
    .version(version())
    .showHelpAfterError('Add --help to see what there is.')
    .exitOverride();
  const asked = COMMANDS.filter(([names]) => names.includes(argv[0] ?? ''));
  for (const [, load] of asked.length > 0 ? asked : COMMANDS) (await load())(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander ends --help, --version and wrong usage this way, having printed what there is to say.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof Error) || !isExpected(error)) throw error;
    process.stderr.write(`${pc.red(error.message)}\n`);
    return 1;
  }
}

/** Errors of our own say all there is to say; of any other the stack is wanted. */
function isExpected(error: Error): boolean {
  return [CommandError, KindError, ProtocolError, SaveError, WorldError].some(
    (type) => error instanceof type,
  );
}

/** package.json is two folders up from the sources and three from dist, so it is asked for by name. */
function version(): string {
  const manifest = new URL(import.meta.resolve('offstage/package.json'));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
