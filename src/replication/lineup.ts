/**
 * Sessions that are told of the same cells and read the same kinds. Who stands close to others has the
 * same in sight; so where a change concerns many it concerns few lineups, and of those in one, all who
 * have been told everything are told the same next, which is put together once.
 */
import type { Audience } from './cells.ts';
import type { Session } from './session.ts';

export class Lineup {
  /** One that others may join; undefined where a budget makes it a session's own. */
  readonly key: string | undefined;
  readonly audiences: readonly Audience[];
  readonly sessions = new Set<Session>();

  constructor(key: string | undefined, audiences: readonly Audience[]) {
    this.key = key;
    this.audiences = audiences;
  }
}

/** The lineups there are; one that nobody is in any more is let go of. */
export class Lineups {
  private readonly byKey = new Map<string, Lineup>();

  /** The session is told of other cells than before, or reads other kinds. */
  join(session: Session): void {
    this.leave(session);
    const { subscriptions, readership, budget } = session;
    const audiences = [...subscriptions.values()].map(({ audience }) => audience);
    const cells = audiences.map(({ cell }) => cell).join(' ');
    const key = budget === undefined ? `${readership.key}\n${cells}` : undefined;
    let lineup = key === undefined ? undefined : this.byKey.get(key);
    if (lineup === undefined) {
      lineup = new Lineup(key, audiences);
      for (const audience of audiences) audience.lineups.add(lineup);
      if (key !== undefined) this.byKey.set(key, lineup);
    }
    lineup.sessions.add(session);
    session.lineup = lineup;
  }

  leave(session: Session): void {
    const { lineup } = session;
    if (lineup === undefined) return;
    session.lineup = undefined;
    lineup.sessions.delete(session);
    if (lineup.sessions.size > 0) return;
    for (const audience of lineup.audiences) audience.lineups.delete(lineup);
    if (lineup.key !== undefined) this.byKey.delete(lineup.key);
  }
}
