/**
 * What the records of one kind share, so that a record need not hold it itself: a machine state
 * without its context, and what a timer is without its time. A million records in three states hold
 * three shapes. Sharing changes nothing that can be seen; what is not found is made.
 */
import type { AllOf, ById } from './address.ts';
import type { Kind } from './kind.ts';
import {
  type HistoryValue,
  type MachineEvent,
  type MachineState,
  machineState,
  type StateValue,
} from './logic.ts';
import type { Pending, Rank } from './pending.ts';

/** A machine state without its context. */
export interface Shape {
  readonly value: StateValue;
  readonly status: MachineState['status'];
  readonly historyValue: HistoryValue;
  readonly output: unknown;
  readonly error: unknown;
  readonly tags: readonly string[];
  /** Whether a wake may do something in it. */
  readonly heedsWake: boolean;
}

/** Something planned, without its time. */
export interface Planned {
  readonly rank: Rank;
  readonly id: string;
  readonly event: MachineEvent;
  readonly to: ById | AllOf | undefined;
}

/** Beyond so many the oldest are forgotten, and made again when they are met again. */
const MOST_SHARED = 1024;

export class Sharing {
  private readonly kind: Kind;
  private readonly shapes = new Map<StateValue, Shape>();
  private readonly planned = new Map<MachineEvent, Planned>();

  constructor(kind: Kind) {
    this.kind = kind;
  }

  /** The shape of a state; `likely` if it is that one. */
  shapeOf(state: MachineState, likely: Shape | undefined): Shape {
    if (likely !== undefined && isShapeOf(likely, state)) return likely;
    const known = this.shapes.get(state.value);
    if (known !== undefined && isShapeOf(known, state)) return known;
    const { value, status, historyValue, output, error, tags } = state;
    const heedsWake = status === 'active' && this.kind.logic.heedsWake(state);
    const shape = { value, status, historyValue, output, error, tags, heedsWake };
    keep(this.shapes, value, shape);
    return shape;
  }

  /** What a pending entry plans; `likely` if it is that. */
  plannedOf(entry: Pending, likely: Planned | undefined): Planned {
    if (likely !== undefined && isPlannedBy(likely, entry)) return likely;
    const known = this.planned.get(entry.event);
    if (known !== undefined && isPlannedBy(known, entry)) return known;
    const { rank, id, event, to } = entry;
    const planned = { rank, id, event, to };
    keep(this.planned, event, planned);
    return planned;
  }
}

/** The state that a shape and a context make. */
export function stateOf(shape: Shape, context: unknown): MachineState {
  const { value, status, historyValue, output, error, tags } = shape;
  return machineState(value, context, status, historyValue, output, error, tags);
}

function isShapeOf(shape: Shape, state: MachineState): boolean {
  return (
    shape.value === state.value &&
    shape.status === state.status &&
    shape.historyValue === state.historyValue &&
    shape.tags === state.tags &&
    shape.output === state.output &&
    shape.error === state.error
  );
}

function isPlannedBy(planned: Planned, entry: Pending): boolean {
  return (
    planned.event === entry.event &&
    planned.id === entry.id &&
    planned.rank === entry.rank &&
    planned.to === entry.to
  );
}

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= MOST_SHARED) map.clear();
  map.set(key, value);
}
