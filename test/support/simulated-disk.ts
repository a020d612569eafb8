/**
 * A disk in memory that forgets what it may: when the power fails, of what was not synced each sector
 * and each name is there or not, as chance has it. Calls made at the same time may happen in any order.
 * Any call can be made to fail, or to be the last.
 */
import { dirname } from 'node:path';
import type { Disk, DiskFile } from 'offstage/saves';

const SECTOR = 512;
/** Turns of the thread that a call takes at most, and that one takes which is still under way after many others. */
const LONGEST_CALL = 4;
const LAGGARD = 2000;

/** Bytes under any number of names. */
interface Inode {
  /** As a program reads them. */
  bytes: Buffer;
  /** As they are after a loss of power, whatever else is. */
  synced: Buffer;
}

type NameChange =
  | { readonly type: 'set'; readonly path: string; readonly inode: Inode }
  | { readonly type: 'rename'; readonly from: string; readonly to: string; readonly inode: Inode }
  | { readonly type: 'remove'; readonly path: string };

export type DiskCall =
  | 'read'
  | 'list'
  | 'makeFolder'
  | 'create'
  | 'write'
  | 'sync'
  | 'close'
  | 'rename'
  | 'remove'
  | 'syncFolder';

/** What can be asked of chance: a number at least 0 and below 1. */
export type Chance = () => number;

export class SimulatedDisk implements Disk {
  /** Calls so far that change something. */
  calls = 0;
  /** The call that is the last: it happens in part or not at all, and nothing after it is answered. */
  lastCall = Number.POSITIVE_INFINITY;
  /** Gives the code that a call fails with; a write that fails leaves half of its bytes. */
  fault: ((call: DiskCall, path: string) => string | undefined) | undefined;
  /** How long calls take; without it all take the same, and happen in the order in which they were made. */
  pace: Chance | undefined;
  /** The call, of those that change something, that takes longer than many others in a row. */
  laggard = Number.POSITIVE_INFINITY;
  /** Resolves when the power has failed. */
  readonly died: Promise<void>;
  private begun = 0;
  private isDead = false;
  private die: () => void = () => undefined;
  private names = new Map<string, Inode>();
  private syncedNames = new Map<string, Inode>();
  /** Changes of names since the folder was synced, by folder. */
  private readonly changes = new Map<string, NameChange[]>();
  private readonly folders = new Set<string>();

  constructor() {
    this.died = new Promise((resolve) => {
      this.die = resolve;
    });
  }

  async read(path: string): Promise<Uint8Array> {
    await this.asked('read', path);
    return Buffer.from(this.inode(path).bytes);
  }

  async list(folder: string): Promise<readonly string[]> {
    await this.asked('list', folder);
    if (!this.folders.has(folder)) throw failure('ENOENT', folder);
    return [...this.names.keys()]
      .filter((path) => dirname(path) === folder)
      .map((path) => path.slice(folder.length + 1));
  }

  /** Folders are there for good; a world makes them once, before anything of it counts. */
  async makeFolder(path: string): Promise<void> {
    await this.changed('makeFolder', path);
    for (let at = path; at !== dirname(at); at = dirname(at)) this.folders.add(at);
  }

