/**
 * Whether the world goes on. A process that answers proves nothing: a world whose timers are dead
 * would answer too. So this looks at what is due, and whether it happens.
 */
import type { World } from '../core/world.ts';
import type { SaveStats } from '../protocol/admin.ts';
import type { ClockReading } from '../protocol/messages.ts';
import type { Progress } from './loop.ts';

export interface Health {
  readonly ok: boolean;
  /** What is wrong, if something is. */
  readonly problem?: string;
  readonly world: string;
  /** The game time up to which everything has happened. */
  readonly time: number;
  readonly clock: ClockReading;
  /** Game milliseconds that the last frame left for the next. */
  readonly behind: number;
  readonly frames: number;
  /** Real milliseconds since something due first went undone. */
  readonly overdue: number;
  /** Real milliseconds since a frame last moved the world; an idle world has none to run. */
  readonly sinceProgress: number;
  readonly records: number;
  readonly faulted: number;
  /** What is kept of it. What is wrong with a disk is told to admins; here stands its code. */
  readonly saves: Pick<SaveStats, 'state' | 'code' | 'generation' | 'savedAt'>;
}

/** Real milliseconds for which something due may go undone with no progress. */
const PATIENCE = 5000;

export function healthOf(
  name: string,
  world: World,
  clock: ClockReading,
  loop: Progress,
  { state, code, generation, savedAt }: SaveStats,
): Health {
  const { records, faulted } = world.stats();
  const problem = problemOf(world, loop, code);
  return {
    ok: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    world: name,
    time: world.time,
    clock,
    behind: Math.max(0, world.clock.time - world.time),
    frames: loop.frames,
    overdue: Math.round(loop.overdue),
    sinceProgress: Math.round(loop.sinceProgress),
    records,
    faulted,
    saves: { state, code, generation, savedAt },
  };
}

function problemOf(
  { heldBecause }: World,
  loop: Progress,
  code: string | null,
): string | undefined {
  if (heldBecause !== undefined) {
    const why = code === null || code === heldBecause.code ? '' : ` (${code})`;
    return `${heldBecause.code}: the world stands still, since it cannot be saved${why}.`;
  }
  return loop.overdue > PATIENCE && loop.sinceProgress > PATIENCE
    ? `Something has been due for ${Math.round(loop.overdue)} ms and the world does not advance.`
    : undefined;
}
