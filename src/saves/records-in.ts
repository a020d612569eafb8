/**
 * The records of a generation, sorted into those that the world takes, brought up to their kinds where
 * these have changed, and those that are kept outside it as they were found.
 */
import type { InstantState } from '../core/agenda.ts';
import type { Kind } from '../core/kind.ts';
import type { RecordValue } from '../core/record.ts';
import { Revival, type SavedRecord } from '../core/saved-world.ts';
import { Sharing } from '../core/sharing.ts';
import { hashOf } from '../core/state-hash.ts';
import { broughtUp, refusalOf } from './bring-up.ts';
import type { ImportEntry } from './import-report.ts';
import { entryOf, entryThen } from './kind-entries.ts';
import type { Manifest } from './manifest.ts';
import { type RecordJson, recordFromJson, type VersionedRecord } from './record-json.ts';
import { jsonOf, type KeptRecord, keptRecord, type RegionRecords } from './region-file.ts';

export interface RecordsIn {
  readonly records: readonly SavedRecord[];
  readonly kept: readonly KeptRecord[];
  readonly entries: readonly ImportEntry[];
  /** Regions that hold records which are not saved as they are any more. */
  readonly dirty: ReadonlySet<string>;
  /** Kinds that are other than they were. */
  readonly isChanged: boolean;
  /** The state hash of what was in the world when it was saved. Costly where kinds have changed. */
  stateHash(): string;
}

/** Counts of records by what became of them, so that each is told once a kind. */
class Tally {
  private readonly counts = new Map<
    string,
    { count: number; readonly entry: (n: number) => ImportEntry }
  >();

  add(key: string, entry: (n: number) => ImportEntry): void {
    const known = this.counts.get(key);
    if (known === undefined) this.counts.set(key, { count: 1, entry });
    else known.count += 1;
  }

  entries(): ImportEntry[] {
    return [...this.counts.values()].map(({ count, entry }) => entry(count));
  }
}

export function recordsIn(
  manifest: Manifest,
  regions: ReadonlyMap<string, RegionRecords>,
  kinds: readonly Kind[],
  instant: InstantState | undefined,
): RecordsIn {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const changed = changedKinds(manifest, byName);
  const records: SavedRecord[] = [];
  const kept: KeptRecord[] = [];
  const tally = new Tally();
  const notes: ImportEntry[] = [];
  const dirty = new Set<string>();
  const found: VersionedRecord[] = [];
  const ids = new Set<string>();

  const keep = (record: KeptRecord, region: string, isNew: boolean): void => {
    kept.push(record);
    if (isNew) dirty.add(region);
  };

  const take = (json: RecordJson, region: string, text: KeptRecord | undefined): void => {
    const saved = recordFromJson(json);
    if (text === undefined) found.push(saved);
    const kind = byName.get(saved.kind);
    const asKept = (): void => keep(text ?? keptRecord(json), region, text === undefined);
    if (kind === undefined) {
      tally.add(`unknown ${saved.kind}`, (n) => unknownKind(saved.kind, n));
      asKept();
    } else if (saved.version > kind.version) {
      tally.add(`new ${saved.kind} ${saved.version}`, (n) => tooNew(kind, saved.version, n));
      asKept();
    } else if (ids.has(saved.id)) {
      notes.push(duplicate(saved.id));
      asKept();
    } else {
      const isAsItWas =
        text === undefined && saved.version === kind.version && !changed.has(kind.name);
      if (isAsItWas) records.push(saved);
      else {
        try {
          const then = entryThen(manifest.kinds, saved.kind, saved.version)?.delays;
          const note = (message: string): void => {
            notes.push({ type: 'MigrateNote', id: saved.id, message: `${saved.id}: ${message}` });
          };
          const up = broughtUp(saved, kind, then, manifest.time, note);
          if (saved.version < kind.version) {
            const { version } = saved;
            tally.add(`migrated ${kind.name} ${version}`, (n) => migrated(kind, version, n));
          }
          if (up.fault !== null && saved.fault === null)
            notes.push({
              type: 'Faulted',
              id: up.id,
              code: up.fault.code,
              message: up.fault.message,
            });
          records.push(up);
          dirty.add(region);
        } catch (error) {
          notes.push(notBroughtUp(saved, error));
          asKept();
          return;
        }
      }
      ids.add(saved.id);
    }
  };

  // What is in the world goes before what was kept outside it, should two have one id.
  for (const [region, { records: all }] of regions) {
    for (const json of all) take(json, region, undefined);
  }
  for (const [region, { kept: all }] of regions) {
    for (const record of all) take(jsonOf(record), region, record);
  }
  return {
    records,
    kept,
    entries: [...changed.values(), ...tally.entries(), ...notes],
    dirty,
    isChanged: dirty.size > 0 || changed.size > 0,
    stateHash: () => hashOfSaved(found, manifest, instant),
  };
}

