/**
 * The sessions there are, their clients here or away. A client that comes back with its secret goes on
 * with its session; one that stays away too long begins anew.
 */
import type { Hello } from '../protocol/messages.ts';
import type { RememberedSessions } from '../protocol/remembered-sessions.ts';
import { Budget } from './budget.ts';
import type { User } from './connection.ts';
import type { Readership } from './readership.ts';
import { Session } from './session.ts';

/** Real milliseconds for which a session is kept whose client is away, and how many of them. */
const KEPT_FOR = 60_000;
const MOST_AWAY = 1000;
/** How often remembered sessions are looked through for those that are too old, in real milliseconds. */
const PRUNE_EVERY = 3_600_000;
/** What a secret of ours looks like. A session of that secret may go on though nothing is known of it. */
const SECRET = /^[A-Za-z0-9_-]{24,64}$/;

export interface SessionsParts {
  /** The answers to earlier commands, which are kept longer than sessions. */
  readonly remembered: RememberedSessions;
  readonly bytesPerSecond: number | undefined;
  secret(): string;
  idOf(secret: string, user: User | undefined): string;
  /** Real milliseconds that never go back, and those since 1970. */
  now(): number;
  date(): number;
  /** Told of each that is no longer known. */
  dropped(session: Session): void;
}

export interface Arrival {
  readonly session: Session;
  /** What its client has to come back with. */
  readonly secret: string;
  /** Whether the client goes on with what it had. */
  readonly isResumed: boolean;
}

export class Sessions {
  private readonly parts: SessionsParts;
  private readonly byId = new Map<string, Session>();
  /** Those whose client is away, the one that left first at the front. */
  private readonly away = new Set<Session>();
  private prunedAt: number;

  constructor(parts: SessionsParts) {
    this.parts = parts;
    this.prunedAt = parts.now();
  }

  get(id: string): Session | undefined {
    return this.byId.get(id);
  }

  all(): Iterable<Session> {
    return this.byId.values();
  }

  /** How many there are whose client is away. */
  get awayCount(): number {
    return this.away.size;
  }

  /** A client has come: with its old session, if it has the secret of one, else with a new one. */
  arrive({ resume }: Hello, user: User | undefined, readership: Readership): Arrival {
    const { parts } = this;
    const secret = this.secretOf(resume, user);
    const id = parts.idOf(secret, user);
    parts.remembered.seen(id, parts.date());
    const known = this.byId.get(id);
    if (known === undefined) {
      const { bytesPerSecond } = parts;
      const budget = bytesPerSecond === undefined ? undefined : new Budget(bytesPerSecond);
      const session = new Session(id, user, readership, budget);
      this.byId.set(id, session);
      return { session, secret, isResumed: false };
    }
    this.away.delete(known);
    const isResumed = known.readership.key === readership.key;
    known.readership = readership;
    if (isResumed) known.rewind();
    else known.forget();
    return { session: known, secret, isResumed };
  }

  /** Its client has gone, and may come back. */
  leave(session: Session): void {
    const { parts, away } = this;
    session.goesAway(parts.now());
    parts.remembered.seen(session.id, parts.date());
    away.add(session);
    const [first] = away;
    if (away.size > MOST_AWAY && first !== undefined) this.drop(first);
  }

  /** Lets go of those whose client has been away for too long. */
  expire(now: number): void {
    for (const session of this.away) {
      if (now - (session.awaySince ?? now) <= KEPT_FOR) return;
      this.drop(session);
    }
  }

  /** Forgets answers that are too old; those of clients that are here are not. */
  prune(): void {
    const { parts } = this;
    const now = parts.now();
    if (now - this.prunedAt < PRUNE_EVERY) return;
    this.prunedAt = now;
    const date = parts.date();
    for (const { id, isHere } of this.byId.values()) if (isHere) parts.remembered.seen(id, date);
    parts.remembered.prune(date);
  }

  /** The secret a client came with, if it is one; else a new one. */
  private secretOf(resume: string | undefined, user: User | undefined): string {
    const { parts } = this;
    if (resume !== undefined) {
      const id = parts.idOf(resume, user);
      // A crash may have lost all that was known of a session, and its client still has its secret.
      if (this.byId.has(id) || parts.remembered.has(id) || SECRET.test(resume)) return resume;
    }
    return parts.secret();
  }

  private drop(session: Session): void {
    this.byId.delete(session.id);
    this.away.delete(session);
    this.parts.dropped(session);
  }
}
