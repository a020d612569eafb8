/** How each command is carried out: as one transaction, or as a change of the clock or the settings. */
import type { Agenda } from './agenda.ts';
import type { NewRecord } from './ambient.ts';
import type { ClockState } from './clock.ts';
import type { Command, CommandQueue, StateChange } from './commands.ts';
import type { Change } from './commit.ts';
import { WorldError } from './errors.ts';
import { hash32 } from './hash.ts';
import type { Kind } from './kind.ts';
import { type MachineEvent, WAKE } from './logic.ts';
import { checkedEvent, checkedId, checkedPlace } from './names.ts';
import { compareTurns, turnRank } from './order.ts';
import type { RecordValue } from './record.ts';
import type { Scheduler } from './scheduler.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';
import { checkedTime, LAST_TIME, roundTime } from './time.ts';
import type { Transaction } from './transaction.ts';

/** What commands act on. */
export interface CommandParts {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly scheduler: Scheduler;
  readonly clock: ClockState;
  readonly queue: CommandQueue;
  readonly kinds: ReadonlyMap<string, Kind>;
  configure(settings: Partial<Settings>): void;
}

/** Carries out a command. Throws what it is refused with; nothing of it has then happened. */
export function carryOut(parts: CommandParts, command: Command): void {
  const { clock, scheduler } = parts;
  const event: MachineEvent = { type: `offstage.command.${command.type}` };
  const run = (work: (transaction: Transaction) => void): void => {
    scheduler.command(event, work);
  };
  switch (command.type) {
    case 'add':
      run((transaction) => addAll(parts, transaction, command.records));
      break;
    case 'addIfMissing':
      run((transaction) => addIfMissing(transaction, command.record));
      break;
    case 'remove':
      run((transaction) => transaction.remove(existing(transaction, command.id)));
      break;
    case 'send':
      send(parts, command.id, checkedEvent(command.event, String(command.id)));
      break;
    case 'setState':
      run((transaction) => setState(transaction, command.id, command.change));
      break;
    case 'retry':
      run((transaction) => retry(scheduler, transaction, command.id));
      break;
    case 'pause':
      clock.paused = true;
      break;
    case 'resume':
      clock.paused = false;
      break;
    case 'setSpeed':
      clock.setSpeed(command.speed);
      break;
    case 'jump':
    case 'offline':
      clock.jump(command.milliseconds);
      break;
    case 'shiftTo':
      shiftTo(parts, checkedTime(command.time, 'shiftTo'));
      break;
    case 'configure':
      parts.configure(command.settings);
      break;
    default:
      command satisfies never;
      throw new WorldError(
        'BAD_COMMAND',
        `There is no command '${String((command as Command).type)}'.`,
      );
  }
}

function checkedRecord(record: unknown): NewRecord {
  if (typeof record === 'object' && record !== null) return record as NewRecord;
  throw new WorldError('BAD_RECORD', `${String(record)} is no record; give { id, kind, at, … }.`);
}

function addIfMissing(transaction: Transaction, record: NewRecord): void {
  const { id } = checkedRecord(record);
  if (transaction.drafts.ofId(checkedId(id)) === undefined) transaction.create(record);
}

function existing(transaction: Transaction, id: string) {
  const draft = transaction.drafts.ofId(id);
  if (draft === undefined)
    throw new WorldError('UNKNOWN_RECORD', `There is no record ${String(id)}.`);
  return draft;
}

/** Adds records in the order of turns, whatever the order they are given in. */
function addAll(
  { kinds }: CommandParts,
  transaction: Transaction,
  records: readonly NewRecord[],
): void {
  if (!Array.isArray(records)) {
    throw new WorldError('BAD_RECORD', `add takes records; got ${String(records)}.`);
  }
  const placed = records.map((given) => {
    const record = checkedRecord(given);
    const id = checkedId(record.id);
    return { record, id, rank: turnRank(kinds.get(record.kind)?.order ?? 0, hash32(id)) };
  });
  placed.sort((a, b) => compareTurns(a.rank, a.id, b.rank, b.id));
  for (const { record } of placed) transaction.create(record);
}

