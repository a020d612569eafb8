/**
 * How far the world has come, put into its journal also while nothing happens in it: each second while
 * clients look on, since they see its clock, and as often as it is saved while none does. A crash takes
 * back no more game time than that.
 */
import type { World } from '../core/world.ts';
import type { Flushing } from './loop.ts';

export interface MarksParts {
  readonly world: World;
  /** Puts down how far the world is now. */
  mark(): void;
  /** Whether somebody sees its clock. */
  isWatched(): boolean;
}

/** Real milliseconds between marks while somebody looks on. */
const WATCHED_EVERY = 1000;

export class Marks implements Flushing {
  private readonly parts: MarksParts;
  private markedAt: number;

  /** `now` is a real time in milliseconds. */
  constructor(parts: MarksParts, now: number) {
    this.parts = parts;
    this.markedAt = now;
  }

  /** The loop brings the world to now before each flush, so that is all there is to do. */
  get dueAt(): number | undefined {
    const { world, isWatched } = this.parts;
    const { paused, speed } = world.clock;
    if (paused || speed === 0 || world.heldBecause !== undefined) return undefined;
    const every = isWatched() ? WATCHED_EVERY : world.settings.autosaveSeconds * 1000;
    return this.markedAt + every;
  }

  flush(now: number): void {
    this.markedAt = now;
    this.parts.mark();
  }
}
