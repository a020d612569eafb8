#!/usr/bin/env node
// Runs `offstage` from the sources in a checkout and from compiled code in an installed package.
// Plain JavaScript, because Node 20 starts it as it is; all else is in main.ts.
import { existsSync } from 'node:fs';
import { register } from 'node:module';

const source = new URL('./main.ts', import.meta.url);
const compiled = new URL('../../dist/src/cli/main.js', import.meta.url);

if (existsSync(source)) {
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register('./sources.js', import.meta.url);
}
const { main } = await import(existsSync(source) ? source.href : compiled.href);
process.exitCode = await main(process.argv.slice(2));
