/**
 * What events of one type may lead to in a configuration, laid out: the transitions among which guards
 * decide, each with what it does. Where it is more than ops and a state to be in (raised events, history,
 * an `always` that is enabled, an end), the macrostep does it, or goes on from there.
 */
import {
  BEYOND,
  type Effects,
  type Fork,
  type MachineEvent,
  type MachineState,
  NOWHERE,
  type StateBeside,
  type StateValue,
} from '../../core/logic.ts';
import { stateOf } from '../../core/sharing.ts';
import type { Choice } from './choice.ts';
import type { Configuration } from './configuration.ts';
import { NO_HISTORY } from './history.ts';
import { macrostep, plannedFor, type Tables } from './macrostep.ts';
import type { Op } from './op.ts';
import { runOps } from './run-ops.ts';
import { hasAlways, placeOfSelected, selectedAlways, selectionFor } from './selection.ts';
import { isPlain } from './shortcut.ts';

/** The fork of an event's type in a state; undefined if regions each have their say. */
export function forkFrom(tables: Tables, value: StateValue, type: string): Fork | undefined {
  const { classes, configurations, guards } = tables;
  const eventClass = classes.of(type);
  if (eventClass.isReserved) return undefined;
  const start = configurations.of(value);
  const { regions, list } = selectionFor(start, eventClass, guards);
  return regions.length > 0 ? undefined : new CompiledFork(tables, start, list);
}

/** A transition that is its ops and the configuration it leads to. */
interface Branch {
  readonly ops: readonly Op[];
  readonly target: Configuration;
  /** Whether anything is tried once it is there. */
  readonly goesOn: boolean;
}

class CompiledFork implements Fork {
  led = NOWHERE;
  readonly ends: readonly { readonly value: StateValue; readonly tags: readonly string[] }[];
  private readonly tables: Tables;
  private readonly start: Configuration;
  private readonly list: readonly Choice[];
  /** For each choice, unless it takes a macrostep. */
  private readonly branches: readonly (Branch | undefined)[];
  /** Whether the first choice is selected in any case. */
  private readonly isCertain: boolean;

  constructor(tables: Tables, start: Configuration, list: readonly Choice[]) {
    this.tables = tables;
    this.start = start;
    this.list = list;
    this.branches = list.map((choice) => branchOf(tables, choice));
    this.ends = this.branches.map((branch) =>
      branch === undefined
        ? { value: start.value, tags: [] }
        : tables.configurations.restingOf(branch.target),
    );
    this.isCertain = list[0]?.guard === undefined && list.length > 0;
  }

  run(from: StateBeside, given: unknown, event: MachineEvent, effects: Effects): unknown {
    const { list, start, tables } = this;
    const place = this.isCertain ? 0 : placeOfSelected(list, start, given, event);
    const branch = place < 0 ? undefined : this.branches[place];
    if (branch === undefined) {
      const choice = place < 0 ? undefined : list[place];
      return this.stepped(from, given, event, effects, choice);
    }
    const context = runOps(tables.shared, branch.ops, given, event, effects, start, undefined);
    if (branch.goesOn) {
      const { target } = branch;
      const next = selectedAlways(target, context, event, tables.guards);
      if (next !== undefined) {
        const state = stateOf(from, context);
        return this.beyond(macrostep(tables, state, target, next, event, effects, 'always'));
      }
    }
    this.led = place;
    return context;
  }

  private stepped(
    from: StateBeside,
    context: unknown,
    event: MachineEvent,
    effects: Effects,
    choice: Choice | undefined,
  ): unknown {
    const { tables, start } = this;
    if (choice?.hasEffect !== true && !hasAlways(start, tables.guards)) {
      return this.beyond(undefined);
    }
    const state = stateOf(from, context);
    return this.beyond(macrostep(tables, state, start, choice, event, effects, 'event'));
  }

  private beyond(state: MachineState | undefined): MachineState | undefined {
    this.led = state === undefined ? NOWHERE : BEYOND;
    return state;
  }
}

function branchOf(tables: Tables, choice: Choice): Branch | undefined {
  if (!choice.hasEffect) return undefined;
  const plan = plannedFor(tables, choice, tables.histories.of(NO_HISTORY), false);
  if (!isPlain(plan)) return undefined;
  const { ops, target } = plan;
  return { ops, target, goesOn: hasAlways(target, tables.guards) };
}
