/** Looking changes nothing: however often records are read and asked, all goes on as it would have. */
import type { World } from '../../core/world.ts';
import { differenceOf } from '../sameness.ts';
import type { Law, Scene } from './law.ts';

export const lookingChangesNothing = {
  name: 'looking changes nothing',
  says: 'reading a record, or asking what it can do, changes nothing',
  usually:
    'advance, describe, a prediction or a guard changes something: a Map or Set of the context in place, or a variable beside the machine. Let them only read and give a new value.',
  broken(scene) {
    const looked = scene.play({
      happened: (_, world) => look(scene, world),
      after: (world) => {
        look(scene, world);
        return undefined;
      },
    });
    const difference = differenceOf(scene.first, looked);
    return difference && { ...difference, how: 'when somebody looks all the time' };
  },
} as const satisfies Law;

function look({ timeline }: Scene, world: World): void {
  const events = timeline.stops.flatMap(({ cue }) => (cue === undefined ? [] : [cue.event]));
  for (const record of world.query()) {
    world.kinds.get(record.kind)?.describe?.(record);
    for (const event of events) record.can(event);
  }
  world.hash();
  world.stats();
  for (const record of world.snapshot().records()) void record.context;
}
