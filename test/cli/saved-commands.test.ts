/** What the command line does with worlds on disk, and with the same worlds while they are served. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorld } from 'offstage/saves';
import { describe, expect, onTestFinished, test } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { serve } from '../../src/server/serve.ts';
import { type Finished, repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

const bin = join(repository, 'src/cli/bin.js');

interface Project {
  readonly folder: Scratch;
  /** The world's folder. */
  readonly valley: string;
  readonly generations: readonly number[];
  readonly hash: string;
  offstage(...args: string[]): Promise<Finished>;
}

/** A folder with a saved world: a timer and a stash, three generations, and commands after each. */
async function project(): Promise<Project> {
  const folder = await scratch('saved');
  onTestFinished(() => folder.remove());
  const valley = join(folder.path, 'saves', 'valley');
  const document = await openWorld(valley, {
    kinds,
    begin: (world) =>
      world.add([
        { id: 'clock', kind: 'timer', at: [0, 0], input: { every: 1000 } },
        { id: 'store', kind: 'stash', at: [5, 5], input: { capacity: 50, items: { ore: 9 } } },
      ]),
  });
  const { world } = document;
  const generations = [document.generation];
  for (let i = 0; i < 2; i += 1) {
    world.run(4500);
    world.send('store', { type: 'TAKE', item: 'ore', count: 2 });
    await document.save();
    generations.push(document.generation);
  }
  world.send('store', { type: 'TAKE', item: 'ore', count: 1 });
  world.run(250);
  const hash = world.hash();
  await new Promise<void>((done) => document.whenDurable(done));
  await document.close({ save: false });
  const offstage = (...args: string[]) =>
    run(process.execPath, [bin, ...args], { cwd: folder.path });
  return { folder, valley, generations, hash, offstage };
}

/** Flips a bit in the newest file of the region. */
function damage({ valley, generations }: Project): string {
  const file = `0,0.${generations.at(-1)}.json`;
  const path = join(valley, 'regions', file);
  const bytes = readFileSync(path);
  bytes[100] = (bytes[100] as number) ^ 1;
  writeFileSync(path, bytes);
  return file;
}

async function served({ folder }: Project) {
  const savesDir = join(folder.path, 'saves');
  const server = await serve({ world: 'valley', kinds, port: 0, savesDir });
  onTestFinished(() => server.close());
  return server;
}

describe('verify', () => {
  test('of a world that is well says so, generation by generation', async () => {
    const { offstage, generations, hash } = await project();
    const { code, stdout } = await offstage('verify', 'valley');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^valley in saves\/valley: well\n/);
    for (const generation of generations) {
      expect(stdout).toMatch(
        new RegExp(`generation ${generation} .* 2 records in 1 region  whole`),
      );
    }
    expect(stdout).toContain('1 command since, carried out again');
    const json = await offstage('verify', 'valley', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      isWell: true,
      served: false,
      stateHash: hash,
      problems: [],
    });
  });

  test('of a damaged world names the file, says what can be done, and is no success', async () => {
    const damaged = await project();
    const file = damage(damaged);
    const { code, output } = await damaged.offstage('verify', 'valley');
    expect(code).toBe(1);
    expect(output).toContain(`regions/${file} is not as it was written`);
    expect(output).toContain('`offstage serve valley --damaged earlier`');
    expect(output).toContain(
      `\`offstage restore valley --generation ${damaged.generations.at(-2)}\``,
    );
    const info = await damaged.offstage('info', 'valley');
    expect(info.code).toBe(1);
    expect(info.output).toContain('`offstage verify` says');
    const start = await damaged.offstage('serve', 'valley', '--port', '0');
    expect(start.code).toBe(1);
    expect(start.output).toContain('is damaged, and was not opened');
  });

  test('of a world that does not exist says so, and makes no folder', async () => {
    const { folder, offstage } = await project();
    for (const command of ['verify', 'replay']) {
      const { code, output } = await offstage(command, 'nowhere');
      expect(code).toBe(1);
      expect(output).toContain('There is no saved world in saves/nowhere.');
    }
    expect(readdirSync(join(folder.path, 'saves'))).toEqual(['valley']);
  });

  test('takes a folder as well as a name, such as one of a backup', async () => {
    const { folder, valley } = await project();
    const elsewhere = await run(process.execPath, [bin, 'verify', valley]);
    expect(elsewhere.code, elsewhere.output).toBe(0);
    const named = await run(process.execPath, [
      bin,
      'verify',
      'valley',
      '--saves',
      join(folder.path, 'saves'),
    ]);
    expect(named.code, named.output).toBe(0);
  });
});

