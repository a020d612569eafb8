/** Saved and loaded in the middle gives the same: all that a record is lies in what a save keeps of it. */
import superjson from 'superjson';
import { type SavedRecord, savedRecordOf } from '../../core/saved-world.ts';
import { restoreWorld, type World } from '../../core/world.ts';
import { inUnits } from '../duration.ts';
import { differenceOf } from '../sameness.ts';
import { cutOf, type Law } from './law.ts';

export const savedAndLoaded = {
  name: 'saved and loaded in the middle',
  says: 'a world that is saved and loaded in the middle goes on as it would have',
  usually:
    'something is remembered beside the context: in a variable, or by the identity of an object, which is another one after a load. Keep it in the context, by value.',
  broken(scene) {
    const cut = cutOf(scene);
    let at = 0;
    const loaded = scene.play({
      after: (world, move) => {
        if (move !== cut) return undefined;
        at = world.time;
        return savedWorld(world);
      },
    });
    const difference = differenceOf(scene.first, loaded);
    return difference && { ...difference, how: `saved and loaded at ${inUnits(at)}` };
  },
} as const satisfies Law;

/** The world as it comes back from a save: nothing of it is an object that was there before. */
function savedWorld(world: World): World {
  const { time, seed, settings } = world;
  const { instant } = world.snapshot();
  const { speed, paused } = world.clock;
  const records: SavedRecord[] = world.values().map((record) => copied(savedRecordOf(record)));
  return restoreWorld(
    { kinds: [...world.kinds.values()], seed, settings },
    {
      time,
      instant: copied(instant),
      clock: { time: world.clock.time, speed, paused },
      commands: world.commandCount,
      records,
    },
  );
}

function copied<T>(value: T): T {
  return superjson.parse(superjson.stringify(value));
}
