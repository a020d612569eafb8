/** The same seed gives the same: nothing but the world and its commands decides what happens. */
import { differenceOf } from '../sameness.ts';
import type { Law } from './law.ts';

export const sameSeedSameHash = {
  name: 'same seed, same hash',
  says: 'the same seed and the same commands give the same world, bit for bit',
  usually:
    'something beside the context decides: a variable outside the machine, Math.random, a clock. Keep all state in the context, draw with random(), and read the time with now().',
  broken(scene) {
    const difference = differenceOf(scene.first, scene.play({ reversed: true }));
    return difference && { ...difference, how: 'when it is played a second time' };
  },
} as const satisfies Law;
