/**
 * A record with the face of a service of XState 4, which is what the devtools of `@xstate/inspect`
 * take. They listen to it, and put themselves in the place of its `send` to see events before states;
 * so an event that happened in the world is passed through `send` too, and only noted.
 */
import type { AnyStateMachine } from 'xstate';
import type { MachineEvent } from '../../core/logic.ts';
import type { RecordSource, ShownRecord } from './source.ts';
import { type V4Chart, v4ChartOf, v4StateOf } from './v4-chart.ts';

/** What of a service the devtools use. */
export interface V4Service {
  readonly id: string;
  readonly sessionId: string;
  readonly machine: { readonly definition: object; toJSON(): object };
  readonly initialState: object;
  state: object;
  send(event: unknown, payload?: unknown): unknown;
  subscribe(listener: (state: object) => void): { unsubscribe(): void };
  onStop(listener: () => void): unknown;
}

/** Charts are worked out once for each machine. */
const charts = new WeakMap<AnyStateMachine, V4Chart>();

function chartOf(machine: AnyStateMachine): V4Chart {
  const chart = charts.get(machine) ?? v4ChartOf(machine);
  charts.set(machine, chart);
  return chart;
}

const SHOWN: MachineEvent = { type: 'xstate.init' };

export class RecordFacade implements V4Service {
  readonly id: string;
  readonly sessionId: string;
  readonly machine: V4Service['machine'];
  readonly initialState: object;
  state: object;
  private readonly source: RecordSource;
  private readonly chart: V4Chart;
  private readonly refused: (message: string) => void;
  private readonly listeners = new Set<(state: object) => void>();
  private readonly stopListeners = new Set<() => void>();
  private isTelling = false;

  constructor(
    record: ShownRecord,
    machine: AnyStateMachine,
    source: RecordSource,
    refused: (message: string) => void,
  ) {
    this.id = record.id;
    this.sessionId = record.id;
    this.source = source;
    this.refused = refused;
    this.chart = chartOf(machine);
    const definition = { ...this.chart.definition, id: this.chart.definition.id };
    this.machine = { definition, toJSON: () => definition };
    this.initialState = v4StateOf(record, SHOWN, record.id);
    this.state = this.initialState;
  }

  /** The record has changed, by that event. */
  told(record: ShownRecord, event: MachineEvent): void {
    const named = { ...event, type: this.chart.nameOf(event.type) };
    this.state = v4StateOf(record, named, this.sessionId);
    this.isTelling = true;
    try {
      this.send(named);
    } finally {
      this.isTelling = false;
    }
    for (const listener of this.listeners) listener(this.state);
  }

  /** The record is gone. */
  stop(): void {
    for (const listener of this.stopListeners) listener();
    this.stopListeners.clear();
    this.listeners.clear();
  }

  /** An event that somebody clicked, as XState 4 wraps it; given to the record as a command. */
  send(given: unknown): void {
    if (this.isTelling) return;
    const event = clickedEvent(given);
    if (event === undefined) {
      this.refused(`An event for ${this.id} has no type, and was not sent.`);
      return;
    }
    if (/^(xstate\.|done\.|error\.|$)/.test(event.type)) {
      this.refused(`${event.type} happens to ${this.id} by itself, and was not sent.`);
      return;
    }
    this.source.send(this.id, event).then(
      (result) => {
        if (!result.accepted) this.refused(result.message);
      },
      (error: unknown) => this.refused(String(error)),
    );
  }

  subscribe(listener: (state: object) => void): { unsubscribe(): void } {
    this.listeners.add(listener);
    return { unsubscribe: () => this.listeners.delete(listener) };
  }

  onStop(listener: () => void): this {
    this.stopListeners.add(listener);
    return this;
  }
}

function clickedEvent(given: unknown): MachineEvent | undefined {
  const { data = given } = (given ?? {}) as { readonly data?: unknown };
  const event = typeof data === 'string' ? { type: data } : data;
  const { type } = (event ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' ? (event as MachineEvent) : undefined;
}
