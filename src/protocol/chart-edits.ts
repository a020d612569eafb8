/**
 * Changes to a statechart, as an admin draws them and a server writes them into the source of the
 * machine. States are named by their paths, keys from the root on; transitions by the state they leave,
 * what makes them happen, and their place among those of the same cause.
 */

export type StatePath = readonly string[];

/** What makes a transition happen, as its author writes it. */
export type Cause =
  | { readonly on: string }
  /** Milliseconds, or the name of a delay. */
  | { readonly after: string }
  | { readonly always: true }
  | { readonly onDone: true };

export interface TransitionName {
  readonly source: StatePath;
  readonly cause: Cause;
  readonly place: number;
}

/** What of a transition changes; what is left out stays. `null` takes it away. */
export interface TransitionChange {
  readonly cause?: Cause;
  readonly target?: StatePath | null;
  readonly guard?: string | null;
  readonly actions?: readonly string[];
  readonly reenter?: boolean;
}

export type StateType = 'normal' | 'parallel' | 'final' | 'history';

export type ChartEdit =
  | { readonly edit: 'addState'; readonly parent: StatePath; readonly key: string }
  | { readonly edit: 'renameState'; readonly state: StatePath; readonly key: string }
  | { readonly edit: 'removeState'; readonly state: StatePath }
  | { readonly edit: 'setInitial'; readonly state: StatePath }
  | { readonly edit: 'setType'; readonly state: StatePath; readonly to: StateType }
  | {
      readonly edit: 'setActions';
      readonly state: StatePath;
      readonly when: 'entry' | 'exit';
      readonly actions: readonly string[];
    }
  | {
      readonly edit: 'addTransition';
      readonly source: StatePath;
      readonly cause: Cause;
      readonly target: StatePath | null;
    }
  | {
      readonly edit: 'changeTransition';
      readonly transition: TransitionName;
      readonly change: TransitionChange;
    }
  | { readonly edit: 'removeTransition'; readonly transition: TransitionName }
  /** Changes a delay that `setup` names, where it is a number. */
  | { readonly edit: 'setDelay'; readonly delay: string; readonly milliseconds: number };

/** Shows what an edit makes of the source, or writes it. Answered by `drawn` or `refused`. */
export interface Draw {
  readonly type: 'draw';
  readonly seq: number;
  readonly kind: string;
  readonly edit: ChartEdit;
  /** Writes it, if the source is still the one that was shown: `base` of the answer that showed it. */
  readonly write?: { readonly base: string };
}

/** Takes the last edit of a kind's source back, or makes it again. Answered by `drawn` or `refused`. */
export interface Redraw {
  readonly type: 'redraw';
  readonly seq: number;
  readonly kind: string;
  readonly what: 'undo' | 'redo';
}

export interface Drawn {
  readonly type: 'drawn';
  readonly seq: number;
  /** The source, from the folder that the server was started in. */
  readonly path: string;
  /** Stands for the text of the source before the edit. */
  readonly base: string;
  /** What the edit changes, as a unified diff. */
  readonly diff: string;
  /** What the edit does not do, and somebody should look at. */
  readonly notes: readonly string[];
  readonly isWritten: boolean;
}
