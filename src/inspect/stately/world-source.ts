/** Records of a world in this process: each event that changes one is told with it. */
import type { SendResult } from '../../core/commands.ts';
import type { MachineEvent } from '../../core/logic.ts';
import type { World } from '../../core/world.ts';
import { inspectedRecord, matchingRecords } from '../records.ts';
import type { RecordSource, ShownRecord, Told } from './source.ts';

/** Commands from an inspector come with those of admins. */
const RANK = 0;

export function worldSource(world: World): RecordSource {
  let seq = 0;
  return {
    records: async () =>
      matchingRecords(world, '', Number.POSITIVE_INFINITY)
        .records.map(({ id }) => shownRecord(world, id))
        .filter((record) => record !== undefined),
    watch: (id, told) => watchRecord(world, id, told),
    send: (id, event) =>
      new Promise<SendResult>((resolve) => {
        seq += 1;
        world.commands.push({
          source: { rank: RANK, id: 'inspector' },
          seq,
          command: { type: 'send', id, event },
          done: resolve,
        });
      }),
    machineOf: (kind) => world.kinds.get(kind)?.machine,
  };
}

/** A record as it is shown, whatever its kind throws. */
function shownRecord(world: World, id: string): ShownRecord | undefined {
  const record = inspectedRecord(world, id);
  if (record === null) return undefined;
  const { kind, at, value, status, tags } = record;
  return { id, kind, at, value, context: world.valueOf(id)?.context, status, tags };
}

function watchRecord(world: World, id: string, told: Told): () => void {
  const tell = (event: MachineEvent): void => {
    const record = shownRecord(world, id);
    // That it is gone is told by the world itself.
    if (record !== undefined) told(record, event);
  };
  const stops = [
    world.on('event', ({ id: by, event, changed }) => {
      if (changed.includes(id)) tell(by === id ? event : { type: `edited by ${by}` });
    }),
    // What no event brought about.
    world.on('command', ({ command, result }) => {
      if (!result.accepted || command.type === 'send') return;
      if ('id' in command && command.id === id) tell({ type: `offstage.command.${command.type}` });
    }),
    world.on('removed', (removed) => {
      if (removed.id === id) told(undefined, { type: 'removed' });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
