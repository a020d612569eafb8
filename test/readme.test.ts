import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { main } from '../src/cli/main.ts';
import { starters } from './kinds/starters.ts';
import { checkout } from './support/checkout.ts';
import { blocksOf } from './support/guide.ts';
import { repository, run } from './support/run.ts';
import { type Scratch, scratch } from './support/scratch.ts';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');

/** The code blocks of one language, of the whole readme or of a section. */
const blocks = (language: string, text = readme): readonly string[] => blocksOf(language, text);

function section(title: string): string {
  const start = readme.indexOf(`\n## ${title}\n`);
  if (start < 0) throw new Error(`There is no section "${title}".`);
  return readme.slice(start, readme.indexOf('\n## ', start + 1));
}

type Files = Readonly<Record<string, string>>;

/** The files that a reader of a section writes: the first line of each says where it goes. */
function filesOf(title: string): Files {
  const code = blocks('ts', section(title)).map((block) => {
    const path = /^\/\/ (\S+\.ts)\n/.exec(block)?.[1];
    if (path === undefined) throw new Error(`A block does not say which file it is:\n${block}`);
    return [path, block];
  });
  const seeds = blocks('json', section(title)).map((block) => [
    `saves/${JSON.parse(block).world}.seed.json`,
    block,
  ]);
  return Object.fromEntries([...code, ...seeds]);
}

/** Starts what a section says to start last, until it listens; gives all that it printed. */
async function serveAsTold(title: string, cwd: string): Promise<string> {
  const told = blocks('sh', section(title)).at(-1)?.trim() ?? '';
  const [, args] = /^npx offstage (serve \w+)$/.exec(told) ?? [];
  if (args === undefined) throw new Error(`The section ends with "${told}", which serves nothing.`);
  const bin = join(repository, 'src/cli/bin.js');
  const server = spawn(process.execPath, [bin, ...args.split(' '), '--port', '0'], {
    cwd,
    timeout: 50_000,
  });
  let output = '';
  await new Promise<void>((resolve) => {
    const hear = (text: unknown) => {
      output += text;
      if (/listening on \S+\n/.test(output)) server.kill('SIGTERM');
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('close', () => resolve());
  });
  return output;
}

const tutorial = filesOf('Write a kind in ten minutes');
const project = filesOf('In a project of your own');

describe('a newcomer who follows "Write a kind in ten minutes" to the letter', () => {
  let folder: Scratch;
  beforeAll(async () => {
    folder = await checkout('readme');
    // The reader's files and nothing else. Whoever has followed it already has the same there.
    await folder.write(tutorial);
  });
  afterAll(() => folder.remove());

  test('is shown a machine, a kind, the registry, a test and a seed', () => {
    expect(Object.keys(tutorial)).toEqual([
      'machines/beacon.machine.ts',
      'kinds/beacon.kind.ts',
      'kinds/index.ts',
      'test/kinds/beacon.test.ts',
      'saves/quay.seed.json',
    ]);
    expect(readme).toContain('`saves/quay.seed.json`');
  });

  test('keeps every starter kind in the registry', () => {
    const names = ['beacon', ...starters.map(({ name }) => name)].join(', ');
    const inOneLine = tutorial['kinds/index.ts']?.replace(/\s+/g, ' ').replace(/, ([}\]])/g, ' $1');
    expect(inOneLine).toContain(`export { ${names} };`);
    expect(inOneLine).toContain(`kinds = [ ${names} ] as const;`);
  });

  test('has no type error', async () => {
    const { code, output } = await run('tsc', ['-p', join(folder.path, 'tsconfig.json')]);
    expect(code, output).toBe(0);
  });

  test('has files that are formatted and keep the rules', async () => {
    const { code, output } = await run('biome', ['check', '--colors=off', '.'], {
      cwd: folder.path,
    });
    expect(code, output).toBe(0);
  });

  test('has a test that passes, and breaks none of those of the registry', async () => {
    const { code, output } = await run('vitest', ['run'], { cwd: folder.path });
    expect(code, output).toBe(0);
    expect(output).toMatch(/Test Files +2 passed/);
  });

  test('can start the world of step 5', async () => {
    const output = await serveAsTold('Write a kind in ten minutes', folder.path);
    expect(output).toMatch(/listening on http/);
  });

  test('finds the beacon of step 5 burning a flask every 20 s', async () => {
    await folder.write({
      'test/quay.test.ts': `
        import { readFileSync } from 'node:fs';
        import { createWorld } from 'offstage';
        import { expect, test } from 'vitest';
        import { kinds } from '../kinds/index.ts';
        test('the quay', () => {
          const { records } = JSON.parse(readFileSync('saves/quay.seed.json', 'utf8'));
          const world = createWorld({ kinds });
          world.add(records);
          world.run(90_000);
          expect(world.find('quay-beacon')).toMatchObject({ value: 'burning', context: { burnt: 5 } });
          expect(world.stats().faults).toBe(0);
        });`,
    });
    const { code, output } = await run('vitest', ['run', 'test/quay.test.ts'], {
      cwd: folder.path,
    });
    expect(code, output).toBe(0);
  });
});

