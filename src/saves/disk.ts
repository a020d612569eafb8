/**
 * The port to files: all that saves ask of a disk, and nothing else of Node's file system is used
 * here. A test puts a disk in its place that fails, tears or forgets any call. What was written is
 * safe from a loss of power after `sync` of the file and, for its name, `syncFolder` of its folder.
 */
export interface Disk {
  /** The whole file. Rejects with Node's error (`ENOENT`, …) if it cannot be read. */
  read(path: string): Promise<Uint8Array>;
  /** The names in a folder, in no order; rejects with `ENOENT` if there is none. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes a folder and those it lies in, unless they are there. */
  makeFolder(path: string): Promise<void>;
  /** A new file, to be written from its beginning. Rejects with `EEXIST` if there is one. */
  create(path: string): Promise<DiskFile>;
  /** Gives a file another name, in place of whatever had it. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

/** An open file, written from its beginning to its end. */
export interface DiskFile {
  /** Writes all of it behind what was written so far. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes what was written durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
