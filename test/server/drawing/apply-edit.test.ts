import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineKind } from 'offstage';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { chartOf, type KindChart } from '../../../src/machine/chart.ts';
import type { ChartEdit } from '../../../src/protocol/chart-edits.ts';
import { withEdit } from '../../../src/server/drawing/apply-edit.ts';
import { repository } from '../../support/run.ts';
import { type Scratch, scratch } from '../../support/scratch.ts';

const LAMP = `// A lamp, as somebody wrote it.
import { setup } from 'xstate';

export const machine = setup({
  guards: { isDark: () => true, isLate: () => false },
  actions: { click: () => {}, hum: () => {} },
  delays: { nap: 500 },
}).createMachine({
  id: 'lamp',
  initial: 'off', // it begins dark
  states: {
    off: { on: { TOGGLE: 'on' } },
    /* Lit, for a while. */
    on: {
      entry: 'hum',
      after: {
        1000: { target: 'off', actions: ['click'] },   // odd   spacing stays
      },
      on: {
        TOGGLE: [
          { guard: 'isDark', target: 'bright.high' },
          'off',
        ],
        HIT: { actions: ({ context }) => void context },
      },
    },
    bright: {
      id: 'glare',
      initial: 'low',
      states: { low: {}, high: { always: { guard: 'isLate', target: 'low' } } },
      on: { TOGGLE: '#lamp.off', FLASH: { target: '#glare' } },
    },
  },
});
`;

/** The machine that a text makes, loaded as a server would. */
async function chartFrom(text: string, folder: Scratch, name: string): Promise<KindChart> {
  await folder.write({ [name]: text });
  const { machine } = (await import(join(folder.path, name))) as { machine: AnyStateMachine };
  return chartOf(defineKind({ name: 'lamp', version: 1, machine }));
}

let count = 0;
/** Makes an edit, and gives the lines that it took out and put in, and the chart that came of it. */
async function drawn(edit: ChartEdit, text = LAMP) {
  await using folder = await scratch('drawn');
  count += 1;
  const before = await chartFrom(text, folder, `before-${count}.ts`);
  const edited = withEdit(text, before, edit);
  const chart = await chartFrom(edited.text, folder, `after-${count}.ts`);
  const [old, now] = [text, edited.text].map((one) => one.split('\n'));
  return {
    chart,
    text: edited.text,
    notes: edited.notes,
    out: (old ?? []).filter((line) => !now?.includes(line)).map((line) => line.trim()),
    put: (now ?? []).filter((line) => !old?.includes(line)).map((line) => line.trim()),
  };
}

const arrows = ({ transitions }: KindChart) =>
  transitions.map(({ id, targets, guard, actions }) =>
    [
      id,
      '→',
      ...targets,
      ...(guard ? [`[${guard.name}]`] : []),
      ...actions.map(({ name }) => name),
    ].join(' '),
  );

