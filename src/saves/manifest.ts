/**
 * `world.json`: all of a world but its records and the commands since. Replacing it commits a
 * generation. It is a lowdb document behind an adapter of ours, which leaves the old bytes or the new,
 * and never some of each.
 */
import { type Adapter, Low } from 'lowdb';
import type { InstantState } from '../core/agenda.ts';
import { SaveError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import type { RememberedSessionsJson } from '../protocol/remembered-sessions.ts';
import type { Disk } from './disk.ts';
import type { Encoded } from './encoding.ts';
import { diskError, hashOfBytes, readIfThere, writeDurably } from './files.ts';
import type { RegionEntry } from './region-file.ts';

export const FORMAT = 1;

/** What a kind was when records of it were saved. */
export interface KindEntry {
  readonly version: number;
  /** Differs where the kind may act otherwise: see `printOf`. */
  readonly fingerprint: string;
  /** The keys of `after`, in their order, of each state node that has any. */
  readonly delays: Readonly<Record<string, readonly string[]>>;
  /** The same of a newer version, of which records are kept. */
  readonly newer?: Omit<KindEntry, 'newer'>;
}

/** What the world is catching up with, if it had not finished: game times in milliseconds. */
export interface Offline {
  /** Where the clock stood, and will stand again. */
  readonly began: number;
  readonly until: number;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly world: string;
  readonly seed: string;
  readonly generation: number;
  /** Set until the first generation of a new world is saved: there is nothing yet that could be lost. */
  readonly isUnborn?: true;
  /** Game time in milliseconds. */
  readonly time: number;
  /** Set if it was saved in the middle of an instant. */
  readonly instant?: Encoded<InstantState>;
  readonly clock: { readonly time: number; readonly speed: number; readonly paused: boolean };
  /** Commands the world has had. */
  readonly commands: number;
  readonly offline?: Offline;
  /** Real milliseconds since 1970. */
  readonly savedAt: number;
  readonly kinds: Readonly<Record<string, KindEntry>>;
  readonly regions: Readonly<Record<string, RegionEntry>>;
  readonly sessions: RememberedSessionsJson;
  /** The first journal of what came after. */
  readonly journal: number;
  /** The state hash of the world, without what is kept outside it. */
  readonly stateHash: string;
  readonly settings: Encoded<Settings>;
}

/** Something that is not as it was written. */
export class Damage extends SaveError {
  readonly path: string;
  readonly bytes: Uint8Array | undefined;

  constructor(path: string, why: string, bytes?: Uint8Array) {
    super('DAMAGED', `${path} ${why}.`);
    this.path = path;
    this.bytes = bytes;
  }
}

/** Writes a JSON document with its checksum as one durable act. */
class DurableJson implements Adapter<Manifest> {
  private readonly disk: Disk;
  private readonly path: string;
  private readonly ready: (() => Promise<void>) | undefined;

  constructor(disk: Disk, path: string, ready?: () => Promise<void>) {
    this.disk = disk;
    this.path = path;
    this.ready = ready;
  }

  /** Throws `Damage` for what has not the checksum it had. */
  async read(): Promise<Manifest | null> {
    const bytes = await readIfThere(this.disk, this.path);
    return bytes === undefined ? null : manifestOf(bytes, this.path);
  }

  async write(manifest: Manifest): Promise<void> {
    await writeDurably(this.disk, this.path, Buffer.from(textOf(manifest)), this.ready);
  }
}

/** Replaces a manifest, once `ready`, which is asked last, resolves. */
export async function writeManifest(
  disk: Disk,
  path: string,
  manifest: Manifest,
  ready?: () => Promise<void>,
): Promise<void> {
  await new Low<Manifest>(new DurableJson(disk, path, ready), manifest).write();
}

/** A manifest; null if there is none. Throws `Damage`, or `SaveError` `BAD_FORMAT`. */
export async function readManifest(disk: Disk, path: string): Promise<Manifest | null> {
  const low = new Low<Manifest | null>(
    new DurableJson(disk, path) as Adapter<Manifest | null>,
    null,
  );
  try {
    await low.read();
  } catch (error) {
    throw diskError(error, `${path} cannot be read`);
  }
  return low.data;
}

/** One line for each part, so that a person can look into it. */
function textOf(manifest: Manifest): string {
  const lines = Object.entries({ ...manifest, checksum: checksumOf(manifest) })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Of what it says, not of how that is laid out. */
function checksumOf(manifest: object): string {
  return hashOfBytes(Buffer.from(JSON.stringify(manifest)));
}

function manifestOf(bytes: Uint8Array, path: string): Manifest {
  if (bytes.length === 0) throw new Damage(path, 'is empty', bytes);
  let found: { readonly checksum?: unknown; readonly format?: unknown };
  try {
    found = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new Damage(path, 'is no JSON', bytes);
  }
  if (typeof found !== 'object' || found === null) throw new Damage(path, 'is no manifest', bytes);
  const { checksum, ...manifest } = found;
  if (checksum !== checksumOf(manifest))
    throw new Damage(path, 'does not have the checksum that it had when it was written', bytes);
  if (manifest.format !== FORMAT) {
    throw new SaveError(
      'BAD_FORMAT',
      `${path} has format ${String(manifest.format)}, and this version of Offstage reads ${FORMAT}; use the version that wrote it, or a later one.`,
    );
  }
  return manifest as unknown as Manifest;
}
