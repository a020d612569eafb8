/** A broken law, told as a story: what the record was, what happened to it when, and what went wrong. */
import { stringify } from 'fast-check';
import { KindError } from '../core/errors.ts';
import { inUnits } from './duration.ts';
import { cutOf, type Law, type Scene, type Violation } from './laws/law.ts';
import { eventInWords, inWords, recordInWords } from './sameness.ts';

/** The end of a story shows so many lines of what happened; what is before is seldom of interest. */
const MOST_LINES = 40;

/** Thrown by `checkKind`: a law that a kind breaks, with the smallest counterexample that was found. */
export class BrokenLaw extends KindError {
  /** The name of the law. */
  readonly law: string;
  /** What the law expected and what it got, in words. */
  readonly expected: string;
  readonly got: string;
  /** Give these to `checkKind` to try this very counterexample again. */
  readonly seed: number;
  readonly path: string;

  constructor(
    law: Law,
    scene: Scene,
    { expected, got, how }: Violation,
    { seed, path }: { readonly seed: number; readonly path: string },
  ) {
    super(
      'LAW_BROKEN',
      [
        `Kind '${scene.kind.name}' breaks a law: ${law.says}.`,
        '',
        ...told(scene).map((line) => `  ${line}`),
        '',
        `Played again ${how}:`,
        `  expected  ${expected}`,
        `  got       ${got}`,
        '',
        `What usually causes it: ${law.usually}`,
        `To try this one again: checkKind(${scene.kind.name}, { …, laws: ['${law.name}'], seed: ${seed}, path: '${path}' })`,
      ].join('\n'),
    );
    this.law = law.name;
    this.expected = expected;
    this.got = got;
    this.seed = seed;
    this.path = path;
  }
}

/** What happens in a scenario, a line for each thing. */
function told(scene: Scene): string[] {
  const { cast, scenario, timeline, first, id } = scene;
  const records = cast.records.map((record) => {
    const { input, kind } = record;
    const given = input === undefined ? '' : ` with input ${stringify(input)}`;
    const links = Object.entries(record.links ?? {}).map(([name, to]) => `${name} → ${to}`);
    return `${record.id} is a ${kind}${given}${links.length === 0 ? '' : `, links ${links.join(', ')}`}`;
  });
  const cut = cutOf(scene);
  const moves = timeline.stops.map(({ at, cue }, i) => {
    const move =
      cue === undefined
        ? `time goes on to ${inUnits(at)}`
        : `at ${inUnits(at)} ${cue.id} is sent ${eventInWords(cue.event)}`;
    return `${i + 1}. ${move}${i === cut && scenario.moves.length > 1 ? '  (cut after this)' : ''}`;
  });
  const happened = first.happenings.map((happening) => `- ${inWords(happening)}`);
  const left = happened.length - MOST_LINES;
  return [
    ...records,
    ...(moves.length === 0 ? ['nothing is done to it'] : moves),
    ...(left > 0 ? [`- … and ${left} events before these`] : []),
    ...happened.slice(-MOST_LINES),
    `In the end: ${recordInWords(id, first.world.valueOf(id))}`,
  ];
}
