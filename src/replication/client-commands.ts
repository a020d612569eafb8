/**
 * What clients may have done: events for records, of the types and forms that their kinds allow, that
 * the server's own rule allows, and no more of them than the world can take. Each counts once, however
 * often it is sent, and is answered as the first time.
 */
import type { Command } from '../core/commands.ts';
import { codeOf, messageOf, ProtocolError } from '../core/errors.ts';
import type { MachineEvent } from '../core/logic.ts';
import type { RecordSnapshot } from '../core/snapshot.ts';
import type { World } from '../core/world.ts';
import { type Answer, answerOf, notAllowed, refused } from '../protocol/command-answer.ts';
import type { Send } from '../protocol/messages.ts';
import type { RememberedSessions } from '../protocol/remembered-sessions.ts';
import { AllowList } from './allow-list.ts';
import { Allowance } from './allowance.ts';
import type { Figures } from './figures.ts';
import type { CommandingSession, Session } from './session.ts';

/** Commands of clients come after those of the server and of admins. */
const CLIENT_RANK = 1;
/** Commands of one client: so many a second, and so many at once. */
const A_SECOND = 30;
const AT_ONCE = 60;
/** Refusals for being too many: so many a second and at once, and then the client is let go. */
const REFUSALS_A_SECOND = 30;
const REFUSALS_AT_ONCE = 1000;

/**
 * Whether a client may send an event to a record; it must answer at once. It is asked when the command
 * comes, of the record as it is then. What may change until the command has its turn, in the next frame
 * as a rule, is for the machine to judge.
 */
export type Authorize = (
  session: CommandingSession,
  record: RecordSnapshot,
  event: MachineEvent,
) => boolean;

export interface CommandRules {
  readonly world: World;
  readonly remembered: RememberedSessions;
  readonly authorize: Authorize | undefined;
  /** Why no command can be taken now, if none can. */
  refusing(): { readonly code: string; readonly message: string } | undefined;
  whenDurable(run: () => void): void;
  /** Real milliseconds that never go back, and those since 1970. */
  now(): number;
  date(): number;
  warn(message: string): void;
  /** The session of that id, if it is still known when an answer comes. */
  session(id: string): Session | undefined;
}

/** What one session is allowed and has under way. */
interface Conduct {
  readonly commands: Allowance;
  readonly refusals: Allowance;
  readonly waiting: Set<number>;
}

export class ClientCommands {
  private readonly rules: CommandRules;
  private readonly figures: Figures;
  private allowed: AllowList;
  private readonly conducts = new Map<string, Conduct>();

  constructor(rules: CommandRules, figures: Figures) {
    this.rules = rules;
    this.figures = figures;
    const { world } = rules;
    this.allowed = new AllowList(world.kinds.values());
    world.on('reload', () => {
      this.allowed = new AllowList(world.kinds.values());
    });
  }

  /**
   * Lets a client's command wait for the next frame, or rejects it; its session is told which, and how
   * it went. Throws `E_RATE` at a client that goes on sending too many.
   */
  send(session: Session, { seq, id, event }: Send): void {
    const { remembered, whenDurable } = this.rules;
    const conduct = this.conductOf(session);
    // Its answer comes when its turn has come, over whatever connection there is then.
    if (conduct.waiting.has(seq)) return;
    const known = remembered.answerTo(session.id, seq);
    if (known !== undefined) {
      whenDurable(() => this.tell(session.id, seq, known));
      return;
    }
    const hindrance = this.hindrance(conduct);
    if (hindrance !== undefined) {
      this.reject(session, seq, hindrance);
      return;
    }
    const command = { type: 'send', id, event } as const;
    const refusal = this.refusal(session, command);
    if (refusal !== undefined) this.answer(session, seq, refusal);
    else this.push(session, seq, command, conduct);
  }

  /** A session is no longer known. */
  forget({ id }: Session): void {
    if (this.conducts.get(id)?.waiting.size === 0) this.conducts.delete(id);
  }

