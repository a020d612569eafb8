/**
 * The configurations that a machine was met in: the active nodes, in the order in which XState holds
 * them, with all that follows from them alone. Between events a record is in a resting one: that of a
 * state value, its nodes in document order. In the middle of a step the nodes stand in the order in
 * which they were entered, as in XState, because `always` transitions are taken in that order.
 *
 * Everything that is remembered hangs on the configurations, and has an end: past a number of things
 * made, all are forgotten at once and met anew.
 */
import type { StateValue } from '../../core/logic.ts';
import type { Configuration as KnownConfiguration } from '../configurations.ts';
import { Configurations } from '../configurations.ts';
import {
  nodesOf,
  type XMachine,
  type XNode,
  type XSnapshot,
  type XTransition,
} from '../xstate-internals.ts';
import type { Choice } from './choice.ts';
import type { Guard } from './guards.ts';
import { stateValueOf } from './nodes.ts';
import type { Selection } from './selection.ts';

/** How many things (configurations, choices of transitions) are made before all are forgotten. */
const REMEMBERED = 20_000;

export class Configuration {
  readonly table: ConfigurationTable;
  readonly machine: XMachine;
  readonly nodes: readonly XNode[];
  readonly value: StateValue;
  readonly answers = new Map<Guard, boolean>();
  /** What may take an event, by the index of its class. */
  readonly selections: (Selection | undefined)[] = [];
  /** The `always` of each active atomic node and its ancestors; undefined until asked, null if none. */
  always: readonly Selection[] | null | undefined = undefined;
  /** The choices of one transition alone. */
  readonly choices = new Map<XTransition, Choice>();
  /** The configuration in which a record rests that came to this one; undefined until asked. */
  resting: RestingConfiguration | undefined = undefined;

  constructor(table: ConfigurationTable, nodes: readonly XNode[], value: StateValue) {
    this.table = table;
    this.machine = table.machine;
    this.nodes = nodes;
    this.value = value;
  }

  /** A snapshot of XState in this configuration, for guards that ask for one. */
  snapshotWith(context: unknown): XSnapshot {
    return { ...this.table.restingOf(this).known.snapshot, context };
  }
}

/** A configuration that belongs to a state value. */
export interface RestingConfiguration {
  readonly configuration: Configuration;
  readonly known: KnownConfiguration;
  readonly value: StateValue;
  readonly tags: readonly string[];
}

export class ConfigurationTable {
  readonly machine: XMachine;
  readonly #known: Configurations;
  readonly #numbers: ReadonlyMap<XNode, number>;
  #byNodes = new Map<string, Configuration>();
  #byName = new Map<string, Configuration>();
  #byValue = new WeakMap<object, Configuration>();
  #made = 0;
  // Most events of a world come to records in few configurations, and often to the same again.
  #lastValue: StateValue | undefined = undefined;
  #last: Configuration | undefined = undefined;

  constructor(machine: XMachine) {
    this.machine = machine;
    this.#known = new Configurations(machine);
    this.#numbers = new Map(nodesOf(machine).map((node, number) => [node, number]));
  }

  /** The resting configuration of a state value. Throws `UNKNOWN_STATE` if there is none. */
  of(value: StateValue): Configuration {
    if (value === this.#lastValue) return this.#last as Configuration;
    const found = typeof value === 'string' ? this.#byName.get(value) : this.#byValue.get(value);
    const configuration = found ?? this.#met(value);
    this.#lastValue = value;
    this.#last = configuration;
    return configuration;
  }

  /** What XState's own account of a state value says. */
  known(value: StateValue): KnownConfiguration {
    return this.#known.of(value);
  }

  /** Where a record rests that comes to a configuration. */
  restingOf(configuration: Configuration): RestingConfiguration {
    configuration.resting ??= this.of(configuration.value).resting as RestingConfiguration;
    return configuration.resting;
  }

  /** The configuration of nodes in that order. */
  ofNodes(nodes: readonly XNode[]): Configuration {
    return this.#interned(nodes, undefined);
  }

  /** Counts something made that hangs on a configuration. */
  count(): void {
    this.#made += 1;
    if (this.#made > REMEMBERED) this.#forget();
  }

  #met(value: StateValue): Configuration {
    const known = this.#known.of(value);
    const configuration = this.#interned(known.nodes, known.value);
    configuration.resting ??= { configuration, known, value: known.value, tags: known.tags };
    if (typeof value === 'string') this.#byName.set(value, configuration);
    else this.#byValue.set(value, configuration).set(known.value as object, configuration);
    return configuration;
  }

  #interned(nodes: readonly XNode[], value: StateValue | undefined): Configuration {
    const key = nodes.map((node) => this.#numbers.get(node)).join();
    const known = this.#byNodes.get(key);
    if (known !== undefined) return known;
    this.count();
    const made = new Configuration(this, nodes, value ?? stateValueOf(this.machine.root, nodes));
    this.#byNodes.set(key, made);
    return made;
  }

  #forget(): void {
    this.#made = 0;
    this.#byNodes = new Map();
    this.#byName = new Map();
    this.#byValue = new WeakMap();
    this.#lastValue = undefined;
    this.#last = undefined;
  }
}
