/** What an author writes to make a machine a kind, and what becomes of it. */
import type { AnyStateMachine, ContextFrom, EmittedFrom, EventFrom } from 'xstate';
import type {
  AdvanceArgs,
  DescribedRecord,
  Kind,
  PredictArgs,
  Relevancy,
  SavedState,
  StepRule,
} from '../core/kind.ts';

/** Keys of a machine's context. */
type ContextKey<Machine extends AnyStateMachine> = keyof ContextFrom<Machine> & string;

/** Types of the events a machine may be given. */
type EventType<Machine extends AnyStateMachine> = EventFrom<Machine>['type'];

/** Says, in a compiler's message, what is wrong with a key of `predict`. */
type KnownEvent<Machine extends AnyStateMachine, Type> =
  Type extends EventType<Machine> ? unknown : 'the machine takes no event of that type';

/**
 * A kind as its author writes it. `Predicted` is worked out by the compiler: the keys of `predict`,
 * which it could not check and type the functions of at once in one mapped type.
 */
export interface KindDefinition<Machine extends AnyStateMachine, Predicted extends string = never> {
  /** Lower case letters, digits, `-` and `_`; up to 64, a letter or digit first. */
  readonly name: string;
  /** A positive integer; a higher one runs `migrate` on what was saved. */
  readonly version: number;
  readonly machine: Machine;
  /** Link names and the kind each may point to, `*` for any. Default: none. */
  readonly links?: Readonly<Record<string, string>>;
  /** Which clients see its records. Default: `spatial`, those near it. */
  readonly relevancy?: Relevancy;
  /** Context keys that never leave the server. */
  readonly serverOnly?: readonly ContextKey<Machine>[];
  /** Events a client may send, each with its JSON schema (`Type.Object({ … })`). Default: none. */
  readonly commands?: { readonly [Type in EventType<Machine>]?: object };
  /** Always sent to clients, whatever their byte budget. */
  readonly urgent?: boolean;
  /** Phase at one instant, an integer: lower kinds first. Default 0. */
  readonly order?: number;
  /** When a record is stepped beside its events. Default: `events`, never. */
  readonly step?: StepRule;
  /**
   * For each event type the game time at which it will happen, in milliseconds; undefined for not at
   * all. Pure; asked again after each change of the record and of what it links to.
   */
  readonly predict?: {
    readonly [type: string]: (
      context: ContextFrom<Machine>,
      args: PredictArgs,
    ) => number | undefined;
  } & { readonly [Type in Predicted]: KnownEvent<Machine, Type> };
  /** Continuous change with no event between. Pure; the same whole as in parts. */
  readonly advance?: (context: ContextFrom<Machine>, args: AdvanceArgs) => ContextFrom<Machine>;
  /** Whether `advance` gives the same whole as in parts bit for bit. */
  readonly exact?: boolean;
  /** Moves every game time in the context along, by `delta` milliseconds. */
  readonly shiftTimes?: (context: ContextFrom<Machine>, delta: number) => ContextFrom<Machine>;
  /** Brings up what an older version saved. */
  readonly migrate?: (
    saved: SavedState,
    args: { readonly fromVersion: number; report(message: string): void },
  ) => SavedState;
  /** One line about a record, for people. */
  readonly describe?: (record: DescribedRecord<ContextFrom<Machine>>) => string;
  /** False: always run through XState itself. */
  readonly compile?: boolean;
}

/** A kind that keeps the type of its machine. */
export interface DefinedKind<Machine extends AnyStateMachine = AnyStateMachine> extends Kind {
  readonly machine: Machine;
  readonly types?: {
    readonly context: ContextFrom<Machine>;
    readonly event: EventFrom<Machine>;
    readonly notice: EmittedFrom<Machine>;
  };
  /** What is allowed but seldom meant, each with its cure. */
  readonly warnings: readonly string[];
}

/** The options a definition may have, for naming one that it may not. */
export const OPTIONS = [
  'name',
  'version',
  'machine',
  'links',
  'relevancy',
  'serverOnly',
  'commands',
  'urgent',
  'order',
  'step',
  'predict',
  'advance',
  'exact',
  'shiftTimes',
  'migrate',
  'describe',
  'compile',
] as const satisfies readonly (keyof KindDefinition<AnyStateMachine>)[];
