/** What a law of a kind is: a sentence, what usually breaks it, and how to find out. */
import type { Kind } from '../../core/kind.ts';
import type { Cast } from '../cast.ts';
import type { Performance, Timeline, Way } from '../performance.ts';
import type { Difference } from '../sameness.ts';
import type { Scenario } from '../scenario.ts';

/** A scenario set up: who is in it, and when its moves come. */
export interface Scene {
  /** The kind under test. */
  readonly kind: Kind;
  /** The id of its record. */
  readonly id: string;
  readonly scenario: Scenario;
  readonly cast: Cast;
  readonly timeline: Timeline;
  /** The scenario as it was played first. */
  readonly first: Performance;
  /** Plays it again, in some way. */
  play(way?: Way): Performance;
}

/** A law was broken: what it expected and got, and in which way the scenario was played for it. */
export interface Violation extends Difference {
  /** What was done to find it, as a clause: `when it is saved and loaded after 10m`. */
  readonly how: string;
}

export interface Law {
  readonly name: string;
  /** The law as a sentence. */
  readonly says: string;
  /** What most often breaks it, and the cure. */
  readonly usually: string;
  broken(scene: Scene): Violation | undefined;
}

/** The move after which a scenario is cut, −1 for before the first. */
export function cutOf({ scenario: { cut, moves } }: Scene): number {
  return (cut % (moves.length + 1)) - 1;
}
