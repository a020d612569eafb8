/**
 * A world: records living on a game clock. It wires the store, the agenda, the scheduler and those
 * who listen, and is what everything outside the core calls. Everything that changes it from outside
 * is a command; everything else follows from commands and time.
 */
import type { Selection } from './address.ts';
import { Agenda } from './agenda.ts';
import type { NewRecord } from './ambient.ts';
import { type CommandParts, carryOut } from './carry-out.ts';
import { type Clock, ClockState, clockOf } from './clock.ts';
import {
  type Command,
  CommandQueue,
  type CommandSource,
  type Host,
  LOCAL_SOURCE,
  type SendResult,
  type StateChange,
} from './commands.ts';
import type { Change, Commit } from './commit.ts';
import { WorldError } from './errors.ts';
import { commandError } from './failure.ts';
import type { ContextOf, EventOf, Kind } from './kind.ts';
import { LinkIndex } from './link-index.ts';
import { Listening } from './listening.ts';
import type { MachineEvent } from './logic.ts';
import { checkedSelection } from './names.ts';
import { Pacer } from './pacer.ts';
import { PlaceIndex } from './place-index.ts';
import type { RecordValue } from './record.ts';
import { checkedKinds, warningsOf } from './registry.ts';
import { type BringUp, exchangeKinds, type ReloadReport } from './reload.ts';
import { type EventReport, type Listeners, WORLD_EVENTS, type WorldEvents } from './reports.ts';
import type { SavableCheck } from './savable.ts';
import { restoreRecords, type SavedWorld } from './saved-world.ts';
import { Scheduler } from './scheduler.ts';
import { changedSettings, DEFAULT_SETTINGS, type Settings } from './settings.ts';
import { Sharing } from './sharing.ts';
import { RecordSnapshot, WorldSnapshot } from './snapshot.ts';
import { StateHash } from './state-hash.ts';
import { Counters, type WorldStats } from './stats.ts';
import { Store } from './store.ts';
import { checkedDelay, checkedTime } from './time.ts';
import { Transaction } from './transaction.ts';
import { type RecordRef, Views } from './views.ts';

/** The smallest stretch of game time, in milliseconds. */
const TICK = 1 / 1024;

export interface WorldOptions {
  readonly kinds: readonly Kind[];
  /** What randomness in the world is drawn from. */
  readonly seed?: string;
  /** Game time in milliseconds. */
  readonly startAt?: number;
  readonly settings?: Partial<Settings>;
  /** Refuses what cannot be saved, in a world that is: see `SavableCheck`. */
  readonly savable?: SavableCheck;
}

/** What a frame did. */
export interface FrameReport {
  /** Game milliseconds up to which everything has happened. */
  readonly time: number;
  readonly events: number;
  readonly commands: number;
  /** Whether something due is left for the next frame. */
  readonly backlog: boolean;
}

/** Makes an empty world. Throws `KindError` if the kinds do not fit together. */
export function createWorld(options: WorldOptions): World {
  return new World(options);
}

/**
 * Makes a world that goes on from where it was saved. Throws `KindError` if the kinds do not fit
 * together, `WorldError` `UNKNOWN_KIND` or `DUPLICATE_ID` if the records do not fit the world.
 */
export function restoreWorld(options: WorldOptions, saved: SavedWorld): World {
  const world = new World(options);
  world.restore(saved);
  return world;
}

export class World {
  readonly seed: string;
  /** By name. The same map for as long as the world lives, whatever kinds are in it. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly clock: Clock;
  /** What is seldom meant, about the kinds and the package, each with its cure; for whoever starts the world to show. */
  readonly warnings: readonly string[];
  /** Commands from outside, for the next frame or for the game time they name. */
  readonly commands = new CommandQueue();

