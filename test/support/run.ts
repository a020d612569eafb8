import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  /** Everything printed, for the message of a failed assertion. */
  readonly output: string;
}

/** Runs a program to its end, with the repository's own tools found first. A failure is a result, not an exception. */
export function run(
  program: string,
  args: readonly string[],
  { cwd = repository, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  const path = [join(repository, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...args],
      {
        cwd,
        env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env, PATH: path },
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`;
        if (error === null) resolve({ code: 0, stdout, output });
        else if (typeof error.code === 'number') resolve({ code: error.code, stdout, output });
        else reject(error);
      },
    );
  });
}