describe('replay', () => {
  test('carries out everything again, to its end or to a time', async () => {
    const { offstage, hash, generations } = await project();
    const { code, stdout } = await offstage('replay', 'valley');
    expect(code).toBe(0);
    expect(stdout).toContain(`from generation ${generations[0]}: 3 commands from 0:00:00.0`);
    expect(stdout).toContain(hash);
    const part = await offstage('replay', 'valley', '--until', '6.5', '--json');
    expect(part.code).toBe(0);
    expect(JSON.parse(part.stdout)).toMatchObject({ to: 6500, commands: 1, firstDifference: null });
  });

  test('with a kind that was changed finds where they part, and is no success', async () => {
    const { folder, offstage } = await project();
    await folder.write({
      'kinds/index.ts': `
        import { defineKind } from 'offstage';
        import { stash, timer as starter } from ${JSON.stringify(join(repository, 'kinds/index.ts'))};
        export const timer = defineKind({
          name: 'timer',
          version: 1,
          machine: starter.machine.provide({ actions: { count: () => {} } }),
        });
        export const kinds = [timer, stash];`,
    });
    const { code, output } = await offstage('replay', 'valley');
    expect(output).toContain('Was a kind changed since?');
    expect(output).toMatch(/The first hash that differs is at 0:00:0\d/);
    expect(code).toBe(1);
  });
});

describe('trace', () => {
  test('goes on from where a saved world is, and leaves it as it is', async () => {
    const { offstage, hash } = await project();
    const { code, stdout, output } = await offstage('trace', 'valley', '--saved', '--until', '3');
    expect(code, output).toBe(0);
    // It was saved a quarter of a second after its ninth.
    expect(stdout.trimEnd().split('\n')).toEqual(
      [10_000, 11_000, 12_000].map(
        (time) => `${time}\t0\tclock\ttimer\ttimer\txstate.after.interval.timer.running\ttaken`,
      ),
    );
    expect((await offstage('verify', 'valley')).stdout).toContain(hash);
  });

  test.each([
    [['valley', '--saved'], /--until <seconds>/],
    [['valley', '--saved', '--until', '3', '--seed', 'x'], /leave out --seed/],
    [['nowhere', '--saved', '--until', '3'], /nowhere/],
  ])('%o is a failure that says what to do', async (args, message) => {
    const { offstage } = await project();
    const { code, output } = await offstage('trace', ...args);
    expect(code).toBe(1);
    expect(output).toMatch(message);
  });
});

describe('restore', () => {
  test('goes back to an earlier generation, with or without what happened since', async () => {
    const { offstage, generations, valley, hash } = await project();
    const [first = 0] = generations;
    const alone = await offstage('restore', 'valley', '--generation', String(first));
    expect(alone.code, alone.output).toBe(0);
    expect(alone.stdout).toContain(`valley is what generation ${first} was, at 0:00:00.0`);
    const info = await offstage('info', 'valley', '--json');
    expect(JSON.parse(info.stdout)).toMatchObject({ served: false, time: 0, records: 2 });

    const all = ['restore', 'valley', '--generation', String(first), '--with-journals', '--json'];
    const since = await offstage(...all);
    expect(JSON.parse(since.stdout)).toMatchObject({ from: first, records: 2 });
    const document = await openWorld(valley, { kinds });
    expect(document.world.hash()).toBe(hash);
    await document.close();
  });

  test('to a generation that is not there says which there are', async () => {
    const { offstage, generations } = await project();
    const { code, output } = await offstage('restore', 'valley', '--generation', '999');
    expect(code).toBe(1);
    expect(output).toContain(`it has: ${[...generations].reverse().join(', ')}.`);
  });
});

describe('a world that is being served', () => {
  test('is found by its name, whatever its port: info, dump, save, verify; restore is refused', async () => {
    const one = await project();
    const { offstage } = one;
    const server = await served(one);
    const info = await offstage('info', 'valley');
    expect(info.code, info.output).toBe(0);
    expect(info.stdout).toContain(`valley at ${server.url}`);
    const dump = await offstage('dump', 'store', '--world', 'valley', '--json');
    expect(JSON.parse(dump.stdout)).toMatchObject({ id: 'store', context: { items: { ore: 4 } } });
    const save = await offstage('save', 'valley');
    expect(save.stdout).toBe(
      `Saved generation ${server.document.generation}: 2 records, 1 region written, in ${/(\d+) ms/.exec(save.stdout)?.[1]} ms.\n`,
    );
    const verify = await offstage('verify', 'valley');
    expect(verify.code, verify.output).toBe(0);
    expect(verify.stdout).toContain(`Process ${process.pid} has it open`);
    const generation = String(server.document.generation);
    const restore = await offstage('restore', 'valley', '--generation', generation);
    expect(restore.code).toBe(1);
    expect(restore.output).toContain(`held by process ${process.pid}`);
    expect(server.health().ok).toBe(true);
  });

  test('and the same, saved: info and dump look at it, save says that nobody serves it', async () => {
    const { offstage, generations } = await project();
    const info = await offstage('info', 'valley');
    expect(info.code, info.output).toBe(0);
    expect(info.stdout).toContain('valley in saves/valley, not being served');
    expect(info.stdout).toContain(`generation ${generations.at(-1)}`);
    expect(info.stdout).toContain('1 command since');
    const dump = await offstage('dump', 'stash', '--world', 'valley');
    expect(dump.stdout).toContain('{"capacity":50,"items":{"ore":4}}');
    const none = await offstage('dump', 'unicorn', '--world', 'valley');
    expect(none.code).toBe(1);
    const save = await offstage('save', 'valley');
    expect(save.code).toBe(1);
    expect(save.output).toContain('Start it with `offstage serve valley`');
  });
});
