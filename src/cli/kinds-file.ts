/** The kinds a server runs: the project's own, or those that come with the package. */
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { KindError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';

/** Whether this file runs as it was written, in a checkout, and not compiled. */
export const isSource = import.meta.url.endsWith('.ts');

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
  return { path, kinds: listOf(kinds, path), isOwn: own !== undefined };
}

function listOf(kinds: unknown, path: string): readonly Kind[] {
  if (Array.isArray(kinds)) return kinds;
  throw bad(`${path} must export a list of kinds: export const kinds = [station, stash, …].`);
}

let generations = 0;

/**
 * Loads a registry again, with all files of the project that it imports as they are now. Throws as
 * `loadKinds`, or what a file throws that does not compile. What was loaded before stays in memory, so
 * this is for development.
 */
export async function loadKindsAgain(path: string, patience = PATIENCE): Promise<readonly Kind[]> {
  if (generations === 0) register(`data:text/javascript,${encodeURIComponent(freshFiles())}`);
  generations += 1;
  const { kinds } = await loadedInTime(path, patience, `?generation=${generations}`);
  return listOf(kinds, path);
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
export async function loadedInTime(
  path: string,
  patience = PATIENCE,
  query = '',
): Promise<Readonly<Record<string, unknown>>> {
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
    return await Promise.race([exportsOf(path, query), tooLong]);
  } finally {
    clearTimeout(timer);
    process.off('exit', ended);
  }
}

async function exportsOf(path: string, query: string): Promise<Readonly<Record<string, unknown>>> {
  const { href } = pathToFileURL(path);
  try {
    if (path.endsWith('.ts')) await takeTypeScript();
    return await import(`${href}${query}`);
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

/**
 * A Node resolve hook: what a file of one generation imports is of that generation too, so that the
 * project's files are loaded anew. Packages are not, and least of all this one: it is running.
 */
function freshFiles(): string {
  const root = pathToFileURL(packageRoot()).href;
  return `const kept = ${JSON.stringify([`${root}src/`, `${root}dist/`])};
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      const [query] = /[?&]generation=\\d+/.exec(context.parentURL ?? '') ?? [];
      const isOwn = found.url.startsWith('file:') && !found.url.includes('/node_modules/')
        && !kept.some((folder) => found.url.startsWith(folder));
      return query !== undefined && isOwn && !found.url.includes('?')
        ? { ...found, url: found.url + '?' + query.slice(1) }
        : found;
    }`;
}

let isTaken = isSource;

/** Makes `import` take the project's TypeScript. In a checkout the launcher has seen to that already. */
export async function takeTypeScript(): Promise<void> {
  if (isTaken) return;
  isTaken = true;
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register(`data:text/javascript,${encodeURIComponent(AS_MODULES)}`);
}
