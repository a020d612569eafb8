/** What clients may have done: events for records, of the types and forms that their kinds allow. */
import { codeOf, messageOf } from '../core/errors.ts';
import type { World } from '../core/world.ts';
import type { Send } from '../protocol/messages.ts';
import { AllowList } from './allow-list.ts';
import type { Session } from './session.ts';

/** Commands of clients come after those of the server and of admins. */
const CLIENT_RANK = 1;

export class ClientCommands {
  private readonly world: World;
  private readonly allowed: AllowList;

  constructor(world: World) {
    this.world = world;
    this.allowed = new AllowList(world.kinds.values());
  }

  /** Lets a client's command wait for the next frame, or rejects it; the session is told which, and how it went. */
  send(session: Session, { seq, id, event }: Send): void {
    const { kinds } = session.readership;
    const kind = this.world.valueOf(id)?.kind.name;
    const refuse = (code: string, message: string): void =>
      session.tell({ type: 'reject', seq, code, message });
    if (event.type === '') {
      refuse('BAD_EVENT', `The event for ${id} has an empty type.`);
      return;
    }
    if (
      kind === undefined ||
      (kinds !== undefined && !kinds.has(kind)) ||
      !this.allowed.allows(kind, event.type)
    ) {
      refuse(...notAllowed(id, event.type));
      return;
    }
    try {
      this.allowed.check(kind, event);
      this.world.commands.push({
        source: { rank: CLIENT_RANK, id: session.id },
        seq,
        command: { type: 'send', id, event },
        done: (result, time) => {
          if (result.accepted) session.tell({ type: 'ack', seq, time });
          else refuse(...refusalOf(result.code, id, event.type));
        },
      });
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'BAD_EVENT' && code !== 'E_RATE') throw error;
      refuse(code, messageOf(error));
    }
  }
}

/**
 * Why a command was not carried out, in words of our own: an error thrown in a machine may say things
 * that are not for a client.
 */
function refusalOf(code: string, id: string, event: string): readonly [code: string, why: string] {
  // It went while its command waited; that is no other answer than for one that never was.
  if (code === 'UNKNOWN_RECORD') return notAllowed(id, event);
  if (code === 'NOT_TAKEN') return [code, `${id} does not take ${event} now.`];
  return [code, `${event} for ${id} failed on the server (${code}).`];
}

/** One answer for what is not there and for what is not allowed, so that nobody can probe for ids. */
function notAllowed(id: string, event: string): readonly [code: string, why: string] {
  return ['NOT_ALLOWED', `There is no record ${id} that takes ${event} from a client.`];
}
