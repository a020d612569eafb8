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

/** Files that are deleted at once: few, so that the journal need not wait for them. */
const MOST_AT_ONCE = 4;

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

  await removeAll(disk, folder, (await namesIn(disk, folder)).filter(isTemporary));
  // Generations first, so that none is left that names what is gone.
  for (const kind of ['generation', 'region', 'journal'] as const) {
    const at =
      kind === 'generation'
        ? FOLDERS.generations
        : kind === 'region'
          ? FOLDERS.regions
          : FOLDERS.journal;
    const doomed = (await namesIn(disk, join(folder, at))).filter((name) => {
      const path = `${at}/${name}`;
      const number = generationOf[kind](name);
      const isDoomed =
        isTemporary(name) ||
        (kind === 'journal'
          ? isOld(number) && (number as number) < firstJournal
          : isOld(number) && !named.has(path));
      return isDoomed && path !== journalPath(newest);
    });
    await removeAll(disk, join(folder, at), doomed);
  }
}

async function removeAll(disk: Disk, folder: string, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += MOST_AT_ONCE) {
    const some = names.slice(at, at + MOST_AT_ONCE);
    await Promise.all(some.map((name) => removeAnyway(disk, join(folder, name))));
  }
}