  private readonly kindMap: Map<string, Kind>;
  private readonly sharings: Map<Kind, Sharing>;
  private current: Settings;
  private readonly store = new Store();
  private readonly agenda: Agenda;
  private readonly places: PlaceIndex;
  private readonly links = new LinkIndex();
  private readonly stateHash: StateHash;
  private readonly counters: Counters;
  private readonly transaction: Transaction;
  private readonly scheduler: Scheduler;
  private readonly pacer: Pacer;
  private readonly clockState: ClockState;
  private readonly parts: CommandParts;
  private readonly views: Views;
  private readonly listening: Listening<WorldEvents>;
  private readonly listeners: Listeners = {
    commit: undefined,
    appearance: undefined,
    notice: undefined,
    fault: undefined,
    wake: undefined,
    event: undefined,
    read: undefined,
    log: undefined,
  };
  private readonly lookup: { readonly time: number; find(id: string): RecordValue | undefined };
  private isViewed = false;
  private isStepping = false;
  private stepped: EventReport | undefined;
  private isRunning = false;
  private localSeq = 0;
  private held: WorldError | undefined;

  constructor({ kinds, seed = 'offstage', startAt = 0, settings = {}, savable }: WorldOptions) {
    this.seed = seed;
    this.kindMap = new Map(checkedKinds(kinds));
    this.kinds = this.kindMap;
    this.sharings = new Map(kinds.map((kind) => [kind, new Sharing(kind)]));
    this.warnings = warningsOf(kinds);
    this.current = changedSettings(DEFAULT_SETTINGS, settings);
    this.clockState = new ClockState(startAt);
    const { store, links } = this;
    const { time } = this.clockState;
    this.agenda = new Agenda(store, time);
    this.places = new PlaceIndex(store, this.kinds.keys(), this.current.cellSize);
    this.stateHash = new StateHash(store);
    this.counters = new Counters(this.kinds.keys());
    this.counters.mostPerRecord = this.current.eventsPerRecordPerFrame;
    const world = this;
    const transaction = new Transaction({
      store,
      seed,
      kinds: this.kinds,
      sharingOf: (kind) => this.sharings.get(kind) as Sharing,
      get steps() {
        return { coarse: world.current.coarseStep, frame: world.current.frameStep };
      },
      linkers: (id) => links.linkers(id),
      mail: this.agenda.mail,
    });
    transaction.isFreezing = this.current.freeze;
    transaction.savable = savable;
    this.transaction = transaction;
    const { agenda, places, stateHash, counters, listeners } = this;
    const settingsNow = (): Settings => this.current;
    this.scheduler = new Scheduler(
      {
        store,
        agenda,
        places,
        links,
        stateHash,
        counters,
        transaction,
        listeners,
        settings: settingsNow,
      },
      time,
    );
    const { scheduler, clockState: clock } = this;
    this.parts = {
      store,
      agenda,
      scheduler,
      clock,
      kinds: this.kinds,
      queue: this.commands,
      configure: (change) => this.configureNow(change),
    };
    this.pacer = new Pacer({
      agenda,
      scheduler,
      clock,
      commands: this.commands,
      carryOut: (queued) => {
        const { result } = this.carryOut(queued.command, queued.source, queued.seq);
        this.listening.guarded(() => queued.done?.(result, this.time));
      },
    });
    this.lookup = {
      get time() {
        return scheduler.time;
      },
      find: (id) => store.find(id),
    };
    this.listening = new Listening((event) => this.connect(event));
    this.views = new Views({
      get time() {
        return scheduler.time;
      },
      value: (id) => store.find(id),
      get sizes() {
        return world.current;
      },
      snapshot: (record) => this.snapshotOf(record),
      send: (id, event) => this.send(id, event),
      watched: (isViewed) => {
        this.isViewed = isViewed;
        this.connect('commit');
      },
      guarded: (run) => this.listening.guarded(run),
    });
    this.clock = clockOf(this.clockState, (command) => this.demand(command));
  }

  get settings(): Settings {
    return this.current;
  }

  /** The game time up to which everything has happened, in milliseconds. */
  get time(): number {
    return this.scheduler.time;
  }

  /** The game time of the next event, undefined if nothing is to come. */
  get nextEventAt(): number | undefined {
    const { nextTime } = this.agenda;
    return nextTime === Number.POSITIVE_INFINITY ? undefined : nextTime;
  }

  /** How many records there are. */
  get size(): number {
    return this.store.size;
  }

  /** How many events it has run since it was made or restored. */
  get eventCount(): number {
    let events = 0;
    for (const sharing of this.sharings.values()) events += sharing.events;
    return events;
  }

