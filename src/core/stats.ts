/** Counts of a world, kept by listening to commits and by the scheduler; asking costs nothing per record. */
import type { ChangeListener } from './commit.ts';
import { type Condition, conditionOf, type RecordValue } from './record.ts';
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

type Counts = Record<Condition, number>;

const ZERO: Counts = { waiting: 0, resting: 0, done: 0, faulted: 0 };

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
  private last: Counts = { ...ZERO };
  private readonly dropped = new Map<string, Map<string, number>>();
  /** Whether events are counted by record. */
  isInFrame = false;
  private frameEvents = new Int32Array(64);
  private touched: number[] = [];

  constructor(kinds: Iterable<string>) {
    this.byKind = new Map([...kinds].map((kind) => [kind, { ...ZERO }]));
  }

  /** Counts records of that kind too. */
  include(kind: string): void {
    if (!this.byKind.has(kind)) this.byKind.set(kind, { ...ZERO });
  }

  /** How many records of that kind there are. */
  recordsOf(kind: string): number {
    const { waiting, resting, done, faulted } = this.byKind.get(kind) ?? ZERO;
    return waiting + resting + done + faulted;
  }

  changed(_slot: number, before: RecordValue | undefined, after: RecordValue | undefined): void {
    const left = before === undefined ? undefined : conditionOf(before);
    const entered = after === undefined ? undefined : conditionOf(after);
    if (left === entered) return;
    if (before !== undefined && left !== undefined)
      count(this.of(before.shape.sharing.kind.name), left, -1);
    if (after !== undefined && entered !== undefined)
      count(this.of(after.shape.sharing.kind.name), entered, 1);
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
    const total: Counts = { ...ZERO };
    let events = 0;
    const byKind: Record<string, KindStats> = {};
    for (const kind of [...this.byKind.keys()].sort()) {
      const counts = this.of(kind);
      const stats = kindStats(counts, eventsOf(kind));
      byKind[kind] = stats;
      events += stats.events;
      total.waiting += counts.waiting;
      total.resting += counts.resting;
      total.done += counts.done;
      total.faulted += counts.faulted;
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

/** Adds to one of the counts. Written out, because keys that are computed are slow. */
function count(counts: Counts, condition: Condition, by: 1 | -1): void {
  switch (condition) {
    case 'waiting':
      counts.waiting += by;
      break;
    case 'resting':
      counts.resting += by;
      break;
    case 'done':
      counts.done += by;
      break;
    case 'faulted':
      counts.faulted += by;
      break;
    default:
      condition satisfies never;
  }
}

function kindStats({ waiting, resting, done, faulted }: Counts, events: number): KindStats {
  return { records: waiting + resting + done + faulted, waiting, resting, done, faulted, events };
}
