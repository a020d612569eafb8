/**
 * The file of one region: its records, once plain ones in chunks of about a millisecond of
 * `JSON.stringify`, once those that JSON cannot hold as superjson, one by one, and once those that are
 * kept as they were found. The file is one JSON document, and is checked by the hash that the manifest
 * holds of its bytes.
 */
import { createHash } from 'node:crypto';
import { SaveError } from '../core/errors.ts';
import { squareOf } from '../core/place-index.ts';
import type { RecordValue } from '../core/record.ts';
import { fromRich, toRich } from '../protocol/rich.ts';
import type { Disk } from './disk.ts';
import { closeAnyway, syncAndClose } from './files.ts';
import { isPlainRecord, type RecordJson, recordToJson } from './record-json.ts';
import type { Slices } from './slices.ts';

const FORMAT = 1;

/** A record that is not in the world, as the text it was found as. */
export interface KeptRecord {
  readonly id: string;
  readonly kind: string;
  readonly version: number;
  readonly at: readonly number[];
  /** JSON: the record itself, or superjson of it. */
  readonly text: string;
}

/** What a region file holds. */
export interface RegionRecords {
  readonly records: readonly RecordJson[];
  readonly kept: readonly KeptRecord[];
}

/** What the manifest says of a region's file. */
export interface RegionEntry {
  /** Its path in the folder of the world. */
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  /** SHA-256 of its bytes, in hex. */
  readonly hash: string;
}

/** Records to a chunk when nothing is known yet of how long they take; then as many as take a millisecond. */
const FIRST_CHUNK = 32;
const LARGEST_CHUNK = 4096;

/** Bytes that are written at once. */
const BLOCK = 256 * 1024;

/** A region's file, which is still being written. What went wrong is told by `durable`. */
export interface RegionWriting {
  readonly entry: Omit<RegionEntry, 'file'>;
  /** Resolves once the file has its name and bytes. */
  readonly written: Promise<void>;
  /** Resolves once the bytes are durable; the name is when the folder is synced after `written`. */
  readonly durable: Promise<void>;
}

/** Makes the text of a region's file, and lets the disk have it meanwhile. */
export async function writeRegion(
  disk: Disk,
  path: string,
  region: string,
  records: readonly RecordValue[],
  kept: readonly KeptRecord[],
  slices: Slices,
): Promise<RegionWriting> {
  const file = disk.create(path);
  let written: Promise<void> = file.then(() => undefined);
  written.catch(() => undefined);
  const hash = createHash('sha256');
  let bytes = 0;
  let block: Buffer[] = [];
  let waiting = 0;
  const flush = (): void => {
    const [only] = block;
    const whole = block.length === 1 && only !== undefined ? only : Buffer.concat(block);
    block = [];
    waiting = 0;
    written = written.then(async () => (await file).write(whole));
    written.catch(() => undefined);
  };
  const durable = async (): Promise<void> => {
    const opened = await file;
    try {
      await written;
    } catch (error) {
      await closeAnyway(opened);
      throw error;
    }
    await syncAndClose(opened);
  };
  try {
    for (const text of texts(region, records, kept)) {
      const chunk = Buffer.from(text);
      hash.update(chunk);
      bytes += chunk.length;
      waiting += chunk.length;
      block.push(chunk);
      if (waiting >= BLOCK) {
        // The disk is no more than a block behind.
        const before = written;
        flush();
        await slices.waitFor(before);
      } else if (slices.isOver) await slices.rest();
    }
    if (waiting > 0) flush();
  } catch (error) {
    await durable().catch(() => undefined);
    throw error;
  }
  const entry = { records: records.length + kept.length, bytes, hash: hash.digest('hex') };
  return { entry, written, durable: durable() };
}

/** The text of the file, in pieces that take about as long as a slice. */
function* texts(
  region: string,
  records: readonly RecordValue[],
  kept: readonly KeptRecord[],
): IterableIterator<string> {
  yield `{"format":${FORMAT},"region":${JSON.stringify(region)},"records":[`;
  const rich: RecordJson[] = [];
  let size = FIRST_CHUNK;
  let isFirst = true;
  for (let at = 0; at < records.length; ) {
    const begun = performance.now();
    const plain: RecordJson[] = [];
    const end = Math.min(at + size, records.length);
    for (; at < end; at += 1) {
      const json = recordToJson(records[at] as RecordValue);
      if (isPlainRecord(json)) plain.push(json);
      else rich.push(json);
    }
    if (plain.length > 0) {
      yield `${isFirst ? '' : ','}\n${JSON.stringify(plain).slice(1, -1)}`;
      isFirst = false;
    }
    const took = performance.now() - begun;
    if (took < 0.5) size = Math.min(size * 2, LARGEST_CHUNK);
    else if (took > 1) size = Math.max(1, size >> 1);
  }
  yield '\n],"rich":[';
  for (const [i, json] of rich.entries()) {
    yield `${i === 0 ? '' : ','}\n${JSON.stringify(toRich(json))}`;
  }
  yield '\n],"kept":[';
  for (const [i, { text }] of kept.entries()) yield `${i === 0 ? '' : ','}\n${text}`;
  yield '\n]}\n';
}

/** The records of a file whose bytes have the hash they should have. Throws `SaveError` `BAD_FORMAT`. */
export function readRegion(bytes: Uint8Array, path: string): RegionRecords {
  const file = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly format: unknown;
    readonly records: readonly RecordJson[];
    readonly rich: readonly Parameters<typeof fromRich>[0][];
    readonly kept: readonly unknown[];
  };
  if (file.format !== FORMAT) {
    throw new SaveError(
      'BAD_FORMAT',
      `${path} has format ${String(file.format)}, and this version of Offstage reads ${FORMAT}; use the version that wrote it, or a later one.`,
    );
  }
  return {
    records: [...file.records, ...file.rich.map((rich) => fromRich(rich) as RecordJson)],
    kept: file.kept.map(keptOf),
  };
}

/** A record to be kept as it was found. */
function keptOf(found: unknown): KeptRecord {
  const { json } = found as { readonly json?: RecordJson };
  const { id, kind, v, at } = json ?? (found as RecordJson);
  return { id, kind, version: v, at, text: JSON.stringify(found) };
}

/** A record of a region file that is to be kept from now on. */
export function keptRecord(json: RecordJson): KeptRecord {
  return keptOf(isPlainRecord(json) ? json : toRich(json));
}

/** What a kept record holds. */
export function jsonOf({ text }: KeptRecord): RecordJson {
  const found = JSON.parse(text) as RecordJson | Parameters<typeof fromRich>[0];
  return 'json' in found ? (fromRich(found) as RecordJson) : found;
}

/** Kept records by the region they lie in. */
export function keptByRegion(
  kept: Iterable<KeptRecord>,
  regionSize: number,
): Map<string, KeptRecord[]> {
  const byRegion = new Map<string, KeptRecord[]>();
  for (const record of kept) {
    const region = squareOf(record.at, regionSize);
    const there = byRegion.get(region);
    if (there === undefined) byRegion.set(region, [record]);
    else there.push(record);
  }
  return byRegion;
}
