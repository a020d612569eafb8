import { beforeAll, describe, expect, test } from 'vitest';
import { estimateOf, holds } from '../../src/cli/estimate.ts';
import { type Finished, run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';

function offstage(...args: readonly string[]): Promise<Finished> {
  return run('node', ['src/cli/bin.js', ...args]);
}

describe('an estimate', () => {
  // Half widths at the tables' quantiles of t: 12.706 for 1 degree of freedom, 2.262 for 9, 2.045 for 29.
  test.each([
    [2, 0.95, 12.706],
    [10, 0.95, 2.262],
    [30, 0.95, 2.045],
    [10, 0.99, 3.25],
  ])('of %d runs at %d', (n, confidence, quantile) => {
    const values = Array.from({ length: n }, (_, i) => i);
    const { mean, halfWidth, deviation } = estimateOf(values, confidence);
    expect(mean).toBe((n - 1) / 2);
    expect(deviation).toBeCloseTo(Math.sqrt((n * (n + 1)) / 12), 10);
    expect(((halfWidth as number) * Math.sqrt(n)) / (deviation as number)).toBeCloseTo(quantile, 3);
  });

  test('of one run has no interval', () => {
    const estimate = estimateOf([5], 0.95);
    expect(estimate).toEqual({ mean: 5, halfWidth: null, deviation: null });
    expect(holds(estimate, 5)).toBeNull();
  });

  test('holds what is no further off than half its width', () => {
    const estimate = { mean: 10, halfWidth: 2, deviation: 1 };
    expect([8, 12, 12.1, 7.9].map((known) => holds(estimate, known))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('offstage replicate', () => {
  let one: Finished;
  beforeAll(async () => {
    one = await offstage('replicate', 'traffic-light', '--seeds', '1..4', '--json');
  });

  test('gives the figures of every seed, and means with confidence intervals', () => {
    expect(one.code, one.output).toBe(0);
    const { seeds, runs, estimates, confidence } = JSON.parse(one.stdout);
    expect(seeds).toEqual(['1', '2', '3', '4']);
    expect(runs).toHaveLength(4);
    expect(confidence).toBe(95);
    expect(estimates[0]).toMatchObject({ figure: 'mean wait, ms', known: 8000 });
    const mean =
      runs.reduce((sum: number, figures: never) => sum + figures['mean wait, ms'], 0) / 4;
    expect(estimates[0].mean).toBeCloseTo(mean, 9);
    expect(estimates[0].halfWidth).toBeGreaterThan(0);
  });

  test('gives the same on one thread as on many, whatever the order of the seeds', async () => {
    const again = await offstage(
      'replicate',
      'traffic-light',
      '--seeds',
      '4,3,2,1',
      '--threads',
      '1',
      '--json',
    );
    const { runs } = JSON.parse(again.stdout);
    expect(runs).toEqual(JSON.parse(one.stdout).runs.reverse());
  });

  test('says for people what theory says', async () => {
    const { stdout, code } = await offstage(
      'replicate',
      'traffic-light',
      '--seeds',
      '1..3',
      '--threads',
      '1',
      '--confidence',
      '99',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/3 runs, intervals at 99 %/);
    expect(stdout).toMatch(
      /mean wait, ms {2}\S+ ± \S+ {3}in theory 8000, (within|outside) the interval/,
    );
  });

  test.each([
    [['none'], /There is no scenario 'none'; there are: bank, mm1, traffic-light/],
    [['mm1', '--seeds', '5..1'], /--seeds.*must be a range/],
    [['mm1', '--seeds', 'a,a'], /each once/],
    [['mm1', '--seeds', ''], /must be a range/],
    [['mm1', '--seeds', '1..999999999'], /at most 100000/],
    [['mm1', '--confidence', '100'], /The confidence/],
    [['mm1', '--threads', '0'], /The number of threads/],
  ])('%o is a failure that says what to do', async (args, message) => {
    const { code, output } = await offstage('replicate', ...args);
    expect(code).toBe(1);
    expect(output).toMatch(message);
  });

  test('runs a scenario of the project it is started in, and says what fails in it', async () => {
    await using folder = await scratch('replicate');
    await folder.write({
      'kinds/scenarios/index.js': `
        import { defineScenario } from 'offstage';
        import { timer } from 'offstage/kinds';
        const records = [{ id: 't', kind: 'timer', at: [0, 0], input: { every: 10 } }];
        const about = 'a timer';
        const measure = (world) => ({ ticks: world.find('t').context.fired });
        export const scenarios = [
          defineScenario({ name: 'own', about, kinds: [timer], records, until: 100, measure }),
          defineScenario({ name: 'bad', about, kinds: [timer], records, until: 100, measure: () => ({ x: NaN }) }),
        ];`,
    });
    const inFolder = (...args: string[]) =>
      run('node', [new URL('../../src/cli/bin.js', import.meta.url).pathname, ...args], {
        cwd: folder.path,
      });
    const own = await inFolder('replicate', 'own', '--seeds', 'a', '--json');
    expect(own.code, own.output).toBe(0);
    expect(JSON.parse(own.stdout).estimates).toEqual([
      {
        figure: 'ticks',
        mean: 10,
        halfWidth: null,
        deviation: null,
        known: null,
        isKnownHeld: null,
      },
    ]);
    const bad = await inFolder('replicate', 'bad', '--seeds', 'a,b');
    expect(bad.code).toBe(1);
    expect(bad.output).toMatch(/Scenario 'bad' with the seed 'a': 'x' is NaN/);
  });
});

describe('offstage trace', () => {
  test('prints a line for each event of a scenario, with hashes if it is asked to', async () => {
    const { code, stdout, output } = await offstage(
      'trace',
      'traffic-light',
      '--until',
      '60',
      '--hash',
    );
    expect(code, output).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(lines.length).toBeGreaterThan(8);
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([8]));
    expect(lines.find(([, , id]) => id === 'light')?.slice(0, 7)).toEqual([
      '40000',
      '0',
      'light',
      'light',
      'timer',
      'xstate.after.40000.light.red',
      'taken',
    ]);
    const again = await offstage('trace', 'traffic-light', '--until', '60', '--hash');
    expect(again.stdout).toBe(stdout);
    const other = await offstage(
      'trace',
      'traffic-light',
      '--until',
      '60',
      '--hash',
      '--seed',
      '2',
    );
    expect(other.stdout).not.toBe(stdout);
  });

  test('prints the events of a world from its seed on, as JSON for programs', async () => {
    const { code, stdout, output } = await offstage('trace', 'valley', '--until', '60', '--json');
    expect(code, output).toBe(0);
    const [first] = stdout.split('\n');
    expect(JSON.parse(first as string)).toMatchObject({
      time: expect.any(Number),
      id: expect.any(String),
      cause: expect.any(String),
      event: { type: expect.any(String) },
    });
  });

  test.each([
    [['none'], /no scenario 'none'.*--until/],
    [['none', '--until', '5'], /There is no world 'none'/],
    [['mm1', '--until', 'long'], /Seconds must be a number/],
  ])('%o is a failure that says what to do', async (args, message) => {
    const { code, output } = await offstage('trace', ...args);
    expect(code).toBe(1);
    expect(output).toMatch(message);
  });
});
