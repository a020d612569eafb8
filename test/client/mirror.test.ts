import { describe, expect, test } from 'vitest';
import { Mirror } from '../../src/client/mirror.ts';
import type { CellFrame, FullRec } from '../../src/protocol/messages.ts';

const rec = (id: string, rest: Partial<FullRec> = {}): FullRec => ({
  id,
  kind: 'lamp',
  v: 1,
  at: [0, 0],
  time: 0,
  next: null,
  value: 'off',
  context: {},
  ...rest,
});
const frame = (cell: string, rest: Partial<CellFrame>): CellFrame => ({
  type: 'cell',
  cell,
  time: 0,
  set: [],
  gone: [],
  ...rest,
});
const ids = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);

describe('a record belongs to the cell that sent it last', () => {
  test('so the cell it came from can neither take it away nor leave with it', () => {
    const mirror = new Mirror();
    mirror.cell(frame('0,0', { full: true, set: [rec('a')] }));
    mirror.cell(frame('1,0', { set: [rec('a', { at: [1, 0] })] }));
    expect(mirror.cell(frame('0,0', { gone: ['a'] })).gone).toEqual([]);
    expect(mirror.leave('0,0').gone).toEqual([]);
    expect(ids(mirror.leave('1,0').gone)).toEqual(['a']);
    expect(mirror.records.size).toBe(0);
  });

  test('a cell in full takes away what it held and does not hold any more', () => {
    const mirror = new Mirror();
    mirror.cell(frame('0,0', { full: true, set: [rec('a'), rec('b')] }));
    const { set, gone } = mirror.cell(frame('0,0', { full: true, set: [rec('b')] }));
    expect([ids(set), ids(gone)]).toEqual([['b'], ['a']]);
  });
});

test('after a reconnect, what the server does not send again is gone once it has sent all', () => {
  const mirror = new Mirror();
  mirror.cell(frame('0,0', { full: true, set: [rec('a'), rec('b')] }));
  mirror.beginAgain();
  expect(mirror.records.size).toBe(2);
  mirror.cell(frame('0,0', { full: true, set: [rec('b')] }));
  expect(ids(mirror.settle().gone)).toEqual(['a']);
  expect([...mirror.records.keys()]).toEqual(['b']);
});

test('a change makes a new record, and the old one stays as it was', () => {
  const mirror = new Mirror();
  mirror.cell(frame('0,0', { full: true, set: [rec('a', { context: { n: 1, m: 1 } })] }));
  const before = mirror.records.get('a');
  mirror.cell(frame('0,0', { set: [{ id: 'a', value: 'on', context: { set: { n: 2 } } }] }));
  expect(before).toMatchObject({ value: 'off', context: { n: 1, m: 1 } });
  expect(mirror.records.get('a')).toMatchObject({ value: 'on', context: { n: 2, m: 1 } });
  expect(mirror.records.get('a')?.matches('on')).toBe(true);
});

test('a record knows since when it waits, also when something else of it changes meanwhile', () => {
  const mirror = new Mirror();
  mirror.cell(frame('0,0', { full: true, set: [rec('a', { time: 100, next: 1100 })] }));
  mirror.cell(frame('0,0', { set: [{ id: 'a', time: 600, context: { set: { n: 1 } } }] }));
  expect(mirror.records.get('a')).toMatchObject({ waitingSince: 100, nextEvent: 1100 });
  mirror.cell(frame('0,0', { set: [{ id: 'a', time: 700, next: 1700 }] }));
  expect(mirror.records.get('a')).toMatchObject({ waitingSince: 700, nextEvent: 1700 });
});

test('a change of a record that never came whole shows nothing', () => {
  const mirror = new Mirror();
  expect(mirror.cell(frame('0,0', { set: [{ id: 'a', value: 'on' }] })).set).toEqual([]);
  expect(mirror.records.size).toBe(0);
});
