/**
 * Catching up in one step equals step by step. Three things are asked: the world gives the same when
 * it runs event by event, with stops between; `advance` gives the same whole as in parts; and a
 * prediction asked again on the way, when nothing has happened, gives the time it gave before.
 */
import { stringify } from 'fast-check';
import type { Kind } from '../../core/kind.ts';
import { advancedState, linkedView, type Viewed, whileLooking } from '../../core/looking.ts';
import type { RecordValue } from '../../core/record.ts';
import type { World } from '../../core/world.ts';
import { inUnits } from '../duration.ts';
import { differenceOf, isNear } from '../sameness.ts';
import type { Law, Scene, Violation } from './law.ts';

/** How far parts may be from the whole, relatively, unless the kind says `exact`. */
const TOLERANCE = 1e-9;
/** Game times lie on a grid of 1/1024 ms, and two roundings may part by a step each. */
const ROUNDINGS = 2 / 1024;
/** Where the way from one event to the next is parted. */
const PARTS = [1 / 1024, 1 / 3, 0.5, 0.9];
/** How far is looked where nothing is to come, in game milliseconds. */
const FAR = 3_600_000;

export const oneStep = {
  name: 'one step equals many',
  says: 'catching up in one step gives the same as step by step',
  usually:
    'advance works from the step before instead of from a fixed point, or reads something beside its arguments. Keep a start value and its game time in the context, and work out the value now from those.',
  broken(scene) {
    let found: Violation | undefined;
    const steps = scene.play({
      run: (world, until) => {
        while ((world.nextEventAt ?? Number.POSITIVE_INFINITY) <= until) world.step();
        world.runUntil((world.time + until) / 2);
        world.runUntil(until);
      },
      after: (world) => {
        found ??= partsOf(scene, world);
        return undefined;
      },
    });
    if (found !== undefined) return found;
    const difference = differenceOf(scene.play(), steps);
    return difference && { ...difference, how: 'when it runs event by event' };
  },
} as const satisfies Law;

/** The record moved to a later time by itself, whole and in parts. */
function partsOf({ kind, id }: Scene, world: World): Violation | undefined {
  const record = world.valueOf(id);
  if (record === undefined || record.shape.status !== 'active' || record.fault !== null) return;
  const from = world.time;
  const to = world.nextEventAt ?? from + FAR;
  if (!(to > from)) return undefined;
  const whole = movedTo(world, record, to);
  for (const part of PARTS) {
    const middle = from + (to - from) * part;
    const half = movedTo(world, record, middle);
    const parts = movedTo(world, half, to);
    if (!isNear(whole.state.context, parts.state.context, kind.exact ? 0 : TOLERANCE)) {
      return {
        expected: `${stringify(whole.state.context)}, as from ${inUnits(from)} to ${inUnits(to)} at once`,
        got: stringify(parts.state.context),
        how: `when advance goes from ${inUnits(from)} to ${inUnits(middle)} and from there to ${inUnits(to)}`,
      };
    }
    const violation = predictionsOf(kind, world, movedTo(world, record, from), half);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** A record as it would be at another time, with nothing happening on the way. */
function movedTo(world: World, record: Viewed, time: number): Viewed {
  const find = (other: string): RecordValue | undefined => world.valueOf(other);
  const { id, kind, at, links } = record;
  const state = advancedState({ time, find }, record);
  return { id, kind, at, links, state, advancedTo: time };
}

function predictionsOf(
  kind: Kind,
  world: World,
  now: Viewed,
  later: Viewed,
): Violation | undefined {
  for (const [type] of kind.predict) {
    const before = predicted(kind, type, world, now);
    const after = predicted(kind, type, world, later);
    // What was due by then, or is due in the past, means now; there is nothing to compare.
    if (before !== undefined && before <= later.advancedTo) continue;
    if (before === after) continue;
    const tolerance = ROUNDINGS + TOLERANCE * Math.abs((before ?? 0) - now.advancedTo);
    if (before !== undefined && after !== undefined && Math.abs(before - after) <= tolerance) {
      continue;
    }
    const said = (at: number | undefined): string =>
      at === undefined ? `no ${type}` : `${type} at ${inUnits(at)}`;
    return {
      expected: `${said(before)}, as predicted at ${inUnits(now.advancedTo)}`,
      got: said(after),
      how: `when predict.${type} is asked again at ${inUnits(later.advancedTo)}, with nothing in between`,
    };
  }
  return undefined;
}

/** What a prediction gives for a record at a time; undefined for never. */
function predicted(kind: Kind, type: string, world: World, record: Viewed): number | undefined {
  const records = { time: record.advancedTo, find: (id: string) => world.valueOf(id) };
  const when = kind.predict.find(([event]) => event === type)?.[1];
  const { context, value } = record.state;
  const at = whileLooking(records, record, () =>
    when?.(context, {
      at: record.at,
      time: record.advancedTo,
      value,
      linked: (name) => {
        const id = record.links[name];
        return id === undefined ? undefined : linkedView(records, records.find(id));
      },
    }),
  );
  return at === undefined || at === Number.POSITIVE_INFINITY ? undefined : at;
}
