/** `offstage new-kind`: the files of a new kind, from nothing or from a machine drawn in Stately Studio. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { CommandError } from '../core/errors.ts';
import { drawnMachine } from './new-kind/drawn-machine.ts';
import { drawnKind, drawnTest, freshKind, freshMachine, freshTest } from './new-kind/fresh.ts';
import { type KindNames, namesOf } from './new-kind/names.ts';
import { newRegistry, withKind } from './new-kind/registry.ts';
import { inWords, type MachineSource } from './new-kind/source.ts';
import { print } from './printing.ts';

interface Options {
  readonly from?: string;
  readonly json?: true;
}

const REGISTRY = 'kinds/index.ts';

export function addNewKind(program: Command): void {
  program
    .command('new-kind')
    .description('write the machine, kind and test of a new kind, and register it')
    .argument('<name>', 'its name, such as water-mill')
    .option('--from <file>', 'a machine exported from Stately Studio for XState 5: .json or .ts')
    .option('--json', 'print JSON, for programs')
    .action((name: string, options: Options) => newKind(process.cwd(), name, options));
}

/** Writes all the files or, if one cannot be written, none. */
async function newKind(folder: string, name: string, { from, json }: Options): Promise<void> {
  const names = namesOf(name);
  const paths = [
    `machines/${name}.machine.ts`,
    `kinds/${name}.kind.ts`,
    `test/kinds/${name}.test.ts`,
  ];
  const [there] = paths.filter((path) => existsSync(resolve(folder, path)));
  if (there !== undefined) {
    throw new CommandError('KIND_EXISTS', `${there} is there already. Give the kind another name.`);
  }
  const source =
    from === undefined ? freshMachine(names) : await drawnMachine(resolve(folder, from), names);
  const registry = resolve(folder, REGISTRY);
  const isRegistered = existsSync(registry);
  const registered = isRegistered
    ? withKind(await readFile(registry, 'utf8'), names)
    : newRegistry(names);
  const texts = [source.text, ...kindAndTest(names, source, from !== undefined), registered];
  const written = [...paths, REGISTRY];
  for (const [i, path] of written.entries()) {
    const file = resolve(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, texts[i] as string);
  }
  await format(folder, written);
  tell({ names, source, written, isRegistered, isJson: json === true });
}

function kindAndTest(names: KindNames, source: MachineSource, isDrawn: boolean): string[] {
  return isDrawn
    ? [drawnKind(names), drawnTest(names, source)]
    : [freshKind(names), freshTest(names)];
}

interface Told {
  readonly names: KindNames;
  readonly source: MachineSource;
  readonly written: readonly string[];
  readonly isRegistered: boolean;
  readonly isJson: boolean;
}

function tell({ names, source, written, isRegistered, isJson }: Told): void {
  if (isJson) {
    print(JSON.stringify({ kind: names.name, written, toWrite: source.toWrite }));
    return;
  }
  for (const path of written) {
    print(`${path === REGISTRY && isRegistered ? 'added to' : 'wrote'}  ${path}`);
  }
  const missing = inWords(source.toWrite);
  if (missing.length > 0) {
    print(`Still to be written, in ${written[0]}:`);
    for (const what of missing) print(`  ${what}`);
  }
  print(`Try it: npx vitest run ${written[2]}`);
}

/** Has the project's own formatter, if it has one, lay out what was written. */
async function format(folder: string, paths: readonly string[]): Promise<void> {
  const biome = resolve(folder, 'node_modules/.bin/biome');
  const isSet = ['biome.json', 'biome.jsonc'].some((file) => existsSync(resolve(folder, file)));
  if (!isSet || !existsSync(biome)) return;
  // What it cannot lay out stays as it was written, and its own check says why.
  await promisify(execFile)(biome, ['check', '--write', ...paths], { cwd: folder }).catch(() => {});
}
