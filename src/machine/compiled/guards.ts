/**
 * Guards, with every name looked up before. `evaluate` gives what XState's own evaluation gives, in
 * the same order of calls. Whoever evaluates sets `ambient.inGuard` around it.
 */
import { and, matchesState, not, or, stateIn } from 'xstate';
import type { StateValue } from '../../core/logic.ts';
import {
  isCombined,
  type XArgs,
  type XGuard,
  type XGuardFunction,
  type XMachine,
  type XNode,
  type XSnapshot,
} from '../xstate-internals.ts';

/** What guards may ask of the configuration they are evaluated in. */
export interface GuardedConfiguration {
  readonly machine: XMachine;
  readonly nodes: readonly XNode[];
  readonly value: StateValue;
  /** Answers of `stateIn`, which are always the same in one configuration. */
  readonly answers: Map<Guard, boolean>;
  snapshotWith(context: unknown): XSnapshot;
}

type Kind = 'calls' | 'and' | 'or' | 'not' | 'stateIn' | 'checks' | 'missing';

type Params = ((args: XArgs) => unknown) | undefined;

/** One guard. A named one is made before what it names, which may name it again. */
export class Guard {
  kind: Kind = 'missing';
  name = '';
  call: XGuardFunction = () => false;
  params: unknown = undefined;
  paramsOf: Params = undefined;
  inner: readonly Guard[] = [];
}

/** What XState's combinators check with; a copy of XState that is not ours checks with its own. */
const CHECKS = new Map<unknown, Kind>([
  [(and([]) as unknown as XGuardFunction).check, 'and'],
  [(or([]) as unknown as XGuardFunction).check, 'or'],
  [(not('') as unknown as XGuardFunction).check, 'not'],
  [(stateIn('') as unknown as XGuardFunction).check, 'stateIn'],
]);

export class Guards {
  readonly #machine: XMachine;
  readonly #byName = new Map<string, Guard>();
  readonly #byFunction = new WeakMap<XGuardFunction, Guard>();

  constructor(machine: XMachine) {
    this.#machine = machine;
  }

  of(guard: XGuard): Guard {
    if (typeof guard === 'function') {
      const known = this.#byFunction.get(guard);
      return known ?? this.#filled(new Guard(), guard);
    }
    const name = typeof guard === 'string' ? guard : guard.type;
    const named = this.#byName.get(name) ?? this.#named(name);
    if (typeof guard === 'string' || !('params' in guard)) return named;
    // What is named by a name takes its own parameters.
    if (typeof this.#machine.implementations.guards[name] !== 'function') return named;
    const made = Object.assign(new Guard(), named);
    if (typeof guard.params === 'function') made.paramsOf = guard.params as Params;
    else made.params = guard.params;
    return made;
  }

  #named(name: string): Guard {
    const implementation = this.#machine.implementations.guards[name];
    if (implementation === undefined) return Object.assign(new Guard(), { name });
    if (typeof implementation !== 'function') return this.of(implementation);
    const guard = new Guard();
    this.#byName.set(name, guard);
    return this.#filled(guard, implementation);
  }

  #filled(guard: Guard, implementation: XGuardFunction): Guard {
    this.#byFunction.set(implementation, guard);
    guard.call = implementation;
    guard.kind = isCombined(implementation)
      ? (CHECKS.get(implementation.check) ?? 'checks')
      : 'calls';
    guard.inner = (implementation.guards ?? []).map((inner) => this.of(inner));
    return guard;
  }
}

/** What a guard gives; any value, of which only the truth counts. */
export function evaluate(guard: Guard, args: XArgs, configuration: GuardedConfiguration): unknown {
  // Nearly all are functions that are called and no more, and that is short enough to be done in place.
  return guard.kind === 'calls' && guard.paramsOf === undefined
    ? guard.call(args, guard.params)
    : evaluateAny(guard, args, configuration);
}

function evaluateAny(guard: Guard, args: XArgs, configuration: GuardedConfiguration): unknown {
  const { paramsOf, inner } = guard;
  const params = paramsOf === undefined ? guard.params : paramsOf(args);
  switch (guard.kind) {
    case 'calls':
      return guard.call(args, params);
    case 'and':
      for (const one of inner) if (!evaluate(one, args, configuration)) return false;
      return true;
    case 'or':
      for (const one of inner) if (evaluate(one, args, configuration)) return true;
      return false;
    case 'not':
      return !evaluate(inner[0] as Guard, args, configuration);
    case 'stateIn':
      return isIn(guard, configuration);
    case 'checks':
      return guard.call.check?.(configuration.snapshotWith(args.context), args, guard.call);
    case 'missing':
      throw new Error(`Guard '${guard.name}' is not implemented.'.`);
    default:
      return guard.kind satisfies never;
  }
}

function isIn(guard: Guard, configuration: GuardedConfiguration): boolean {
  const known = configuration.answers.get(guard);
  if (known !== undefined) return known;
  const { stateValue = '' } = guard.call;
  const { machine, nodes, value } = configuration;
  const answer =
    typeof stateValue === 'string' && stateValue.startsWith('#')
      ? nodes.includes(machine.getStateNodeById(stateValue))
      : matchesState(stateValue as string, value as string);
  if (configuration.answers.size < 1000) configuration.answers.set(guard, answer);
  return answer;
}
