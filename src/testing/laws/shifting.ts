/** Every game time in the context moves with `shiftTimes`: a world whose clock was set goes on as if it had not been. */
import { stringify } from 'fast-check';
import { messageOf } from '../../core/errors.ts';
import type { Kind } from '../../core/kind.ts';
import { inUnits } from '../duration.ts';
import type { Performance } from '../performance.ts';
import { differenceInHappenings, isNear } from '../sameness.ts';
import { cutOf, type Law, type Scene, type Violation } from './law.ts';

const DAY = 86_400_000;
/** A year of whole weeks, so that what goes by hours and days is at the same place of its day. */
const YEAR = 364 * DAY;
/** Numbers from there to a year and more later have equally many bits for fractions. */
const LATE = 114 * 7 * DAY;
const TOLERANCE = 1e-9;

export const timesMove = {
  name: 'times move with the record',
  says: 'when the clock is set, every game time in the context moves along',
  usually:
    'the context keeps a game time that shiftTimes does not move. Move each of them by delta in shiftTimes; timers and predictions move by themselves.',
  broken(scene) {
    const year = onGrid(scene.kind, YEAR);
    const found = violationBy(year, scene, scene.first);
    return found === undefined || isRounding(year, scene) ? undefined : found;
  },
} as const satisfies Law;

/**
 * Whether it may only be the rounding of numbers. A prediction is a game time and a span; added to one a
 * year later the span has fewer bits, and where it ended between two ticks it may end at the other. So
 * nothing is found where as many bits are left: by a day from the beginning, and by a year from late on.
 */
function isRounding(year: number, scene: Scene): boolean {
  if (violationBy(onGrid(scene.kind, DAY), scene, scene.first) !== undefined) return false;
  const startAt = onGrid(scene.kind, LATE);
  return violationBy(year, scene, scene.play({ startAt }), startAt) === undefined;
}

/** What differs when the clock is set so much ahead. `plain`: how the scenario goes from `startAt` without that. */
function violationBy(
  delta: number,
  scene: Scene,
  plain: Performance,
  startAt = 0,
): Violation | undefined {
  const { kind, id } = scene;
  const cut = cutOf(scene);
  let at = 0;
  const shifted = scene.play({
    startAt,
    after: (world, move) => {
      if (move === cut) {
        at = world.time;
        world.shiftTo(world.time + delta);
      }
      return undefined;
    },
  });
  const unshifted = shifted.happenings.filter(({ time }) => time <= at).length;
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
}

function movedContext(kind: Kind, context: unknown, delta: number): unknown {
  if (kind.shiftTimes === undefined) return context;
  try {
    return kind.shiftTimes(context, delta);
  } catch (error) {
    return `no error, but shiftTimes threw: ${messageOf(error)}`;
  }
}

/** At least so long, and whole steps of a stepped kind. */
function onGrid({ step }: Kind, milliseconds: number): number {
  const every = typeof step === 'object' ? step.every : 1;
  return Math.ceil(milliseconds / every) * every;
}
