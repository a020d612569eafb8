/** A machine's file as it is to be written, and what its author has still to write in it. */
export interface MachineSource {
  readonly text: string;
  readonly toWrite: ToWrite;
  /** Types of the events that the machine takes. */
  readonly events: readonly string[];
}

/** Names that a machine uses and that nothing stands behind yet. */
export interface ToWrite {
  readonly actions: readonly string[];
  readonly guards: readonly string[];
  readonly delays: readonly string[];
}

export const NOTHING_TO_WRITE: ToWrite = { actions: [], guards: [], delays: [] };

/** Each as `the guard 'hasOre'`. */
export function inWords({ actions, guards, delays }: ToWrite): string[] {
  return [
    ...actions.map((name) => `the action '${name}'`),
    ...guards.map((name) => `the guard '${name}'`),
    ...delays.map((name) => `the delay '${name}'`),
  ];
}
