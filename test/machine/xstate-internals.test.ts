/**
 * What `src/machine` takes for granted of XState's insides. A failure here means that XState changed:
 * compare its source with `src/machine/xstate-internals.ts` before anything else.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  and,
  assign,
  createMachine,
  enqueueActions,
  not,
  or,
  raise,
  sendTo,
  setup,
  stateIn,
} from 'xstate';
import { Configurations } from '../../src/machine/configurations.ts';
import { copyOfMachine } from '../../src/machine/machine-copy.ts';
import { stepScope } from '../../src/machine/scope.ts';
import {
  afterTimersOf,
  builtMachine,
  INIT,
  isBuiltIn,
  isCombined,
  nodesOf,
  type XActionFunction,
  type XMachine,
  type XScope,
} from '../../src/machine/xstate-internals.ts';
import { Recorder } from './recorded.ts';

const machine = setup({ delays: { late: 20 } }).createMachine({
  id: 'm',
  context: { n: 1 },
  initial: 'a',
  states: {
    a: { after: { 10: 'b', late: 'b' }, on: { GO: 'b', SAY: { actions: () => {} } } },
    b: { type: 'history', history: 'deep', target: 'a' },
  },
});
const built = builtMachine(machine);

/** The scope of a machine, noting what XState asks of it. */
function watchedScope(asked: Set<string>) {
  const { scope, run } = stepScope(built);
  const watched = (of: object, path: string): object =>
    new Proxy(of, {
      get(target, name) {
        asked.add(`${path}${String(name)}`);
        const value: unknown = Reflect.get(target, name);
        return name === 'system' || name === 'self'
          ? watched(value as object, `${String(name)}.`)
          : value;
      },
    });
  return { scope: watched(scope, '') as XScope, run };
}

