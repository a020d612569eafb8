/** Records as an admin sees them: with all they hold, as they are now. Pure functions over a world. */
import type { RecordSnapshot } from '../core/snapshot.ts';
import type { World } from '../core/world.ts';
import type { InspectedRecord, UpcomingEvent } from '../protocol/admin.ts';
import { isPlainJson, toRich } from '../protocol/rich.ts';

export function inspectedRecord(world: World, id: string): InspectedRecord | null {
  const record = world.find(id);
  return record === undefined ? null : inspected(world, record);
}

/**
 * Records whose id, kind or state's name holds the filter, whatever its case; all without one. In
 * the order of ids.
 */
export function matchingRecords(
  world: World,
  filter: string,
  limit: number,
): { readonly records: InspectedRecord[]; readonly total: number } {
  const wanted = filter.toLowerCase();
  const found = world
    .query()
    .filter(({ id, kind, value }) =>
      [id, kind, JSON.stringify(value)].some((text) => text.toLowerCase().includes(wanted)),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    records: found.slice(0, limit).map((record) => inspected(world, record)),
    total: found.length,
  };
}

/** What happens next in the world, in order. */
export function upcomingEvents(world: World, count: number): readonly UpcomingEvent[] {
  return world.upcoming(count);
}

function inspected(world: World, record: RecordSnapshot): InspectedRecord {
  const { id, kind, at, links, value, context } = record;
  const describe = world.kinds.get(kind)?.describe;
  return {
    id,
    kind,
    version: record.version,
    at,
    cell: record.cell,
    region: record.region,
    links,
    linkedBy: world.linkers(id).map((linker) => linker.id),
    relevancy: record.relevancy,
    value,
    ...(isPlainJson(context) ? { context } : { rich: toRich(context) }),
    status: record.status,
    tags: record.tags,
    time: world.time,
    advancedTo: record.advancedTo,
    nextEvent: record.nextEvent,
    timers: record.timers,
    fault: record.fault,
    revision: record.revision,
    ...(describe === undefined ? {} : { description: describe({ id, at, links, value, context }) }),
  };
}
