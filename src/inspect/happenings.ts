/** What happens from now on, as one admin is told it: events and notices, of one record or of all. */
import type { World } from '../core/world.ts';
import type { EventsTold, Happening } from '../protocol/admin.ts';
import type { Watcher } from './watcher.ts';

/** What one flush tells at the most; more could not be read. */
const MOST = 100;

export class HappeningsWatch implements Watcher {
  readonly hasMore = false;
  private readonly id: string | undefined;
  private readonly stops: readonly (() => void)[];
  private happened: Happening[] = [];
  private missed = 0;

  constructor(world: World, id?: string) {
    this.id = id;
    this.stops = [
      world.on('event', ({ time, id: of, kind, event, cause, taken, fault }) => {
        if (!this.isAsked(of)) return;
        // Most wakes and many steps find nothing to do; that is no news.
        if (!taken && fault === null && (cause === 'wake' || cause === 'step')) return;
        this.add({ what: 'event', time, id: of, kind, event, cause, taken, fault });
      }),
      world.on('notice', ({ time, id: of, kind, event }) => {
        if (this.isAsked(of)) this.add({ what: 'notice', time, id: of, kind, event });
      }),
    ];
  }

  news(): EventsTold | undefined {
    const { happened, missed, id } = this;
    if (happened.length === 0) return undefined;
    this.happened = [];
    this.missed = 0;
    return { type: 'events', ...(id === undefined ? {} : { id }), happened, missed };
  }

  close(): void {
    for (const stop of this.stops) stop();
  }

  private isAsked(id: string): boolean {
    return this.id === undefined || this.id === id;
  }

  /** Keeps the latest. */
  private add(happening: Happening): void {
    this.happened.push(happening);
    if (this.happened.length <= 2 * MOST) return;
    this.missed += this.happened.length - MOST;
    this.happened = this.happened.slice(-MOST);
  }
}
