/**
 * A kind as the core sees it: a name, the logic its machine was turned into, and the rules a machine
 * cannot hold. Made by `defineKind` (`src/machine`), never changed afterwards.
 */
import type { LinkedRecord } from './ambient.ts';
import type { MachineEvent, MachineLogic, StateValue } from './logic.ts';

/** Which clients see a record: none, those near it, or all. */
export type Relevancy = 'none' | 'spatial' | 'always';

/**
 * When a record is stepped beside its events: never (`events`), each `settings.coarseStep` or
 * `settings.frameStep` of game time, or at `phase + n * every` game milliseconds.
 */
export type StepRule =
  | 'events'
  | 'coarse'
  | 'frame'
  | { readonly every: number; readonly phase?: number };

/** What a prediction is asked with. */
export interface PredictArgs {
  /** Where the record stands, in world units. */
  readonly at: readonly number[];
  /** Now, in game milliseconds. */
  readonly time: number;
  readonly value: StateValue;
  /** Another record as it is now, by the name of a link. */
  linked(name: string): LinkedRecord | undefined;
}

/** What `advance` is asked with: game times in milliseconds, `from` before `to`. */
export interface AdvanceArgs {
  readonly from: number;
  readonly to: number;
  readonly value: StateValue;
  readonly at: readonly number[];
}

/** What a saved record of an older version is brought up from. */
export interface SavedState {
  readonly context: unknown;
  readonly value: StateValue;
  readonly timers: readonly {
    readonly id: string;
    readonly event: { readonly type: string };
    readonly at: number;
  }[];
}

/** What `describe` is given. */
export interface DescribedRecord<Context = unknown> {
  readonly id: string;
  readonly at: readonly number[];
  readonly links: Readonly<Record<string, string>>;
  readonly value: StateValue;
  readonly context: Context;
}

/** What the compiler knows of a kind's records. */
export interface KindTypes {
  readonly context: unknown;
  readonly event: { readonly type: string };
  readonly notice: { readonly type: string };
}

/** The events that records of a kind take; of several kinds, those of any. Any, if a kind's are not known. */
export type EventOf<Of extends { readonly types?: KindTypes }> = Known<
  NonNullable<Of['types']>['event']
>;

/** An event of which only the type is known may have anything in it. */
type Known<Event> = { readonly type: string } extends Event
  ? MachineEvent
  : Extract<Event, { readonly type: string }>;

/** The context of a kind's records. */
export type ContextOf<Of extends { readonly types?: KindTypes }> = NonNullable<
  Of['types']
>['context'];

/** What records of a kind emit for the outside; of several kinds, that of any whose notices are known. */
export type NoticeOf<Of extends { readonly types?: KindTypes }> = [
  Named<NonNullable<Of['types']>['notice']>,
] extends [never]
  ? MachineEvent
  : Named<NonNullable<Of['types']>['notice']>;

/** Those of some events whose types have names. */
type Named<Event> = Event extends { readonly type: infer Type }
  ? string extends Type
    ? never
    : Event
  : never;

/** One sort of record. */
export interface Kind {
  /** For the compiler alone: nothing has it at run time. */
  readonly types?: KindTypes;
  readonly name: string;
  readonly version: number;
  readonly logic: MachineLogic;
  /** The XState machine, for tools; the core does not look into it. */
  readonly machine: unknown;
  /** Link names and the kind each may point to, `*` for any. */
  readonly links: Readonly<Record<string, string>>;
  readonly relevancy: Relevancy;
  /** Keys of the context that never leave the server. */
  readonly serverOnly: readonly string[];
  /** Events a client may send, with their schema. */
  readonly commands: Readonly<Record<string, unknown>>;
  readonly urgent: boolean;
  /** Phase at one instant: lower kinds first. */
  readonly order: number;
  readonly step: StepRule;
  /** For each event type, when it will happen: a game time, or undefined for not at all. */
  readonly predict: readonly (readonly [
    type: string,
    when: (context: unknown, args: PredictArgs) => number | undefined,
  ])[];
  readonly advance: ((context: unknown, args: AdvanceArgs) => unknown) | undefined;
  readonly exact: boolean;
  readonly shiftTimes: ((context: unknown, delta: number) => unknown) | undefined;
  readonly migrate:
    | ((
        saved: SavedState,
        args: { readonly fromVersion: number; report(message: string): void },
      ) => SavedState)
    | undefined;
  readonly describe: ((record: DescribedRecord) => string) | undefined;
  /** What is allowed but seldom meant, each with its cure. */
  readonly warnings?: readonly string[];
}
