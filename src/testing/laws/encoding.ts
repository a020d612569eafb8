/**
 * The context survives encoding and is never mutated: after each event it is written as a save would
 * write it, read back, and compared, by what it holds and by what each part is.
 */
import { stringify } from 'fast-check';
import superjson from 'superjson';
import { messageOf } from '../../core/errors.ts';
import { inUnits } from '../duration.ts';
import { isNear } from '../sameness.ts';
import { Traffic } from '../traffic.ts';
import type { Law, Violation } from './law.ts';

/** What an event fails with when its machine breaks this law. */
const FAILURES = new Set(['CONTEXT_MUTATED', 'NOT_SAVABLE']);

export const contextSurvives = {
  name: 'the context survives encoding',
  says: 'the context can be saved and read back as it was, and no event changes it in place',
  usually:
    'the context holds a class instance, a function or a key that JSON and superjson cannot give back, or an action changes a part of it in place. Keep plain values, Map, Set and Date there, and give new ones with assign.',
  broken(scene) {
    let found: Violation | undefined;
    const looked = (id: string, time: number, context: unknown): void => {
      const again = encoded(context);
      if (found !== undefined || again.same) return;
      const how = `when the context of ${id} is encoded as at ${inUnits(time)}`;
      found = { expected: stringify(context), got: again.got, how };
    };
    // A Map, a Set or a Date cannot be frozen; whoever watches the edits of a test sees those change too.
    const traffic = new Traffic();
    scene.play({
      kinds: (kind) => traffic.watched(kind),
      after: (world, move) => {
        const context = world.valueOf(scene.id)?.context;
        if (move < 0) looked(scene.id, world.time, context);
        return undefined;
      },
      happened: ({ id, event, failure, time }, world) => {
        if (failure !== undefined && FAILURES.has(failure.code)) {
          found ??= {
            expected: `${event.type} to leave a new context that can be saved`,
            got: `${failure.code}: ${failure.message}`,
            how: `at ${inUnits(time)}, in an event of ${id}`,
          };
        }
        const record = world.valueOf(id);
        if (record !== undefined) looked(id, time, record.context);
      },
    });
    return found;
  },
} as const satisfies Law;

function encoded(context: unknown): { readonly same: boolean; readonly got: string } {
  try {
    const read = superjson.parse(superjson.stringify(context));
    return { same: isNear(context, read, 0), got: stringify(read) };
  } catch (error) {
    return { same: false, got: `an error: ${messageOf(error)}` };
  }
}
