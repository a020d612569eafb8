/** What clients may have done: events for records, of the types and forms that their kinds allow. */
import type { Command } from '../core/commands.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import type { World } from '../core/world.ts';
import { type Answer, answerOf, notAllowed, refused } from '../protocol/command-answer.ts';
import type { Ack, Reject, Send } from '../protocol/messages.ts';
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
    const tell = (answer: Answer): void => {
      const { accepted, ...told } = answer;
      session.tell({ type: accepted ? 'ack' : 'reject', seq, ...told } as Ack | Reject);
    };
    if (event.type === '') {
      tell(refused('BAD_EVENT', `The event for ${id} has an empty type.`));
      return;
    }
    if (
      kind === undefined ||
      (kinds !== undefined && !kinds.has(kind)) ||
      !this.allowed.allows(kind, event.type)
    ) {
      tell(notAllowed(id, event.type));
      return;
    }
    const command: Command = { type: 'send', id, event };
    try {
      this.allowed.check(kind, event);
      this.world.commands.push({
        source: { rank: CLIENT_RANK, id: session.id },
        seq,
        command,
        done: (result, time) => tell(answerOf({ command, result, time })),
      });
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'BAD_EVENT' && code !== 'E_RATE') throw error;
      tell(refused(code, messageOf(error)));
    }
  }
}
