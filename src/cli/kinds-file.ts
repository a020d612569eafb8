/** The kinds a server runs: the project's own, or those that come with the package. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { KindError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';

/** Whether this file runs as it was written, in a checkout, and not compiled. */
const isSource = import.meta.url.endsWith('.ts');

export interface KindsFile {
  readonly path: string;
  readonly kinds: readonly Kind[];
}

/** Loads `kinds/index.ts` or `.js` of a folder, else the starter kinds. Throws `KindError` `BAD_REGISTRY`. */
export async function loadKinds(folder: string): Promise<KindsFile> {
  const own = ['kinds/index.ts', 'kinds/index.js']
    .map((file) => resolve(folder, file))
    .find((file) => existsSync(file));
  const path = own ?? starterKinds();
  if (path.endsWith('.ts') && !isSource) await takeTypeScript();
  const { kinds } = (await import(pathToFileURL(path).href)) as { readonly kinds?: unknown };
  if (!Array.isArray(kinds)) {
    throw new KindError(
      'BAD_REGISTRY',
      `${path} must export a list of kinds: export const kinds = [station, stash, …].`,
    );
  }
  return { path, kinds };
}

/** The folder with `<world>.seed.json`: the one named, else `saves` here, else the package's. */
export function savesFolder(named: string | undefined, folder: string, world: string): string {
  if (named !== undefined) return resolve(folder, named);
  const own = resolve(folder, 'saves');
  const packaged = join(packageRoot(), 'saves');
  const hasSeed = (saves: string): boolean => existsSync(join(saves, `${world}.seed.json`));
  return !hasSeed(own) && hasSeed(packaged) ? packaged : own;
}

function starterKinds(): string {
  const file = isSource ? '../../kinds/index.ts' : '../../kinds/index.js';
  return fileURLToPath(new URL(file, import.meta.url));
}

function packageRoot(): string {
  return fileURLToPath(new URL('.', import.meta.resolve('offstage/package.json')));
}

/** In a checkout the launcher has done this already. */
async function takeTypeScript(): Promise<void> {
  const { register } = await import('tsx/esm/api');
  register();
}
