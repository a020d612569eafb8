import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

const bin = join(repository, 'src/cli/bin.js');
const programs: ChildProcess[] = [];
let folder: Scratch;
beforeEach(async () => {
  folder = await scratch('inspect');
});
afterEach(async () => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  await folder.remove();
});

/** Starts the command, and gives what it says on a line of stdout. */
function started(...args: readonly string[]): (pattern: RegExp) => Promise<string> {
  const program = spawn(process.execPath, [bin, ...args], { cwd: folder.path, timeout: 55_000 });
  programs.push(program);
  let output = '';
  let look = (): void => {};
  program.stdout.on('data', (text) => {
    output += String(text);
    look();
  });
  return (pattern) =>
    new Promise((resolve) => {
      look = () => {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      look();
    });
}

/** Plays the page of the older inspector: waits for a record and sends it an event. */
async function click(url: string, id: string, type: string): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'), { origin: 'https://statecharts.io' });
  await new Promise((resolve) => socket.once('open', resolve));
  const registered = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const { type: said, sessionId } = JSON.parse(String(data));
      if (said === 'service.register' && sessionId === id) resolve();
    });
  });
  socket.send(JSON.stringify({ type: 'xstate.inspecting' }));
  await registered;
  const changed = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const { type: said, sessionId } = JSON.parse(String(data));
      if (said === 'service.state' && sessionId === id) resolve();
    });
  });
  const event = JSON.stringify({ name: type, data: { type }, origin: id });
  socket.send(JSON.stringify({ type: 'xstate.event', event }));
  await changed;
  socket.terminate();
}

test('records of the valley are inspected, by the server itself and by a command beside it', async () => {
  const camp = 'camp-birch-rise';
  const server = started(
    ...['serve', '--port', '0', '--inspect', camp, 'kind:station', '--inspect-port', '0'],
  );
  const url = await server(/listening on (\S+)/);
  const own = await server(/inspector on (\S+)/);
  await click(own, camp, 'DESTROY');

  const beside = started('inspect', camp, '--url', url, '--port', '0', '--json');
  const said = JSON.parse(await beside(/^(\{.*\})$/m));
  expect(said).toMatchObject({ shown: [camp], left: 0 });
  const { stdout } = await run('node', [bin, 'dump', camp, '--url', url, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ value: 'ruins' });
});

test('the command says when there is no such record, and when no server answers', async () => {
  const server = started('serve', '--port', '0');
  const url = await server(/listening on (\S+)/);
  const nobody = await run('node', [bin, 'inspect', 'nobody', '--url', url, '--port', '0']);
  expect(nobody.code).toBe(1);
  expect(nobody.output).toMatch(/No record fits 'nobody'/);
  const nowhere = await run('node', [bin, 'inspect', '--url', ':9', '--port', '0']);
  expect(nowhere.code).toBe(1);
  expect(nowhere.output).toMatch(/No server answers/);
});
