/** The guide, to the letter: its rules here, its steps with the packed package in test/package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from './support/guide.ts';
import { repository, run } from './support/run.ts';
import { type Scratch, scratch } from './support/scratch.ts';

const guide = readFileSync(join(repository, 'GUIDE.md'), 'utf8');
const examples = blocksOf('ts', guide)
  .filter((code) => /^\/\/ (wrong|right)\b/.test(code))
  .map((code) => {
    const [, way = '', law = ''] = /^\/\/ (wrong|right)(?:: (.*))?\n/.exec(code) ?? [];
    return { way, law, code };
  });

describe('the three rules', { timeout: 300_000 }, () => {
  let folder: Scratch;
  beforeAll(async () => {
    folder = await scratch('guide');
    await folder.copy('tsconfig.json', 'vitest.config.ts', 'biome.json');
    await folder.copy('test/rules/deterministic.grit', 'test/rules/drawable.grit');
    const files = examples.map(({ code }, i) => [`test/examples/example-${i}.ts`, code] as const);
    await folder.write(Object.fromEntries(files));
  });
  afterAll(() => folder.remove());

  test('have a wrong and a right example each', () => {
    expect(examples.map(({ way, law }) => [way, law])).toEqual([
      ['wrong', 'one step equals many'],
      ['right', ''],
      ['wrong', 'regions do not compete'],
      ['right', ''],
      ['wrong', 'times move with the record'],
      ['right', ''],
    ]);
  });

  test('are told in code that compiles and is formatted', async () => {
    const types = await run('tsc', ['-p', join(folder.path, 'tsconfig.json')]);
    expect(types.code, types.output).toBe(0);
    const lint = await run('biome', ['check', '--colors=off', '.'], { cwd: folder.path });
    expect(lint.code, lint.output).toBe(0);
  });

  test('are broken by each wrong example, and kept by each right one', async () => {
    await folder.write({
      'test/examples.test.ts': `
        import { stash } from 'offstage/kinds';
        import { BrokenLaw, checkKind, fc, testKind } from 'offstage/testing';
        import { expect, test } from 'vitest';
        const examples = ${JSON.stringify(examples.map(({ law }) => law))};
        test.each(examples.map((law, i) => [i, law] as const))('example %i', async (i, law) => {
          const [kind] = Object.values(await import(\`./examples/example-\${i}.ts\`)) as never[];
          const { links } = kind as { links: object };
          let broken: string | undefined;
          try {
            checkKind(kind, {
              ...('ore' in links
                ? { links: { ore: testKind(stash, { input: { capacity: 9, items: { ore: 3 } } }) } }
                : {}),
              events: fc.constant({ type: 'WORK' }) as never,
            });
          } catch (error) {
            if (!(error instanceof BrokenLaw)) throw error;
            broken = error.law;
          }
          expect(broken ?? '').toBe(law);
        });`,
    });
    const { code, output } = await run('vitest', ['run'], { cwd: folder.path });
    expect(code, output).toBe(0);
    expect(output).toMatch(/Tests +6 passed/);
  });
});
