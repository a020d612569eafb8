/**
 * What a client is told of its command. The words are our own, because an error thrown in a machine
 * may say things that are not for a client; so the same answer can be made of a command's report
 * when it is carried out, and of its line in a journal when that is read again.
 */
import type { CommandReport } from '../core/commands.ts';

/** The answer to one command of a client; `time` is the game time of it, in milliseconds. */
export type Answer =
  | { readonly accepted: true; readonly time: number }
  | { readonly accepted: false; readonly code: string; readonly message: string };

/** What the client that gave a command is told of how it went. */
export function answerOf({
  command,
  result,
  time,
}: Pick<CommandReport, 'command' | 'result' | 'time'>): Answer {
  if (result.accepted) return { accepted: true, time };
  const { code } = result;
  // Clients give no other commands.
  if (command.type !== 'send') return refused(code, `${command.type} failed (${code}).`);
  const { id, event } = command;
  // It went while its command waited; that is no other answer than for one that never was.
  if (code === 'UNKNOWN_RECORD') return notAllowed(id, event.type);
  if (code === 'NOT_TAKEN') return refused(code, `${id} does not take ${event.type} now.`);
  return refused(code, `${event.type} for ${id} failed on the server (${code}).`);
}

/** One answer for what is not there and for what is not allowed, so that nobody can probe for ids. */
export function notAllowed(id: string, type: string): Answer {
  return refused('NOT_ALLOWED', `There is no record ${id} that takes ${type} from a client.`);
}

/** An answer that says why a command was not carried out. */
export function refused(code: string, message: string): Answer {
  return { accepted: false, code, message };
}