describe('an edit changes its own lines and no other', () => {
  test('a delay', async () => {
    const { put, out, chart } = await drawn({
      edit: 'changeTransition',
      transition: { source: ['on'], cause: { after: '1000' }, place: 0 },
      change: { cause: { after: '2500' } },
    });
    expect(out).toEqual(["1000: { target: 'off', actions: ['click'] },   // odd   spacing stays"]);
    expect(put).toEqual(["2500: { target: 'off', actions: ['click'] },   // odd   spacing stays"]);
    expect(arrows(chart)).toContain('lamp.on after 2500 0 → lamp.off click');
  });

  test('a delay by name, an event, a target, a guard, actions', async () => {
    const transition = { source: ['on'], cause: { after: '1000' }, place: 0 } as const;
    const { chart, put } = await drawn({
      edit: 'changeTransition',
      transition,
      change: {
        cause: { on: 'REST' },
        target: ['bright', 'low'],
        guard: 'isLate',
        actions: ['hum', 'click'],
        reenter: true,
      },
    });
    expect(arrows(chart)).toContain('lamp.on on REST 0 → lamp.bright.low [isLate] hum click');
    expect(put.join(' ')).not.toContain('after');
    const named = await drawn({
      edit: 'changeTransition',
      transition,
      change: { cause: { after: 'nap' } },
    });
    expect(arrows(named.chart)).toContain('lamp.on after nap 0 → lamp.off click');
  });

  test('the number that a named delay is, however setup() is reached', async () => {
    const edit = { edit: 'setDelay', delay: 'nap', milliseconds: 120_000 } as const;
    const { chart, put, out } = await drawn(edit);
    expect(out).toEqual(['delays: { nap: 500 },']);
    expect(put).toEqual(['delays: { nap: 120000 },']);
    expect(chart.delays).toEqual({ nap: 120_000 });
    const apart = LAMP.replace('nap: 500', 'nap: (7_500 as number)')
      .replace('export const machine = setup', 'const parts = setup')
      .replace('}).createMachine(', '});\nexport const machine = parts.createMachine(');
    expect((await drawn(edit, apart)).put).toEqual(['delays: { nap: (120_000 as number) },']);
  });

  test('one of several, and one that is only the name of its target', async () => {
    const { chart, put } = await drawn({
      edit: 'changeTransition',
      transition: { source: ['on'], cause: { on: 'TOGGLE' }, place: 1 },
      change: { guard: 'isLate' },
    });
    expect(put).toEqual(["{ target: 'off', guard: 'isLate' },"]);
    expect(arrows(chart)).toContain('lamp.on on TOGGLE 1 → lamp.off [isLate]');
    const retargeted = await drawn({
      edit: 'changeTransition',
      transition: { source: ['off'], cause: { on: 'TOGGLE' }, place: 0 },
      change: { target: ['bright'] },
    });
    expect(retargeted.put).toEqual(["off: { on: { TOGGLE: 'bright' } },"]);
  });

  test('a new transition, beside others and in a state that has none', async () => {
    const { put, chart, notes } = await drawn({
      edit: 'addTransition',
      source: ['off'],
      cause: { on: 'DIM' },
      target: ['bright', 'low'],
    });
    expect(put).toEqual(["off: { on: { TOGGLE: 'on', DIM: 'bright.low' } },"]);
    expect(arrows(chart)).toContain('lamp.off on DIM 0 → lamp.bright.low');
    expect(notes.join()).toContain("'DIM' is new to the machine");
    const deep = await drawn({
      edit: 'addTransition',
      source: ['bright', 'low'],
      cause: { after: '70' },
      target: ['on'],
    });
    expect(arrows(deep.chart)).toContain('lamp.bright.low after 70 0 → lamp.on');
    const second = await drawn({
      edit: 'addTransition',
      source: ['off'],
      cause: { on: 'TOGGLE' },
      target: null,
    });
    expect(arrows(second.chart)).toContain('lamp.off on TOGGLE 1 →');
    const always = await drawn({
      edit: 'addTransition',
      source: ['off'],
      cause: { always: true },
      target: ['on'],
    });
    expect(arrows(always.chart)).toContain('lamp.off always 0 → lamp.on');
    const done = await drawn({
      edit: 'addTransition',
      source: ['bright'],
      cause: { onDone: true },
      target: ['on'],
    });
    expect(arrows(done.chart)).toContain('glare onDone 0 → lamp.on');
  });

  test('a transition taken away, with its group when it was the last', async () => {
    const first = await drawn({
      edit: 'removeTransition',
      transition: { source: ['on'], cause: { on: 'TOGGLE' }, place: 0 },
    });
    expect(arrows(first.chart)).toContain('lamp.on on TOGGLE 0 → lamp.off');
    const last = await drawn({
      edit: 'removeTransition',
      transition: { source: ['off'], cause: { on: 'TOGGLE' }, place: 0 },
    });
    expect(last.put).toEqual(['off: {},']);
    const after = await drawn({
      edit: 'removeTransition',
      transition: { source: ['on'], cause: { after: '1000' }, place: 0 },
    });
    expect(arrows(after.chart).some((arrow) => arrow.includes('after'))).toBe(false);
  });

  test('states: added, renamed with all that leads to them, removed, made initial', async () => {
    const added = await drawn({ edit: 'addState', parent: [], key: 'broken' });
    expect(added.put).toEqual(['broken: {},']);
    const inner = await drawn({ edit: 'addState', parent: ['off'], key: 'cold' });
    expect(inner.chart.states.find(({ id }) => id === 'lamp.off')).toMatchObject({
      type: 'compound',
      initial: 'lamp.off.cold',
    });

    const renamed = await drawn({ edit: 'renameState', state: ['off'], key: 'dark' });
    expect(renamed.chart.states.map(({ key }) => key)).not.toContain('off');
    expect(arrows(renamed.chart)).toEqual(
      expect.arrayContaining([
        'lamp.on after 1000 0 → lamp.dark click',
        'lamp.on on TOGGLE 1 → lamp.dark',
        'glare on TOGGLE 0 → lamp.dark',
      ]),
    );
    expect(renamed.chart.states[0]).toMatchObject({ initial: 'lamp.dark' });
    expect(renamed.text).toContain('// it begins dark');
    expect(renamed.notes.join()).toContain('rest with a fault');
    const nested = await drawn({ edit: 'renameState', state: ['bright'], key: 'glaring' });
    expect(arrows(nested.chart)).toEqual(
      expect.arrayContaining([
        'lamp.on on TOGGLE 0 → lamp.glaring.high [isDark]',
        'glare on FLASH 0 → glare',
      ]),
    );

    const unreached = await drawn({ edit: 'removeState', state: ['broken'] }, added.text);
    expect(unreached.text).toBe(LAMP);
    const begun = await drawn({ edit: 'setInitial', state: ['bright', 'high'] });
    expect(begun.chart.states.find(({ id }) => id === 'glare')).toMatchObject({
      initial: 'lamp.bright.high',
    });
  });

  test('types, and what is done on entry and exit', async () => {
    const added = await drawn({ edit: 'addState', parent: [], key: 'end' });
    const final = await drawn({ edit: 'setType', state: ['end'], to: 'final' }, added.text);
    expect(final.put).toEqual(["end: { type: 'final' },"]);
    const again = await drawn({ edit: 'setType', state: ['end'], to: 'normal' }, final.text);
    expect(again.put).toEqual(['end: {},']);
    const parallel = await drawn({ edit: 'setType', state: ['bright'], to: 'parallel' });
    expect(parallel.chart.states.find(({ id }) => id === 'glare')?.type).toBe('parallel');
    const entry = await drawn({
      edit: 'setActions',
      state: ['on'],
      when: 'entry',
      actions: ['click', 'hum'],
    });
    expect(entry.put).toEqual(["entry: ['click', 'hum'],"]);
    const none = await drawn({ edit: 'setActions', state: ['on'], when: 'entry', actions: [] });
    expect(none.chart.states.find(({ id }) => id === 'lamp.on')?.entry).toEqual([]);
  });
});

