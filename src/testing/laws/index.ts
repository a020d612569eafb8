/** The laws of a kind, in the order in which they are tried: the more particular before those they would break too. */
import { contextSurvives } from './encoding.ts';
import { failureLeavesNothing } from './failing.ts';
import { interpretedEqualsCompiled } from './interpreted.ts';
import type { Law } from './law.ts';
import { lookingChangesNothing } from './looking.ts';
import { oneStep } from './one-step.ts';
import { regionsDoNotCompete } from './regions.ts';
import { sameSeedSameHash } from './same-seed.ts';
import { savedAndLoaded } from './saving.ts';
import { timesMove } from './shifting.ts';

export const LAWS = [
  sameSeedSameHash,
  failureLeavesNothing,
  contextSurvives,
  lookingChangesNothing,
  interpretedEqualsCompiled,
  oneStep,
  savedAndLoaded,
  timesMove,
  regionsDoNotCompete,
] as const satisfies readonly Law[];

/** What a law is called in `laws` of `checkKind`. */
export type LawName = (typeof LAWS)[number]['name'];
