#!/usr/bin/env node
// Runs `offstage`: from the sources in a checkout, where they lie beside this file, and from
// compiled code in an installed package, which has no sources. Plain JavaScript, because Node 20
// starts nothing else; what the command does is in main.ts.
import { existsSync } from 'node:fs';

let main = new URL('./main.ts', import.meta.url);
if (existsSync(main)) {
  const { useSources } = await import('./sources.js');
  await useSources();
} else {
  main = new URL('../../dist/src/cli/main.js', import.meta.url);
}
const command = await import(main.href);
process.exitCode = await command.main(process.argv.slice(2));
