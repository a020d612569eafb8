/**
 * What tells whether a saved record can go on with its kind as it is now: the keys of `after` at each
 * state node, by which timers are found again; a print of all that makes the kind do what it does; and
 * the state that a saved value names.
 */
import type { AnyStateMachine } from 'xstate';
import type { Kind } from '../core/kind.ts';
import type { MachineState, StateValue } from '../core/logic.ts';
import { Configurations } from './configurations.ts';
import { afterTimersOf, builtMachine, nodesOf, type XMachine } from './xstate-internals.ts';

/** The keys of `after` in their order, by the id of the state node that has them. */
export type Delays = Readonly<Record<string, readonly string[]>>;

/** A kind's machine as XState built it; undefined for a kind that stands in for another in a test. */
function machineOf({ machine }: Kind): XMachine | undefined {
  const built = machine as { readonly root?: unknown } | undefined;
  return built?.root === undefined ? undefined : builtMachine(machine as AnyStateMachine);
}

export function delaysOf(kind: Kind): Delays {
  const machine = machineOf(kind);
  if (machine === undefined) return {};
  return Object.fromEntries(
    nodesOf(machine)
      .map((node) => [node.id, afterTimersOf(node).map(({ key }) => key)] as const)
      .filter(([, keys]) => keys.length > 0),
  );
}

/** The id, and the event's type, of the timer that `after` sets for a key at a node. */
export function afterTimerId(node: string, key: string): string {
  return `xstate.after.${key}.${node}`;
}

/** Worked out once for each machine, since a world brings up all its records at once. */
const known = new WeakMap<XMachine, Configurations>();

/**
 * The state a saved value names, with the tags it has now. Throws `UNKNOWN_STATE` if the machine has
 * no such state.
 */
export function stateNow(
  kind: Kind,
  saved: StateValue,
): Pick<MachineState, 'value' | 'tags'> | undefined {
  const machine = machineOf(kind);
  if (machine === undefined) return undefined;
  let configurations = known.get(machine);
  if (configurations === undefined) {
    configurations = new Configurations(machine);
    known.set(machine, configurations);
  }
  const { value, tags } = configurations.of(saved);
  return { value, tags };
}

/**
 * A text that differs where the kind may act otherwise: its machine, with the source of every function
 * in it, and its rules. What such a function takes from around it is not seen.
 */
export function printOf(kind: Kind): string {
  const { links, relevancy, order, step, predict, advance, shiftTimes } = kind;
  const machine = machineOf(kind);
  const parts: string[] = [];
  const within = new Set<object>();
  const print = (value: unknown): void => {
    if (typeof value !== 'object' && typeof value !== 'function') {
      parts.push(typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'undefined'));
      return;
    }
    if (value === null || within.has(value)) {
      parts.push(value === null ? 'null' : 'again');
      return;
    }
    within.add(value);
    if (typeof value === 'function') parts.push(String(value).replace(/\s+/g, ' '));
    parts.push('{');
    for (const [key, item] of Object.entries(value)) {
      parts.push(key, ':');
      print(item);
      parts.push(',');
    }
    parts.push('}');
    within.delete(value);
  };
  print({ links, relevancy, order, step, predict, advance, shiftTimes });
  print(machine?.config);
  print(machine?.implementations);
  return parts.join('');
}
