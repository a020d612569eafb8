/**
 * A machine that was drawn in Stately Studio and exported for XState 5, as JSON or as TypeScript, made
 * a file of `machines/`. What it names and nobody has written yet gets a place in `setup` that fails by
 * name, so that the machine is a kind at once, and a record that comes to such a place says so.
 */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type AnyStateMachine, createMachine } from 'xstate';
import { CommandError, messageOf } from '../../core/errors.ts';
import { defineKind } from '../../machine/define-kind.ts';
import { builtMachine, nodesOf } from '../../machine/xstate-internals.ts';
import { takeTypeScript } from '../kinds-file.ts';
import { key, literal, object, text, typeOf } from './literal.ts';
import type { KindNames } from './names.ts';
import { type MachineSource, NOTHING_TO_WRITE, type ToWrite } from './source.ts';

type Config = Readonly<Record<string, unknown>>;

/**
 * Reads an export. Throws `CommandError` `BAD_EXPORT` if it is none, or is for XState 4; `KindError` for what a record
 * cannot do, such as `invoke`.
 */
export async function drawnMachine(path: string, names: KindNames): Promise<MachineSource> {
  const read = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError('BAD_EXPORT', `${path} cannot be read: ${messageOf(error)}`);
  });
  if (path.endsWith('.json')) return fromConfig(configIn(read, path), path, names);
  return fromCode(read, path, names);
}

// JSON

function configIn(json: string, path: string): Config {
  let config: unknown;
  try {
    config = JSON.parse(json);
  } catch (error) {
    throw new CommandError('BAD_EXPORT', `${path} is not JSON: ${messageOf(error)}`);
  }
  if (typeof config === 'object' && config !== null && ('states' in config || 'on' in config)) {
    return config as Config;
  }
  throw new CommandError(
    'BAD_EXPORT',
    `${path} holds no machine. In Stately Studio, open the Code panel and export JSON for XState 5.`,
  );
}

/** The file of a machine of which there is only the configuration. */
function fromConfig(given: Config, path: string, names: KindNames): MachineSource {
  refuseVersion4(given, path);
  const config: Config = { id: names.name, ...given };
  const machine = built(config, path);
  const toWrite = namesIn(machine);
  checkAsKind(machine, toWrite, names);
  const events = eventsOf(machine);
  const params = paramsIn(config);
  const place = (sort: string, name: string): string => {
    const given = params.get(name);
    const args = given === undefined ? '()' : `(_, _params: ${typeOf(given)})`;
    return `${key(name)}: ${args} => toBeWritten(${text(`the ${sort} '${name}'`)})`;
  };
  const { context } = config;
  const types = [
    ...(isFilled(context) ? [`context: {} as ${typeOf(context)}`] : []),
    ...(events.length === 0
      ? []
      : [`events: {} as { readonly type: ${events.map(text).join(' | ')} }`]),
  ];
  const parts = [
    ...(types.length === 0 ? [] : [`types: ${object(types, 2)}`]),
    ...(['action', 'guard', 'delay'] as const).flatMap((sort) => {
      const list = toWrite[`${sort}s`];
      return list.length === 0
        ? []
        : [
            `${sort}s: ${object(
              list.map((name) => place(sort, name)),
              2,
            )}`,
          ];
    }),
  ];
  const isAllThere = Object.values(toWrite).every((list) => list.length === 0);
  const code = `import { setup } from 'xstate';

export const ${names.machine} = setup(${object(parts)}).createMachine(${literal(withoutEmpty(config))});
${isAllThere ? '' : TO_BE_WRITTEN}`;
  return { text: code, toWrite, events };
}

const TO_BE_WRITTEN = `
/** Stands where something has still to be written: a record that comes here rests with a fault that says so. */
function toBeWritten(what: string): never {
  throw new Error(\`\${what} is still to be written\`);
}
`;

/** Empty lists of actions and the like, which the export is full of, left out. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => {
        const isEmptyList = Array.isArray(inner) && inner.length === 0;
        return !(
          isEmptyList && ['actions', 'entry', 'exit', 'tags', 'invoke', 'always'].includes(name)
        );
      })
      .map(([name, inner]) => [name, withoutEmpty(inner)]),
  );
}

function built(config: Config, path: string): AnyStateMachine {
  try {
    return createMachine(config as Parameters<typeof createMachine>[0]);
  } catch (error) {
    throw new CommandError('BAD_EXPORT', `${path} is no machine of XState 5: ${messageOf(error)}`);
  }
}

/** Names of XState 4 that mean nothing to XState 5, which would pass them by. */
function refuseVersion4(config: unknown, path: string): void {
  if (typeof config !== 'object' || config === null) return;
  for (const [name, inner] of Object.entries(config)) {
    if (name === 'cond' || name === 'internal' || name === 'in') {
      throw new CommandError(
        'BAD_EXPORT',
        `${path} is for XState 4: it says '${name}'. Export it for XState 5.`,
      );
    }
    // What an author put there is the author's.
    if (name !== 'context' && name !== 'meta' && name !== 'params') refuseVersion4(inner, path);
  }
}

// TypeScript

