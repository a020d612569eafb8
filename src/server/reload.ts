/**
 * Live reload: when files of kinds or machines change, the registry is loaded anew and the running
 * world goes on with it. What does not load, or does not fit, changes nothing: the world goes on with
 * the kinds it has, and the log says why. Reloads come one after the other.
 */
import type { Logger } from 'pino';
import { messageOf } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import type { ReloadReport } from '../core/reload.ts';
import type { SavedRecord } from '../core/saved-world.ts';
import type { World } from '../core/world.ts';
import { type Delays, delaysOf } from '../machine/continuity.ts';
import { broughtUp } from '../saves/bring-up.ts';

export interface ReloaderParts {
  readonly world: World;
  /** Loads the registry as it is now; throws what is wrong with it. */
  load(): Promise<readonly Kind[]>;
  /**
   * Runs the exchange while the world stands still, right after a generation of it was saved, so that
   * no journal crosses a change of code.
   */
  atSeam(exchange: () => void): Promise<void>;
  readonly log: Logger;
  /** Told after each try: why the kinds were not loaded, null if they were. */
  tried?(problem: string | null): void;
}

/** Real milliseconds without a further change after which a reload begins: editors write more than once. */
const QUIET = 100;

export class Reloader {
  private readonly parts: ReloaderParts;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(parts: ReloaderParts) {
    this.parts = parts;
  }

  /** A file has changed; the reload begins when it is quiet. */
  changed(): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.reload(), QUIET);
  }

  /** Reloads now, after those under way. Gives undefined if the world goes on with the kinds it had. */
  reload(): Promise<ReloadReport | undefined> {
    const next = this.last.then(() => (this.isClosed ? undefined : this.reloadNow()));
    this.last = next;
    return next;
  }

  /** No reload begins from now on; waits for one under way. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.last;
  }

  private async reloadNow(): Promise<ReloadReport | undefined> {
    const { world, log, load, atSeam, tried } = this.parts;
    try {
      const kinds = await load();
      let report: ReloadReport | undefined;
      await atSeam(() => {
        report = world.reload(kinds, bringingUp(world, log));
      });
      if (report !== undefined) this.tell(report, kinds);
      tried?.(null);
      return report;
    } catch (error) {
      log.error(
        { err: error },
        `The kinds were not reloaded, and the world goes on with those it has: ${messageOf(error)}`,
      );
      tried?.(messageOf(error));
      return undefined;
    }
  }

  private tell({ records, faulted, added, recovered }: ReloadReport, kinds: readonly Kind[]): void {
    const { log } = this.parts;
    const parts = [
      `${records} records go on`,
      ...(added.length > 0 ? [`new kinds: ${added.join(', ')}`] : []),
      ...(recovered.length > 0 ? [`${recovered.length} records that rested go on again`] : []),
    ];
    log.info({ records, faulted: faulted.length }, `Reloaded the kinds: ${parts.join('; ')}.`);
    for (const [kind, first, count] of firstOfEach(faulted)) {
      const others = count > 1 ? `, and ${count - 1} others with ${kind}` : '';
      log.warn({ id: first.id, code: first.code }, `${first.message}${others}`);
    }
    for (const warning of kinds.flatMap((kind) => kind.warnings ?? [])) log.warn(warning);
  }
}

type Faulted = ReloadReport['faulted'][number];

/** Of each code one record, and how many there are: a thousand records mostly rest for one reason. */
function firstOfEach(faulted: readonly Faulted[]): (readonly [string, Faulted, number])[] {
  return [...new Set(faulted.map(({ code }) => code))].map((code) => {
    const all = faulted.filter((one) => one.code === code);
    return [code, all[0] as Faulted, all.length] as const;
  });
}

/** Brings records up as a load would: timers by state node, delay key and place; then `migrate`. */
export function bringingUp(world: World, log: Logger) {
  const delays = new Map<Kind, Delays>();
  return (record: SavedRecord, before: Kind, now: Kind): SavedRecord => {
    // What has ended has nothing before it, and may stay what it was.
    if (record.state.status !== 'active') return record;
    let then = delays.get(before);
    if (then === undefined) {
      then = delaysOf(before);
      delays.set(before, then);
    }
    return broughtUp({ ...record, version: before.version }, now, then, world.time, (message) =>
      log.info({ id: record.id }, `${record.id}: ${message}`),
    );
  };
}
