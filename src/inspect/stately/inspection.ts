/**
 * Chosen records of a world, shown in Stately's inspectors: in the current one (`@statelyai/inspect`,
 * which only shows), and in the older one (`@xstate/inspect`, from which events can be sent), where that
 * is installed. Both are reached through one gate.
 */
import { createInspector } from '@statelyai/inspect';
import type { AnyStateMachine } from 'xstate';
import type { MachineEvent } from '../../core/logic.ts';
import { RecordFacade, type V4Service } from './facade.ts';
import { type GatedSockets, openGate } from './gate.ts';
import { inspectorPage } from './page.ts';
import { plain } from './plain.ts';
import { chosenRecords } from './selection.ts';
import type { RecordSource, ShownRecord } from './source.ts';

/** The older inspector, opened on our sockets. */
export interface V4Inspector {
  register(service: V4Service): void;
  close(): void;
}

export interface InspectionOptions {
  readonly source: RecordSource;
  /** Which records; see `HOW_TO_CHOOSE`. None: one of each kind. */
  readonly wanted: readonly string[];
  /** 0 takes a free one. */
  readonly port: number;
  /** Left out where the older inspector is not installed. */
  readonly openV4?: (sockets: GatedSockets) => V4Inspector;
  /** Told of what was not let through, or refused. */
  warn(message: string): void;
}

export interface Inspection {
  /** Where the page is. */
  readonly url: string;
  readonly shown: readonly ShownRecord[];
  /** How many more records fit than are shown. */
  readonly left: number;
  close(): Promise<void>;
}

/** Throws `CommandError` if no record fits, `WorldError` `PORT_TAKEN`. */
export async function openInspection(options: InspectionOptions): Promise<Inspection> {
  const { source, wanted, port, openV4, warn } = options;
  const { shown, left } = chosenRecords(await source.records(), wanted);
  const gate = await openGate({ port, page: inspectorPage, refused: warn });
  const v4 = openV4?.(gate.sockets);
  const current = createInspector({ send: (event) => gate.broadcast(JSON.stringify(event)) });
  const stops = shown.map((record) => {
    const { id } = record;
    const machine = source.machineOf(record.kind) as AnyStateMachine | undefined;
    const facade = machine && v4 && new RecordFacade(record, machine, source, warn);
    if (facade !== undefined) v4?.register(facade);
    const logic = machine === undefined ? {} : { logic: { config: configOf(machine, id) } };
    const actor = { sessionId: id, id, ...logic } as Parameters<typeof current.actor>[0];
    current.actor(actor, snapshotOf(record));
    const stop = source.watch(id, (now, event) => {
      if (now === undefined) {
        current.snapshot(actor, { status: 'stopped' }, { event: eventOf(event) });
        facade?.stop();
        return;
      }
      current.event(actor, eventOf(event));
      current.snapshot(actor, snapshotOf(now), { event: eventOf(event) });
      facade?.told(now, event);
    });
    return (): void => {
      stop();
      facade?.stop();
    };
  });
  return {
    url: gate.url,
    shown,
    left,
    close: async () => {
      for (const stop of stops) stop();
      v4?.close();
      await gate.close();
    },
  };
}

/** The machine as it was written, under the record's name: that is what the inspector lists. */
function configOf(machine: AnyStateMachine, id: string): object {
  return { ...(machine.config as object), id };
}

function snapshotOf({ value, context, status }: ShownRecord) {
  return { value, context: plain(context), status: status as 'active' };
}

function eventOf(event: MachineEvent): MachineEvent {
  return plain(event) as MachineEvent;
}
