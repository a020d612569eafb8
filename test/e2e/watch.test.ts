import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';
import { endWithTest, serveMeadow, until } from '../support/serving.ts';

// The command as a user runs it: its own processes, the demo world, and what they print.

const bin = join(repository, 'src/cli/bin.js');
const children: ChildProcess[] = [];
const folders: Scratch[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await folder.remove();
});

class Program {
  out = '';
  err = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(...args: string[]) {
    this.child = spawn(process.execPath, [bin, ...args], {
      cwd: repository,
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(this.child);
    this.child.stdout?.on('data', (data) => {
      this.out += String(data);
    });
    this.child.stderr?.on('data', (data) => {
      this.err += String(data);
    });
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
  }

  /** What a pattern finds in what was printed, once it does. */
  async prints(pattern: RegExp): Promise<string> {
    await until(() => pattern.test(this.out) || this.child.exitCode !== null);
    const [found] = pattern.exec(this.out) ?? [];
    if (found === undefined) throw new Error(`It ended without it:\n${this.out}${this.err}`);
    return found;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}

async function serveValley(...args: string[]): Promise<{ program: Program; url: string }> {
  // The valley of the checkout itself belongs to whoever works in it.
  const folder = await scratch('valley');
  folders.push(folder);
  await folder.copy('saves/valley.seed.json');
  const saves = join(folder.path, 'saves');
  const program = new Program('serve', '--port', '0', '--saves', saves, ...args);
  const line = await program.prints(/listening on \S+/);
  return { program, url: line.replace('listening on ', '') };
}

const offstage = (...args: string[]) => run(process.execPath, [bin, ...args]);

describe('the demo world', () => {
  test('runs behind its own server: watch shows it, admin commands ask it and move it on', async () => {
    const { program, url } = await serveValley();
    const watch = new Program('watch', url, '--view', '0,0', '--json');
    await watch.prints(/"type":"record"/);

    const table = await offstage('watch', url, '--once');
    expect(table.code, table.output).toBe(0);
    expect(table.stdout.trim().split('\n').length).toBeGreaterThan(10);

    const info = await offstage('info', url, '--json');
    const stats = JSON.parse(info.stdout);
    expect(stats).toMatchObject({ world: 'valley', clients: 1, faulted: 0 });
    expect(stats.records).toBeGreaterThan(250);

    const advance = await offstage('advance', '600', '--url', url, '--json');
    expect(advance.code, advance.output).toBe(0);
    expect(JSON.parse(advance.stdout).time).toBeGreaterThanOrEqual(600_000);
    expect(JSON.parse(advance.stdout).events).toBeGreaterThan(100);
    await watch.prints(/"type":"notice"/);

    const spawned = await offstage('spawn-timers', '50', '2.5', '10', '--url', url);
    expect(spawned.stdout).toBe('Added 50 timers, each with an event every 2.5 s.\n');
    const dump = await offstage('dump', 'spawned-', '--url', url, '--json', '--limit', '7');
    const lines = dump.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatchObject({ id: 'spawned-1', kind: 'timer' });

    for (const line of watch.out.trim().split('\n'))
      expect(JSON.parse(line)).toHaveProperty('type');
    expect(await watch.stop()).toBe(0);
    expect(await program.stop()).toBe(0);
    expect(program.out).toBe(`listening on ${url}\n`);
  });

  test('goes on where nobody looks', async () => {
    const { url } = await serveValley('--speed', '1000');
    const client = endWithTest(connect(url, { view: [1e6, 1e6] }));
    await client.ready;
    const before = client.clock.now();
    await until(() => client.clock.now() > before + 120_000);
    client.moveView([0, 0]);
    await until(() => client.records.size > 20);
    expect(
      Math.max(...[...client.records.values()].map(({ advancedTo }) => advancedTo)),
    ).toBeGreaterThan(60_000);
  });
});

describe('a world that is stopped and started by its command', () => {
  test('goes on where it was, after SIGINT as after SIGTERM', async () => {
    const folder = await scratch('valley');
    folders.push(folder);
    await folder.copy('saves/valley.seed.json');
    const saves = join(folder.path, 'saves');
    let time = 0;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
      const program = new Program('serve', '--port', '0', '--saves', saves);
      const [, url = ''] = (await program.prints(/listening on \S+/)).split(' on ');
      const advance = await offstage('advance', '60', '--url', url, '--json');
      const advanced = JSON.parse(advance.stdout).time;
      expect(advanced).toBeGreaterThanOrEqual(time + 60_000);
      expect(await program.stop(signal)).toBe(0);
      expect(program.err).toContain(
        time === 0 ? "A new world 'valley' begins" : "World 'valley' goes on from",
      );
      const info = await offstage('info', 'valley', '--saves', saves, '--json');
      const stats = JSON.parse(info.stdout);
      expect(stats).toMatchObject({ served: false, saves: { replayed: 0 }, found: [] });
      expect(stats.time).toBeGreaterThanOrEqual(advanced);
      time = stats.time;
    }
  });
});

describe('what does not work says so, and is no success', () => {
  test('no server there', async () => {
    const server = await serveMeadow([]);
    await server.close();
    for (const args of [
      ['watch', server.url],
      ['watch', server.url, '--json'],
      ['info', server.url],
    ]) {
      const { code, output } = await offstage(...args);
      expect(code).toBe(1);
      expect(output).toContain(`No server answers at ${server.url}`);
      expect(output).toContain('offstage serve');
    }
  });

  test('a port that reads like a refusal is only a port', async () => {
    for (const command of ['watch', 'info']) {
      const { code, output } = await offstage(command, 'http://127.0.0.1:403');
      expect(code).toBe(1);
      expect(output).toContain('No server answers at http://127.0.0.1:403');
    }
  });

  test('a reader that has read enough, as head has, is no failure', async () => {
    const lamps = Array.from({ length: 1000 }, (_, i) => ({
      id: `lamp-${i}`,
      kind: 'lamp',
      at: [i, 0],
    }));
    const { url } = await serveMeadow(lamps);
    for (const command of [`dump --url ${url}`, `info ${url}`, `watch ${url} --once`]) {
      const line = `${process.execPath} ${bin} ${command} | head -1`;
      const { code, output } = await run('sh', ['-c', line]);
      expect(code, output).toBe(0);
      expect(output.trim().split('\n')).toHaveLength(1);
    }
  });

  test('a token that is missing', async () => {
    const server = await serveMeadow([], { token: 'sesame', adminToken: 'master' });
    const watch = await offstage('watch', server.url, '--once');
    expect(watch.code).toBe(1);
    expect(watch.output).toMatch(/token is missing or wrong/);
    const info = await offstage('info', server.url, '--token', 'sesame');
    expect(info.code).toBe(1);
    expect(info.output).toMatch(/does not take this for an admin/);
    expect((await offstage('info', server.url, '--token', 'master')).code).toBe(0);
  });

  test('a world that does not exist, timers where there are none, a filter that finds nothing', async () => {
    const nowhere = await offstage('serve', 'nowhere', '--port', '0');
    expect(nowhere.code).toBe(1);
    expect(nowhere.output).toMatch(
      /There is no world 'nowhere': .*nowhere\.seed\.json does not exist/,
    );
    const { url } = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [0, 0] }]);
    const timers = await offstage('spawn-timers', '1', '1', '--url', url);
    expect(timers.code).toBe(1);
    expect(timers.output).toMatch(/no kind 'timer'/);
    const dump = await offstage('dump', 'unicorn', '--url', url);
    expect(dump.code).toBe(1);
    expect(dump.output).toMatch(/holds 'unicorn'/);
  });

  test('a port that is taken', async () => {
    const { url } = await serveMeadow([]);
    const folder = await scratch('taken');
    folders.push(folder);
    await folder.copy('saves/valley.seed.json');
    const saves = join(folder.path, 'saves');
    const { port } = new URL(url);
    const { code, output } = await offstage('serve', '--port', port, '--saves', saves);
    expect(code).toBe(1);
    expect(output).toMatch(/Port \d+ is taken/);
  });
});
