import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { CommandError, KindError, ProtocolError, SaveError, WorldError } from '../core/errors.ts';
import { addAdminCommands } from './admin-commands.ts';
import { addChangeCommands } from './change-commands.ts';
import { addInspect } from './inspect-command.ts';
import { addNewKind } from './new-kind-command.ts';
import { stopWhenNobodyReads } from './printing.ts';
import { addReplicate } from './replicate-command.ts';
import { addSavedCommands } from './saved-commands.ts';
import { addServe } from './serve-command.ts';
import { addTrace } from './trace-command.ts';
import { addWatch } from './watch-command.ts';

/** Runs one `offstage` command and gives its exit code: 0 only when it did what was asked. */
export async function main(argv: readonly string[]): Promise<number> {
  stopWhenNobodyReads();
  const program = new Command('offstage')
    .description('Persistent worlds of XState records that live on the game clock.')
    .version(version())
    .showHelpAfterError('Add --help to see what there is.')
    .exitOverride();
  addServe(program);
  addWatch(program);
  addAdminCommands(program);
  addChangeCommands(program);
  addSavedCommands(program);
  addInspect(program);
  addNewKind(program);
  addTrace(program);
  addReplicate(program);
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
