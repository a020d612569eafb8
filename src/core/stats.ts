/** Counts of a world, kept by listening to commits and by the scheduler; asking costs nothing per record. */
import type { ChangeListener } from './commit.ts';
import { conditionOf, type RecordValue } from './record.ts';
import { roomFor } from './typed-arrays.ts';

export interface KindStats {
  readonly records: number;
  readonly waiting: number;
  readonly resting: number;
  readonly done: number;
  readonly faulted: number;
  readonly events: number;
}

export interface WorldStats extends KindStats {
  /** Records, messages and wakes due at or before the clock's time that have not happened yet. */
  readonly backlog: number;
  /** How far the world is behind its clock, in game milliseconds. */
  readonly behind: number;
  readonly commands: number;
  readonly notices: number;
  readonly faults: number;
  readonly messagesDropped: number;
  /** Messages that nobody took, by receiver's kind (sender's, if there was no receiver) and event type. */
  readonly droppedByKind: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Wakes dropped by instants that were broken off. */
  readonly wakesDropped: number;
  /** Records that took more than `eventsPerRecordPerFrame` events of the last frame that had such. */
  readonly hot: readonly { readonly id: string; readonly events: number }[];
  readonly byKind: Readonly<Record<string, KindStats>>;
}

/** How many records are in each condition: waiting, resting, done, faulted. */
type Counts = [waiting: number, resting: number, done: number, faulted: number];

/** The place of a record's condition in the counts. Written out, because keys that are computed are slow. */
function placeOf(record: RecordValue): 0 | 1 | 2 | 3 {
  const condition = conditionOf(record);
  switch (condition) {
    case 'waiting':
      return 0;
    case 'resting':
      return 1;
    case 'done':
      return 2;
    case 'faulted':
      return 3;
    default:
      return condition satisfies never;
  }
}

function isOfOneKind(before: RecordValue, after: RecordValue): boolean {
  return before.shape.sharing === after.shape.sharing;
}

const none = (): Counts => [0, 0, 0, 0];

function recordsIn([waiting, resting, done, faulted]: Counts): number {
  return waiting + resting + done + faulted;
}

export class Counters implements ChangeListener {
  commands = 0;
  notices = 0;
  faults = 0;
  messagesDropped = 0;
  wakesDropped = 0;
  hot: readonly { readonly id: string; readonly events: number }[] = [];
  /** Events of one record in a frame beyond which it is named as hot. */
  mostPerRecord = Number.POSITIVE_INFINITY;
  private readonly byKind: Map<string, Counts>;
  // Most changes of a world are of records of few kinds, and often of the same again.
  private lastKind = '';
  private last: Counts = none();
  private readonly dropped = new Map<string, Map<string, number>>();
  /** Whether events are counted by record. */
  isInFrame = false;
  private frameEvents = new Int32Array(64);
  private touched: number[] = [];

  constructor(kinds: Iterable<string>) {
    this.byKind = new Map([...kinds].map((kind) => [kind, none()]));
  }

  /** Counts records of that kind too. */
  include(kind: string): void {
    if (!this.byKind.has(kind)) this.byKind.set(kind, none());
  }

  /** How many records of that kind there are. */
  recordsOf(kind: string): number {
    return recordsIn(this.byKind.get(kind) ?? none());
  }

  changed(_slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void {
    if (before !== undefined && after !== undefined && isOfOneKind(before, after)) {
      const was = placeOf(before);
      const is = placeOf(after);
      if (was === is) return;
      const counts = this.of(after.shape.sharing.kind.name);
      counts[was] -= 1;
      counts[is] += 1;
      return;
    }
    if (before !== undefined) this.of(before.shape.sharing.kind.name)[placeOf(before)] -= 1;
    if (after !== undefined) this.of(after.shape.sharing.kind.name)[placeOf(after)] += 1;
  }

  beginFrame(): void {
    this.isInFrame = true;
  }

  /** Ends a frame: names the records that took too much of it. */
  endFrame(idOf: (slot: number) => string | undefined): void {
    this.isInFrame = false;
    const hot: { readonly id: string; readonly events: number }[] = [];
    for (const slot of this.touched) {
      const events = this.frameEvents[slot] as number;
      this.frameEvents[slot] = 0;
      if (events > this.mostPerRecord) hot.push({ id: idOf(slot) ?? '', events });
    }
    this.touched = [];
    if (hot.length > 0) this.hot = hot;
  }

  countDropped(kind: string, type: string): void {
    this.messagesDropped += 1;
    let types = this.dropped.get(kind);
    if (types === undefined) {
      types = new Map();
      this.dropped.set(kind, types);
    }
    types.set(type, (types.get(type) ?? 0) + 1);
  }

  /** All counts; `eventsOf` gives each kind's events. */
  stats(backlog: number, behind: number, eventsOf: (kind: string) => number): WorldStats {
    const total: Counts = none();
    let events = 0;
    const byKind: Record<string, KindStats> = {};
    for (const kind of [...this.byKind.keys()].sort()) {
      const counts = this.of(kind);
      const stats = kindStats(counts, eventsOf(kind));
      byKind[kind] = stats;
      events += stats.events;
      for (const place of [0, 1, 2, 3] as const) total[place] += counts[place];
    }
    return {
      ...kindStats(total, events),
      backlog,
      behind,
      commands: this.commands,
      notices: this.notices,
      faults: this.faults,
      messagesDropped: this.messagesDropped,
      droppedByKind: Object.fromEntries(
        [...this.dropped].map(([kind, types]) => [kind, Object.fromEntries(types)]),
      ),
      wakesDropped: this.wakesDropped,
      hot: this.hot,
      byKind,
    };
  }

  /** Counts an event of a record in this frame. */
  countInFrame(slot: number): void {
    this.frameEvents = roomFor(this.frameEvents, slot);
    const events = this.frameEvents[slot] as number;
    if (events === 0) this.touched.push(slot);
    this.frameEvents[slot] = events + 1;
  }

  private of(kind: string): Counts {
    if (kind !== this.lastKind) {
      this.lastKind = kind;
      this.last = this.byKind.get(kind) as Counts;
    }
    return this.last;
  }
}

function kindStats(counts: Counts, events: number): KindStats {
  const [waiting, resting, done, faulted] = counts;
  return { records: recordsIn(counts), waiting, resting, done, faulted, events };
}
