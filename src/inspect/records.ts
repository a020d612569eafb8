/**
 * Records as an admin sees them: with all they hold, as they are now. Pure functions over a world.
 * Whatever a kind gives may throw, and looking at a world must neither end its server nor hide one
 * record behind another; so a record is then shown as it is stored, and says what went wrong.
 */
import { messageOf } from '../core/errors.ts';
import type { RecordValue } from '../core/record.ts';
import { RecordSnapshot } from '../core/snapshot.ts';
import type { World } from '../core/world.ts';
import type { InspectedRecord, UpcomingEvent } from '../protocol/admin.ts';
import { isPlainJson, toRich } from '../protocol/rich.ts';

export function inspectedRecord(world: World, id: string): InspectedRecord | null {
  const record = world.valueOf(id);
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
    .values()
    .filter(({ id, kind, shape }) =>
      [id, kind.name, JSON.stringify(shape.value)].some((text) =>
        text.toLowerCase().includes(wanted),
      ),
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

function inspected(world: World, stored: RecordValue): InspectedRecord {
  const { record, problem } = looked(world, stored);
  const { id, kind, at, links, value } = record;
  const description = problem ?? described(world, record);
  return {
    id,
    kind,
    version: record.version,
    at,
    cell: record.cell,
    region: record.region,
    links,
    linkedBy: world.linkerIds(id),
    relevancy: record.relevancy,
    value,
    ...shownContext(record.context),
    status: record.status,
    tags: record.tags,
    time: world.time,
    advancedTo: record.advancedTo,
    nextEvent: record.nextEvent,
    timers: record.timers,
    fault: record.fault,
    revision: record.revision,
    ...(description === undefined ? {} : { description }),
  };
}

/** A record as it is now; as it is stored, if its kind cannot advance it. */
function looked(
  world: World,
  stored: RecordValue,
): { readonly record: RecordSnapshot; readonly problem?: string } {
  const at = (time: number): RecordSnapshot =>
    new RecordSnapshot({ time, find: (id) => world.valueOf(id) }, stored, world.settings);
  try {
    return { record: at(world.time) };
  } catch (error) {
    // At the time its context is at, there is nothing to advance.
    return { record: at(stored.advancedTo), problem: textOf(error) };
  }
}

function described(world: World, record: RecordSnapshot): string | undefined {
  const { id, at, links, value, context } = record;
  const describe = world.kinds.get(record.kind)?.describe;
  if (describe === undefined) return undefined;
  try {
    // A kind in JavaScript may give anything.
    return `${describe({ id, at, links, value, context })}`;
  } catch (error) {
    return `describe failed: ${textOf(error)}`;
  }
}

function shownContext(context: unknown): Pick<InspectedRecord, 'context' | 'rich'> {
  try {
    return isPlainJson(context) ? { context } : { rich: toRich(context) };
  } catch (error) {
    return { context: `It cannot be shown: ${textOf(error)}` };
  }
}

/** Even what was thrown may have no text. */
function textOf(error: unknown): string {
  try {
    return messageOf(error);
  } catch {
    return 'something without a text was thrown';
  }
}
