/** One edit of a statechart, made in the source of its machine. Everything else in the file stays as it is. */
import {
  IndentationText,
  Node,
  type ObjectLiteralExpression,
  Project,
  QuoteKind,
  ts,
} from 'ts-morph';
import { CommandError } from '../../core/errors.ts';
import type { ChartState, ChartTransition, KindChart } from '../../machine/chart.ts';
import type { Cause, ChartEdit, StatePath, TransitionName } from '../../protocol/chart-edits.ts';
import {
  bare,
  configIn,
  innerObject,
  keysOf,
  keyText,
  notEditable,
  propertyOf,
  quoted,
  removeProperty,
  setupOf,
  shortened,
  stateObject,
  textOf,
} from './machine-source.ts';
import {
  addProperty,
  addTransition,
  changeTransition,
  type Find,
  removeTransition,
  setNamed,
  setOrRemove,
  targetNode,
} from './transitions.ts';

export interface Edited {
  readonly text: string;
  /** What was left for somebody to look at. */
  readonly notes: readonly string[];
}

/** Whether a file makes the machine with `createMachine`. */
export function makesMachine(text: string, id: string): boolean {
  return text.includes('createMachine') && configIn(sourceFile(text), id) !== undefined;
}

/**
 * The text of a source with an edit made in it. Throws `CommandError`: `NOT_EDITABLE` if it could not
 * be made safely, `BAD_EDIT` if the machine would not be one.
 */
export function withEdit(text: string, chart: KindChart, edit: ChartEdit): Edited {
  const file = sourceFile(text);
  const find = (): ObjectLiteralExpression => {
    const config = configIn(file, chart.machine);
    if (config === undefined) {
      throw notEditable(`The machine '${chart.machine}' is not written in place`);
    }
    return config;
  };
  const notes = make(find, chart, edit);
  const edited = file.getFullText();
  const broken = flawOf(edited);
  if (broken !== undefined) throw notEditable(`The edit would leave the file broken: ${broken}`);
  return { text: edited, notes };
}

function make(find: Find, chart: KindChart, edit: ChartEdit): string[] {
  const address = addresses(chart);
  switch (edit.edit) {
    case 'addState': {
      checkKey(edit.key);
      const parent = stateObject(find(), edit.parent);
      const drawn = drawnState(chart, edit.parent);
      if (drawn.type === 'final' || drawn.type === 'history') {
        throw bad(`A ${drawn.type} state has no states in it.`);
      }
      const states = innerObject(parent, 'states');
      if (states === undefined) {
        addProperty(parent, 'initial', quoted(edit.key), 'states');
        addProperty(stateObject(find(), edit.parent), 'states', `{ ${keyText(edit.key)}: {} }`, '');
        return [];
      }
      if (keysOf(states).includes(edit.key))
        throw bad(`There is a state '${edit.key}' there already.`);
      states.addPropertyAssignment({ name: keyText(edit.key), initializer: '{}' });
      return [];
    }
    case 'renameState':
      return renameState(find(), chart, edit.state, edit.key);
    case 'removeState':
      return removeState(find, chart, edit.state);
    case 'setInitial': {
      const parent = stateObject(find(), edit.state.slice(0, -1));
      stateObject(find(), edit.state);
      if (drawnState(chart, edit.state.slice(0, -1)).type === 'parallel') {
        throw bad('A parallel state begins in all of its states.');
      }
      setOrRemove(parent, 'initial', quoted(edit.state.at(-1) ?? ''));
      return [];
    }
    case 'setType':
      return setType(find, chart, edit.state, edit.to);
    case 'setActions':
      checkNames(edit.actions, chart.names.actions, 'action');
      setNamed(stateObject(find(), edit.state), edit.when, edit.actions);
      return [];
    case 'addTransition': {
      const { source, cause, target } = edit;
      checkCause(cause, chart);
      if (drawnState(chart, source).type === 'final') throw bad('Nothing leaves a final state.');
      if (target !== null) stateObject(find(), target);
      addTransition(
        find(),
        source,
        cause,
        target === null ? '{}' : quoted(address(source, target)),
      );
      return notesOfCause(cause, chart);
    }
    case 'changeTransition': {
      const { transition, change } = edit;
      if (change.cause !== undefined) checkCause(change.cause, chart);
      if (change.target) stateObject(find(), change.target);
      if (change.guard) checkNames([change.guard], chart.names.guards, 'guard');
      checkNames(change.actions ?? [], chart.names.actions, 'action');
      changeTransition(find, transition, change, address);
      return change.cause === undefined ? [] : notesOfCause(change.cause, chart);
    }
    case 'removeTransition':
      removeTransition(find, edit.transition);
      return [];
    case 'setDelay':
      checkNames([edit.delay], chart.names.delays, 'delay');
      setDelay(find(), edit.delay, edit.milliseconds);
      return [];
    default:
      edit satisfies never;
      throw bad('There is no such edit.');
  }
}