function send({ scheduler, store }: CommandParts, id: string, event: MachineEvent): void {
  let record: RecordValue | undefined;
  try {
    const changed = scheduler.command(event, (transaction) => {
      const draft = existing(transaction, id);
      record = store.find(id);
      transaction.share(event);
      if (!transaction.take(draft, event)) {
        throw new WorldError(
          'NOT_TAKEN',
          draft.state.status === 'active'
            ? `${id} (${draft.kind.name}, in ${JSON.stringify(draft.state.value)}) does not take ${event.type} now.`
            : `${id} (${draft.kind.name}) has ended and takes nothing.`,
        );
      }
    });
    if (record !== undefined) scheduler.reportCommand(record, event, true, changed);
  } catch (error) {
    if (record !== undefined) scheduler.reportCommand(record, event, false, []);
    throw error;
  }
}

function setState(transaction: Transaction, id: string, change: StateChange): void {
  const draft = existing(transaction, id);
  checkChange(id, change);
  if (change.at !== undefined) transaction.place(draft, checkedPlace(change.at, id));
  if (change.links !== undefined) transaction.relink(draft, change.links);
  const machine: { value?: NonNullable<StateChange['value']>; context?: unknown } = {};
  if (change.value !== undefined) machine.value = change.value;
  if ('context' in change) machine.context = change.context;
  if (Object.keys(machine).length > 0) transaction.set(draft, machine);
}

/** What may be set from outside. */
const CHANGEABLE = new Set(['value', 'context', 'at', 'links']);

function checkChange(id: string, change: StateChange): void {
  const keys =
    typeof change === 'object' && change !== null ? Object.keys(change) : [String(change)];
  const wrong = keys.find((key) => !CHANGEABLE.has(key));
  if (wrong === undefined) {
    checkContext(id, change);
    return;
  }
  throw new WorldError(
    'BAD_CHANGE',
    `${id}: setState does not know '${wrong}'; it sets ${[...CHANGEABLE].join(', ')}.`,
  );
}

function checkContext(id: string, change: StateChange): void {
  if (!('context' in change)) return;
  const { context } = change;
  if (typeof context === 'object' && context !== null && !Array.isArray(context)) return;
  throw new WorldError(
    'BAD_CHANGE',
    `${id}: setState was given the context ${JSON.stringify(context) ?? String(context)}; a context is an object.`,
  );
}

function retry(scheduler: Scheduler, transaction: Transaction, id: string): void {
  const draft = existing(transaction, id);
  if (draft.fault === null)
    throw new WorldError('NOT_FAULTED', `${id} has no fault, so there is nothing to retry.`);
  scheduler.takeWake(draft.slot, { type: WAKE, link: '', links: [] });
}

/** The clock set with no time passed: every time of every record moves along. */
function shiftTo({ scheduler, store, agenda, clock, queue }: CommandParts, time: number): void {
  scheduler.runAll(scheduler.time);
  const delta = roundTime(time - scheduler.time);
  if (delta === 0) return;
  const changes: Change[] = [];
  for (const before of store.values()) {
    const after = shiftedRecord(before, delta);
    if (after.planned !== undefined && after.dueAt > LAST_TIME) {
      throw new WorldError(
        'BAD_TIME',
        `shiftTo(${time}): ${before.id} would be due after the last game time, ${LAST_TIME}.`,
      );
    }
    changes.push({ slot: store.slotOf(before.id), before, after });
  }
  clock.shift(delta);
  queue.shift(delta);
  scheduler.time = time;
  agenda.time = time;
  scheduler.commitSilently(changes);
}

function shiftedRecord(before: RecordValue, delta: number): RecordValue {
  const { kind, context } = before;
  return before.shifted(
    kind.shiftTimes === undefined ? context : kind.shiftTimes(context, delta),
    delta,
  );
}
