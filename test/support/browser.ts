import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { repository, run } from './run.ts';

interface Chromium {
  readonly executablePath: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A headless Chromium; close it when done. */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    // No GPU in a test: WebGL is drawn in software.
    args: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

/** $CHROMIUM_PATH, then the one from npm, then the system's. */
async function findChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return { executablePath: named };
  if (process.platform === 'linux' && process.arch === 'x64') return unpackedChromium();
  const system = '/usr/bin/chromium';
  if (await exists(system)) return { executablePath: system };
  throw new Error(
    'No Chromium for the browser tests: the one from npm is for Linux on x64 only, and there is no ' +
      `${system}. Install Chromium or Chrome and give its path in the variable CHROMIUM_PATH.`,
  );
}

/**
 * Chromium from the package @sparticuz/chromium, which brings its own libraries and fonts and so
 * needs nothing from the system. It is unpacked once, under another name first, so that two test
 * files may ask at the same time.
 */
async function unpackedChromium(): Promise<Chromium> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const manifest = await readFile(join(dirname(main), '../../package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(manifest);
  const cache = join(repository, 'node_modules/.cache');
  const folder = join(cache, `chromium-${version}`);
  if (!(await exists(folder))) {
    await mkdir(cache, { recursive: true });
    const unpacking = await mkdtemp(`${folder}-`);
    await unpack(unpacking, folder);
    await rename(unpacking, folder).catch(async (error: unknown) => {
      await rm(unpacking, { recursive: true, force: true });
      if (!(await exists(folder))) throw error;
    });
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/** In a process of its own, since the package goes by environment variables when it is imported. */
async function unpack(into: string, folder: string): Promise<void> {
  const script = "import chromium from '@sparticuz/chromium';\nawait chromium.executablePath();";
  const { code, output } = await run('node', ['--input-type=module', '--eval', script], {
    // The runtime's name makes it unpack its own libraries too.
    env: { TMPDIR: into, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  });
  if (code !== 0) throw new Error(`Could not unpack Chromium into ${into}:\n${output}`);
  // The fonts.conf that comes along names folders of another machine, and text would have no glyphs.
  await writeFile(
    join(into, 'fonts.conf'),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts/fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`,
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
