import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { repository, run } from './support/run.ts';
import { type Scratch, scratch } from './support/scratch.ts';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');

/** The code blocks of one language. */
function blocks(language: string): readonly string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...readme.matchAll(pattern)].map(([, code]) => code as string);
}

/** The files that a reader writes: their first line says where they go. */
const files = Object.fromEntries(
  blocks('ts').map((code) => {
    const path = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1];
    if (path === undefined) throw new Error(`A block does not say which file it is:\n${code}`);
    return [path, code];
  }),
);

describe('a newcomer who follows "Write a kind in ten minutes"', () => {
  let folder: Scratch;
  beforeAll(async () => {
    folder = await scratch('readme');
    for (const name of ['machines', 'kinds', 'saves']) {
      for (const file of readdirSync(join(repository, name))) {
        if (/\.(ts|seed\.json)$/.test(file)) await folder.copy(`${name}/${file}`);
      }
    }
    await folder.copy('tsconfig.json', 'vitest.config.ts');
    const registry = readFileSync(join(repository, 'kinds/index.ts'), 'utf8');
    const extended = registry
      .replace(/^import/m, "import { beacon } from './beacon.kind.ts';\nimport")
      .replace('export {', 'export { beacon,')
      .replace('kinds = [', 'kinds = [beacon, ');
    const records = blocks('json')[0];
    await folder.write({
      ...files,
      'kinds/index.ts': extended,
      'test/seed.test.ts': `
        import { readFileSync } from 'node:fs';
        import { createWorld } from 'offstage';
        import { expect, test } from 'vitest';
        import { kinds } from '../kinds/index.ts';
        test('the records of step 5 live in the valley', () => {
          const { records } = JSON.parse(readFileSync('saves/valley.seed.json', 'utf8'));
          const world = createWorld({ kinds });
          world.add([...records, ...${records}]);
          world.run(90_000);
          expect(world.find('quay-beacon')).toMatchObject({ value: 'burning', context: { burnt: 5 } });
          expect(world.stats().faults).toBe(0);
        });`,
    });
    return () => folder.remove();
  });

  test('is shown a machine, a kind and a test', () => {
    expect(Object.keys(files)).toEqual([
      'machines/beacon.machine.ts',
      'kinds/beacon.kind.ts',
      'test/kinds/beacon.test.ts',
    ]);
  });

  test('has no type error', async () => {
    const { code, output } = await run('tsc', ['-p', join(folder.path, 'tsconfig.json')]);
    expect(code, output).toBe(0);
  });

  test('has a test that passes, and two records that live in the valley', async () => {
    const { code, output } = await run('vitest', ['run'], { cwd: folder.path });
    expect(code, output).toBe(0);
    expect(output).toMatch(/Test Files +2 passed/);
  });
});

describe('the table of errors', () => {
  /** Words in capitals that are no codes of ours. */
  const others = ['EADDRINUSE', 'ENOENT', 'EPIPE', 'SIGINT', 'SIGTERM'];

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

  const section = /^## Errors$([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
  const listed = new Set([...section.matchAll(/`([A-Z][A-Z_0-9]{3,})`/g)].map(([, code]) => code));

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
    const named = [...commands.matchAll(/npm (?:run )?(?!ci)(\w+)/g)].map(([, script]) => script);
    expect(named).toEqual(['serve', 'test']);
    for (const script of named) expect(Object.keys(scripts)).toContain(script);
  });

  test('is there: every offstage command, with its options', async () => {
    const named = [...commands.matchAll(/npx offstage (\w+)(?:.*?(--[a-z]+))?/g)];
    expect(named.length).toBeGreaterThan(3);
    for (const [, command, option = ''] of named) {
      const { code, output } = await run('node', ['src/cli/bin.js', command as string, '--help']);
      expect(code, output).toBe(0);
      expect(output).toContain(option);
    }
  });

  test('and every file it names', () => {
    const named = [...readme.matchAll(/`(\w[\w./-]*\.(?:md|ts|json))`/g)].map(([, file]) => file);
    for (const file of named) {
      expect(() => readFileSync(join(repository, file as string)), file).not.toThrow();
    }
  });
});
