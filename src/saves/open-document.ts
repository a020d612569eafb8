/**
 * An open world document. It puts each command into the journal as it is carried out, saves generations
 * beside the running world, and keeps the two together: what a generation holds need not be in a journal,
 * and what no generation holds yet is. When the journal fails, the world stands still until a generation
 * holds all that the journal lost.
 */
import type { CommandReport } from '../core/commands.ts';
import { type SaveError, WorldError } from '../core/errors.ts';
import { Listening } from '../core/listening.ts';
import type { WorldSnapshot } from '../core/snapshot.ts';
import type { World } from '../core/world.ts';
import type { RememberedSessions } from '../protocol/remembered-sessions.ts';
import type { Disk } from './disk.ts';
import type {
  DocumentEvents,
  DocumentHealth,
  SaveReport,
  Trouble,
  WorldDocument,
} from './document.ts';
import { encoded } from './encoding.ts';
import { diskError } from './files.ts';
import { type GenerationJob, writeGeneration } from './generation.ts';
import type { ImportReport } from './import-report.ts';
import { Journal } from './journal.ts';
import { commandLine, markLine } from './journal-file.ts';
import { entriesToSave } from './kind-entries.ts';
import { offlineAfter } from './load.ts';
import type { Lock } from './lock.ts';
import { FORMAT, type Manifest, type Offline } from './manifest.ts';
import type { RealTime } from './real-time.ts';
import { type KeptRecord, keptByRegion } from './region-file.ts';
import { RegionIndex } from './region-index.ts';
import { deleteUnnamed, GENERATIONS_KEPT } from './retention.ts';
import { Slices } from './slices.ts';
import { StateHashes } from './state-hashes.ts';

export interface DocumentParts {
  readonly disk: Disk;
  readonly time: RealTime;
  readonly folder: string;
  readonly name: string;
  readonly lock: Lock;
  readonly world: World;
  readonly sessions: RememberedSessions;
  readonly report: ImportReport;
  /** The generation it was loaded from, with the world as that has it. */
  readonly base: { readonly manifest: Manifest; readonly snapshot: WorldSnapshot } | undefined;
  /** Generations there are, the newest first. */
  readonly generations: readonly Manifest[];
  /** The highest number of any file, and of a generation that could not be read. */
  readonly highest: number;
  readonly unread: number;
  readonly kept: readonly KeptRecord[];
  readonly dirty: ReadonlySet<string>;
  readonly offline: Offline | undefined;
  readonly autosave: boolean;
  /** The region size that the base was saved with. */
  readonly baseRegionSize: number;
}

/** Real milliseconds between marks. */
const MARK_EVERY = 1000;
/** One mark in so many carries the state hash. */
const HASH_EVERY = 60;
/** Real milliseconds before what failed is tried again; twice as long each time. */
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 60_000;

export class OpenDocument implements WorldDocument {
  readonly folder: string;
  readonly name: string;
  readonly world: World;
  readonly report: ImportReport;
  readonly sessions: RememberedSessions;
  /** What the world is catching up with. */
  offline: Offline | undefined;

  private readonly parts: DocumentParts;
  private readonly journal: Journal;
  private readonly hashes = new StateHashes();
  private readonly listening = new Listening<DocumentEvents>(() => undefined);
  // Kept from save to save: of a class without objects V8 drops what it had compiled for them.
  private readonly slices: Slices;
  private readonly hashSlices: Slices;
  private readonly stops: (() => void)[] = [];
  private readonly index: RegionIndex;
  private regions: Manifest['regions'];
  private generations: readonly Manifest[];
  private kinds: Manifest['kinds'];
  private number: number;
  private saving: Promise<SaveReport> | undefined;
  /** Whether the save under way has its snapshot. */
  private isTaken = false;
  private next: Promise<SaveReport> | undefined;
  private trouble: Trouble | null = null;
  private isHeld = false;
  private isClosed = false;
  private failures = 0;
  private marks = 0;
  private savedCommands = -1;
  private savedTime = Number.NaN;
  /** The game time that the journal says the world has reached. */
  private reached: number;

  constructor(parts: DocumentParts) {
    const { folder, name, world, report, sessions, base, disk } = parts;
    this.parts = parts;
    this.folder = folder;
    this.name = name;
    this.world = world;
    this.report = report;
    this.sessions = sessions;
    this.offline = parts.offline;
    this.slices = new Slices(parts.time);
    this.hashSlices = new Slices(parts.time);
    this.index = new RegionIndex(base?.snapshot, parts.baseRegionSize, parts.dirty);
    this.generations = parts.generations.slice(0, GENERATIONS_KEPT);
    this.kinds = base?.manifest.kinds ?? {};
    this.regions = base?.manifest.regions ?? {};
    this.number = parts.highest + 1;
    this.reached = reachedBy(world.snapshot());
    this.journal = new Journal({
      disk,
      folder,
      failed: (error) => this.journalFailed(error),
      threw: surface,
    });
    this.journal.begin(this.header(this.number));
    this.stops.push(
      world.on('command', (command) => this.write(command)),
      // A journal never crosses a change of kinds. A failure is told by the save itself.
      world.on('reload', () => void this.save().catch(() => undefined)),
    );
    this.repeat(
      () => MARK_EVERY,
      () => this.mark(),
    );
    if (parts.autosave) {
      this.repeat(
        () => world.settings.autosaveSeconds * 1000,
        () => this.autosave(),
      );
    }
  }