/** An export as TypeScript stays as it is, but for the name under which the machine is exported. */
async function fromCode(code: string, path: string, names: KindNames): Promise<MachineSource> {
  const machine = await machineIn(path);
  const missing = namesIn(machine);
  if (Object.values(missing).some((list) => list.length > 0)) {
    if (!isPlain(machine.config)) throw notInSetup(path, missing);
    return fromConfig(machine.config as Config, path, names);
  }
  checkAsKind(machine, NOTHING_TO_WRITE, names);
  const exported = /^export (?:default |const \w+\s*(?::[^=]+)?= )(?=(?:setup|createMachine)\b)/m;
  const declared = /^(?:const|let|var) \w+\s*= (?=(?:setup|createMachine)\b)/m;
  const found = exported.test(code) ? exported : declared;
  if (!found.test(code)) {
    throw new CommandError(
      'BAD_EXPORT',
      `${path} has no \`export const machine = setup(…).createMachine(…)\` that could be renamed. Write it so.`,
    );
  }
  const renamed = code.replace(found, `export const ${names.machine} = `);
  const whole = renamed.endsWith('\n') ? renamed : `${renamed}\n`;
  return { text: whole, toWrite: stubsOf(machine), events: eventsOf(machine) };
}

async function machineIn(path: string): Promise<AnyStateMachine> {
  let loaded: Readonly<Record<string, unknown>>;
  try {
    await takeTypeScript();
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new CommandError('BAD_EXPORT', `${path} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const machines = Object.values(loaded).filter(
    (one): one is AnyStateMachine =>
      (one as { __xstatenode?: unknown } | null)?.__xstatenode === true,
  );
  const [machine] = machines;
  if (machine !== undefined && new Set(machines).size === 1) return machine;
  throw new CommandError(
    'BAD_EXPORT',
    `${path} exports ${machines.length} machines; it must export one.`,
  );
}

/** What Studio put in for the author to fill: actions that do nothing, guards that always say the same. */
function stubsOf(machine: AnyStateMachine): ToWrite {
  const { actions, guards } = builtMachine(machine).implementations;
  const bodies = (of: object, pattern: RegExp): string[] =>
    Object.entries(of)
      .filter(([, one]) => typeof one === 'function' && pattern.test(bodyOf(one as () => unknown)))
      .map(([name]) => name);
  return {
    actions: bodies(actions, /^\{\s*\}$/),
    guards: bodies(guards, /^\{\s*return (true|false|!0|!1);?\s*\}$/),
    delays: [],
  };
}

/** What a function does, comments left out. */
function bodyOf(of: () => unknown): string {
  const code = String(of).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  // Behind the arguments, in which there may be braces too.
  const end = code.indexOf(')');
  return code.slice(code.indexOf('{', end)).trim();
}

function notInSetup(path: string, { actions, guards, delays }: ToWrite): CommandError {
  const names = [...actions, ...guards, ...delays].join(', ');
  return new CommandError(
    'BAD_EXPORT',
    `${path} names what setup() does not have: ${names}. Add them there; each may do nothing for now.`,
  );
}

// Both

/** What a machine names and does not implement. */
function namesIn(machine: AnyStateMachine): ToWrite {
  const { root, implementations } = builtMachine(machine);
  const found = {
    actions: new Set<string>(),
    guards: new Set<string>(),
    delays: new Set<string>(),
  };
  const look = (value: unknown, under: string): void => {
    if (Array.isArray(value)) {
      for (const one of value) look(one, under);
      return;
    }
    const sort = { actions: 'actions', entry: 'actions', exit: 'actions', guard: 'guards' }[
      under
    ] as 'actions' | 'guards' | undefined;
    if (typeof value === 'string') {
      if (sort !== undefined) found[sort].add(value);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { type } = value as { readonly type?: unknown };
    if (sort !== undefined && typeof type === 'string') {
      found[sort].add(type);
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      if (under === 'after' && !/^\d+$/.test(name)) found.delays.add(name);
      if (!['context', 'meta', 'output', 'invoke'].includes(name)) look(inner, name);
    }
  };
  look(root.config, '');
  const { actions, guards, delays } = implementations;
  return {
    actions: [...found.actions].filter((name) => actions[name] === undefined),
    guards: [...found.guards].filter((name) => guards[name] === undefined),
    delays: [...found.delays].filter((name) => delays[name] === undefined),
  };
}

/** Throws what `defineKind` says of the machine once all that it names is written. */
function checkAsKind(machine: AnyStateMachine, toWrite: ToWrite, { name }: KindNames): void {
  const all = <T>(list: readonly string[], one: T): Record<string, T> =>
    Object.fromEntries(list.map((each) => [each, one]));
  const whole = machine.provide({
    actions: all(toWrite.actions, () => undefined),
    guards: all(toWrite.guards, () => true),
    delays: all(toWrite.delays, 1),
  });
  defineKind({ name, version: 1, machine: whole });
}

/** The parameters that actions and guards are given, by their names; of one used twice the first. */
function paramsIn(config: Config): ReadonlyMap<string, unknown> {
  const params = new Map<string, unknown>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, params: given } = value as { readonly type?: unknown; readonly params?: unknown };
    if (typeof type === 'string' && isFilled(given) && !params.has(type)) params.set(type, given);
    for (const inner of Object.values(value)) look(inner);
  };
  look(config);
  return params;
}

/** The types of the events that the states handle, in the order in which they come. */
function eventsOf(machine: AnyStateMachine): readonly string[] {
  const types = nodesOf(builtMachine(machine)).flatMap((node) => [...node.transitions.keys()]);
  return [...new Set(types)].filter((type) => !/^xstate\.|\*$|^$/.test(type));
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Whether a value holds nothing but what JSON can. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isPlain);
}