function setDelay(config: ObjectLiteralExpression, delay: string, milliseconds: number): void {
  const delays = innerObject(setupOf(config), 'delays');
  const value = delays && propertyOf(delays, delay)?.getInitializer();
  const number = value && bare(value);
  if (!Node.isNumericLiteral(number)) {
    const what = value === undefined ? 'not written in place' : `${shortened(value)}, not a number`;
    throw notEditable(`The delay '${delay}' of setup() is ${what}`, value);
  }
  // With its digits apart, if its author has them so.
  const isApart = number.getText().includes('_');
  const digits = String(milliseconds);
  number.replaceWithText(isApart ? digits.replace(/\B(?=(\d{3})+$)/g, '_') : digits);
}

function renameState(
  config: ObjectLiteralExpression,
  chart: KindChart,
  path: StatePath,
  key: string,
): string[] {
  checkKey(key);
  const old = path.at(-1);
  if (old === undefined) throw bad('The root has the name of its machine.');
  if (old === key) return [];
  const around = path.slice(0, -1);
  const states = innerObject(stateObject(config, around), 'states');
  if (states === undefined) throw notEditable(`'${around.join('.')}' has no states in place`);
  if (keysOf(states).includes(key)) throw bad(`There is a state '${key}' there already.`);
  const renamed = {
    ...chart,
    states: chart.states.map((one) => movedState(one, path, key, chart)),
  };
  const address = addresses(renamed);
  const nodes = new Map(renamed.states.map((one, i) => [chart.states[i]?.id, one] as const));
  // Targets first, while all states are still found by their old names.
  for (const transition of chart.transitions) {
    for (const id of transition.targets) {
      const before = chart.states.find((one) => one.id === id);
      const after = nodes.get(id);
      if (before === undefined || after === undefined || !begins(before.path, path)) continue;
      const source = nodes.get(transition.source);
      const target = targetNode(config, nameOf(transition, chart));
      if (target === undefined || source === undefined) continue;
      // Ids of the author's own stay what they were.
      if (target.text === `#${before.id}` && before.id === after.id) continue;
      if (!target.text.split(/[.#]/).includes(old)) continue;
      target.replace(address(source.path, after.path));
    }
  }
  const parent = stateObject(config, around);
  const initial = propertyOf(parent, 'initial');
  const begin = initial?.getInitializer();
  if (begin !== undefined && textOf(begin) === old) initial?.setInitializer(quoted(key));
  const inside = innerObject(parent, 'states');
  if (inside !== undefined) propertyOf(inside, old)?.getNameNode().replaceWithText(keyText(key));
  return [
    `Records that are in '${old}' now rest with a fault until they are changed or the kind's migrate brings them to '${key}'.`,
    `Guards with stateIn, and describe, predict, advance and migrate of the kind, may name '${old}' too.`,
  ];
}

function removeState(find: Find, chart: KindChart, path: StatePath): string[] {
  const key = path.at(-1);
  if (key === undefined) throw bad('The root is the machine itself.');
  const ids = new Set(chart.states.filter((one) => begins(one.path, path)).map(({ id }) => id));
  const into = chart.transitions.filter(
    ({ source, targets }) => !ids.has(source) && targets.some((id) => ids.has(id)),
  );
  if (into.length > 0) {
    const named = into.map(({ source }) => `'${source}'`).join(', ');
    throw bad(`Transitions lead to '${key}', from ${named}. Retarget or remove them first.`);
  }
  const around = drawnState(chart, path.slice(0, -1));
  const isInitial = around.initial !== undefined && ids.has(around.initial);
  const siblings = chart.states.filter(({ parent }) => parent === around.id);
  if (isInitial && siblings.length > 1) {
    throw bad(`'${around.key}' begins in '${key}'. Make another state the initial one first.`);
  }
  const parent = stateObject(find(), path.slice(0, -1));
  const states = innerObject(parent, 'states');
  if (states === undefined) throw notEditable(`'${key}' is not written in place`, parent);
  stateObject(find(), path);
  if (states.getProperties().length > 1) {
    remove(states, key);
  } else {
    remove(parent, 'states');
    remove(stateObject(find(), path.slice(0, -1)), 'initial');
  }
  return [`Records that are in '${key}' now rest with a fault until they are changed or migrated.`];
}

function setType(
  find: Find,
  chart: KindChart,
  path: StatePath,
  to: 'normal' | 'parallel' | 'final' | 'history',
): string[] {
  const state = stateObject(find(), path);
  const drawn = drawnState(chart, path);
  const children = chart.states.filter(({ parent }) => parent === drawn.id);
  const leaves = chart.transitions.some(({ source }) => source === drawn.id);
  if (to === 'parallel' && children.length === 0)
    throw bad('A parallel state needs states in it. Add some first.');
  if (to === 'final' && (children.length > 0 || leaves)) {
    throw bad('A final state has no states in it and nothing leaves it. Remove those first.');
  }
  if (
    to === 'history' &&
    (children.length > 0 || leaves || drawn.entry.length + drawn.exit.length > 0)
  ) {
    throw bad('A history state has no states, transitions, entry or exit. Remove those first.');
  }
  if (path.length === 0 && (to === 'final' || to === 'history'))
    throw bad(`The root cannot be ${to}.`);
  setOrRemove(state, 'type', to === 'normal' ? undefined : quoted(to));
  if (to === 'parallel') remove(stateObject(find(), path), 'initial');
  const [first] = children;
  if (to === 'normal' && first !== undefined && drawn.initial === undefined) {
    setOrRemove(stateObject(find(), path), 'initial', quoted(first.key));
  }
  return to === 'parallel' || drawn.type === 'parallel'
    ? [
        'The value of a parallel state has another form: records in it now rest with a fault until they are migrated.',
      ]
    : [];
}

function remove(object: ObjectLiteralExpression, key: string): void {
  const property = propertyOf(object, key);
  if (property !== undefined) removeProperty(property);
}

/** How targets are written: beside the source by their path, else by id. */
function addresses(chart: Pick<KindChart, 'states'>) {
  return (source: StatePath, target: StatePath): string => {
    const around = source.slice(0, -1);
    if (source.length === 0) {
      if (target.length > 0) return `.${target.join('.')}`;
    } else if (target.length > around.length && begins(target, around)) {
      return target.slice(around.length).join('.');
    }
    const state = chart.states.find(({ path }) => isSamePath(path, target));
    if (state === undefined) throw bad(`There is no state '${target.join('.')}'.`);
    return `#${state.id}`;
  };
}

/** A state as it is called once another was renamed. */
function movedState(
  state: ChartState,
  path: StatePath,
  key: string,
  { machine }: KindChart,
): ChartState {
  if (!begins(state.path, path)) return state;
  const moved = [...path.slice(0, -1), key, ...state.path.slice(path.length)];
  const isOwnId = state.id !== [machine, ...state.path].join('.');
  return { ...state, path: moved, id: isOwnId ? state.id : [machine, ...moved].join('.') };
}

function nameOf(
  { source, trigger, place }: ChartTransition,
  { states }: KindChart,
): TransitionName {
  const path = states.find(({ id }) => id === source)?.path ?? [];
  const cause: Cause =
    trigger.type === 'event'
      ? { on: trigger.event }
      : trigger.type === 'after'
        ? { after: trigger.delay }
        : trigger.type === 'always'
          ? { always: true }
          : { onDone: true };
  return { source: path, cause, place };
}

function drawnState({ states }: KindChart, path: StatePath): ChartState {
  const found = states.find((one) => isSamePath(one.path, path));
  if (found === undefined) throw bad(`There is no state '${path.join('.')}'.`);
  return found;
}

function begins(path: StatePath, start: StatePath): boolean {
  return start.every((key, i) => path[i] === key);
}

function isSamePath(a: StatePath, b: StatePath): boolean {
  return a.length === b.length && begins(a, b);
}

function checkKey(key: string): void {
  if (/^[A-Za-z_][\w-]*$/.test(key)) return;
  throw bad(
    `'${key}' cannot be the name of a state: use letters, digits, '-' and '_', a letter first.`,
  );
}

function checkNames(names: readonly string[], known: readonly string[], what: string): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw bad(
    `There is no ${what} '${unknown}' in setup(); there is: ${known.join(', ') || 'none'}. Write it there first.`,
  );
}

function checkCause(cause: Cause, { names }: KindChart): void {
  if ('on' in cause && /^xstate\./.test(cause.on))
    throw bad(`'${cause.on}' is an event of XState itself.`);
  if (!('after' in cause)) return;
  const milliseconds = Number(cause.after);
  if (
    names.delays.includes(cause.after) ||
    (/^\d+$/.test(cause.after) && Number.isSafeInteger(milliseconds))
  )
    return;
  throw bad(
    `A delay is a whole number of milliseconds, or one of setup(): ${names.delays.join(', ') || 'there is none'}.`,
  );
}

function notesOfCause(cause: Cause, { transitions }: KindChart): string[] {
  if (!('on' in cause)) return [];
  const isKnown = transitions.some(
    ({ trigger }) => trigger.type === 'event' && trigger.event === cause.on,
  );
  return isKnown
    ? []
    : [
        `'${cause.on}' is new to the machine. If types.events lists its events, add it there; if clients may send it, add it to commands of the kind.`,
      ];
}

function bad(why: string): CommandError {
  return new CommandError('BAD_EDIT', why);
}

/** The first thing that makes a text no TypeScript. */
function flawOf(text: string): string | undefined {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
  const [flaw] = diagnostics;
  return flaw === undefined ? undefined : ts.flattenDiagnosticMessageText(flaw.messageText, ' ');
}

function sourceFile(text: string) {
  const project = new Project({
    useInMemoryFileSystem: true,
    manipulationSettings: {
      indentationText: IndentationText.TwoSpaces,
      quoteKind: QuoteKind.Single,
      useTrailingCommas: true,
    },
  });
  return project.createSourceFile('machine.ts', text);
}
