/**
 * The inspector page, at `/`. An installed package holds it built. In a checkout it is built when
 * somebody first asks for it, into a folder named after its sources, and built again when those have
 * changed; so neither installing nor serving waits for it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sirv from 'sirv';
import { messageOf } from '../core/errors.ts';

const isSource = import.meta.url.endsWith('.ts');
/** The package's folder in a checkout, `dist` when compiled. */
const base = fileURLToPath(new URL('../../', import.meta.url));

/** What the page is made of, beside the packages it names. */
const SOURCES = ['inspector/page', 'inspector/package.json', 'src/protocol', 'src/cli/words.ts'];

/**
 * A page that shows and commands a world loads nothing from elsewhere, and cannot be put into
 * another site's frame. Styles are set by the libraries that draw charts.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Answers a request for the page or one of its files; `next` is called for any other. */
export type PageAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => void;

export function inspectorPage(warn: (message: string) => void): PageAnswer {
  let folder: Promise<string> | undefined;
  let served: { readonly folder: string; readonly answer: ReturnType<typeof sirv> } | undefined;
  return (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?');
    // Only the page itself may be stale; its other files carry their content in their names.
    if (path === '/' || served === undefined) folder = builtPage();
    (folder as Promise<string>).then(
      (ready) => {
        if (served?.folder !== ready) {
          const answer = sirv(ready, {
            etag: true,
            setHeaders: (to) => {
              for (const [name, value] of Object.entries(HEADERS)) to.setHeader(name, value);
            },
          });
          served = { folder: ready, answer };
        }
        served.answer(request, response, next);
      },
      (error: unknown) => {
        warn(`The inspector page cannot be built: ${messageOf(error)}`);
        response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(
          `The inspector page cannot be built here: ${messageOf(error)}\nInstall everything with npm ci, and reload.\n`,
        );
      },
    );
  };
}

/** The folder of the page, built if need be. */
async function builtPage(): Promise<string> {
  if (!isSource) return join(base, 'page');
  const hash = createHash('sha256');
  for (const source of SOURCES) await addTo(hash, join(base, source));
  const cache = join(base, 'node_modules/.cache');
  const folder = join(cache, `offstage-page-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(join(folder, 'index.html'))) return folder;
  await mkdir(cache, { recursive: true });
  // Under another name first: several servers may build at the same time.
  const building = await mkdtemp(`${folder}-`);
  try {
    const script = join(base, 'inspector/page/build.js');
    // The launcher's own conditions would make Vite's plugins sources.
    await promisify(execFile)(process.execPath, [script, building], {
      cwd: base,
      env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production' },
    });
    await rename(building, folder);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    if (!existsSync(join(folder, 'index.html'))) throw error;
  }
  return folder;
}

async function addTo(hash: ReturnType<typeof createHash>, path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    hash.update(path.slice(base.length)).update(await readFile(path));
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name !== 'node_modules') await addTo(hash, join(path, entry.name));
  }
}