describe('what cannot be made safely is refused, and says why', () => {
  const change = (source: string[], on: string, guard: string): ChartEdit => ({
    edit: 'changeTransition',
    transition: { source, cause: { on }, place: 0 },
    change: { guard },
  });
  const cases: readonly (readonly [string, ChartEdit, RegExp, string?])[] = [
    [
      'actions without a name',
      {
        edit: 'changeTransition',
        transition: { source: ['on'], cause: { on: 'HIT' }, place: 0 },
        change: { actions: ['hum'] },
      },
      /has no name \(line 24\)/,
    ],
    [
      'a guard that setup does not give',
      change(['off'], 'TOGGLE', 'isRaining'),
      /no guard 'isRaining'/,
    ],
    [
      'a delay that is none',
      { edit: 'addTransition', source: ['off'], cause: { after: 'soon' }, target: ['on'] },
      /whole number of milliseconds/,
    ],
    [
      'a delay that setup does not name',
      { edit: 'setDelay', delay: 'rest', milliseconds: 1 },
      /no delay 'rest' in setup\(\); there is: nap/,
    ],
    [
      'a delay that is worked out',
      { edit: 'setDelay', delay: 'nap', milliseconds: 1 },
      /'nap' of setup\(\) is \(\) => 500, not a number \(line 7\)/,
      LAMP.replace('nap: 500', 'nap: () => 500'),
    ],
    [
      'a delay of a setup that is made elsewhere',
      { edit: 'setDelay', delay: 'nap', milliseconds: 1 },
      /setup\(\) of the machine is not written in place \(line \d+\)/,
      LAMP.replace('export const machine = setup', 'const made = () => setup').replace(
        '}).createMachine(',
        '});\nexport const machine = made().createMachine(',
      ),
    ],
    [
      'a state that transitions lead to',
      { edit: 'removeState', state: ['off'] },
      /lead to 'off', from 'lamp.on'/,
    ],
    [
      'the initial state',
      { edit: 'removeState', state: ['bright', 'low'] },
      /lead to 'low'|begins in 'low'/,
    ],
    ['a name that is taken', { edit: 'renameState', state: ['on'], key: 'off' }, /already/],
    ['a name that is none', { edit: 'addState', parent: [], key: 'a.b' }, /cannot be the name/],
    ['a state that is not there', { edit: 'setInitial', state: ['nowhere'] }, /nowhere/],
    [
      'a target that is not there',
      { edit: 'addTransition', source: ['off'], cause: { on: 'GO' }, target: ['nowhere'] },
      /nowhere/,
    ],
    [
      'a final state that something leaves',
      { edit: 'setType', state: ['off'], to: 'final' },
      /nothing leaves it/,
    ],
    [
      'a parallel state with nothing in it',
      { edit: 'setType', state: ['off'], to: 'parallel' },
      /needs states/,
    ],
    [
      'a place past the last',
      {
        edit: 'removeTransition',
        transition: { source: ['off'], cause: { on: 'TOGGLE' }, place: 3 },
      },
      /one transition only/,
    ],
    [
      'a spread',
      change(['off'], 'TOGGLE', 'isDark'),
      /spread.*line 12/,
      LAMP.replace("off: { on: { TOGGLE: 'on' } }", "off: { ...{}, on: { TOGGLE: 'on' } }"),
    ],
    [
      'a value from elsewhere',
      change(['off'], 'TOGGLE', 'isDark'),
      /not an object written in place/,
      LAMP.replace("{ TOGGLE: 'on' }", "Object.fromEntries([['TOGGLE', 'on']])"),
    ],
  ];
  for (const [what, edit, why, text] of cases) {
    test(what, async () => {
      await expect(drawn(edit, text)).rejects.toThrow(why);
    });
  }
});

test('in every starter machine, each transition can be retargeted to where it leads, and nothing but it changes', async () => {
  const { kinds } = await import('../../../kinds/index.ts');
  for (const kind of kinds) {
    const text = readFileSync(join(repository, `machines/${kind.name}.machine.ts`), 'utf8');
    const chart = chartOf(kind);
    const path = (id: string) => chart.states.find((state) => state.id === id)?.path ?? [];
    for (const { source, trigger, place, targets } of chart.transitions) {
      if (trigger.type === 'done' || targets[0] === undefined) continue;
      const cause =
        trigger.type === 'event'
          ? { on: trigger.event }
          : trigger.type === 'after'
            ? { after: trigger.delay }
            : ({ always: true } as const);
      const edited = withEdit(text, chart, {
        edit: 'changeTransition',
        transition: { source: path(source), cause, place },
        change: { target: path(targets[0]) },
      });
      const changed = edited.text.split('\n').filter((line, i) => line !== text.split('\n')[i]);
      expect(changed.length, `${kind.name}: ${source}`).toBeLessThanOrEqual(1);
    }
  }
});