  /** How many commands it has had. */
  get commandCount(): number {
    return this.counters.commands;
  }

  /**
   * Takes up where a saved world was. Only for a world that has just been made; use `restoreWorld`.
   */
  restore(saved: SavedWorld): void {
    const { store, agenda, places, links, stateHash, counters, clockState } = this;
    restoreRecords(
      {
        store,
        agenda,
        places,
        links,
        stateHash,
        counters,
        kinds: this.kinds,
        sharingOf: (kind) => this.sharings.get(kind) as Sharing,
        steps: { coarse: this.current.coarseStep, frame: this.current.frameStep },
        isFreezing: this.current.freeze,
      },
      saved,
    );
    this.scheduler.time = saved.time;
    clockState.time = saved.clock.time;
    clockState.speed = saved.clock.speed;
    clockState.paused = saved.clock.paused;
    counters.commands = saved.commands;
    this.localSeq = saved.commands;
  }

  /**
   * Lets the world stand still until `release`: frames move nothing, commands are refused with that
   * error, and what would run the world throws it.
   */
  hold(reason: WorldError): void {
    this.held = reason;
  }

  /** Why the world is held, undefined while it goes on. */
  get heldBecause(): WorldError | undefined {
    return this.held;
  }

  /** Lets a held world go on. */
  release(): void {
    this.held = undefined;
  }

  /** Counts a command that was refused before and cannot be given again, as a journal tells of it. */
  countRefused(): void {
    this.counters.commands += 1;
  }

  /**
   * Exchanges the kinds while the world stands. Every record goes on under its kind as it is now, in its
   * state and with its timers, as `bringUp` gives it; one that cannot rests with a fault, and goes on
   * after an exchange that can bring it up. No command and no event: a journal must not cross it.
   * Throws `KindError`, and has changed nothing, if the kinds do not fit together, or `KIND_IN_USE` if
   * they do not fit the records.
   */
  reload(kinds: readonly Kind[], bringUp: BringUp): ReloadReport {
    this.catchUp();
    return this.running(() => {
      const { store, agenda, counters, kindMap, sharings, time, current } = this;
      const steps = { coarse: current.coarseStep, frame: current.frameStep };
      const commit = (changes: readonly Change[]): void => {
        if (changes.length > 0) this.scheduler.commitSilently(changes);
      };
      const parts = { store, agenda, counters, kinds: kindMap, sharings, steps, time, commit };
      // What came due while a record could not go on happens now.
      if (!agenda.isOpen) agenda.open(time);
      try {
        const report = exchangeKinds(parts, kinds, bringUp);
        this.listening.emit('reload', report);
        return report;
      } finally {
        agenda.tidy();
      }
    });
  }

  // Commands

  /**
   * Adds one record or many, in one transaction. Throws `WorldError` (`DUPLICATE_ID`, `UNKNOWN_KIND`,
   * `BAD_ID`, `BAD_LINK`, … or what an initial step threw), and has then added none.
   *
   * @example
   * world.add({ id: 'field-3', kind: 'field', at: [120, 40], links: { barn: 'stash-1' } });
   */
  add(records: NewRecord | readonly NewRecord[]): void {
    this.demand({
      type: 'add',
      records: Array.isArray(records) ? records : [records as NewRecord],
    });
  }

  /** Adds a record unless there is one of that id. */
  addIfMissing(record: NewRecord): void {
    this.demand({ type: 'addIfMissing', record });
  }

  /** Removes a record; false if there is none of that id. */
  remove(id: string): boolean {
    return this.execute({ type: 'remove', id }).accepted;
  }

  /** Sends an event to a record, as a command, now. */
  send(id: string, event: MachineEvent): SendResult {
    return this.execute({ type: 'send', id, event });
  }

  /** Changes a record from outside: no exit or entry actions; timers of states left are dropped, those of new ones armed. */
  setState(id: string, change: StateChange): void {
    this.demand({ type: 'setState', id, change });
  }

  /** Tries again what a faulted record failed at. */
  retry(id: string): SendResult {
    return this.execute({ type: 'retry', id });
  }

