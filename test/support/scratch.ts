import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repository } from './run.ts';

/** A git-ignored folder for one test file, inside the checkout so that imports of packages resolve. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
  /** Writes files by their path in the scratch folder. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Copies files of the repository, such as a tool's settings, to the same path. */
  copy(...paths: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export async function scratch(name: string): Promise<Scratch> {
  const cache = join(repository, '.scratch');
  await mkdir(cache, { recursive: true });
  const path = await mkdtemp(join(cache, `${name}-`));
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