/** The hash that the records had, whatever has become of their kinds. */
function hashOfSaved(
  records: readonly VersionedRecord[],
  { time }: Manifest,
  instant: InstantState | undefined,
): string {
  const revivals = new Map<string, Revival>();
  const values: RecordValue[] = [];
  for (const record of records) {
    const key = `${record.kind} ${record.version}`;
    let revival = revivals.get(key);
    if (revival === undefined) {
      revival = new Revival(new Sharing(kindThatWas(record)));
      revivals.set(key, revival);
    }
    values.push(revival.valueOf(record));
  }
  return hashOf(values, time, instant);
}

/** A kind of which nothing is known but its name and version. */
function kindThatWas({ kind: name, version }: VersionedRecord): Kind {
  const refuse = (): never => {
    throw new TypeError(`The kind '${name}' of version ${version} is only here to be hashed.`);
  };
  return {
    name,
    version,
    logic: { initial: refuse, step: refuse, can: refuse, heedsWake: () => false, set: refuse },
    machine: undefined,
    links: {},
    relevancy: 'spatial',
    serverOnly: [],
    commands: {},
    urgent: false,
    order: 0,
    step: 'events',
    predict: [],
    advance: undefined,
    exact: false,
    shiftTimes: undefined,
    migrate: undefined,
    describe: undefined,
  };
}

/** Kinds that were changed and have the version they had, with what to say of each. */
function changedKinds(
  { kinds }: Manifest,
  byName: ReadonlyMap<string, Kind>,
): ReadonlyMap<string, ImportEntry> {
  const changed = new Map<string, ImportEntry>();
  for (const [name, then] of Object.entries(kinds)) {
    const kind = byName.get(name);
    if (kind === undefined || kind.version !== then.version) continue;
    if (entryOf(kind).fingerprint === then.fingerprint) continue;
    changed.set(name, {
      type: 'ChangedKind',
      kind: name,
      message: `Kind '${name}' was changed since the world was saved, and is still version ${kind.version}. Its records go on with it as it is now; give it a higher version and a \`migrate\` if they have to be changed with it.`,
    });
  }
  return changed;
}

function unknownKind(kind: string, records: number): ImportEntry {
  return {
    type: 'UnknownKind',
    kind,
    records,
    message: `There is no kind '${kind}' any more. Its ${records} records are kept as they were, outside the world, and come back when the kind does.`,
  };
}

function tooNew(kind: Kind, version: number, records: number): ImportEntry {
  return {
    type: 'TooNew',
    kind: kind.name,
    version,
    records,
    message: `${records} records of kind '${kind.name}' were saved by its version ${version}, and it is version ${kind.version} here. They are kept as they were, outside the world, and come back when the kind has that version.`,
  };
}

function migrated(kind: Kind, fromVersion: number, records: number): ImportEntry {
  const how =
    kind.migrate === undefined ? 'taken as they were, since it has no `migrate`,' : 'brought up';
  return {
    type: 'Migrated',
    kind: kind.name,
    fromVersion,
    records,
    message: `${records} records of kind '${kind.name}' were ${how} from version ${fromVersion} to ${kind.version}.`,
  };
}

function duplicate(id: string): ImportEntry {
  return {
    type: 'DuplicateId',
    id,
    message: `A record ${id} that had been kept outside the world is not taken in, since another has its id. It is kept as it was; remove the other to get it back.`,
  };
}

function notBroughtUp(saved: VersionedRecord, error: unknown): ImportEntry {
  const { code, message } = refusalOf(error);
  return {
    type: 'NotBroughtUp',
    id: saved.id,
    code,
    message: `${saved.id} (${saved.kind}) is kept as it was, outside the world: ${message}`,
  };
}
