/** The scenarios that the command line knows: the project's own, or those that come with the package. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError, WorldError } from '../core/errors.ts';
import type { Scenario } from '../core/scenario.ts';
import { isSource, loadedInTime } from './kinds-file.ts';

/** Loads `kinds/scenarios/index.ts` or `.js` of a folder, else the package's. Throws `BAD_SCENARIO`. */
export async function loadScenarios(folder: string): Promise<readonly Scenario[]> {
  const own = ['kinds/scenarios/index.ts', 'kinds/scenarios/index.js']
    .map((file) => resolve(folder, file))
    .find((file) => existsSync(file));
  const path = own ?? packagedScenarios();
  const { scenarios } = await loadedInTime(path);
  if (Array.isArray(scenarios)) return scenarios;
  throw new WorldError(
    'BAD_SCENARIO',
    `${path} must export a list of scenarios: export const scenarios = [shop, …].`,
  );
}

/** The scenario of that name. Throws `NOTHING_FOUND`, naming those that there are. */
export async function scenarioOf(folder: string, name: string): Promise<Scenario> {
  const scenarios = await loadScenarios(folder);
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((scenario) => scenario.name).join(', ');
  throw new CommandError('NOTHING_FOUND', `There is no scenario '${name}'; there are: ${names}.`);
}

function packagedScenarios(): string {
  const file = isSource ? '../../kinds/scenarios/index.ts' : '../../kinds/scenarios/index.js';
  return fileURLToPath(new URL(file, import.meta.url));
}
