/** Every game time in the context moves with `shiftTimes`: a world whose clock was set goes on as if it had not been. */
import { stringify } from 'fast-check';
import { messageOf } from '../../core/errors.ts';
import type { Kind } from '../../core/kind.ts';
import { inUnits } from '../duration.ts';
import { differenceInHappenings, isNear } from '../sameness.ts';
import { cutOf, type Law } from './law.ts';

/** A year of whole weeks, so that what goes by hours and days is at the same place of its day. */
const YEAR = 364 * 86_400_000;
const TOLERANCE = 1e-9;

export const timesMove = {
  name: 'times move with the record',
  says: 'when the clock is set, every game time in the context moves along',
  usually:
    'the context keeps a game time that shiftTimes does not move. Move each of them by delta in shiftTimes; timers and predictions move by themselves.',
  broken(scene) {
    const { kind, id } = scene;
    const delta = shiftFor(kind);
    const cut = cutOf(scene);
    let at = 0;
    const plain = scene.first;
    const shifted = scene.play({
      after: (world, move) => {
        if (move === cut) {
          at = world.time;
          world.shiftTo(world.time + delta);
        }
        return undefined;
      },
    });
    const unshifted = shifted.happenings.filter(({ time }) => time < delta).length;
    const how = `when the clock is set ${inUnits(delta)} ahead at ${inUnits(at)}`;
    const difference = differenceInHappenings(plain.happenings, shifted.happenings, (_, index) =>
      index < unshifted ? 0 : delta,
    );
    if (difference !== undefined) return { ...difference, how };
    const [before, after] = [plain.world.valueOf(id), shifted.world.valueOf(id)];
    if (before === undefined || after === undefined) return undefined;
    const wanted = movedContext(kind, before.context, delta);
    if (isNear(wanted, after.context, TOLERANCE)) return undefined;
    return { expected: stringify(wanted), got: stringify(after.context), how };
  },
} as const satisfies Law;

function movedContext(kind: Kind, context: unknown, delta: number): unknown {
  if (kind.shiftTimes === undefined) return context;
  try {
    return kind.shiftTimes(context, delta);
  } catch (error) {
    return `no error, but shiftTimes threw: ${messageOf(error)}`;
  }
}

/** A shift that leaves the grid of a stepped kind where it is. */
function shiftFor({ step }: Kind): number {
  const every = typeof step === 'object' ? step.every : 1;
  return Math.ceil(YEAR / every) * every;
}