  get generation(): number {
    return this.generations[0]?.generation ?? 0;
  }

  get health(): DocumentHealth {
    return {
      state: this.isClosed
        ? 'closed'
        : this.isHeld
          ? 'held'
          : this.trouble !== null
            ? 'save-failed'
            : 'well',
      trouble: this.trouble,
      generation: this.generation,
      savedAt: this.generations[0]?.savedAt ?? 0,
      isSaving: this.saving !== undefined,
      waiting: this.journal.pending,
    };
  }

  on<E extends keyof DocumentEvents & string>(
    event: E,
    listener: (value: DocumentEvents[E]) => void,
  ): () => void {
    return this.listening.on(event, listener);
  }

  // The journal

  mark(): void {
    const { world } = this;
    if (this.isClosed || this.isHeld || world.time === this.reached) return;
    this.reached = world.time;
    const { commandCount: n, time } = world;
    this.journal.append(markLine({ n, time, mark: this.parts.time.now() }));
    this.marks += 1;
    if (this.marks % HASH_EVERY === 0) this.markHash().catch(surface);
  }

  whenDurable(run: () => void): void {
    this.mark();
    this.journal.whenDurable(run);
  }

  /** Puts down the state hash of now, once it is worked out. */
  private async markHash(): Promise<void> {
    const { world } = this;
    const snapshot = world.snapshot();
    const { commandCount: n, nextEventAt = Number.POSITIVE_INFINITY } = world;
    // A save works it out too, and a time has one hash only if nothing is due at it.
    if (this.saving !== undefined || nextEventAt <= snapshot.time) return;
    const mark = this.parts.time.now();
    const hash = await this.hashes.of(snapshot, new Slices(this.parts.time));
    if (this.isClosed) return;
    this.journal.append(markLine({ n, time: snapshot.time, mark, hash }));
  }

  private write(report: CommandReport): void {
    const { command, result, time } = report;
    this.offline = offlineAfter(this.offline, time, command, result.accepted);
    this.journal.append(commandLine(report, this.parts.time.now()));
    this.reached = this.world.time;
  }

  private header(journal: number) {
    const { commandCount: after, time } = this.world;
    return { journal, world: this.name, after, time };
  }

  private journalFailed(error: unknown): void {
    if (this.isClosed) return;
    const said = diskError(error, `The journal of ${this.folder} cannot be written`);
    this.isHeld = true;
    this.world.hold(
      new WorldError(
        'E_JOURNAL',
        `The world stands still, since its journal cannot be written: ${said.message} It goes on by itself when the world can be saved again.`,
      ),
    );
    this.failed(said);
    // At once: another file may be writable where this one was not.
    this.retry(this.failures <= 1 ? 0 : this.delay());
  }

  // Saving

