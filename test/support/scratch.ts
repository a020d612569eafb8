import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository } from './run.ts';

/** A folder for one test file, gone when the test is. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
  /** Writes files by their path in the scratch folder. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Copies files of the repository, such as a tool's settings, to the same path. */
  copy(...paths: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A folder inside the checkout (git-ignored), where imports of packages resolve as in the checkout;
 * with `outside` one that nothing but what is put into it can be imported from.
 */
export async function scratch(name: string, { outside = false } = {}): Promise<Scratch> {
  const parent = outside ? tmpdir() : join(repository, '.scratch');
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, `${name}-`));
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5 });
  return {
    path,
    async write(files) {
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, file)), { recursive: true });
        await writeFile(join(path, file), text);
      }
    },
    async copy(...paths) {
      for (const file of paths) await cp(join(repository, file), join(path, file));
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}
