/** How each command is carried out: as one transaction, or as a change of the clock or the settings. */
import type { Agenda } from './agenda.ts';
import type { NewRecord } from './ambient.ts';
import type { ClockState } from './clock.ts';
import type { Command, StateChange } from './commands.ts';
import type { Change } from './commit.ts';
import { WorldError } from './errors.ts';
import { hash32 } from './hash.ts';
import type { Kind } from './kind.ts';
import { type MachineEvent, WAKE } from './logic.ts';
import { checkedId, checkedPlace } from './names.ts';
import { compareTurns, turnRank } from './order.ts';
import type { RecordValue } from './record.ts';
import type { Scheduler } from './scheduler.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';
import { checkedTime, roundTime } from './time.ts';
import type { Transaction } from './transaction.ts';

/** What commands act on. */
export interface CommandParts {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly scheduler: Scheduler;
  readonly clock: ClockState;
  readonly kinds: ReadonlyMap<string, Kind>;
  configure(settings: Partial<Settings>): void;
}

/** Carries out a command. Throws what it is refused with; nothing of it has then happened. */
export function carryOut(parts: CommandParts, command: Command): void {
  const { clock, scheduler } = parts;
  const event: MachineEvent = { type: `offstage.command.${command.type}` };
  const run = (work: (transaction: Transaction) => void): void => scheduler.command(event, work);
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
      send(parts, command.id, checkedEvent(command.event));
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

function addIfMissing(transaction: Transaction, record: NewRecord): void {
  if (transaction.drafts.ofId(checkedId(record.id)) === undefined) transaction.create(record);
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
  const placed = records.map((record) => {
    const id = checkedId(record.id);
    return { record, id, rank: turnRank(kinds.get(record.kind)?.order ?? 0, hash32(id)) };
  });
  placed.sort((a, b) => compareTurns(a.rank, a.id, b.rank, b.id));
  for (const { record } of placed) transaction.create(record);
}

function send({ scheduler, store }: CommandParts, id: string, event: MachineEvent): void {
  let record: RecordValue | undefined;
  try {
    scheduler.command(event, (transaction) => {
      const draft = existing(transaction, id);
      record = store.find(id);
      if (!transaction.take(draft, event)) {
        throw new WorldError(
          'NOT_TAKEN',
          draft.state.status === 'active'
            ? `${id} (${draft.kind.name}, in ${JSON.stringify(draft.state.value)}) does not take ${event.type} now.`
            : `${id} (${draft.kind.name}) has ended and takes nothing.`,
        );
      }
    });
    if (record !== undefined) scheduler.reportCommand(record, event, true);
  } catch (error) {
    if (record !== undefined) scheduler.reportCommand(record, event, false);
    throw error;
  }
}

function setState(transaction: Transaction, id: string, change: StateChange): void {
  const draft = existing(transaction, id);
  if (change.at !== undefined) transaction.place(draft, checkedPlace(change.at, id));
  if (change.links !== undefined) transaction.relink(draft, change.links);
  const machine: { value?: NonNullable<StateChange['value']>; context?: unknown } = {};
  if (change.value !== undefined) machine.value = change.value;
  if ('context' in change) machine.context = change.context;
  if (Object.keys(machine).length > 0) transaction.set(draft, machine);
}

function retry(scheduler: Scheduler, transaction: Transaction, id: string): void {
  const draft = existing(transaction, id);
  if (draft.fault === null)
    throw new WorldError('NOT_FAULTED', `${id} has no fault, so there is nothing to retry.`);
  scheduler.takeWake(draft.slot, { type: WAKE, link: '', links: [] });
}

function checkedEvent(event: unknown): MachineEvent {
  if (
    typeof event !== 'object' ||
    event === null ||
    typeof (event as MachineEvent).type !== 'string'
  ) {
    throw new WorldError(
      'BAD_EVENT',
      `${JSON.stringify(event) ?? String(event)} is no event; an event is an object with a type.`,
    );
  }
  return event as MachineEvent;
}

/** The clock set with no time passed: every time of every record moves along. */
function shiftTo({ scheduler, store, agenda, clock }: CommandParts, time: number): void {
  scheduler.runAll(scheduler.time);
  const delta = roundTime(time - scheduler.time);
  if (delta === 0) return;
  const changes: Change[] = [];
  for (const before of store.values()) {
    changes.push({ slot: store.slotOf(before.id), before, after: shiftedRecord(before, delta) });
  }
  clock.shift(delta);
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
