/**
 * What was answered to the commands of each client, so that a command that comes again (after a
 * reconnect, or after the server was started anew) counts once and gets its first answer, a rejection
 * too. A session is known by the hash of its secret alone, so this may stand in a world document. Of
 * each, the answers to the last 64 commands are kept, for 24 hours of real time after it was last
 * seen. Pure: the hash is made, and the real time is told, by the server.
 */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { SaveError } from '../core/errors.ts';
import { type Answer, refused } from './command-answer.ts';
import { MOST_UNDER_WAY } from './messages.ts';
import { exactly, seq } from './schema-parts.ts';
import { whatIsWrong } from './what-is-wrong.ts';

/** Real milliseconds for which a session is remembered that is not seen. */
const REMEMBERED_FOR = 24 * 3_600_000;
/** Sessions remembered at the most; the ones that were not seen for the longest go first. */
const MOST_SESSIONS = 20_000;

/** One session that gave commands. Immutable, so that a saver may hold it while the world goes on. */
export interface RememberedSession {
  /** The highest `seq` that was answered. */
  readonly seq: number;
  /** The answers to the last commands, in the order of their `seq`. */
  readonly results: readonly RememberedAnswer[];
  /** When it was last seen, in real milliseconds since 1970. */
  readonly seen: number;
}

type RememberedAnswer = { readonly seq: number } & Answer;

/** As a world document holds it, by the hash of each session's secret. */
export type RememberedSessionsJson = Readonly<Record<string, RememberedSession>>;

export class RememberedSessions {
  /** Those seen last stand last. */
  private readonly sessions = new Map<string, RememberedSession>();

  /**
   * Of a world document. Throws `SaveError` `BAD_SESSIONS` that says what is wrong with it.
   *
   * @example
   * const remembered = RememberedSessions.from(JSON.parse(text).sessions);
   */
  static from(json: unknown): RememberedSessions {
    if (!check.Check(json)) throw bad(`${whatIsWrong(check.Errors(json), json)}.`);
    const remembered = new RememberedSessions();
    const entries = Object.entries(json as RememberedSessionsJson);
    for (const [idHash, session] of entries.sort(([, a], [, b]) => a.seen - b.seen)) {
      if (!isInOrder(session)) {
        throw bad(`the answers to '${idHash}' must stand in the order of their seq, once each.`);
      }
      remembered.put(idHash, session);
    }
    return remembered;
  }

  /** How many sessions are remembered. */
  get size(): number {
    return this.sessions.size;
  }

  has(idHash: string): boolean {
    return this.sessions.has(idHash);
  }

  /**
   * What was answered to a command; undefined if it was not answered yet. A command from before the
   * answers that are kept is told `FORGOTTEN`: it was answered once, and must not be done again.
   */
  answerTo(idHash: string, seq: number): Answer | undefined {
    const session = this.sessions.get(idHash);
    if (session === undefined) return undefined;
    const { results } = session;
    if (results.length === MOST_UNDER_WAY && seq < (results[0] as RememberedAnswer).seq) {
      return refused(
        'FORGOTTEN',
        `Command ${seq} was answered more than ${MOST_UNDER_WAY} commands ago, and the answer is no longer known.`,
      );
    }
    const found = results.find((result) => result.seq === seq);
    if (found === undefined) return undefined;
    const { seq: _, ...answer } = found;
    return answer;
  }

  /** Keeps the answer to a command, if it is the first. `now` is in real milliseconds since 1970. */
  remember(idHash: string, seq: number, answer: Answer, now: number): void {
    const before = this.sessions.get(idHash);
    const seen = Math.max(before?.seen ?? now, now);
    if (before !== undefined && this.answerTo(idHash, seq) !== undefined) {
      this.put(idHash, { ...before, seen });
      return;
    }
    const results = [...(before?.results ?? [])];
    // Nearly always the last; one that waited longer may be answered after a later one.
    const place = results.findLastIndex((result) => result.seq < seq) + 1;
    results.splice(place, 0, { seq, ...answer });
    this.put(idHash, {
      seq: Math.max(before?.seq ?? seq, seq),
      results: results.slice(-MOST_UNDER_WAY),
      seen,
    });
  }

  /** A session is there. One that gave no command yet has nothing to be remembered for. */
  seen(idHash: string, now: number): void {
    const session = this.sessions.get(idHash);
    if (session === undefined) return;
    this.put(idHash, { ...session, seen: Math.max(session.seen, now) });
  }

  /** Forgets the sessions that have not been seen for 24 hours. */
  prune(now: number): void {
    for (const [idHash, { seen }] of this.sessions) {
      if (now - seen > REMEMBERED_FOR) this.sessions.delete(idHash);
    }
  }

  /** For a world document. What it gives does not change afterwards. */
  toJSON(): RememberedSessionsJson {
    return Object.fromEntries(this.sessions);
  }

  private put(idHash: string, session: RememberedSession): void {
    this.sessions.delete(idHash);
    this.sessions.set(idHash, session);
    if (this.sessions.size <= MOST_SESSIONS) return;
    const [longestUnseen] = this.sessions.keys();
    this.sessions.delete(longestUnseen as string);
  }
}

const check = Compile(
  Type.Record(
    Type.String({ minLength: 1, maxLength: 200 }),
    exactly({
      seq,
      results: Type.Array(
        Type.Union([
          exactly({ seq, accepted: Type.Literal(true), time: Type.Number() }),
          exactly({
            seq,
            accepted: Type.Literal(false),
            code: Type.String(),
            message: Type.String(),
          }),
        ]),
        { maxItems: MOST_UNDER_WAY },
      ),
      seen: Type.Number(),
    }),
  ),
);

function isInOrder({ seq: highest, results }: RememberedSession): boolean {
  return results.every(({ seq }, i) => seq < (results[i + 1]?.seq ?? highest + 1));
}

function bad(why: string): SaveError {
  return new SaveError('BAD_SESSIONS', `The sessions of a saved world cannot be read: ${why}`);
}
