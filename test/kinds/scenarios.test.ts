import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScenario } from 'offstage';
import { describe, expect, test } from 'vitest';
import { scenarios } from '../../kinds/scenarios/index.ts';
import { estimateOf, holds } from '../../src/cli/estimate.ts';
import { repository } from '../support/run.ts';

const FOLDER = join(repository, 'kinds/scenarios');

describe('the scenarios that come with the package', () => {
  test('are all listed, each in a file of under 150 lines with its machines', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.scenario.ts'));
    expect(files.map((file) => file.replace('.scenario.ts', ''))).toEqual(
      scenarios.map(({ name }) => name),
    );
    for (const file of files) {
      const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n').length;
      expect(lines, file).toBeLessThan(150);
    }
  });

  test.each(scenarios)('$name comes to what theory says', (scenario) => {
    const { known = {} } = scenario;
    const runs = Array.from({ length: 6 }, (_, i) => runScenario(scenario, `theory ${i}`));
    expect(Object.keys(known).length).toBeGreaterThan(0);
    for (const [figure, value] of Object.entries(known)) {
      const estimate = estimateOf(
        runs.map((figures) => figures[figure] as number),
        0.99,
      );
      expect(holds(estimate, value), `${figure}: ${JSON.stringify(estimate)}, ${value}`).toBe(true);
      // An interval so wide that it could hold anything would prove nothing.
      expect((estimate.halfWidth as number) / value, figure).toBeLessThan(0.2);
    }
  });

  test('comes to the same for the same seed, and to something else for another', () => {
    const [, , light] = scenarios;
    expect(runScenario(light, 'x')).toEqual(runScenario(light, 'x'));
    expect(runScenario(light, 'x')).not.toEqual(runScenario(light, 'y'));
  });
});