describe('XState', () => {
  it('is the version this was read from', () => {
    const manifest = JSON.parse(readFileSync('node_modules/xstate/package.json', 'utf8'));
    expect(manifest.version).toMatch(/^5\.33\./);
  });

  it('asks nothing more of a scope than ours has', () => {
    const asked = new Set<string>();
    const { scope, run } = watchedScope(asked);
    const { machine: copy } = copyOfMachine(built);
    const snapshot = run(new Recorder(), 'init', () => copy.getInitialSnapshot(scope, undefined));
    run(new Recorder(), 'event', () => copy.transition(snapshot, { type: 'SAY' }, scope));
    run(new Recorder(), 'event', () => copy.transition(snapshot, { type: 'GO' }, scope));
    expect([...asked].sort()).toEqual([
      'actionExecutor',
      'self',
      'system',
      'system._sendInspectionEvent',
    ]);
  });

  it('reports each microstep with its snapshot and transitions', () => {
    const reports: { type?: string; snapshot: unknown; _transitions: { eventType: string }[] }[] =
      [];
    const { scope } = stepScope(built);
    const system = {
      _sendInspectionEvent: (report: (typeof reports)[number]) => reports.push(report),
    };
    const { machine: copy } = copyOfMachine(built);
    const quiet = { ...scope, system, actionExecutor: () => {} };
    const snapshot = copy.getInitialSnapshot(quiet, undefined);
    const next = copy.transition(snapshot, { type: 'SAY' }, quiet);
    copy.transition(snapshot, { type: 'UNKNOWN' }, quiet);
    expect(reports.map(({ type }) => type)).toEqual(['@xstate.microstep', '@xstate.microstep']);
    expect(reports[0]?.snapshot).toBe(next);
    expect(reports[0]?._transitions.map(({ eventType }) => eventType)).toEqual(['SAY']);
    expect(reports[1]?._transitions).toEqual([]);
  });

  it('selects nothing for its own init event, and goes straight to `always`', () => {
    const wild = builtMachine(
      createMachine({ on: { '*': { actions: 'wild' } }, always: { actions: 'always' } }),
    );
    const effects = new Recorder();
    const { scope, run } = stepScope(wild);
    const { machine: copy } = copyOfMachine(wild);
    const snapshot = run(effects, 'init', () => copy.getInitialSnapshot(scope, undefined));
    effects.take();
    run(effects, 'init', () => copy.transition(snapshot, INIT, scope));
    expect(effects.take().map((call) => call[1])).toEqual(['always']);
  });

  it('catches what is thrown on the way to the initial state', () => {
    const broken = builtMachine(
      createMachine({
        entry: () => {
          throw new Error('no');
        },
      }),
    );
    const effects = new Recorder();
    const { scope, run } = stepScope(broken);
    const snapshot = run(effects, 'init', () =>
      copyOfMachine(broken).machine.getInitialSnapshot(scope, undefined),
    );
    expect(snapshot).toMatchObject({ status: 'error', error: new Error('no') });
  });

  it('binds its methods to each machine, and keeps the unbound ones in the prototype', () => {
    const prototype: XMachine = Object.getPrototypeOf(built);
    for (const name of ['transition', 'getInitialSnapshot'] as const) {
      expect(Object.hasOwn(built, name)).toBe(true);
      expect(typeof prototype[name]).toBe('function');
    }
    expect(typeof prototype._getPreInitialState).toBe('function');
    expect(Object.keys(built)).toEqual(
      expect.arrayContaining(['id', 'config', 'root', 'idMap', 'implementations', 'options']),
    );
  });

  it('builds nodes with these fields of their own, and getters that a copy must replace', () => {
    const [root, a] = nodesOf(built);
    expect(Object.keys(root as object).sort()).toEqual(
      [
        'config key id type path states history entry exit parent machine meta output order',
        'description tags transitions always',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    );
    const getters = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(root)))
      .filter(([, { get }]) => get !== undefined)
      .map(([name]) => name);
    expect(getters.sort()).toEqual(
      ['after', 'definition', 'events', 'initial', 'invoke', 'on', 'ownEvents'].sort(),
    );
    expect(typeof Object.getPrototypeOf(root).next).toBe('function');
    expect([root?.order, a?.order]).toEqual([0, 1]);
  });

  it('sets the timers of `after` by a raise on entry and a cancel on exit', () => {
    const a = nodesOf(built)[1];
    if (a === undefined) throw new Error('no state a');
    expect(afterTimersOf(a)).toMatchObject([
      { id: 'xstate.after.10.m.a', key: '10', event: { type: 'xstate.after.10.m.a' } },
      { id: 'xstate.after.late.m.a', key: 'late', event: { type: 'xstate.after.late.m.a' } },
    ]);
    expect(a.exit.map((action) => (action as XActionFunction).type)).toEqual([
      'xstate.cancel',
      'xstate.cancel',
    ]);
  });

  it('remembers the transitions for an event type by node', () => {
    // `nextWithBoundedMemory` gives it an object that inherits from the node, which must do as well.
    const { machine: copy } = copyOfMachine(built);
    const a = copy.root.states.a;
    if (a === undefined) throw new Error('no state a');
    const snapshot = new Configurations(copy).of('a').snapshot;
    const next = Object.getPrototypeOf(a).next as typeof a.next;
    expect(next.call(Object.create(a), snapshot, { type: 'SAY' })).toEqual(
      a.next(snapshot, { type: 'SAY' }),
    );
  });

  it('carries the parts of its actions and guards as fields of a function', () => {
    const collect = () => {};
    const to = () => 'x';
    expect({ ...raise({ type: 'X' }, { id: 'i', delay: 5 }) }).toMatchObject({
      type: 'xstate.raise',
      event: { type: 'X' },
      id: 'i',
      delay: 5,
    });
    expect({ ...sendTo(to, { type: 'X' }, { delay: 5 }) }).toMatchObject({
      type: 'xstate.sendTo',
      to,
      delay: 5,
    });
    expect({ ...enqueueActions(collect) }).toMatchObject({
      type: 'xstate.enqueueActions',
      collect,
    });
    for (const action of [assign({}), raise({ type: 'X' }), enqueueActions(collect)]) {
      expect(isBuiltIn(action as never)).toBe(true);
    }
    expect(isBuiltIn(collect)).toBe(false);
    const inner = () => true;
    for (const guard of [and([inner]), or([inner]), not(inner)]) {
      expect(isCombined(guard as never)).toBe(true);
      expect({ ...guard }).toMatchObject({ guards: [inner] });
    }
    expect({ ...stateIn('#m.a') }).toMatchObject({ stateValue: '#m.a' });
    expect(isCombined(stateIn('#m.a') as never)).toBe(true);
  });

  it('makes snapshots with these fields, and a fresh history only where one changed', () => {
    const { machine: copy } = copyOfMachine(built);
    const snapshot = copy.resolveState({ value: 'a', context: { n: 2 } });
    expect(Object.keys(snapshot).sort()).toEqual(
      [
        'status output error machine context _nodes value tags children historyValue',
        'matches hasTag can getMeta toJSON',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    );
    expect(snapshot.machine).toBe(copy);
    const { scope, run } = stepScope(built);
    const next = run(new Recorder(), 'event', () =>
      copy.transition(snapshot, { type: 'SAY' }, scope),
    );
    expect(next.historyValue).toBe(snapshot.historyValue);
  });
});
