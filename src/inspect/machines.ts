/** The statecharts of a world's kinds, told again when the kinds were exchanged. */
import type { Kind } from '../core/kind.ts';
import type { World } from '../core/world.ts';
import { chartOf } from '../machine/chart.ts';
import type { MachinesTold } from '../protocol/admin.ts';
import type { Watcher } from './watcher.ts';

export class MachinesWatch implements Watcher {
  readonly hasMore = false;
  private readonly world: World;
  private told: readonly Kind[] = [];

  constructor(world: World) {
    this.world = world;
  }

  news(): MachinesTold | undefined {
    const kinds = [...this.world.kinds.values()];
    const { told } = this;
    if (kinds.length === told.length && kinds.every((kind, i) => kind === told[i])) return;
    this.told = kinds;
    return { type: 'machines', machines: kinds.map(chartOf) };
  }

  close(): void {}
}
