import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pack, packOffstage } from '../support/pack.ts';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

const manifest: Manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
/** What a user can import: offstage, offstage/testing, … */
const entries = Object.keys(manifest.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => join('offstage', entry));

describe('in a checkout', () => {
  test('the command runs with nothing built', async () => {
    const { code, stdout, output } = await run('npx', ['offstage', '--version']);
    expect(code, output).toBe(0);
    expect(stdout.trim()).toBe(manifest.version);
  });

  test.each(entries)('%s is the sources for what the command loads', async (entry) => {
    const script = `import { useSources } from './src/cli/sources.js';
      await useSources();
      console.log(import.meta.resolve('${entry}'));
      await import('${entry}');`;
    const { code, stdout, output } = await run('node', ['--input-type=module', '-e', script]);
    expect(code, output).toBe(0);
    expect(stdout).toMatch(/\/(src\/(\w+\/)?|kinds\/(scenarios\/)?)index\.ts\n$/);
  });

  test('and for what a test loads', async () => {
    expect(await import('offstage')).toBe(await import('../../src/index.ts'));
  });
});

describe('packed and installed in an empty project', () => {
  let project: Scratch;
  let tarball = '';

  beforeAll(async () => {
    project = await scratch('offstage-project', { outside: true });
    tarball = await packOffstage(project.path);
    await project.write({
      'package.json': '{ "private": true, "type": "module" }',
      'user.ts': `${entries.map((entry, i) => `import * as entry${i} from '${entry}';`).join('\n')}
        // @ts-expect-error The types are real: not all is any.
        entry0.noSuchExport;
        export const used = [${entries.map((_, i) => `entry${i}`)}];`,
    });
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier'];
    const { code, output } = await run('npm', ['install', ...quiet, tarball], {
      cwd: project.path,
    });
    expect(code, output).toBe(0);
  }, 300_000);
  afterAll(() => project.remove());

  test('the package has the shape that publint asks for', async () => {
    const { code, output } = await run('publint', ['run', tarball, '--strict']);
    expect(code, output).toBe(0);
  });

  test('its types resolve for every way of importing it', async () => {
    const { code, output } = await run('attw', [tarball, '--profile', 'esm-only']);
    expect(code, output).toBe(0);
  });

  test('the command runs', async () => {
    const { code, stdout, output } = await run('npx', ['--no', '--', 'offstage', '--version'], {
      cwd: project.path,
    });
    expect(code, output).toBe(0);
    expect(stdout.trim()).toBe(manifest.version);
  });

  test('runs the scenarios of the package in threads', async () => {
    const args = ['replicate', 'traffic-light', '--seeds', '1..2', '--json'];
    const { code, stdout, output } = await run('npx', ['--no', '--', 'offstage', ...args], {
      cwd: project.path,
    });
    expect(code, output).toBe(0);
    expect(JSON.parse(stdout).runs).toHaveLength(2);
  });

  test('it brings no TypeScript, so that nothing but compiled code can run', async () => {
    const files = await readdir(join(project.path, 'node_modules/offstage'), { recursive: true });
    expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
    expect(files).toContain('dist/src/cli/main.js');
  });

  test('a project as npm init makes it, which is CommonJS, serves kinds in TypeScript', async () => {
    await project.write({
      'plain/package.json': '{ "name": "plain", "version": "1.0.0", "type": "commonjs" }',
      'plain/kinds/lamp.kind.ts': `import { defineKind, now } from 'offstage';
        import { assign, setup } from 'xstate';
        const machine = setup({ types: { context: {} as { litAt: number } } }).createMachine({
          id: 'lamp',
          context: { litAt: 0 },
          initial: 'dark',
          states: { dark: { after: { 10: { target: 'lit', actions: assign({ litAt: () => now() }) } } }, lit: {} },
        });
        export const lamp = defineKind({ name: 'lamp', version: 1, machine });`,
      'plain/kinds/index.ts': `import { stash } from 'offstage/kinds';
        import { lamp } from './lamp.kind.ts';
        export const kinds = [lamp, stash];`,
      'load.mjs': `import { createWorld } from 'offstage';
        import { loadKinds } from './node_modules/offstage/dist/src/cli/kinds-file.js';
        const { kinds } = await loadKinds('plain');
        const world = createWorld({ kinds });
        world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
        world.run(20);
        console.log(JSON.stringify([world.find('lamp').context, world.warnings]));`,
    });
    const { code, stdout, output } = await run('node', ['load.mjs'], { cwd: project.path });
    expect(code, output).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ litAt: 10 }, []]);
  });

  test.each(entries)('%s is compiled code', async (entry) => {
    const script = `console.log(import.meta.resolve('${entry}')); await import('${entry}');`;
    const { code, stdout, output } = await run('node', ['--input-type=module', '-e', script], {
      cwd: project.path,
    });
    expect(code, output).toBe(0);
    expect(stdout).toMatch(
      /\/node_modules\/offstage\/dist\/(src\/(\w+\/)?|kinds\/(scenarios\/)?)index\.js\n$/,
    );
  });

  test.each(['nodenext', 'bundler'])(
    'a user of %s resolution gets its types',
    async (resolution) => {
      const module = resolution === 'bundler' ? 'esnext' : resolution;
      const options = [
        '--strict',
        '--noEmit',
        '--skipLibCheck',
        '--target',
        'es2023',
        '--types',
        '',
      ];
      const { code, output } = await run(
        'tsc',
        [...options, '--module', module, '--moduleResolution', resolution, 'user.ts'],
        { cwd: project.path },
      );
      expect(code, output).toBe(0);
    },
  );
});

describe('a package whose exports point nowhere', () => {
  let folder: Scratch;
  let tarball = '';

  beforeAll(async () => {
    folder = await scratch('exports');
    await folder.write({
      'package.json': JSON.stringify({
        name: 'points-nowhere',
        version: '1.0.0',
        type: 'module',
        exports: {
          '.': { types: './index.d.ts', default: './index.js' },
          './gone': { types: './gone.d.ts', default: './gone.js' },
        },
      }),
      'index.js': 'export const x = 1;',
      'index.d.ts': 'export declare const x: number;',
    });
    tarball = await pack(folder.path, folder.path);
  });
  afterAll(() => folder.remove());

  test('is caught by publint', async () => {
    const { code, output } = await run('publint', ['run', tarball, '--strict']);
    expect(code).toBe(1);
    expect(output).toContain('gone.js');
  });

  test('is caught by attw', async () => {
    const { code, output } = await run('attw', [tarball, '--profile', 'esm-only']);
    expect(code).toBe(1);
    expect(output).toContain('points-nowhere/gone');
  });
});
