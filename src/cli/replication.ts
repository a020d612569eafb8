/** One run of a scenario, in a worker thread. Loaded by its address, from `replicate-command.ts`. */
import { type Figures, runScenario } from '../core/scenario.ts';
import { scenarioOf } from './scenarios-file.ts';

export interface Replication {
  readonly folder: string;
  readonly scenario: string;
  readonly seed: string;
}

/** What went well, or why it did not: an error loses its code on the way between threads. */
export type Replicated =
  | { readonly figures: Figures }
  | { readonly code: string; readonly message: string };

export default async function replicate({
  folder,
  scenario,
  seed,
}: Replication): Promise<Replicated> {
  try {
    return { figures: runScenario(await scenarioOf(folder, scenario), seed) };
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (typeof code !== 'string') throw error;
    return { code, message };
  }
}
