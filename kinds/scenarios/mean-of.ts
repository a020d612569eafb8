import type { World } from 'offstage';
import type { MonitorContext } from '../../machines/monitor.machine.ts';

/** The mean that a monitor shows at the end of a run; no number while it has recorded nothing. */
export function meanOf(world: World, monitor: string): number {
  const shown = world.find(monitor)?.context as MonitorContext | undefined;
  return shown?.tally.mean ?? Number.NaN;
}
