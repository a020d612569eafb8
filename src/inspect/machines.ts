/** The statecharts of a world's kinds, told again when the kinds were exchanged or could not be. */
import type { Kind } from '../core/kind.ts';
import type { World } from '../core/world.ts';
import { chartOf } from '../machine/chart.ts';
import type { MachinesTold } from '../protocol/admin.ts';
import type { Watcher } from './watcher.ts';

/** How the sources of the kinds stand, for those who draw in them. */
export interface Sources {
  readonly isDrawable: boolean;
  /** Why the sources as they are now were not loaded, null if they were. */
  problem(): string | null;
}

/** The kinds as they were loaded, and cannot be loaded again. */
export const FIXED: Sources = { isDrawable: false, problem: () => null };

export class MachinesWatch implements Watcher {
  readonly hasMore = false;
  private readonly world: World;
  private readonly sources: Sources;
  private told: readonly Kind[] = [];
  private toldProblem: string | null = null;

  constructor(world: World, sources: Sources) {
    this.world = world;
    this.sources = sources;
  }

  news(): MachinesTold | undefined {
    const kinds = [...this.world.kinds.values()];
    const { told, toldProblem, sources } = this;
    const problem = sources.problem();
    const isSame = kinds.length === told.length && kinds.every((kind, i) => kind === told[i]);
    if (isSame && problem === toldProblem) return undefined;
    this.told = kinds;
    this.toldProblem = problem;
    const { isDrawable } = sources;
    return { type: 'machines', machines: kinds.map(chartOf), isDrawable, problem };
  }

  close(): void {}
}
