/**
 * The cells that a number of sessions are told of. Who stands close to others has the same in sight;
 * and of those, all who have been told everything are told the same next, so it is put together once.
 */
import type { Audience } from './cells.ts';

export interface Lineup {
  readonly key: string;
  members: number;
}

/** The lineups there are; one that nobody has any more is let go of. */
export class Lineups {
  private readonly byKey = new Map<string, Lineup>();

  /** The lineup of those cells, with one member more. */
  join(audiences: Iterable<Audience>): Lineup {
    const key = [...audiences].map(({ cell }) => cell).join(' ');
    let lineup = this.byKey.get(key);
    if (lineup === undefined) {
      lineup = { key, members: 0 };
      this.byKey.set(key, lineup);
    }
    lineup.members += 1;
    return lineup;
  }

  leave(lineup: Lineup | undefined): void {
    if (lineup === undefined) return;
    lineup.members -= 1;
    if (lineup.members === 0) this.byKey.delete(lineup.key);
  }
}