  /** Sets the clock with no time passed: every time of every record moves along. */
  shiftTo(time: number): void {
    this.demand({ type: 'shiftTo', time });
  }

  /** Changes settings. */
  configure(settings: Partial<Settings>): void {
    this.demand({ type: 'configure', settings });
  }

  /** Carries out any command now, with all that it makes due now, and says what became of it. */
  execute(command: Command, source: CommandSource = LOCAL_SOURCE, seq?: number): SendResult {
    this.catchUp();
    return this.running(() => {
      const { result } = this.carryOut(command, source, seq);
      if (this.held === undefined) this.scheduler.runAll(this.time);
      return result;
    });
  }

  // Running

  /** Runs everything up to a game time, with no budget. `inclusive: false` leaves what is due at it. */
  runUntil(time: number, { inclusive = true }: { readonly inclusive?: boolean } = {}): void {
    this.checkNotHeld();
    const until = checkedTime(time, 'runUntil');
    if (until < this.time) {
      throw new WorldError(
        'BAD_TIME',
        `runUntil(${until}) is in the past; the world is at ${this.time} ms.`,
      );
    }
    this.running(() => {
      const scheduled = inclusive ? until : until - TICK;
      if (!this.pacer.runAll(scheduled)) return;
      this.scheduler.time = Math.max(until, this.scheduler.time);
      this.clockState.reach(until);
    });
  }

  /** Runs everything of a stretch of game time, with no budget. */
  run(milliseconds: number): void {
    this.runUntil(this.time + checkedDelay(milliseconds, 'run'));
  }

  /**
   * One frame: the clock moves by real time times speed, waiting commands are carried out, and due
   * events happen until the budget (`settings.eventsPerFrame`, `mayGoOn`) is spent; the rest is
   * backlog for the next frame.
   */
  frame(
    realMilliseconds: number,
    { mayGoOn }: { readonly mayGoOn?: () => boolean } = {},
  ): FrameReport {
    checkedDelay(realMilliseconds, 'the frame');
    return this.running(() => {
      if (this.held !== undefined) return this.heldFrame();
      this.clockState.tick(realMilliseconds);
      this.counters.beginFrame();
      try {
        const done = this.pacer.runFrame(this.current.eventsPerFrame, mayGoOn);
        return { time: this.time, ...done };
      } finally {
        this.counters.endFrame((slot) => this.store.get(slot)?.id);
      }
    });
  }

  /** Runs exactly one event, and moves the clock to it; undefined if nothing is to come. */
  step(): EventReport | undefined {
    this.checkNotHeld();
    this.stepped = undefined;
    this.isStepping = true;
    this.connect('event');
    try {
      this.running(() => this.pacer.runOneEvent());
    } finally {
      this.isStepping = false;
      this.connect('event');
    }
    return this.stepped;
  }

  // Looking

  /** A record at `world.time`, undefined if there is none. Stores nothing. */
  find(id: string): RecordSnapshot | undefined {
    const record = this.store.find(id);
    return record === undefined ? undefined : this.snapshotOf(record);
  }

  /** A record's value as it is stored. */
  valueOf(id: string): RecordValue | undefined {
    return this.store.find(id);
  }

  /**
   * The view of a record, which may not be there yet. With its kind, the compiler knows its context and
   * the events it takes.
   *
   * @example
   * world.record('field-3', field).send({ type: 'WATER', amount: 0.2 });
   */
  record(id: string): RecordRef;
  record<One extends Kind>(id: string, kind: One): RecordRef<ContextOf<One>, EventOf<One>>;
  record(id: string): RecordRef {
    return this.views.record(id);
  }

  /** The records of a cell, `'x,y'` or `'always'`, in the order of turns. */
  inCell(cell: string): RecordSnapshot[] {
    return this.valuesIn(cell).map((record) => this.snapshotOf(record));
  }

  /** The values of a cell's records as they are stored: nothing that a kind gives is called for it. */
  valuesIn(cell: string): RecordValue[] {
    const slots = cell === 'always' ? this.places.always : this.places.inSquare(cell);
    const shown = cell === 'always' ? 'always' : 'spatial';
    return this.stored(slots).filter((record) => record.relevancy === shown);
  }

