import { defineKind } from 'offstage';
import { describe, expect, test } from 'vitest';
import { and, assign, not, setup } from 'xstate';
import { kinds } from '../../kinds/index.ts';
import { chartOf } from '../../src/machine/chart.ts';

const doorMachine = setup({
  guards: { isOiled: () => true, isLocked: () => false },
  actions: { creak: () => {} },
}).createMachine({
  id: 'door',
  type: 'parallel',
  states: {
    leaf: {
      initial: 'shut',
      exit: 'creak',
      states: {
        shut: {
          tags: ['closed'],
          description: 'Nobody gets in.',
          on: {
            PUSH: [
              { guard: and(['isOiled', not('isLocked')]), target: 'open' },
              { actions: ['creak', assign({})] },
            ],
          },
        },
        open: { after: { 1500: { target: 'gone', reenter: true } } },
        gone: { type: 'final' },
        before: { type: 'history', history: 'deep' },
      },
      onDone: '#door.light.on',
    },
    light: {
      initial: 'off',
      states: { off: { always: { guard: 'isLocked', target: 'on' } }, on: {} },
    },
  },
});
const door = defineKind({ name: 'door', version: 3, machine: doorMachine });

test('a chart holds what the author wrote, and nothing that XState adds', () => {
  const { states, transitions, names, machine, version } = chartOf(door);
  expect([machine, version]).toEqual(['door', 3]);
  expect(names).toEqual({ actions: ['creak'], guards: ['isLocked', 'isOiled'], delays: [] });
  expect(states.map(({ id, type, parent }) => [id, type, parent])).toEqual([
    ['door', 'parallel', null],
    ['door.leaf', 'compound', 'door'],
    ['door.leaf.shut', 'atomic', 'door.leaf'],
    ['door.leaf.open', 'atomic', 'door.leaf'],
    ['door.leaf.gone', 'final', 'door.leaf'],
    ['door.leaf.before', 'history', 'door.leaf'],
    ['door.light', 'compound', 'door'],
    ['door.light.off', 'atomic', 'door.light'],
    ['door.light.on', 'atomic', 'door.light'],
  ]);
  const [, leaf, shut, open, , before] = states;
  expect(leaf).toMatchObject({ initial: 'door.leaf.shut', exit: [{ name: 'creak' }] });
  expect(shut).toMatchObject({
    tags: ['closed'],
    description: 'Nobody gets in.',
    path: ['leaf', 'shut'],
  });
  expect(open).toMatchObject({ entry: [], exit: [] });
  expect(before).toMatchObject({ history: 'deep' });
  expect(transitions).toMatchObject([
    { source: 'door.leaf', trigger: { type: 'done' }, targets: ['door.light.on'] },
    {
      id: 'door.leaf.shut on PUSH 0',
      source: 'door.leaf.shut',
      trigger: { type: 'event', event: 'PUSH' },
      targets: ['door.leaf.open'],
      guard: { name: 'and(isOiled, not(isLocked))', inline: true },
    },
    { place: 1, targets: [], actions: [{ name: 'creak' }, { name: 'assign', inline: true }] },
    { trigger: { type: 'after', delay: '1500' }, targets: ['door.leaf.gone'], reenter: true },
    { trigger: { type: 'always' }, guard: { name: 'isLocked' }, targets: ['door.light.on'] },
  ]);
});

describe('every starter kind has a chart that holds together', () => {
  test.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
    const chart = chartOf(kind);
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
    const ids = new Set(chart.states.map(({ id }) => id));
    expect(ids.size).toBe(chart.states.length);
    expect(new Set(chart.transitions.map(({ id }) => id)).size).toBe(chart.transitions.length);
    for (const { source, targets } of chart.transitions) {
      for (const id of [source, ...targets]) expect(ids).toContain(id);
    }
    for (const { parent, initial } of chart.states) {
      if (parent !== null) expect(ids).toContain(parent);
      if (initial !== undefined) expect(ids).toContain(initial);
    }
  });
});
