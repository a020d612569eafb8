/** A running world in figures. */
import type { World } from '../core/world.ts';
import type {
  FrameStats,
  MemoryStats,
  ReplicationRates,
  ReplicationStats,
  SaveStats,
  ServerStats,
} from '../protocol/admin.ts';
import type { ClockReading } from '../protocol/messages.ts';

/** What a world does not know of itself. */
export interface Surroundings {
  readonly name: string;
  readonly clock: ClockReading;
  readonly replication: ReplicationStats & ReplicationRates;
  readonly saves: SaveStats;
  readonly frames: FrameStats;
  readonly memory: MemoryStats;
}

export function serverStats(
  world: World,
  { name, clock, replication, saves, frames, memory }: Surroundings,
): ServerStats {
  return {
    ...world.stats(),
    world: name,
    time: world.time,
    clock,
    nextEvent: world.nextEventAt ?? null,
    clients: replication.clients,
    cellsWatched: replication.cells,
    replication,
    saves,
    frames,
    memory,
    budget: world.settings.eventsPerFrame,
  };
}