// That the packed package can be installed and imported is tested in test/package.
describe('a newcomer with a project of their own', () => {
  let folder: Scratch;
  beforeAll(async () => {
    folder = await scratch('readme-project');
    await folder.copy(
      'tsconfig.json',
      'biome.json',
      'test/rules/deterministic.grit',
      'test/rules/drawable.grit',
    );
    await folder.write(project);
  });
  afterAll(() => folder.remove());

  test('is shown a registry and a seed', () => {
    expect(Object.keys(project)).toEqual(['kinds/index.ts', 'saves/harbour.seed.json']);
  });

  test('has no type error', async () => {
    const { code, output } = await run('tsc', ['-p', join(folder.path, 'tsconfig.json')]);
    expect(code, output).toBe(0);
  });

  test('has files that are formatted', async () => {
    const { code, output } = await run('biome', ['format', '--colors=off', '.'], {
      cwd: folder.path,
    });
    expect(code, output).toBe(0);
  });

  test('can start the world', async () => {
    const output = await serveAsTold('In a project of your own', folder.path);
    expect(output).toMatch(/listening on http/);
  });
});

describe('the table of errors', () => {
  /** Words in capitals that are no codes of ours: Node's, signals, events of the kind that `new-kind` writes, requests. */
  const others = [
    'EADDRINUSE',
    'EEXIST',
    'EINVAL',
    'EISDIR',
    'ENOENT',
    'ENOTSUP',
    'EPERM',
    'EPIPE',
    'EROFS',
    'SIGINT',
    'SIGTERM',
    'START',
    'STOP',
    'ROUND_DONE',
    'WAIT',
    'QUEUE',
    'REQUEST',
    'LEAVE',
    'RELEASE',
  ];

  /** Every code in the sources: a word in capitals, as a string. Comments are left out. */
  function codesIn(folder: string): ReadonlySet<string> {
    const codes = new Set<string>();
    for (const file of readdirSync(join(repository, folder), {
      recursive: true,
      encoding: 'utf8',
    })) {
      if (!file.endsWith('.ts')) continue;
      const code = readFileSync(join(repository, folder, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/^\s*\/\/.*$/gm, '');
      for (const [, word] of code.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)'/g)) {
        if ((word as string).length > 3) codes.add(word as string);
      }
    }
    return codes;
  }

  const listed = new Set(
    [...section('Errors').matchAll(/`([A-Z][A-Z_0-9]{3,})`/g)].map(([, code]) => code),
  );

  test('holds every code that the sources use', () => {
    const used = [...codesIn('src')].filter((code) => !others.includes(code));
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((code) => !listed.has(code))).toEqual([]);
  });

  test('holds no code that is not used', () => {
    const used = new Set([...codesIn('src'), ...codesIn('machines')]);
    expect([...listed].filter((code) => !used.has(code as string))).toEqual([]);
  });
});

describe('what the readme tells to run', () => {
  const commands = blocks('sh').join('\n');

  test('is there: every npm script', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    const pattern = /npm (?:run (\w+)|(test))/g;
    const named = [...readme.matchAll(pattern)].map(([, script, test]) => script ?? test);
    expect([...new Set(named)].sort()).toEqual(['bench', 'serve', 'test']);
    for (const script of named) expect(Object.keys(scripts)).toContain(script);
  });

  test('is there: every offstage command, with its options', async () => {
    const named = [...commands.matchAll(/npx offstage (\w+)(?:.*?(--[a-z]+))?/g)];
    expect(named.length).toBeGreaterThan(3);
    for (const [, command = '', option = ''] of named) {
      // In this process, since starting one for each takes longer than all other tests here.
      const listeners = process.stdout.listeners('error');
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      const code = await main([command, '--help']);
      const output = write.mock.calls.flat().join('');
      write.mockRestore();
      for (const listener of process.stdout.listeners('error') as (() => void)[]) {
        if (!listeners.includes(listener)) process.stdout.off('error', listener);
      }
      expect(code, command).toBe(0);
      expect(output).toContain(`Usage: offstage ${command}`);
      expect(output).toContain(option);
    }
  });

  test('and every file it names', () => {
    const named = [...readme.matchAll(/`(\w[\w./-]*\.(?:md|ts|json))`/g)].map(([, file]) => file);
    const written = new Set(Object.keys({ ...tutorial, ...project }));
    for (const file of named) {
      // The reader is told to write it.
      if (written.has(file as string)) continue;
      expect(() => readFileSync(join(repository, file as string)), file).not.toThrow();
    }
  });
});
