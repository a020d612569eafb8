/**
 * What `checkKind` tries a kind with: a record with random input, and random moves: time passes, to
 * the next event or only part of the way, and events arrive. Plain values, so that fast-check can
 * make the smallest of those that break a law.
 */
import fc, { type Arbitrary } from 'fast-check';
import type { MachineEvent } from '../core/logic.ts';
import type { TestRecord } from './test-record.ts';

/** Test records by the name of a link. */
export type TestLinks = Readonly<Record<string, TestRecord<unknown, never>>>;

/** One thing that is done from outside. */
export type Move =
  /** Game milliseconds pass. */
  | { readonly type: 'wait'; readonly milliseconds: number }
  /** Time passes to the next event of the world, or a part of the way there. */
  | { readonly type: 'towards'; readonly part: number }
  /** The record gets an event, or what one of its links leads to. */
  | { readonly type: 'send'; readonly link: string | undefined; readonly event: MachineEvent };

export interface Scenario {
  readonly input: unknown;
  readonly links: TestLinks;
  readonly moves: readonly Move[];
  /** After which of the moves a save, a load or a shift of the clock comes. */
  readonly cut: number;
}

/** From what scenarios are made. */
export interface Ingredients {
  readonly input: Arbitrary<unknown>;
  readonly links: Arbitrary<TestLinks>;
  readonly events: Arbitrary<MachineEvent> | undefined;
  readonly linkEvents: Readonly<Record<string, Arbitrary<MachineEvent>>>;
}

const LONGEST_WAIT = 86_400_000;
const MOST_MOVES = 16;

const pass: Arbitrary<Move> = fc.oneof(
  fc.constant({ type: 'towards' as const, part: 1 }),
  fc
    .integer({ min: 1, max: 15 })
    .map((sixteenths) => ({ type: 'towards' as const, part: sixteenths / 16 })),
  fc
    .oneof(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: LONGEST_WAIT }))
    .map((milliseconds) => ({ type: 'wait' as const, milliseconds })),
);

/** Scenarios of a kind. */
export function scenarios({ input, links, events, linkEvents }: Ingredients): Arbitrary<Scenario> {
  const sent = Object.entries(linkEvents).map(([link, event]) => sending(event, link));
  if (events !== undefined) sent.push(sending(events, undefined));
  const move = sent.length === 0 ? pass : fc.oneof(pass, fc.oneof(...sent));
  return fc.record({
    input,
    links,
    moves: fc.array(move, { maxLength: MOST_MOVES, size: 'max' }),
    cut: fc.nat({ max: MOST_MOVES }),
  });
}

function sending(events: Arbitrary<MachineEvent>, link: string | undefined): Arbitrary<Move> {
  return events.map((event) => ({ type: 'send', link, event }));
}