  save(): Promise<SaveReport> {
    if (this.isClosed) return Promise.reject(closedError(this.folder));
    if (this.saving === undefined) return this.begin();
    if (!this.isTaken) return this.saving;
    // The one under way began before what the caller wants saved.
    this.next ??= this.saving
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.begin();
      });
    return this.next;
  }

  private begin(): Promise<SaveReport> {
    this.isTaken = false;
    const saving = this.saveNow().finally(() => {
      this.saving = undefined;
    });
    this.saving = saving;
    return saving;
  }

  private async saveNow(): Promise<SaveReport> {
    const { time, disk, folder, lock } = this.parts;
    const begunAt = time.stopwatch();
    const { slices, hashSlices, hashes, index } = this;
    const checkLock = () => lock.check();
    const parts = { disk, folder, slices, hashSlices, hashes, index, checkLock };
    try {
      // Before a journal is begun, too: it would lie in the way of whoever has the world now.
      await checkLock();
      slices.begin();
      hashSlices.begin();
      this.isTaken = true;
      const { job, lines, isSettled } = this.job();
      const { manifest, ...written } = await writeGeneration(parts, job);
      this.committed(manifest, isSettled);
      this.journal.kept(lines);
      // What cannot be deleted now is deleted after a later save.
      await deleteUnnamed(disk, folder, this.generations, this.parts.unread).catch(() => undefined);
      slices.end();
      const report: SaveReport = {
        generation: manifest.generation,
        records: job.snapshot.size,
        ...written,
        took: time.stopwatch() - begunAt,
        longestPause: Math.max(slices.longest, hashSlices.longest),
      };
      await this.recover();
      this.tell('saved', report);
      return report;
    } catch (error) {
      const said = diskError(error, `The world in ${folder} cannot be saved`);
      this.failed(said);
      if (said.code !== 'LOCK_LOST') this.retry(this.delay());
      throw said;
    }
  }

  /** All that a generation is made of, taken in one moment, and the lines that came before it. */
  private job(): {
    readonly job: GenerationJob;
    readonly lines: number;
    /** Whether nothing is due at the time of it any more. */
    readonly isSettled: boolean;
  } {
    const { world, kinds, offline, parts } = this;
    const now = parts.time.now();
    this.number += 1;
    const generation = this.number;
    const snapshot = world.snapshot();
    const lines = this.journal.begin(this.header(generation));
    this.reached = reachedBy(snapshot);
    this.sessions.prune(now);
    const { time, speed, paused } = world.clock;
    const { regionSize } = world.settings;
    const { instant } = snapshot;
    this.savedCommands = world.commandCount;
    this.savedTime = world.time;
    return {
      lines,
      isSettled: (world.nextEventAt ?? Number.POSITIVE_INFINITY) > world.time,
      job: {
        snapshot,
        regionSize,
        base: this.regions,
        kept: keptByRegion(parts.kept, regionSize),
        head: {
          format: FORMAT,
          world: this.name,
          seed: world.seed,
          generation,
          time: snapshot.time,
          ...(instant === undefined ? {} : { instant: encoded(instant) }),
          clock: { time, speed, paused },
          commands: world.commandCount,
          ...(offline === undefined ? {} : { offline }),
          savedAt: now,
          kinds: entriesToSave(world.kinds.values(), parts.kept, kinds),
          sessions: this.sessions.toJSON(),
          journal: generation,
          settings: encoded(world.settings),
        },
      },
    };
  }

  private committed(manifest: Manifest, isSettled: boolean): void {
    this.index.committed();
    this.regions = manifest.regions;
    this.kinds = manifest.kinds;
    this.generations = [manifest, ...this.generations].slice(0, GENERATIONS_KEPT);
    const { time, commands: n, stateHash: hash, savedAt: mark } = manifest;
    if (isSettled) this.journal.append(markLine({ n, time, mark, hash }));
  }

  /** Goes on after a generation was saved, if a new journal can be written too. */
  private async recover(): Promise<void> {
    if (this.isHeld) {
      await this.journal.settled();
      if (this.journal.isFailed) return;
      this.isHeld = false;
      if (!this.isClosed) this.world.release();
    }
    this.failures = 0;
    const { trouble } = this;
    if (trouble === null) return;
    this.trouble = null;
    this.tell('recovered', { after: trouble });
  }

  private failed({ code, message }: SaveError): void {
    this.failures += 1;
    this.trouble = { code, message, since: this.trouble?.since ?? this.parts.time.now() };
    this.tell('trouble', this.trouble);
  }

  private tell<E extends keyof DocumentEvents & string>(event: E, value: DocumentEvents[E]): void {
    this.listening.emit(event, value);
    try {
      this.listening.rethrow();
    } catch (error) {
      surface(error);
    }
  }

  private delay(): number {
    return Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(this.failures - 1, 10));
  }

  private retry(after: number): void {
    if (this.isClosed) return;
    this.stops.push(
      this.parts.time.after(after, () => {
        // What fails again is told, and tried again, by the save itself.
        if (!this.isClosed && this.trouble !== null) this.save().catch(() => undefined);
      }),
    );
  }

  private autosave(): void {
    const { world } = this;
    const isSaved = this.savedCommands === world.commandCount && this.savedTime === world.time;
    if (isSaved || this.saving !== undefined || this.trouble !== null) return;
    // It is told by the save itself if it fails.
    this.save().catch(() => undefined);
  }

  /** Runs something again and again until the document is closed. */
  private repeat(every: () => number, run: () => void): void {
    let cancel = (): void => undefined;
    const again = (): void => {
      cancel = this.parts.time.after(every(), () => {
        again();
        run();
      });
    };
    again();
    this.stops.push(() => cancel());
  }

  // The end

  async close({ save = true }: { readonly save?: boolean } = {}): Promise<void> {
    if (this.isClosed) return;
    this.mark();
    let failure: { readonly error: unknown } | undefined;
    try {
      if (save) await this.save();
      else await this.saving?.catch(() => undefined);
    } catch (error) {
      failure = { error };
    }
    await this.journal.settled();
    this.isClosed = true;
    for (const stop of this.stops.splice(0)) stop();
    await this.journal.close();
    this.world.hold(closedError(this.folder));
    await this.parts.lock.release();
    if (failure !== undefined) throw failure.error;
  }
}

/** The game time that a snapshot is past; none if it is in the middle of an instant, which may yet be shown. */
function reachedBy({ time, instant }: WorldSnapshot): number {
  return instant === undefined ? time : Number.NaN;
}

function closedError(folder: string): WorldError {
  return new WorldError(
    'CLOSED',
    `The world in ${folder} was closed, so nothing that happens to it would be kept. Open it again.`,
  );
}

/** Lets an error of somebody who listened out where no call of theirs is there to take it. */
function surface(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