  /** The values of all records in a square, whoever is shown them, as they are stored; in no order. */
  valuesInSquare(square: string): RecordValue[] {
    return [...this.places.inSquare(square)].map((slot) => this.store.get(slot) as RecordValue);
  }

  /** The squares that hold records. */
  cells(): string[] {
    return [...this.places.cells()].sort();
  }

  /** The records of a selection, in the order of turns. */
  query(selection: Selection = {}): RecordSnapshot[] {
    return this.inOrder(this.places.select(checkedSelection(selection, 'query')));
  }

  /** The values of a selection as they are stored, in the order of turns. */
  values(selection: Selection = {}): RecordValue[] {
    return this.stored(this.places.select(checkedSelection(selection, 'values')));
  }

  /** The records that link to an id, in the order of turns. */
  linkers(id: string): RecordSnapshot[] {
    return this.inOrder(this.links.linkers(id));
  }

  /** The ids of the records that link to an id, in the order of turns. */
  linkerIds(id: string): string[] {
    return this.stored(this.links.linkers(id)).map((linker) => linker.id);
  }

  /** The next events to come, in order, at most `count`. */
  upcoming(count: number): {
    readonly id: string;
    readonly kind: string;
    readonly at: number;
    readonly event: MachineEvent;
  }[] {
    return this.agenda.heap.earliest(count).flatMap((slot) => {
      const record = this.store.get(slot);
      if (record?.planned === undefined) return [];
      return [
        { id: record.id, kind: record.kind.name, at: record.dueAt, event: record.planned.event },
      ];
    });
  }

  /** The state hash: 16 hex digits over all that is saved. */
  hash(): string {
    return this.stateHash.hash(this.time, this.agenda.state());
  }

  /** The world as it is now, immutable, in constant time. */
  snapshot(): WorldSnapshot {
    const { cellSize, regionSize } = this.current;
    return new WorldSnapshot(this.store.snapshot(), this.time, this.agenda.state(), {
      cellSize,
      regionSize,
    });
  }

  stats(): WorldStats {
    const behind = Math.max(0, this.clockState.time - this.time);
    const eventsOf = (kind: string): number =>
      this.sharings.get(this.kinds.get(kind) as Kind)?.events ?? 0;
    return this.counters.stats(this.agenda.dueCount(this.clockState.time), behind, eventsOf);
  }

  /** Listens; the function given back stops it. Listeners may look, and may not change the world. */
  on<E extends keyof WorldEvents & string>(
    event: E,
    listener: (value: WorldEvents[E]) => void,
  ): () => void {
    if (!WORLD_EVENTS.has(event) || typeof listener !== 'function') {
      throw new WorldError(
        'BAD_LISTENER',
        `world.on takes one of ${[...WORLD_EVENTS].join(', ')} and a function; got ${String(event)} and ${typeof listener}.`,
      );
    }
    return this.listening.on(event, listener);
  }

  /** Puts whoever runs the frames in charge; the function given back ends that. */
  hostedBy(host: Host): () => void {
    this.commands.host = host;
    return () => {
      if (this.commands.host === host) this.commands.host = undefined;
    };
  }

  // Inside

  private carryOut(
    command: Command,
    source: CommandSource,
    seq?: number,
  ): { result: SendResult; error?: WorldError } {
    if (this.held !== undefined) {
      const { code, message } = this.held;
      return { result: { accepted: false, code, message }, error: this.held };
    }
    const { time } = this;
    const outcome = this.tryCommand(command);
    this.counters.commands += 1;
    if (this.listening.has('command')) {
      if (seq === undefined) this.localSeq += 1;
      this.listening.emit('command', {
        n: this.counters.commands,
        time,
        source,
        seq: seq ?? this.localSeq,
        command,
        result: outcome.result,
      });
    }
    return outcome;
  }

  private tryCommand(command: Command): { result: SendResult; error?: WorldError } {
    try {
      this.transaction.savable?.(command, undefined, 'command');
      carryOut(this.parts, command);
      return { result: ACCEPTED };
    } catch (thrown) {
      const event =
        command.type === 'send' ? command.event : { type: `offstage.command.${command.type}` };
      const error = commandError(thrown, event, this.time);
      return { result: { accepted: false, code: error.code, message: error.message }, error };
    }
  }

