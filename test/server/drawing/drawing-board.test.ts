import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { defineKind } from 'offstage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setup } from 'xstate';
import { chartOf } from '../../../src/machine/chart.ts';
import type { ChartEdit } from '../../../src/protocol/chart-edits.ts';
import { DrawingBoard } from '../../../src/server/drawing/drawing-board.ts';
import { type Scratch, scratch } from '../../support/scratch.ts';

const LAMP = `export const machine = createMachine({
  id: 'lamp',
  initial: 'off',
  states: { off: {}, on: {} },
});
`;
const chart = chartOf(
  defineKind({
    name: 'lamp',
    version: 1,
    machine: setup({}).createMachine({ id: 'lamp', initial: 'off', states: { off: {}, on: {} } }),
  }),
);
const toggle: ChartEdit = {
  edit: 'addTransition',
  source: ['off'],
  cause: { on: 'TOGGLE' },
  target: ['on'],
};
const DRAWN = LAMP.replace('off: {}', "off: { on: { TOGGLE: 'on' } }");

let folder: Scratch;
let board: DrawingBoard;
beforeEach(async () => {
  folder = await scratch('board');
  await folder.write({ 'machines/lamp.machine.ts': LAMP, 'kinds/index.ts': 'export {};' });
  board = new DrawingBoard({
    folders: [join(folder.path, 'machines'), join(folder.path, 'kinds'), join(folder.path, 'none')],
    from: folder.path,
  });
});
afterEach(() => folder.remove());

const source = (): Promise<string> =>
  readFile(join(folder.path, 'machines/lamp.machine.ts'), 'utf8');

test('an edit is shown, written, taken back and made again', async () => {
  const shown = await board.draw(chart, toggle, undefined);
  expect(shown).toMatchObject({ path: 'machines/lamp.machine.ts', isWritten: false });
  expect(shown.diff).toContain("+  states: { off: { on: { TOGGLE: 'on' } }, on: {} },");
  expect(await source()).toBe(LAMP);
  expect(await board.draw(chart, toggle, shown.base)).toMatchObject({ isWritten: true });
  expect(await source()).toBe(DRAWN);
  await board.redraw(chart, 'undo');
  expect(await source()).toBe(LAMP);
  await board.redraw(chart, 'redo');
  expect(await source()).toBe(DRAWN);
  await expect(board.redraw(chart, 'redo')).rejects.toThrow(/nothing to redo/);
});

test('what somebody else has written meanwhile is not written over', async () => {
  const shown = await board.draw(chart, toggle, undefined);
  const theirs = `// Mine.\n${LAMP}`;
  await folder.write({ 'machines/lamp.machine.ts': theirs });
  await expect(board.draw(chart, toggle, shown.base)).rejects.toMatchObject({
    code: 'STALE_SOURCE',
  });
  expect(await source()).toBe(theirs);
  const anew = await board.draw(chart, toggle, undefined);
  await board.draw(chart, toggle, anew.base);
  await folder.write({ 'machines/lamp.machine.ts': `${await source()}// More.\n` });
  await expect(board.redraw(chart, 'undo')).rejects.toMatchObject({ code: 'STALE_SOURCE' });
  expect(await source()).toContain('// More.');
});

test('two who draw at the same time do not lose the edit of either', async () => {
  const [one, other] = await Promise.all([
    board.draw(chart, toggle, undefined),
    board.draw(chart, toggle, undefined),
  ]);
  const results = await Promise.allSettled([
    board.draw(chart, toggle, one.base),
    board.draw(chart, toggle, other.base),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await source()).toBe(DRAWN);
});

test('only files of the folders are drawn in, wherever links lead', async () => {
  await folder.write({ 'outside/lamp.ts': LAMP, 'machines/lamp.machine.ts': 'export {};' });
  await symlink(join(folder.path, 'outside/lamp.ts'), join(folder.path, 'machines/linked.ts'));
  await symlink(join(folder.path, 'outside'), join(folder.path, 'kinds/linked'));
  await expect(board.draw(chart, toggle, undefined)).rejects.toMatchObject({ code: 'NO_SOURCE' });
  await folder.write({ 'machines/node_modules/x/lamp.ts': LAMP });
  await expect(board.draw(chart, toggle, undefined)).rejects.toMatchObject({ code: 'NO_SOURCE' });
  expect(await readFile(join(folder.path, 'outside/lamp.ts'), 'utf8')).toBe(LAMP);
});

test('two sources of one machine are both named, and neither is drawn in', async () => {
  await folder.write({ 'kinds/copy.ts': LAMP });
  await expect(board.draw(chart, toggle, undefined)).rejects.toThrow(
    /kinds\/copy\.ts and machines\/lamp\.machine\.ts/,
  );
});

test('a source in which the edit would be no edit is left alone', async () => {
  const shown = await board.draw(
    chart,
    { edit: 'renameState', state: ['on'], key: 'on' },
    undefined,
  );
  expect(
    await board.draw(chart, { edit: 'renameState', state: ['on'], key: 'on' }, shown.base),
  ).toMatchObject({ isWritten: false });
  expect(await source()).toBe(LAMP);
  await expect(board.redraw(chart, 'undo')).rejects.toMatchObject({ code: 'NOTHING_DRAWN' });
});
