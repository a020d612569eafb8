/**
 * A failed event leaves everything as it was. Events of the scenario that fail are looked at, and so
 * that some do, it is played once more with linked records that refuse every edit they said they
 * would take.
 */
import { ambient } from '../../core/ambient.ts';
import type { Kind } from '../../core/kind.ts';
import type { RecordValue } from '../../core/record.ts';
import type { World } from '../../core/world.ts';
import { inUnits } from '../duration.ts';
import type { Happening, Way } from '../performance.ts';
import { digestOf, recordInWords } from '../sameness.ts';
import type { Law, Scene, Violation } from './law.ts';

export const failureLeavesNothing = {
  name: 'a failed event leaves everything as it was',
  says: 'an event that fails leaves every record as it was',
  usually:
    'an action changes a Map, a Set or a Date of the context in place before a later one fails. Give a new one with assign.',
  broken(scene) {
    return (
      playedWith(scene, 'when an event fails', {}) ??
      playedWith(scene, 'when what it links to refuses an edit that it said it would take', {
        kinds: (kind) => (kind.name === scene.kind.name ? kind : refusing(kind)),
      })
    );
  },
} as const satisfies Law;

interface Seen {
  readonly digest: string;
  readonly words: string;
}

function playedWith(scene: Scene, how: string, way: Way): Violation | undefined {
  let found: Violation | undefined;
  // The records are there only after the first events that adding them brought.
  let before: ReadonlyMap<string, Seen> | undefined;
  const look = (world: World): void => {
    before = new Map(world.values().map((record) => [record.id, seen(record)]));
  };
  scene.play({
    ...way,
    after: (world) => {
      look(world);
      return undefined;
    },
    happened: (happening, world) => {
      if (before !== undefined && didNothing(happening)) {
        found ??= changeOf(happening, world, before, how);
      }
      look(world);
    },
  });
  return found;
}

/** A command that nobody takes, too, leaves everything as it was. */
function didNothing({ failure, cause, taken }: Happening): boolean {
  return failure !== undefined || (cause === 'command' && !taken);
}

function changeOf(
  { event, time }: Happening,
  world: World,
  before: ReadonlyMap<string, Seen>,
  how: string,
): Violation | undefined {
  for (const record of world.values()) {
    const was = before.get(record.id);
    const is = seen(record);
    if (was?.digest === is.digest) continue;
    return {
      expected: was === undefined ? `no record ${record.id}` : was.words,
      got: is.words,
      how: `${how} (${event.type} at ${inUnits(time)})`,
    };
  }
  return undefined;
}

/** A record without its fault, which is what a failed event leaves. */
function seen(record: RecordValue): Seen {
  const rarity = { ...record.rarity, fault: null };
  const unfaulted: RecordValue = Object.create(record, { rarity: { value: rarity } });
  return { digest: digestOf(unfaulted), words: recordInWords(record.id, unfaulted) };
}

/** The kind, refusing what other records ask of it. */
function refusing(kind: Kind): Kind {
  const { logic } = kind;
  return {
    ...kind,
    logic: {
      ...logic,
      shortcut: undefined,
      fork: undefined,
      step: (state, event, effects) =>
        ambient.current?.sender === undefined ? logic.step(state, event, effects) : state,
    },
  };
}
