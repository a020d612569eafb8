/**
 * Views on the server: what an actor or a tool holds to show one record. A ref looks like an XState
 * ActorRef, and may be taken before its record is there.
 */

import type { SendResult } from './commands.ts';
import type { Change } from './commit.ts';
import type { MachineEvent } from './logic.ts';
import type { RecordValue } from './record.ts';
import type { RecordSnapshot } from './snapshot.ts';

export interface Subscription {
  unsubscribe(): void;
}

export type Observer<T> = ((value: T) => void) | { next?: (value: T) => void };

/** One record, as `subscribe/getSnapshot` stores expect it. */
export interface RecordRef<Context = unknown, Event extends { type: string } = MachineEvent> {
  readonly id: string;
  /** The same object until something of the record, or the time its context is advanced to, changes. */
  getSnapshot(): RecordSnapshot<Context, Event> | undefined;
  /** Calls the observer after each commit that changes the record. */
  subscribe(observer: Observer<RecordSnapshot<Context, Event> | undefined>): Subscription;
  send(event: Event): SendResult;
}

/** What views need of their world. */
export interface ViewedWorld {
  readonly time: number;
  /** Its settings; other ones may put a record into another cell. */
  readonly sizes: object;
  value(id: string): RecordValue | undefined;
  snapshot(record: RecordValue): RecordSnapshot;
  send(id: string, event: MachineEvent): SendResult;
  /** Told when the first observer comes and when the last one goes. */
  watched(isWatched: boolean): void;
  /** Runs an observer so that what it throws stops nothing. */
  guarded(run: () => void): void;
}

export class Views {
  private readonly world: ViewedWorld;
  private readonly observers = new Map<string, Set<() => void>>();

  constructor(world: ViewedWorld) {
    this.world = world;
  }

  record(id: string): RecordRef {
    const { world, observers } = this;
    let shown:
      | {
          readonly record: RecordValue;
          readonly time: number;
          readonly sizes: object;
          readonly snapshot: RecordSnapshot;
        }
      | undefined;
    const getSnapshot = (): RecordSnapshot | undefined => {
      const record = world.value(id);
      if (record === undefined) return undefined;
      // Without continuous change a record reads the same until it is committed anew.
      const time = record.kind.advance === undefined ? 0 : world.time;
      const { sizes } = world;
      if (shown?.record !== record || shown.time !== time || shown.sizes !== sizes) {
        shown = { record, time, sizes, snapshot: world.snapshot(record) };
      }
      return shown.snapshot;
    };
    return {
      id,
      getSnapshot,
      subscribe: (observer) => {
        const next =
          typeof observer === 'function'
            ? observer
            : (value: RecordSnapshot | undefined) => observer.next?.(value);
        const own = (): void => world.guarded(() => next(getSnapshot()));
        const known = observers.get(id) ?? new Set();
        if (observers.size === 0) world.watched(true);
        observers.set(id, known.add(own));
        return {
          unsubscribe: () => {
            known.delete(own);
            if (known.size > 0 || observers.get(id) !== known) return;
            observers.delete(id);
            if (observers.size === 0) world.watched(false);
          },
        };
      },
      send: (event) => world.send(id, event),
    };
  }

  /** Tells those who watch the records of a commit. */
  tell(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      const watching = this.observers.get((after ?? before)?.id ?? '');
      if (watching !== undefined) for (const tell of [...watching]) if (watching.has(tell)) tell();
    }
  }
}