  /** Why it cannot be done now, whatever it is. That is no answer: it may come again later. */
  private hindrance({ commands, refusals }: Conduct): Answer | undefined {
    const now = this.rules.now();
    if (commands.use(now)) {
      const refusing = this.rules.refusing();
      return refusing === undefined ? undefined : refused(refusing.code, refusing.message);
    }
    if (refusals.use(now)) {
      return refused(
        'E_RATE',
        `More than ${A_SECOND} commands a second; send this one again later.`,
      );
    }
    throw new ProtocolError('E_RATE', 'The client goes on sending far more commands than it may.');
  }

  /** Why it is not done for this client. */
  private refusal(
    session: Session,
    { id, event }: Extract<Command, { type: 'send' }>,
  ): Answer | undefined {
    if (event.type === '') return refused('BAD_EVENT', `The event for ${id} has an empty type.`);
    const { kinds } = session.readership;
    const kind = this.rules.world.valueOf(id)?.kind.name;
    if (
      kind === undefined ||
      (kinds !== undefined && !kinds.has(kind)) ||
      !this.allowed.allows(kind, event.type) ||
      !this.isAuthorized(session, id, event)
    ) {
      return notAllowed(id, event.type);
    }
    const wrong = this.allowed.wrong(kind, event);
    return wrong === undefined ? undefined : refused('BAD_EVENT', wrong);
  }

  /** A rule that fails allows nothing. */
  private isAuthorized(session: Session, id: string, event: MachineEvent): boolean {
    const { authorize, world, warn } = this.rules;
    if (authorize === undefined) return true;
    try {
      const record = world.find(id);
      return record !== undefined && authorize(session, record, event) === true;
    } catch (error) {
      warn(`authorize failed for ${event.type} to ${id}, which was refused: ${messageOf(error)}`);
      return false;
    }
  }

  private push(session: Session, seq: number, command: Command, { waiting }: Conduct): void {
    const { world, whenDurable } = this.rules;
    try {
      world.commands.push({
        source: { rank: CLIENT_RANK, id: session.id },
        seq,
        command,
        done: (result, time) => {
          waiting.delete(seq);
          if (this.rules.session(session.id) === undefined) this.forget(session);
          const refusing = this.rules.refusing();
          if (!result.accepted && result.code === refusing?.code) {
            // It never was a command of the world, so that is no answer: it may come again.
            this.reject(session, seq, refused(refusing.code, refusing.message));
            return;
          }
          const answer = answerOf({ command, result, time });
          this.remember(session.id, seq, answer);
          whenDurable(() => this.tell(session.id, seq, answer));
        },
      });
    } catch (error) {
      if (codeOf(error) !== 'E_RATE') throw error;
      this.reject(session, seq, refused('E_RATE', messageOf(error)));
      return;
    }
    waiting.add(seq);
    this.figures.commands += 1;
  }

  /** Answers for good. */
  private answer(session: Session, seq: number, answer: Answer): void {
    this.remember(session.id, seq, answer);
    this.tell(session.id, seq, answer);
  }

  private remember(id: string, seq: number, answer: Answer): void {
    this.rules.remembered.remember(id, seq, answer, this.rules.date());
    if (!answer.accepted) this.figures.rejected(answer.code);
  }

  private reject(session: Session, seq: number, answer: Answer): void {
    if (!answer.accepted) this.figures.rejected(answer.code);
    this.tell(session.id, seq, answer);
  }

  private tell(id: string, seq: number, answer: Answer): void {
    this.rules
      .session(id)
      ?.tell(
        answer.accepted
          ? { type: 'ack', seq, time: answer.time }
          : { type: 'reject', seq, code: answer.code, message: answer.message },
      );
  }

  private conductOf({ id }: Session): Conduct {
    let conduct = this.conducts.get(id);
    if (conduct === undefined) {
      conduct = {
        commands: new Allowance(A_SECOND, AT_ONCE),
        refusals: new Allowance(REFUSALS_A_SECOND, REFUSALS_AT_ONCE),
        waiting: new Set(),
      };
      this.conducts.set(id, conduct);
    }
    return conduct;
  }
}
