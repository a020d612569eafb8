/** A running world in figures. */
import type { World } from '../core/world.ts';
import type { ServerStats } from '../protocol/admin.ts';
import type { ClockReading } from '../protocol/messages.ts';

/** What a world does not know of itself. */
export interface Surroundings {
  readonly name: string;
  readonly clock: ClockReading;
  readonly clients: number;
  readonly cellsWatched: number;
}

export function serverStats(
  world: World,
  { name, clock, clients, cellsWatched }: Surroundings,
): ServerStats {
  return {
    ...world.stats(),
    world: name,
    time: world.time,
    clock,
    nextEvent: world.nextEventAt ?? null,
    clients,
    cellsWatched,
  };
}
