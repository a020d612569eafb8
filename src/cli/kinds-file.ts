/** The kinds a server runs: the project's own, or those that come with the package. */
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { KindError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';

/** Whether this file runs as it was written, in a checkout, and not compiled. */
const isSource = import.meta.url.endsWith('.ts');

/** Real milliseconds that a file of kinds may take to load. */
const PATIENCE = 10_000;

export interface KindsFile {
  readonly path: string;
  readonly kinds: readonly Kind[];
  /** Whether the project has kinds of its own. */
  readonly isOwn: boolean;
}

/** Loads `kinds/index.ts` or `.js` of a folder, else the starter kinds. Throws `KindError` `BAD_REGISTRY`. */
export async function loadKinds(folder: string, patience = PATIENCE): Promise<KindsFile> {
  const own = ['kinds/index.ts', 'kinds/index.js']
    .map((file) => resolve(folder, file))
    .find((file) => existsSync(file));
  const path = own ?? starterKinds();
  const { kinds } = await loadedInTime(path, patience);
  if (!Array.isArray(kinds)) {
    throw bad(`${path} must export a list of kinds: export const kinds = [station, stash, …].`);
  }
  return { path, kinds, isOwn: own !== undefined };
}

/** Where a world is kept, and the file it begins with. */
export interface SavesPlace {
  readonly savesDir: string;
  readonly seed: string;
}

/**
 * Worlds are kept in the folder named, else in `saves` here, with their seeds beside them. Without
 * either a project begins with a seed of the package, and keeps what comes of it here. Seeds of the
 * package are made of its own kinds, so with others they are none to fall back to.
 */
export function savesOf(
  named: string | undefined,
  folder: string,
  world: string,
  { isOwn }: Pick<KindsFile, 'isOwn'>,
): SavesPlace {
  const savesDir = resolve(folder, named ?? 'saves');
  const file = `${world}.seed.json`;
  const own = join(savesDir, file);
  const packaged = join(packageRoot(), 'saves', file);
  const isPackaged = named === undefined && !isOwn && !existsSync(own) && existsSync(packaged);
  return { savesDir, seed: isPackaged ? packaged : own };
}

/** What a file exports. A file that never has done loading, or ends the process, says so too. */
async function loadedInTime(path: string, patience: number): Promise<{ readonly kinds?: unknown }> {
  const ended = (): void => {
    process.stderr.write(`${path} ended the process while it was loaded.\n`);
    process.exitCode ||= 1;
  };
  process.once('exit', ended);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seconds = patience / 1000;
      reject(bad(`${path} has not loaded within ${seconds} s. Does it await what never comes?`));
    }, patience);
  });
  try {
    return await Promise.race([exportsOf(path), tooLong]);
  } finally {
    clearTimeout(timer);
    process.off('exit', ended);
  }
}

async function exportsOf(path: string): Promise<{ readonly kinds?: unknown }> {
  const { href } = pathToFileURL(path);
  try {
    if (path.endsWith('.ts')) await takeTypeScript();
    return await import(href);
  } catch (error) {
    if (!/^ERR_REQUIRE_/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw bad(
      `${path} cannot be loaded as CommonJS. Put "type": "module" into the package.json of its project.`,
      error,
    );
  }
}

function bad(why: string, cause?: unknown): KindError {
  return new KindError('BAD_REGISTRY', why, { cause });
}

function starterKinds(): string {
  const file = isSource ? '../../kinds/index.ts' : '../../kinds/index.js';
  return fileURLToPath(new URL(file, import.meta.url));
}

function packageRoot(): string {
  return fileURLToPath(new URL('.', import.meta.resolve('offstage/package.json')));
}

/**
 * A Node resolve hook. `npm init` makes a project CommonJS, and what TypeScript would become there
 * gets a second copy of this package; so TypeScript of a project is always taken as modules.
 */
const AS_MODULES = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const isOwn = /\\.ts(\\?|$)/.test(found.url) && !found.url.includes('/node_modules/');
  return isOwn ? { ...found, format: 'module' } : found;
}`;

let isTaken = isSource;

/** Makes `import` take the project's TypeScript. In a checkout the launcher has seen to that already. */
export async function takeTypeScript(): Promise<void> {
  if (isTaken) return;
  isTaken = true;
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register(`data:text/javascript,${encodeURIComponent(AS_MODULES)}`);
}
