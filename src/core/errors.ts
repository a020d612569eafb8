/**
 * The errors Offstage throws. Each class says whose fault it speaks of; `code` is stable and meant
 * for programs, `message` is meant for people: what was wrong with which record, kind, file or
 * field, and what to do.
 */
abstract class OffstageError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** A kind or its machine cannot be used: thrown by `defineKind` and `createWorld`. */
export class KindError extends OffstageError {}

/** The world refuses what was asked of it, or an event failed. */
export class WorldError extends OffstageError {}

/** A saved world cannot be read or written as asked. */
export class SaveError extends OffstageError {}

/** A command from outside was not carried out. */
export class CommandError extends OffstageError {}

/** A message between server and client breaks the protocol. */
export class ProtocolError extends OffstageError {}

/** One of Offstage's actions or reads was called while no event was happening. */
export class OutsideEventError extends OffstageError {
  constructor(what: string) {
    super(
      'OUTSIDE_EVENT',
      `${what} was called while no event was happening. Actions and reads work only inside a ` +
        `machine that a world runs; to try a machine alone, run it with testKind from 'offstage/testing'.`,
    );
  }
}

/** The code of an error that carries one; `THREW` for anything else an author's code may throw. */
export function codeOf(error: unknown): string {
  return error instanceof OffstageError ? error.code : 'THREW';
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
