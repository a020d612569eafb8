/**
 * The world of a test: a few records, from the members that were put on the stage. When another test
 * record joins, the world is made anew with all of them, so it must not have begun to move.
 */
import type { Notice } from '../core/commit.ts';
import { WorldError } from '../core/errors.ts';
import { createWorld, type World } from '../core/world.ts';
import { castOf, type Member } from './cast.ts';
import { Traffic } from './traffic.ts';

export class Stage {
  readonly world: World;
  readonly traffic = new Traffic();
  readonly notices: Notice[] = [];
  readonly members: readonly Member[];
  private readonly hashAtStart: string;

  constructor(members: readonly Member[], seed: string) {
    this.members = members;
    const { traffic } = this;
    const { kinds, records } = castOf(members);
    this.world = createWorld({
      kinds: kinds.map((kind) => traffic.watched(kind)),
      seed,
      settings: { freeze: true },
    });
    traffic.listenTo(this.world);
    this.world.on('notice', (notice) => this.notices.push(notice));
    this.world.add(records);
    this.hashAtStart = this.world.hash();
    for (const [i, member] of members.entries()) {
      member.stage = this;
      member.id = records[i]?.id as string;
    }
  }

  /** The members are put on another stage; an error if anything has happened on this one. */
  leave(): void {
    if (this.world.hash() !== this.hashAtStart) {
      const ids = this.members.map(({ id }) => id).join(', ');
      throw new WorldError(
        'TEST_BEGUN',
        `${ids}: the test has begun, so another test record can no longer link to it. Make all test records before the first advance or send; later, use t.world.add.`,
      );
    }
  }
}
