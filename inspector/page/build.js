/** Builds the page into a folder: `node build.js <folder>`. The server and `npm run build` call it. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const [, , into] = process.argv;
if (into === undefined) throw new Error('Name the folder to build into: node build.js <folder>');

await build({
  configFile: false,
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The page is served at `/` of any host, also behind a proxy that adds a path.
  base: './',
  logLevel: 'warn',
  worker: { format: 'es' },
  build: {
    outDir: resolve(into),
    emptyOutDir: true,
    target: 'es2022',
    // The layout of charts (elkjs) is one file of 1.6 MB, loaded by its worker alone.
    chunkSizeWarningLimit: 2000,
    license: { fileName: 'licenses.md' },
  },
});
