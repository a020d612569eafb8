/** Checks of what a kind says beside its machine. Types see most of it; a JavaScript author has none. */
import { KindError } from '../core/errors.ts';
import { NAME_PATTERN } from '../core/names.ts';
import { OPTIONS } from './kind-definition.ts';

/** A definition before anything is known of it. */
export type Unchecked = Readonly<Record<string, unknown>>;

/** Throws a `KindError` about this kind: what is wrong, then what to do. */
export type Refuse = (code: string, what: string, cure: string) => never;

/** Shorter steps than this would be no step on the grid of game times. */
const SHORTEST_STEP = 1 / 1024;
/** What the order of events can hold exactly. */
const HIGHEST_ORDER = 1_000_000;
const LINK_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The refusals of one kind. */
export function refusalsOf(name: unknown): Refuse {
  const kind = typeof name === 'string' ? `'${name}'` : shown(name);
  return (code, what, cure) => {
    throw new KindError(code, `Kind ${kind}: ${what}. ${cure}.`);
  };
}

/** Checks every option but `machine`. */
export function checkDefinition(definition: Unchecked, refuse: Refuse): void {
  checkNames(definition, refuse);
  checkLinks(definition.links, refuse);
  checkStep(definition.step, refuse);
  const { relevancy, order, serverOnly } = definition;
  if (!['none', 'spatial', 'always', undefined].includes(relevancy as string | undefined)) {
    refuse('BAD_OPTION', `relevancy is ${shown(relevancy)}`, "Give 'none', 'spatial' or 'always'");
  }
  if (
    order !== undefined &&
    !(Number.isInteger(order) && Math.abs(order as number) <= HIGHEST_ORDER)
  ) {
    refuse('BAD_OPTION', `order is ${shown(order)}`, `Give an integer of at most ${HIGHEST_ORDER}`);
  }
  if (serverOnly !== undefined && !(Array.isArray(serverOnly) && serverOnly.every(isText))) {
    refuse('BAD_OPTION', `serverOnly is ${shown(serverOnly)}`, 'Give an array of context keys');
  }
  for (const option of ['urgent', 'exact', 'compile'] as const) {
    const given = definition[option];
    if (given !== undefined && typeof given !== 'boolean') {
      refuse('BAD_OPTION', `${option} is ${shown(given)}`, 'Give true or false');
    }
  }
  for (const option of ['advance', 'shiftTimes', 'migrate', 'describe'] as const) {
    const given = definition[option];
    if (given !== undefined && typeof given !== 'function') {
      refuse('BAD_OPTION', `${option} is ${shown(given)}`, 'Give a function');
    }
  }
  checkByEvent(
    definition.commands,
    'commands',
    'object',
    'a JSON schema (Type.Object({ … }))',
    refuse,
  );
  checkByEvent(
    definition.predict,
    'predict',
    'function',
    'a function that gives a game time',
    refuse,
  );
}

function checkNames(definition: Unchecked, refuse: Refuse): void {
  const { name, version } = definition;
  if (typeof name !== 'string' || !NAME_PATTERN.test(name)) {
    refuse(
      'BAD_NAME',
      `${shown(name)} is no name of a kind`,
      `A name has up to 64 lower case letters, digits, '-' and '_', a letter or digit first (${NAME_PATTERN.source})`,
    );
  }
  if (!Number.isSafeInteger(version) || (version as number) < 1) {
    refuse('BAD_VERSION', `version is ${shown(version)}`, 'Give a positive integer; start with 1');
  }
  for (const option of Object.keys(definition)) {
    if ((OPTIONS as readonly string[]).includes(option)) continue;
    const meant = OPTIONS.find((known) => known.toLowerCase() === option.toLowerCase());
    refuse(
      'UNKNOWN_OPTION',
      `there is no option '${option}'`,
      meant === undefined ? `The options are: ${OPTIONS.join(', ')}` : `Write ${meant}`,
    );
  }
}

function checkLinks(links: unknown, refuse: Refuse): void {
  if (links === undefined) return;
  if (!isRecord(links)) {
    refuse('BAD_LINKS', `links is ${shown(links)}`, "Give link names and kinds: { ore: 'stash' }");
  }
  for (const [link, kind] of Object.entries(links as object)) {
    if (!LINK_NAME.test(link)) {
      refuse(
        'BAD_LINKS',
        `'${link}' is no link name`,
        'Start with a letter, then letters, digits, _ and -',
      );
    }
    if (kind !== '*' && !(isText(kind) && NAME_PATTERN.test(kind))) {
      refuse('BAD_LINKS', `link '${link}' leads to ${shown(kind)}`, "Name a kind, or '*' for any");
    }
  }
}

function checkStep(step: unknown, refuse: Refuse): void {
  if (['events', 'coarse', 'frame', undefined].includes(step as string | undefined)) return;
  const cure = "Give 'events', 'coarse', 'frame' or { every, phase? } in game milliseconds";
  if (!isRecord(step)) refuse('BAD_STEP', `step is ${shown(step)}`, cure);
  const { every, phase = 0, ...others } = step as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) refuse('BAD_STEP', `step has no '${other}'`, cure);
  if (!isFiniteNumber(every) || every < SHORTEST_STEP) {
    refuse(
      'BAD_STEP',
      `step.every is ${shown(every)}`,
      `Give at least ${SHORTEST_STEP} game milliseconds`,
    );
  }
  if (!isFiniteNumber(phase) || phase < 0) {
    refuse(
      'BAD_STEP',
      `step.phase is ${shown(phase)}`,
      'Give a finite number of game milliseconds, 0 or more',
    );
  }
}

/** An option that holds something for each of some event types. */
function checkByEvent(
  given: unknown,
  option: string,
  type: 'object' | 'function',
  wanted: string,
  refuse: Refuse,
): void {
  if (given === undefined) return;
  if (!isRecord(given))
    refuse('BAD_OPTION', `${option} is ${shown(given)}`, `Give for each event type ${wanted}`);
  for (const [event, value] of Object.entries(given as object)) {
    if (typeof value !== type || value === null) {
      refuse('BAD_OPTION', `${option}.${event} is ${shown(value)}`, `Give ${wanted}`);
    }
    if (/^(xstate|offstage)\./.test(event) || event.includes('*')) {
      refuse(
        'BAD_OPTION',
        `${option} names '${event}'`,
        'Name an event of the machine’s own, without wildcards',
      );
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** A value as it may stand in a message. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  return JSON.stringify(value) ?? `a ${typeof value}`;
}
