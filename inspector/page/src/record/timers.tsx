/** What a record waits for, each with the time to it. */
import type { InspectedRecord } from '../../../../src/protocol/admin.ts';
import { useTicks } from '../admin-context.ts';
import type { ClockFace } from '../game-clock.ts';
import { eventText } from '../lists.tsx';
import { stretchText } from '../words.ts';

export function Timers({
  record,
  clock,
}: {
  readonly record: InspectedRecord;
  readonly clock: ClockFace;
}) {
  const { timers, nextEvent, kind } = record;
  useTicks(clock.isMoving && (timers.length > 0 || nextEvent !== null));
  // A prediction or a step is a next event that no timer brings.
  const isForeseen = nextEvent !== null && !timers.some(({ at }) => at === nextEvent);
  return (
    <section>
      <h3>Waits for</h3>
      {timers.length === 0 && !isForeseen && (
        <p className="empty">
          Nothing; it rests until something is sent to it, or a record it links to changes.
        </p>
      )}
      <ul className="timers">
        {isForeseen && (
          <li>
            <span>what its kind predicts, or its next step</span>
            <time>{stretchText(Math.max(0, nextEvent - clock.now()))}</time>
          </li>
        )}
        {timers.map(({ id, event, at }) => (
          <li key={id}>
            <span>{eventText(event.type, kind)}</span>
            <time>{stretchText(Math.max(0, at - clock.now()))}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
