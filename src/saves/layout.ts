/**
 * Where the files of a world document lie. A name that this file does not give is not ours: such files
 * are neither read nor deleted.
 */
export const MANIFEST = 'world.json';
export const LOCK = 'lock';
export const FOLDERS = {
  /** A copy of `world.json` for each of the last generations. */
  generations: 'generations',
  regions: 'regions',
  journal: 'journal',
  /** What was found damaged. Nothing here is ever touched again. */
  quarantine: 'quarantine',
} as const;

export function generationPath(generation: number): string {
  return `${FOLDERS.generations}/${generation}.json`;
}

export function regionPath(region: string, generation: number): string {
  return `${FOLDERS.regions}/${region}.${generation}.json`;
}

export function journalPath(journal: number): string {
  return `${FOLDERS.journal}/${journal}.jsonl`;
}

const GENERATION = /^(\d+)\.json$/;
const REGION = /^-?\d+,-?\d+\.(\d+)\.json$/;
const JOURNAL = /^(\d+)\.jsonl$/;
const TEMPORARY = /^[^/]+\.[0-9a-f]{12}\.tmp$/;

function numberIn(pattern: RegExp, name: string): number | undefined {
  const found = pattern.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The generation a file of that name is of; undefined if the name is none of ours. */
export const generationOf = {
  generation: (name: string) => numberIn(GENERATION, name),
  region: (name: string) => numberIn(REGION, name),
  journal: (name: string) => numberIn(JOURNAL, name),
} as const;

/** Whether a file was left by a write that did not end. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}
