import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';

/** Runs one `offstage` command and gives its exit code: 0 only when it did what was asked. */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('offstage')
    .description('Persistent worlds of XState records that live on the game clock.')
    .version(version())
    .exitOverride();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander ends --help, --version and wrong usage this way, having printed what there is to say.
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

/** package.json is two folders up from the sources and three from dist, so it is asked for by name. */
function version(): string {
  const manifest = new URL(import.meta.resolve('offstage/package.json'));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
