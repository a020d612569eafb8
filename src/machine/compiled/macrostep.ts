/**
 * A macrostep on tables: the transitions of one event, then `always` transitions and raised events
 * until there is nothing left to do. Everything about the step at hand is in local variables: a step
 * of another record of the same machine may run inside one of its actions.
 */
import {
  type Effects,
  type MachineEvent,
  type MachineState,
  machineState,
} from '../../core/logic.ts';
import { microstepLimit, microstepLoop, refuseSpawn, stepScope } from '../scope.ts';
import type { XMachine } from '../xstate-internals.ts';
import { Actions } from './actions.ts';
import type { Choice } from './choice.ts';
import { type Configuration, ConfigurationTable } from './configuration.ts';
import { newForm } from './copy.ts';
import { enqueueOf } from './enqueue.ts';
import { EventClasses } from './event-class.ts';
import { Guards } from './guards.ts';
import { Histories, type History } from './history.ts';
import { NodeOps } from './node-ops.ts';
import { type Plan, planOf, recordedIn } from './plan.ts';
import { type Gathered, type OpContext, runOps } from './run-ops.ts';
import { selected, selectedAlways, selectionFor } from './selection.ts';

/** All that is known of one machine. */
export interface Tables {
  readonly machine: XMachine;
  readonly configurations: ConfigurationTable;
  readonly histories: Histories;
  readonly classes: EventClasses;
  readonly guards: Guards;
  readonly nodeOps: NodeOps;
  readonly shared: OpContext;
  /** How many microsteps one event may take. */
  readonly limit: number;
}

export function tablesOf(machine: XMachine): Tables {
  const guards = new Guards(machine);
  const actions = new Actions(machine);
  const { self, system } = stepScope(machine).scope;
  return {
    machine,
    configurations: new ConfigurationTable(machine),
    histories: new Histories(machine),
    classes: new EventClasses(machine),
    guards,
    nodeOps: new NodeOps(machine, actions),
    shared: {
      machineId: machine.id,
      self,
      system,
      spawn: () => refuseSpawn(machine.id),
      guards,
      enqueue: enqueueOf(actions),
      form: newForm(),
    },
    limit: microstepLimit(machine),
  };
}

/** The transitions that an event selects in a configuration. */
export function chosen(
  { classes, guards }: Tables,
  configuration: Configuration,
  context: unknown,
  event: MachineEvent,
): Choice | undefined {
  const selection = selectionFor(configuration, classes.of(event.type), guards);
  return selected(selection, configuration, context, event);
}

/**
 * Carries out a choice and all that follows from it. Gives undefined if no transition that leads
 * somewhere or acts was selected. One of `always` comes after one that was.
 */
export function macrostep(
  tables: Tables,
  from: MachineState,
  start: Configuration,
  choice: Choice | undefined,
  given: MachineEvent,
  effects: Effects,
  first: 'initial' | 'event' | 'always',
): MachineState | undefined {
  const { machine, shared, guards, histories, limit } = tables;
  let { context } = from;
  let configuration = start;
  let history: History | undefined;
  let isRecorded = false;
  let gathered: Gathered | undefined;
  let handled = 0;
  let event = given;
  let next = choice;
  let isAlways = first === 'always';
  let isDone = false;
  let took = isAlways;
  // The first microstep, which may be none, does not count.
  let left = isAlways ? limit : limit + 1;

  for (;;) {
    let isChanged = true;
    if (next !== undefined) {
      took ||= next.hasEffect;
      let plan = next.plan;
      if (plan === undefined) {
        history ??= histories.of(from.historyValue);
        plan = plannedFor(tables, next, history, first === 'initial' && next === choice);
      }
      if (plan.gathers) gathered ??= { queue: [], output: undefined };
      const before = context;
      const { ops } = plan;
      if (ops.length > 0) {
        context = runOps(shared, ops, context, event, effects, configuration, gathered);
      }
      if (plan.recorded !== undefined) {
        history = recordedIn(plan, history ?? histories.of(from.historyValue), histories);
        isRecorded = true;
      }
      configuration = plan.target;
      isDone = plan.ends;
      isChanged = context !== before || plan.moves || plan.recorded !== undefined;
    }
    left -= 1;
    if (isDone) break;
    if (left === 0) throw microstepLoop(machine.id, limit, configuration.value);
    // An `always` that changed nothing is not asked again, or it would go on for ever.
    next =
      configuration.always === null || (isAlways && !isChanged)
        ? undefined
        : selectedAlways(configuration, context, event, guards);
    isAlways = next !== undefined;
    if (isAlways) continue;
    if (gathered === undefined || handled === gathered.queue.length) break;
    event = gathered.queue[handled] as MachineEvent;
    handled += 1;
    next = chosen(tables, configuration, context, event);
  }

  if (!took) return undefined;
  const { value, tags } = configuration.resting ?? tables.configurations.restingOf(configuration);
  return machineState(
    value,
    context,
    isDone ? 'done' : 'active',
    isRecorded ? (history as History).ids : from.historyValue,
    isDone ? gathered?.output : from.output,
    from.error,
    tags,
  );
}

/** The plan of a choice with that history. */
export function plannedFor(
  tables: Tables,
  choice: Choice,
  history: History,
  isInitial: boolean,
): Plan {
  const known = choice.planFor(history);
  if (known !== undefined) return known;
  const plan = planOf(choice, history, tables.nodeOps, isInitial);
  choice.remember(plan, history);
  return plan;
}
