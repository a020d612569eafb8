import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

const bin = join(repository, 'src/cli/bin.js');

/** A lamp that turns every so many milliseconds between these states. */
function lamp(every: number, lit = 'lit'): string {
  return `import { setup } from 'xstate';
import { LAMP } from './name.ts';

export const lampMachine = setup({ delays: { turn: ${every} } }).createMachine({
  id: LAMP,
  initial: 'dark',
  states: { dark: { after: { turn: '${lit}' } }, ${lit}: { after: { turn: 'dark' } } },
});
`;
}

const files = {
  'machines/name.ts': "export const LAMP = 'lamp';\n",
  'machines/lamp.machine.ts': lamp(20),
  'kinds/index.ts': `import { defineKind } from 'offstage';
import { stash } from 'offstage/kinds';
import { lampMachine } from '../machines/lamp.machine.ts';

const lamp = defineKind({ name: 'lamp', version: 1, machine: lampMachine });
export const kinds = [lamp, stash] as const;
`,
  'saves/quay.seed.json': JSON.stringify({
    format: 1,
    world: 'quay',
    seed: 'quay',
    records: [{ id: 'pier', kind: 'lamp', at: [0, 0] }],
  }),
};

let folder: Scratch;
let server: ChildProcess;
afterEach(async () => {
  server.kill('SIGKILL');
  await folder.remove();
});

/** Starts a server that watches, and gives what waits for a line of its output. */
async function serving(): Promise<(pattern: RegExp) => Promise<RegExpExecArray>> {
  let output = '';
  let look = (): void => {};
  server = spawn(process.execPath, [bin, 'serve', 'quay', '--watch', '--port', '0'], {
    cwd: folder.path,
  });
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', (text) => {
      output += String(text);
      look();
    });
  }
  return (pattern) =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = pattern.exec(output);
        if (found === null) return;
        // What comes next is looked for behind this.
        output = output.slice(found.index + found[0].length);
        resolve(found);
      };
      server.once('exit', () => reject(new Error(`The server ended:\n${output}`)));
      look();
    });
}

async function pier(url: string) {
  const { code, stdout, output } = await run('node', [bin, 'dump', 'pier', '--url', url, '--json']);
  expect(code, output).toBe(0);
  return JSON.parse(stdout) as { value: string; revision: number; fault: { code: string } | null };
}

test('a world goes on through edits of its machines, good ones and bad ones', async () => {
  folder = await scratch('live-reload');
  await folder.write(files);
  const says = await serving();
  const url = (await says(/listening on (\S+)\n/))[1] as string;

  // A slower lamp: it goes on from the state it is in.
  await folder.write({ 'machines/lamp.machine.ts': lamp(3_600_000) });
  await says(/Reloaded the kinds: 1 records go on/);

  // One that does not compile, and one that is no kind: the lamp burns on, and the log says why.
  await folder.write({ 'machines/lamp.machine.ts': 'export const lampMachine = setup(' });
  await says(/not reloaded, and the world goes on[^\n]*lamp\.machine\.ts/);
  await folder.write({
    'machines/lamp.machine.ts': lamp(10).replace(
      "turn: 'dark'",
      "turn: { guard: 'isDay', target: 'dark' }",
    ),
  });
  await says(/not reloaded[^\n]*names the guard 'isDay', which is not implemented/);
  expect((await pier(url)).fault).toBeNull();

  // Another name for a state: whoever is in it rests, and says so.
  await folder.write({ 'machines/lamp.machine.ts': lamp(10, 'burning') });
  await says(/Reloaded the kinds/);

  // What a machine imports is loaded anew as well.
  await folder.write({ 'machines/name.ts': "export const LAMP = 'no lamp (';\n" });
  await says(/Reloaded the kinds/);
  // One after the other: of two files at once it could be that one is loaded before the other is written.
  await folder.write({ 'machines/lamp.machine.ts': lamp(10) });
  await says(/Reloaded the kinds/);
  await folder.write({ 'machines/name.ts': files['machines/name.ts'] });
  await says(/Reloaded the kinds/);
  // It was set for an hour by the slow lamp; from then on it turns as the lamp does now.
  const { revision } = await pier(url);
  const advanced = await run('node', [bin, 'advance', '3601', '--url', url]);
  expect(advanced.code, advanced.output).toBe(0);
  const { fault, revision: later } = await pier(url);
  expect(fault).toBeNull();
  expect(later - revision).toBeGreaterThan(90);

  await rm(join(folder.path, 'kinds/index.ts'));
  await says(/not reloaded[^\n]*kinds\/index\.ts/);
  const stopped = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  expect(await stopped).toBe(0);
});
