/** Timers to load a world with, as the command that adds them. */
import type { Command } from '../core/commands.ts';
import { CommandError } from '../core/errors.ts';
import type { World } from '../core/world.ts';
import type { SpawnTimers } from '../protocol/admin.ts';

const KIND = 'timer';
/** World units between neighbours, if nothing else is asked for. */
const SPACING = 1000;

/**
 * The `add` of `count` timers in a square around the middle of the map, with ids that are free.
 * Throws `UNKNOWN_KIND` if the world has no kind `timer`.
 */
export function timersToSpawn(
  world: World,
  { count, interval, spacing = SPACING }: SpawnTimers,
): Extract<Command, { readonly type: 'add' }> {
  if (!world.kinds.has(KIND)) {
    throw new CommandError(
      'UNKNOWN_KIND',
      `This world has no kind '${KIND}', which spawn-timers needs; add it to kinds/index.ts.`,
    );
  }
  const first = firstFree(world);
  const across = Math.ceil(Math.sqrt(count));
  const start = (-(across - 1) * spacing) / 2;
  const records = Array.from({ length: count }, (_, i) => ({
    id: `spawned-${first + i}`,
    kind: KIND,
    at: [start + (i % across) * spacing, start + Math.floor(i / across) * spacing],
    input: { every: interval },
  }));
  return { type: 'add', records };
}

/** One more than the highest number that is taken. */
function firstFree(world: World): number {
  let highest = 0;
  for (const { id } of world.values({ kind: KIND })) {
    const number = Number(/^spawned-(\d+)$/.exec(id)?.[1]);
    if (number > highest) highest = number;
  }
  return highest + 1;
}
