/** What a step asks for, written down in order, and XState's own account of the same. */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import type { CustomAction, Effects, MachineEvent, MachineState } from '../../src/core/logic.ts';

/** One effect, as plain as it can be compared. */
export type Recorded = readonly [name: string, ...args: unknown[]];

/** Effects that write down what they are asked for, and keep the timers that are pending. */
export class Recorder implements Effects {
  readonly calls: Recorded[] = [];
  readonly timers = new Map<string, MachineEvent>();
  private unnamed = 0;

  schedule(id: string, event: MachineEvent, delay: number, target?: unknown): void {
    this.calls.push(['schedule', id, event, delay, target]);
    this.timers.set(id === '' ? `unnamed ${++this.unnamed}` : id, event);
  }
  cancel(id: string): void {
    this.calls.push(['cancel', id]);
    this.timers.delete(id);
  }
  send(target: unknown, event: MachineEvent): void {
    this.calls.push(['send', target, event]);
  }
  emit(event: MachineEvent): void {
    this.calls.push(['emit', event]);
  }
  custom(action: CustomAction): void {
    this.calls.push(['custom', ...customOf(action)]);
    action.exec?.(action.info, action.params);
  }

  /** The calls since last asked. */
  take(): Recorded[] {
    return this.calls.splice(0);
  }
}

function customOf({ type, info, params }: CustomAction): unknown[] {
  const { context, event } = info as { context: unknown; event: unknown };
  return [type, params, context, event];
}

type ReferenceAction = ReturnType<typeof transition>[1][number];

/** XState's pure functions, each snapshot as it were restored, links as children. */
export class Reference {
  snapshot: AnyMachineSnapshot;
  calls: Recorded[];
  private readonly machine: AnyStateMachine;

  constructor(machine: AnyStateMachine, input?: unknown) {
    this.machine = withChildren(machine);
    const [snapshot, actions] = initialTransition(this.machine, input);
    if (snapshot.status === 'error') throw snapshot.error;
    this.snapshot = asRestored(snapshot);
    this.calls = recordedOf(actions);
  }

  /** Whether anything takes the event, as XState's `can`. */
  can(event: MachineEvent): boolean {
    return this.snapshot.can(event as never);
  }

  send(event: MachineEvent): void {
    const [snapshot, actions] = transition(this.machine, this.snapshot, event as never);
    this.snapshot = asRestored(snapshot);
    this.calls = recordedOf(actions);
  }

  /** What a record in the same state keeps. */
  get state(): MachineState {
    const { value, context, status, output, error, tags, historyValue } = this.snapshot;
    const history = historyValue as Record<
      string,
      { readonly id: string; readonly order: number }[]
    >;
    return {
      value,
      context,
      status: status as MachineState['status'],
      output,
      error,
      tags: [...tags],
      historyValue: Object.fromEntries(
        Object.entries(history).map(([id, nodes]) => [
          id,
          [...nodes].sort((a, b) => a.order - b.order).map((node) => node.id),
        ]),
      ),
    };
  }
}

/** XState sends to a string only if it is a child; here any name is one. */
function withChildren(machine: AnyStateMachine): AnyStateMachine {
  const children = new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' ? name : undefined) },
  );
  const internal = machine as unknown as { _getPreInitialState(...args: unknown[]): object };
  const plain = internal._getPreInitialState;
  internal._getPreInitialState = (...args) => ({ ...plain.apply(machine, args), children });
  return machine;
}

/**
 * The snapshot as XState makes it of a saved one: the active nodes are those of the state value, in
 * document order. A running actor keeps them in the order of entry, and loses the root where a
 * history state re-enters it. A record always goes on as if it had been saved and restored.
 */
export function asRestored<Snapshot extends AnyMachineSnapshot>(snapshot: Snapshot): Snapshot {
  const { value, context, machine } = snapshot;
  const ordered = inDocumentOrder(machine.root, value);
  const nodes = [...machine.resolveState({ value: ordered, context })._nodes];
  nodes.sort((a, b) => a.order - b.order);
  const tags = new Set(nodes.flatMap((node) => node.tags));
  const history = snapshot.historyValue as Readonly<Record<string, readonly unknown[]>>;
  const historyValue = Object.fromEntries(
    Object.entries(history).filter(([, remembered]) => remembered.length > 0),
  );
  return { ...snapshot, value: ordered, _nodes: nodes, tags, historyValue };
}

function inDocumentOrder(node: AnyStateNode, value: StateValue): StateValue {
  if (typeof value === 'string') return value;
  const ordered: Record<string, StateValue> = {};
  for (const [key, child] of Object.entries(node.states)) {
    const inner = value[key];
    if (inner !== undefined) ordered[key] = inDocumentOrder(child, inner);
  }
  return ordered;
}

function recordedOf(actions: readonly ReferenceAction[]): Recorded[] {
  return actions.flatMap((action): Recorded[] => {
    const params = action.params as Record<string, unknown>;
    switch (action.type) {
      case 'xstate.raise':
        if (params.delay === undefined) return [];
        return [['schedule', params.id ?? '', params.event, params.delay, undefined]];
      case 'xstate.sendTo': {
        const to = typeof params.to === 'string' ? params.to : undefined;
        return params.delay === undefined
          ? [['send', to, params.event]]
          : [['schedule', params.id ?? '', params.event, params.delay, to]];
      }
      case 'xstate.cancel':
        return [['cancel', String(params.sendId)]];
      case 'xstate.emit':
        return [['emit', params.event]];
      default:
        return [['custom', ...customOf(action as unknown as CustomAction)]];
    }
  });
}
