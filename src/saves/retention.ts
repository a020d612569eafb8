/**
 * What is kept of the past: the last three generations, with all that they name. What none of them
 * names is deleted once the newest is committed, if it is ours and no generation that could not be read
 * may need it.
 */
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { namesIn, removeAnyway } from './files.ts';
import { FOLDERS, generationOf, generationPath, isTemporary, journalPath } from './layout.ts';
import type { Manifest } from './manifest.ts';

export const GENERATIONS_KEPT = 3;

/**
 * Deletes what no generation of `kept` names. Files up to the generation `unread` stay: one of that
 * number could not be read, so what it names is not known.
 */
export async function deleteUnnamed(
  disk: Disk,
  folder: string,
  kept: readonly Manifest[],
  unread: number,
): Promise<void> {
  const newest = Math.max(...kept.map(({ generation }) => generation));
  const firstJournal = Math.min(...kept.map(({ journal }) => journal));
  const named = new Set(
    kept.flatMap(({ regions }) => Object.values(regions).map(({ file }) => file)),
  );
  for (const { generation } of kept) named.add(generationPath(generation));
  const isOld = (number: number | undefined): boolean =>
    number !== undefined && number > unread && number <= newest;

  const doomed: string[] = [];
  for (const name of await namesIn(disk, folder)) if (isTemporary(name)) doomed.push(name);
  for (const kind of ['generation', 'region', 'journal'] as const) {
    const at =
      kind === 'generation'
        ? FOLDERS.generations
        : kind === 'region'
          ? FOLDERS.regions
          : FOLDERS.journal;
    for (const name of await namesIn(disk, join(folder, at))) {
      const path = `${at}/${name}`;
      const number = generationOf[kind](name);
      const isDoomed =
        isTemporary(name) ||
        (kind === 'journal'
          ? isOld(number) && (number as number) < firstJournal
          : isOld(number) && !named.has(path));
      if (isDoomed && path !== journalPath(newest)) doomed.push(path);
    }
  }
  for (const path of doomed) await removeAnyway(disk, join(folder, path));
}
