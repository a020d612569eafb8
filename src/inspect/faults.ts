/**
 * The records that rest with a fault. They are looked for once, and from then on kept up to date by
 * what looks different, so that a large world is not gone through with each flush.
 */
import type { Fault } from '../core/record.ts';
import type { World } from '../core/world.ts';
import type { FaultsTold } from '../protocol/admin.ts';
import type { Watcher } from './watcher.ts';

/** Faults that are told; the others are counted. */
const MOST = 200;

export class FaultsWatch implements Watcher {
  readonly hasMore = false;
  private readonly faulted = new Map<string, { readonly kind: string; readonly fault: Fault }>();
  private readonly stop: () => void;
  private isChanged = true;

  constructor(world: World) {
    if (world.stats().faulted > 0) {
      for (const { id, kind, fault } of world.values()) {
        if (fault !== null) this.faulted.set(id, { kind: kind.name, fault });
      }
    }
    this.stop = world.on('appearance', ({ before, after }) => {
      if ((before?.fault ?? null) === (after?.fault ?? null)) return;
      this.isChanged = true;
      if (after?.fault) {
        this.faulted.set(after.id, { kind: after.kind.name, fault: after.fault });
      } else if (before !== undefined) {
        this.faulted.delete(before.id);
      }
    });
  }

  news(): FaultsTold | undefined {
    if (!this.isChanged) return undefined;
    this.isChanged = false;
    // The latest first.
    const faults = [...this.faulted]
      .map(([id, { kind, fault }]) => ({ id, kind, fault }))
      .sort((a, b) => b.fault.time - a.fault.time || (a.id < b.id ? -1 : 1));
    return { type: 'faults', faults: faults.slice(0, MOST), total: faults.length };
  }

  close(): void {
    this.stop();
  }
}
