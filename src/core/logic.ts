/**
 * What the core runs: a machine's logic as pure functions over immutable states. The core knows no
 * XState; `src/machine` turns a machine into this, either through XState itself or through tables,
 * and the two may be exchanged at any moment on the same state.
 */

/** An event as a machine sees it. */
export interface MachineEvent {
  readonly type: string;
  // An event carries whatever its author gave it.
  readonly [key: string]: unknown;
}

/** A state value as XState writes it: the name of a state, or the active child of each region. */
export type StateValue = string | { readonly [region: string]: StateValue };

/** For each history node's id, the ids of the state nodes it remembers. */
export type HistoryValue = { readonly [historyNodeId: string]: readonly string[] };

/** All that a machine is at one time. Immutable; plain enough to be saved. */
export interface MachineState {
  readonly value: StateValue;
  readonly context: unknown;
  readonly status: 'active' | 'done' | 'error';
  readonly historyValue: HistoryValue;
  readonly output: unknown;
  readonly error: unknown;
  readonly tags: readonly string[];
}

/** A custom action, to be carried out at its place: `exec(info, params)`. */
export interface CustomAction {
  readonly type: string;
  readonly info: unknown;
  readonly params: unknown;
  readonly exec: ((info: unknown, params: unknown) => void) | undefined;
}

/** Whom a machine sends to: a link's name, an address made by `byId` or `all`, or itself. */
export type SendTarget = string | object | undefined;

/** What a step may ask for, in the order in which the machine asks. */
export interface Effects {
  /** Sets a timer of `delay` game milliseconds. The same id again replaces it; every one with the id `` stays. */
  schedule(id: string, event: MachineEvent, delay: number, target?: SendTarget): void;
  /** Cancels the timer of that id; nothing happens if there is none. */
  cancel(id: string): void;
  /** Sends a message that arrives at the same game time, in the next iteration. */
  send(target: SendTarget, event: MachineEvent): void;
  /** Emits a notice. */
  emit(event: MachineEvent): void;
  /** Carries out a custom action now. A `log` comes as `type: 'xstate.log'`. */
  custom(action: CustomAction): void;
  /** Whether `custom` does no more than that, so that an action with an `exec` may be called without it. */
  readonly justCalls?: boolean;
}

/** A timer that sets itself anew, and does nothing else but leave another context. */
export interface Repeat {
  /** The timer it sets, which may be the one that happens. */
  readonly id: string;
  readonly event: MachineEvent;
  /** The context it leaves. */
  next(context: unknown): unknown;
  /** The delay it sets the timer with, as the machine gives it. */
  delay(context: unknown): number;
  /**
   * Whether `again` may be asked: what it assigns holds on to nothing, as far as was seen.
   */
  readonly isPlain: boolean;
  /**
   * Makes the next context out of this one, which `next` made and nobody else has, and gives the delay.
   * NaN if that cannot be; that, or a throw, leaves what `undo` takes back.
   */
  again(context: unknown): number;
  /** Makes the context what it was before the last `again`. */
  undo(context: unknown): void;
}

/** What an event always does in a state, worked out beforehand. */
export interface Shortcut {
  /** The state it leads to. */
  readonly value: StateValue;
  readonly tags: readonly string[];
  /** The same, if it is but this. */
  readonly repeat: Repeat | undefined;
  /** Does what there is to do, in order, and gives the context it leaves. */
  run(context: unknown, event: MachineEvent, effects: Effects): unknown;
}

/** All that a machine is at one time but its context. */
export type StateBeside = Omit<MachineState, 'context'>;

/** What events of one type may lead to in states of one value, worked out beforehand. */
export interface Fork {
  /** The states it may lead to; the machine is active in each, and remembers what it did before. */
  readonly ends: readonly { readonly value: StateValue; readonly tags: readonly string[] }[];
  /** Where the last `run` led: an index of `ends`, or one of the two below. */
  readonly led: number;
  /**
   * Does what `step` does. Gives the context left; or the whole state, if it led `BEYOND`; or nothing to
   * heed, if it led `NOWHERE`.
   */
  run(from: StateBeside, context: unknown, event: MachineEvent, effects: Effects): unknown;
}

/** Where a fork led: nothing took the event. */
export const NOWHERE = -1;
/** Where a fork led: to a state that is none of its ends. */
export const BEYOND = -2;

/**
 * A machine as the core runs it.
 *
 * `step` returns the same state, and calls no effect, when nothing in the machine took the event;
 * when something took it the state returned is a new one, even where it equals the old. A throw
 * leaves nothing behind but the effects called so far, which the caller drops.
 */
export interface MachineLogic {
  initial(input: unknown, effects: Effects): MachineState;
  step(state: MachineState, event: MachineEvent, effects: Effects): MachineState;
  /**
   * What `step` does with an event of that type in a state of that value, if it is the same whatever
   * the context: the state is taken elsewhere or anew, stays active, and keeps its history. A logic
   * with a `step` of its own around another's has neither this nor `fork`: `step` would not be asked.
   */
  readonly shortcut?: ((value: StateValue, type: string) => Shortcut | undefined) | undefined;
  /**
   * What `step` does with events of that type in states of that value that remember no history, if little
   * more than guards have a say in it.
   */
  readonly fork?: ((value: StateValue, type: string) => Fork | undefined) | undefined;
  /** Whether an enabled transition with a target or an action would take the event, as XState's `can`. */
  can(state: MachineState, event: MachineEvent): boolean;
  /** Whether a wake may do something here: the active states hold an `always` or a handler for it. */
  heedsWake(state: MachineState): boolean;
  /**
   * The state put elsewhere from outside: no exit or entry actions; timers of `after` in states left
   * are cancelled, those of states newly active are scheduled, others kept; then `always`.
   * Always returns a new state. Throws if the machine has no such state.
   */
  set(
    state: MachineState,
    change: { readonly value?: StateValue; readonly context?: unknown },
    effects: Effects,
  ): MachineState;
}

/** The one place where machine states are made, so that all have the same shape. */
export function machineState(
  value: StateValue,
  context: unknown,
  status: MachineState['status'],
  historyValue: HistoryValue,
  output: unknown,
  error: unknown,
  tags: readonly string[],
): MachineState {
  return { value, context, status, historyValue, output, error, tags };
}

/** The event a record gets when something it links to changed. */
export const WAKE = 'offstage.wake';
/** The event a record of a stepped kind gets at each step. */
export const STEP = 'offstage.step';

/** Whether a state value lies within a pattern, as XState's `matches`. */
export function matchesValue(pattern: StateValue, value: StateValue): boolean {
  if (typeof pattern === 'string') {
    return typeof value === 'string' ? value === pattern : Object.hasOwn(value, pattern);
  }
  if (typeof value === 'string') return false;
  return Object.keys(pattern).every((region) => {
    const inner = value[region];
    return inner !== undefined && matchesValue(pattern[region] as StateValue, inner);
  });
}