  /** Carries out a command that is asked for by a call which throws. */
  private demand(command: Command): void {
    this.catchUp();
    this.running(() => {
      const { error } = this.carryOut(command, LOCAL_SOURCE);
      if (error !== undefined) throw error;
      this.scheduler.runAll(this.time);
    });
  }

  /** Refuses the commands that wait, and moves nothing. */
  private heldFrame(): FrameReport {
    const { time } = this;
    let commands = 0;
    for (;;) {
      const queued = this.commands.takeDue(time);
      if (queued === undefined) return { time, events: 0, commands, backlog: false };
      commands += 1;
      const { result } = this.carryOut(queued.command, queued.source, queued.seq);
      this.listening.guarded(() => queued.done?.(result, time));
    }
  }

  private checkNotHeld(): void {
    if (this.held !== undefined) throw this.held;
  }

  private catchUp(): void {
    if (!this.isRunning) this.commands.host?.catchUp();
  }

  /** Refuses to begin anything while something runs, and lets listeners' errors out at the end. */
  private running<T>(run: () => T): T {
    if (this.isRunning) {
      throw new WorldError(
        'BUSY',
        'The world was changed from inside an event or a listener; use world.commands.push(…), or an action of the machine.',
      );
    }
    this.isRunning = true;
    let result: T;
    try {
      result = run();
    } catch (error) {
      throw this.listening.withErrors(error);
    } finally {
      this.isRunning = false;
    }
    this.listening.rethrow();
    return result;
  }

  private configureNow(change: Partial<Settings>): void {
    const before = this.current;
    this.current = changedSettings(before, change);
    this.transaction.isFreezing = this.current.freeze;
    this.counters.mostPerRecord = this.current.eventsPerRecordPerFrame;
    if (before.cellSize !== this.current.cellSize) {
      this.places.resize(this.current.cellSize, (record) => this.store.slotOf(record.id));
    }
  }

  private inOrder(slots: Iterable<number>): RecordSnapshot[] {
    return this.stored(slots).map((record) => this.snapshotOf(record));
  }

  private stored(slots: Iterable<number>): RecordValue[] {
    const sorted = [...slots].sort(this.store.order.compare);
    return sorted.map((slot) => this.store.get(slot) as RecordValue);
  }

  private snapshotOf(record: RecordValue): RecordSnapshot {
    return new RecordSnapshot(this.lookup, record, this.current);
  }

  /** Sets or clears the scheduler's hook for what is listened to; what nobody hears costs nothing. */
  private connect(event: keyof WorldEvents): void {
    const { listening, listeners } = this;
    switch (event) {
      case 'commit':
      case 'added':
      case 'removed': {
        const isHeard =
          this.isViewed ||
          listening.has('commit') ||
          listening.has('added') ||
          listening.has('removed');
        listeners.commit = isHeard ? (commit) => this.tellCommit(commit) : undefined;
        break;
      }
      case 'event':
        listeners.event =
          this.isStepping || listening.has('event')
            ? (report) => {
                this.stepped = report;
                listening.emit('event', report);
              }
            : undefined;
        break;
      case 'appearance':
      case 'notice':
      case 'fault':
      case 'wake':
      case 'read':
      case 'log':
        (listeners as unknown as Record<string, unknown>)[event] = listening.has(event)
          ? (value: WorldEvents[typeof event]) => listening.emit(event, value)
          : undefined;
        break;
      default:
        break;
    }
  }

  private tellCommit(commit: Commit): void {
    const { listening } = this;
    listening.emit('commit', commit);
    if (listening.has('added') || listening.has('removed')) {
      for (const { before, after } of commit.changes) {
        if (before === undefined && after !== undefined)
          listening.emit('added', this.snapshotOf(after));
        if (before !== undefined && after === undefined) {
          listening.emit('removed', { id: before.id, kind: before.kind.name, time: commit.time });
        }
      }
    }
    if (this.isViewed) this.views.tell(commit.changes);
  }
}

const ACCEPTED: SendResult = Object.freeze({ accepted: true });
