/**
 * Whether a value can be saved, asked when the event that made it is about to commit, so that it is
 * that event which fails and not a save an hour later. The world asks; what can be saved is known to
 * who keeps it (`src/saves`).
 */

/**
 * Throws `NOT_SAVABLE`, naming the path, if a value holds what cannot be saved. `before` is a value that
 * was found to be savable; parts that are the same objects as there are not looked at again.
 */
export type SavableCheck = (value: unknown, before: unknown, path: string) => void;
