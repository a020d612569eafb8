/**
 * A record as a region file holds it: a plain object with what is the same for most records left out.
 * Game times are written as they are; nothing is relative to when it was saved.
 */
import type { AllOf, ById } from '../core/address.ts';
import type { Relevancy } from '../core/kind.ts';
import type { HistoryValue, MachineEvent, StateValue } from '../core/logic.ts';
import { machineState } from '../core/logic.ts';
import { entriesOf, type Pending, RANK, type Rank } from '../core/pending.ts';
import { type Fault, type Links, NO_LINKS, type RecordValue } from '../core/record.ts';
import type { SavedPending, SavedRecord } from '../core/saved-world.ts';
import { isPlainJson } from '../protocol/rich.ts';

/** Something a record has before it. Left out: rank 0, iteration 0, an event that is no more than its id. */
interface PendingJson {
  readonly id: string;
  readonly at: number;
  readonly rank?: Rank;
  readonly iteration?: number;
  readonly event?: MachineEvent;
  readonly to?: ById | AllOf;
}

export interface RecordJson {
  readonly id: string;
  readonly kind: string;
  /** The kind's version. */
  readonly v: number;
  readonly at: readonly number[];
  /** The game time the context is at, in milliseconds. */
  readonly time: number;
  readonly value: StateValue;
  readonly context?: unknown;
  readonly links?: Links;
  /** Left out: `spatial`. */
  readonly relevancy?: Relevancy;
  /** Left out: `active`. */
  readonly status?: 'done' | 'error';
  readonly history?: HistoryValue;
  readonly output?: unknown;
  readonly tags?: readonly string[];
  readonly draws?: number;
  readonly created?: number;
  readonly fault?: Fault;
  readonly revision: number;
  readonly pending?: readonly PendingJson[];
}

/** A record with the version of its kind. */
export interface VersionedRecord extends SavedRecord {
  readonly version: number;
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

export function recordToJson(record: RecordValue): RecordJson {
  const { id, at, links, context, shape, rarity, relevancy } = record;
  const { kind } = record.standing;
  const json: Open<RecordJson> = {
    id,
    kind: kind.name,
    v: kind.version,
    at,
    time: record.advancedTo,
    revision: record.revision,
    value: shape.value,
    context,
  };
  if (links !== NO_LINKS) json.links = links;
  if (relevancy !== 'spatial') json.relevancy = relevancy;
  if (shape.status !== 'active') json.status = shape.status;
  if (!isEmpty(shape.historyValue)) json.history = shape.historyValue;
  if (shape.output !== undefined) json.output = shape.output;
  if (shape.tags.length > 0) json.tags = shape.tags;
  if (rarity.draws > 0) json.draws = rarity.draws;
  if (rarity.created > 0) json.created = rarity.created;
  if (rarity.fault !== null) json.fault = rarity.fault;
  if (record.planned !== undefined) json.pending = entriesOf(record.pending).map(pendingToJson);
  return json;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function pendingToJson({ id, at, rank, iteration, event, to }: Pending): PendingJson {
  const json: Open<PendingJson> = { id, at };
  if (rank !== RANK.timer) json.rank = rank;
  if (iteration !== 0) json.iteration = iteration;
  if (event.type !== id || Object.keys(event).length > 1) json.event = event;
  if (to !== undefined) json.to = to;
  return json;
}

/** Whether JSON gives a record back as it was. Only what authors put into it is looked at. */
export function isPlainRecord({ context, at, output, fault, pending }: RecordJson): boolean {
  return (
    (context === undefined || isPlainJson(context)) &&
    isPlainJson(at) &&
    (output === undefined || isPlainJson(output)) &&
    (fault === undefined || isPlainJson(fault)) &&
    (pending === undefined || pending.every(isPlainPending))
  );
}

function isPlainPending({ event, to }: PendingJson): boolean {
  return (event === undefined || isPlainJson(event)) && (to === undefined || isPlainJson(to));
}

/** Throws a `TypeError` if the value is no record, which only a file from elsewhere can hold. */
export function recordFromJson(json: RecordJson): VersionedRecord {
  const { id, kind, v, at, time, value } = json;
  if (
    typeof id !== 'string' ||
    typeof kind !== 'string' ||
    !Number.isFinite(v) ||
    !Array.isArray(at) ||
    !Number.isFinite(time) ||
    value === undefined
  ) {
    throw new TypeError(`${JSON.stringify(json)?.slice(0, 200)} is no saved record.`);
  }
  return {
    id,
    kind,
    version: v,
    at,
    advancedTo: time,
    links: json.links ?? NO_LINKS,
    relevancy: json.relevancy ?? 'spatial',
    state: machineState(
      value,
      json.context,
      json.status ?? 'active',
      json.history ?? {},
      json.output,
      undefined,
      json.tags ?? [],
    ),
    draws: json.draws ?? 0,
    created: json.created ?? 0,
    fault: json.fault ?? null,
    revision: json.revision,
    pending: (json.pending ?? []).map(pendingFromJson),
  };
}

function pendingFromJson({ id, at, rank, iteration, event, to }: PendingJson): SavedPending {
  return {
    rank: rank ?? RANK.timer,
    id,
    event: event ?? { type: id },
    at,
    iteration: iteration ?? 0,
    to,
  };
}
