/** What a manifest says of kinds, and what it means that a kind is another than it was. */
import type { Kind } from '../core/kind.ts';
import { delaysOf, printOf } from '../machine/continuity.ts';
import { hashOfBytes } from './files.ts';
import type { KindEntry, Manifest } from './manifest.ts';
import type { KeptRecord } from './region-file.ts';

const known = new WeakMap<Kind, KindEntry>();

/** What a kind is now. */
export function entryOf(kind: Kind): KindEntry {
  let entry = known.get(kind);
  if (entry === undefined) {
    entry = {
      version: kind.version,
      fingerprint: hashOfBytes(Buffer.from(printOf(kind))).slice(0, 16),
      delays: delaysOf(kind),
    };
    known.set(kind, entry);
  }
  return entry;
}

/**
 * The entries to save: those of the kinds there are, and those of kinds and newer versions of which
 * records are kept, so that these can be brought up when their kind is back.
 */
export function entriesToSave(
  kinds: Iterable<Kind>,
  kept: Iterable<KeptRecord>,
  before: Manifest['kinds'],
): Record<string, KindEntry> {
  const entries: Record<string, KindEntry> = {};
  for (const kind of kinds) entries[kind.name] = entryOf(kind);
  for (const { kind, version } of kept) {
    const old = Object.hasOwn(before, kind) ? before[kind] : undefined;
    if (old === undefined) continue;
    const entry = Object.hasOwn(entries, kind) ? entries[kind] : undefined;
    if (entry === undefined) entries[kind] = old;
    else if (version > entry.version && entry.newer === undefined) {
      const { newer = old, ...same } = old;
      entries[kind] = { ...entry, newer: newer === old ? same : newer };
    }
  }
  return entries;
}

/** What the kind of a record was when the record was saved; undefined if that is not known. */
export function entryThen(
  entries: Manifest['kinds'],
  kind: string,
  version: number,
): Omit<KindEntry, 'newer'> | undefined {
  const entry = Object.hasOwn(entries, kind) ? entries[kind] : undefined;
  if (entry === undefined || entry.version === version) return entry;
  return entry.newer?.version === version ? entry.newer : undefined;
}
