/**
 * `linked`, `edit` and `tryEdit` typed by the machines at the ends of a record's links. Only the types
 * of those machines are needed, so two machine files may link to each other with `import type`.
 */
import type {
  ActionFunction,
  AnyStateMachine,
  ContextFrom,
  DoNotInfer,
  EventFrom,
  EventObject,
  MachineContext,
  ParameterizedObject,
  SnapshotFrom,
  StateValueFrom,
} from 'xstate';
import type { LinkedRecord } from '../core/ambient.ts';
import type { StateValue } from '../core/logic.ts';
import { edit, type Given, tryEdit } from './actions.ts';
import { linked } from './reads.ts';

type Params = ParameterizedObject['params'] | undefined;

/**
 * What is at the end of a link: the type of its machine, or only its context and events. The latter
 * is for machines that link to each other in a circle, whose types could not be worked out otherwise.
 */
export type LinkTarget =
  | AnyStateMachine
  | {
      readonly context: unknown;
      readonly events: { readonly type: string };
      readonly value?: StateValue;
    };

type ContextOf<Target> = Target extends AnyStateMachine
  ? ContextFrom<Target>
  : Target extends { readonly context: infer Context }
    ? Context
    : never;

type EventOf<Target> = Target extends AnyStateMachine
  ? EventFrom<Target>
  : Target extends { readonly events: infer Event extends { readonly type: string } }
    ? Event
    : never;

type ValueOf<Target> = Target extends AnyStateMachine
  ? SnapshotFrom<Target>['value']
  : Target extends { readonly value: infer Value }
    ? Value
    : StateValue;

type PatternOf<Target> = Target extends AnyStateMachine ? StateValueFrom<Target> : StateValue;

/** A linked record, typed by its machine. */
export interface LinkedTo<Target>
  extends Omit<LinkedRecord<ContextOf<Target>, EventOf<Target>>, 'value' | 'matches'> {
  readonly value: ValueOf<Target>;
  matches(value: PatternOf<Target>): boolean;
}

/** The typed forms; each does what the untyped one of its name does. */
export interface TypedLinks<Links extends Readonly<Record<string, LinkTarget>>> {
  linked<Name extends keyof Links & string>(link: Name): LinkedTo<Links[Name]> | undefined;
  edit<
    Name extends keyof Links & string,
    C extends MachineContext,
    E extends EventObject,
    P extends Params,
    A extends EventObject,
  >(
    link: Name,
    event: Given<C, E, P, A, EventOf<Links[Name]>>,
  ): ActionFunction<C, E, A, P, never, never, never, never, never>;
  tryEdit<
    Name extends keyof Links & string,
    C extends MachineContext,
    E extends EventObject,
    P extends Params,
    A extends EventObject,
  >(
    link: Name,
    event: Given<C, E, P, A, EventOf<Links[Name]>>,
    options?: { readonly else?: Given<C, E, P, A, DoNotInfer<A>> },
  ): ActionFunction<C, E, A, P, never, never, never, never, never>;
}

/**
 * `linked`, `edit` and `tryEdit` for a record with those links: a wrong link name or event does not
 * compile, and what `linked` gives has the context and states of the linked machine.
 *
 * @example
 * const { linked, edit } = linksOf<{ ore: typeof stashMachine; bars: typeof stashMachine }>();
 */
export function linksOf<Links extends Readonly<Record<string, LinkTarget>>>(): TypedLinks<Links> {
  return { linked, edit, tryEdit } as TypedLinks<Links>;
}
