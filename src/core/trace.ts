/** A trace: one line for each event of a world, in the order in which they happened. */
import type { EventReport } from './reports.ts';
import type { World } from './world.ts';

export interface TraceOptions {
  /** Ends each line with the state hash after its event, so that two runs part where they differ. */
  readonly hash?: boolean;
}

/**
 * Writes a line for each event from now on; the function given back ends that. A line holds, between
 * tabs: game time in milliseconds, iteration, record, kind, cause, event type, and `taken`, `not taken`
 * or the code of its fault.
 *
 * @example
 * const stop = trace(world, (line) => console.log(line));
 */
export function trace(
  world: World,
  write: (line: string) => void,
  { hash = false }: TraceOptions = {},
): () => void {
  return world.on('event', (report) => {
    write(hash ? `${traceLine(report)}\t${world.hash()}` : traceLine(report));
  });
}

/** The line of one event. */
export function traceLine({
  time,
  iteration,
  id,
  kind,
  cause,
  event,
  taken,
  fault,
}: EventReport): string {
  const outcome = fault?.code ?? (taken ? 'taken' : 'not taken');
  return [time, iteration, id, kind, cause, event.type, outcome].join('\t');
}