  async create(path: string): Promise<DiskFile> {
    await this.changed('create', path);
    if (this.names.has(path)) throw failure('EEXIST', path);
    if (!this.folders.has(dirname(path))) throw failure('ENOENT', path);
    const inode: Inode = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.names.set(path, inode);
    this.note(path, { type: 'set', path, inode });
    return {
      write: async (bytes) => {
        const isWhole = await this.changed('write', path).then(
          () => true,
          (error: unknown) => {
            inode.bytes = Buffer.concat([inode.bytes, bytes.subarray(0, bytes.length >> 1)]);
            throw error;
          },
        );
        if (isWhole) inode.bytes = Buffer.concat([inode.bytes, bytes]);
      },
      sync: async () => {
        // What is written meanwhile is not promised.
        const { bytes } = inode;
        await this.changed('sync', path);
        if (bytes.length > inode.synced.length) inode.synced = bytes;
      },
      close: () => this.asked('close', path),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.changed('rename', to);
    const inode = this.inode(from);
    this.names.delete(from);
    this.names.set(to, inode);
    this.note(to, { type: 'rename', from, to, inode });
  }

  async remove(path: string): Promise<void> {
    await this.changed('remove', path);
    this.inode(path);
    this.names.delete(path);
    this.note(path, { type: 'remove', path });
  }

  async syncFolder(path: string): Promise<void> {
    // Nor are names that change meanwhile.
    const due = new Set(this.changes.get(path));
    await this.changed('syncFolder', path);
    const changes = this.changes.get(path) ?? [];
    for (const change of changes) if (due.has(change)) apply(this.syncedNames, change);
    this.changes.set(
      path,
      changes.filter((change) => !due.has(change)),
    );
  }

  // For tests

  /** The disk as it may be when the power is back. */
  afterPowerLoss(chance: Chance): SimulatedDisk {
    this.end();
    const names = new Map(this.syncedNames);
    // At times nearly all of it was written, at times nearly nothing.
    const share = [0, 0.1, 0.5, 0.9, 1][Math.floor(chance() * 5)] ?? 1;
    for (const changes of this.changes.values()) {
      for (const change of changes) if (chance() < share) apply(names, change);
    }
    return this.successor(names, (inode) => tornBytes(inode, chance, share));
  }

  /** The disk as another process finds it after this one was killed. */
  afterKill(): SimulatedDisk {
    this.end();
    return this.successor(this.names, ({ bytes }) => bytes);
  }

  /** All files with their bytes. */
  files(): ReadonlyMap<string, Buffer> {
    return new Map([...this.names].map(([path, { bytes }]) => [path, bytes]));
  }

  /** Puts bytes there, as somebody else would. */
  put(path: string, bytes: Uint8Array): void {
    const inode = { bytes: Buffer.from(bytes), synced: Buffer.from(bytes) };
    this.names.set(path, inode);
    this.syncedNames.set(path, inode);
  }

  delete(path: string): void {
    this.names.delete(path);
    this.syncedNames.delete(path);
  }

  private successor(names: ReadonlyMap<string, Inode>, bytesOf: (inode: Inode) => Buffer) {
    const next = new SimulatedDisk();
    for (const folder of this.folders) next.folders.add(folder);
    for (const [path, inode] of names) next.put(path, bytesOf(inode));
    return next;
  }

  private end(): void {
    this.isDead = true;
    this.die();
  }

  /** A call that changes nothing. */
  private async asked(call: DiskCall, path: string): Promise<void> {
    // As with a real disk, nothing is answered within the call.
    await turns(this.pace === undefined ? 1 : 1 + Math.floor(this.pace() * LONGEST_CALL));
    if (this.isDead) await new Promise<never>(() => undefined);
    const code = this.fault?.(call, path);
    if (code !== undefined) throw failure(code, path);
  }

  private async changed(call: DiskCall, path: string): Promise<void> {
    this.begun += 1;
    if (this.begun === this.laggard) await turns(LAGGARD);
    await this.asked(call, path);
    this.calls += 1;
    if (this.calls <= this.lastCall) return;
    this.end();
    await new Promise<never>(() => undefined);
  }

  private inode(path: string): Inode {
    const inode = this.names.get(path);
    if (inode === undefined) throw failure('ENOENT', path);
    return inode;
  }

  private note(path: string, change: NameChange): void {
    const folder = dirname(path);
    const changes = this.changes.get(folder);
    if (changes === undefined) this.changes.set(folder, [change]);
    else changes.push(change);
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

function apply(names: Map<string, Inode>, change: NameChange): void {
  if (change.type === 'remove') names.delete(change.path);
  else if (change.type === 'set') names.set(change.path, change.inode);
  else {
    names.delete(change.from);
    names.set(change.to, change.inode);
  }
}

/** What was synced, and of the rest each sector that chance wrote in time; the file may be longer than that. */
function tornBytes({ bytes, synced }: Inode, chance: Chance, share: number): Buffer {
  const torn = Buffer.alloc(bytes.length);
  synced.copy(torn);
  let length = synced.length;
  for (let at = synced.length; at < bytes.length; ) {
    const end = Math.min(bytes.length, (Math.floor(at / SECTOR) + 1) * SECTOR);
    if (chance() < share) {
      bytes.copy(torn, at, at, end);
      length = end;
    }
    at = end;
  }
  // The length may be known although the bytes are not: they then read as zeros.
  if (chance() < 0.3) length = bytes.length;
  return torn.subarray(0, length);
}

function failure(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code, path });
}
