import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { CommandProcess } from '../support/command-process.ts';
import { openPage, shows } from '../support/page.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

// A kind is drawn in while its records run: the page, a server that watches, and files on disk.

vi.setConfig({ testTimeout: 240_000 });

const LAMP = `// The lamp of the pier.
import { setup } from 'xstate';

export const lampMachine = setup({
  guards: { isNight: () => true },
}).createMachine({
  id: 'lamp',
  initial: 'dark',
  states: {
    dark: { after: { 600000: 'lit' } },
    lit: {
      // Long enough for a boat.
      after: {   600000: 'dark'   },
    },
  },
});
`;

const files = {
  'machines/lamp.machine.ts': LAMP,
  'kinds/index.ts': `import { defineKind } from 'offstage';
import { lampMachine } from '../machines/lamp.machine.ts';

export const kinds = [defineKind({ name: 'lamp', version: 1, machine: lampMachine })] as const;
`,
  'saves/quay.seed.json': JSON.stringify({
    format: 1,
    world: 'quay',
    seed: 'quay',
    records: [{ id: 'pier', kind: 'lamp', at: [0, 0] }],
  }),
};

let browser: Browser;
let folder: Scratch;
let server: CommandProcess;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(async () => {
  await server.kill();
  await folder.remove();
});
afterAll(() => browser?.close());

/** A server of a project in a folder of its own; gives its address. */
async function serving(lamp = LAMP): Promise<string> {
  folder = await scratch('drawing');
  await folder.write({ ...files, 'machines/lamp.machine.ts': lamp });
  server = await CommandProcess.listening(['serve', 'quay', '--watch', '--port', '0'], {
    cwd: folder.path,
  });
  return server.url;
}

const source = (): Promise<string> =>
  readFile(join(folder.path, 'machines/lamp.machine.ts'), 'utf8');

test('a delay is drawn anew: the file changes in that place, and the records follow from their next entry on', async () => {
  const url = await serving();
  const { tab, problems, find } = await openPage(browser, url);
  const pier = await find('pier');
  await shows(pier.locator('.state'), 'dark');
  await tab.getByRole('button', { name: 'Statechart of lamp' }).click();
  const board = tab.getByRole('region', { name: 'Statechart of lamp' });
  await board.locator('[data-transition="lamp.lit after 600000 0"]').click();
  const form = board.getByRole('form', { name: 'Transition' });
  await form.getByRole('combobox', { name: 'delay' }).fill('150');
  await form.getByRole('button', { name: 'Show the change' }).click();

  // Shown, and not written.
  const outcome = board.getByRole('region', { name: 'Changes of the source' });
  await outcome.getByText('Would change machines/lamp.machine.ts').waitFor();
  expect(await outcome.locator('.out').allTextContents()).toEqual([
    "-      after: {   600000: 'dark'   },\n",
  ]);
  expect(await outcome.locator('.put').allTextContents()).toEqual([
    "+      after: {   150: 'dark'   },\n",
  ]);
  expect(await source()).toBe(LAMP);

  await outcome.getByRole('button', { name: 'Write to the file' }).click();
  await outcome.getByText('Written to machines/lamp.machine.ts').waitFor();
  const drawn = LAMP.replace("{   600000: 'dark'", "{   150: 'dark'");
  expect(await source()).toBe(drawn);
  // The server has taken it up: the chart on the page is the new one.
  await board.locator('[data-transition="lamp.lit after 150 0"]').waitFor();

  // The lamp is dark with the timer it had; it is lit when that is due, and then as short as was drawn.
  await shows(pier.locator('.state'), 'dark');
  await tab.getByLabel('How far to jump').selectOption('10 min');
  await tab.getByRole('button', { name: 'Jump' }).click();
  const lately = pier.locator('.happenings');
  await lately.getByText('after 600000 in dark').waitFor();
  await lately.getByText('after 150 in lit').waitFor();
  await shows(pier.locator('.state'), 'dark');

  await board.getByRole('button', { name: 'Undo' }).click();
  await board.locator('[data-transition="lamp.lit after 600000 0"]').waitFor();
  expect(await source()).toBe(LAMP);
  await board.getByRole('button', { name: 'Redo' }).click();
  await board.locator('[data-transition="lamp.lit after 150 0"]').waitFor();
  expect(await source()).toBe(drawn);
  expect(problems).toEqual([]);
  await tab.close();
});

test('states and transitions are drawn; what cannot be is said, and a file broken by hand too', async () => {
  const url = await serving();
  const { tab, problems } = await openPage(browser, url);
  await tab.getByRole('button', { name: 'Statechart of lamp' }).click();
  const board = tab.getByRole('region', { name: 'Statechart of lamp' });
  const write = async (): Promise<void> => {
    await board.getByRole('button', { name: 'Write to the file' }).click();
    await board.getByText('Written to machines/lamp.machine.ts').waitFor();
  };
  await board.getByRole('button', { name: 'lamp', exact: true }).click();
  await board.getByLabel('Name of a new state inside').fill('broken');
  await board.getByRole('button', { name: 'Add state' }).click();
  await write();
  await board.locator('[data-state="lamp.broken"]').waitFor();

  await board.getByRole('button', { name: 'lit', exact: true }).click();
  await board.getByRole('button', { name: 'Draw a transition from here' }).click();
  const form = board.getByRole('form', { name: 'New transition' });
  await form.getByRole('combobox', { name: 'event' }).fill('HIT');
  await form.getByLabel('leads to').selectOption({ label: 'broken' });
  await form.getByRole('button', { name: 'Show the change' }).click();
  await board.getByText("'HIT' is new to the machine").waitFor();
  await write();
  await board.locator('[data-transition="lamp.lit on HIT 0"]').waitFor();
  expect(await source()).toContain("      on: { HIT: 'broken' },\n");
  expect(await source()).toContain('// Long enough for a boat.');

  // Something leads to it, so it is not taken away.
  await board.getByRole('button', { name: 'broken', exact: true }).click();
  await board.getByRole('button', { name: 'Remove', exact: true }).click();
  await board
    .getByRole('alert')
    .getByText("Transitions lead to 'broken', from 'lamp.lit'")
    .waitFor();

  // By hand, and wrongly: the page says so, nothing is drawn over it, and mending it is noticed.
  const before = await source();
  await folder.write({ 'machines/lamp.machine.ts': 'export const lampMachine = setup(' });
  await tab.getByText('do not load').waitFor();
  await board.getByRole('button', { name: 'Undo' }).click();
  await board
    .getByRole('alert')
    .getByText(/No file in|has changed since/)
    .waitFor();
  expect(await source()).toBe('export const lampMachine = setup(');
  await folder.write({ 'machines/lamp.machine.ts': `${before}// mended\n` });
  await tab.getByText('do not load').waitFor({ state: 'detached' });
  await board.getByRole('button', { name: 'Undo' }).click();
  await board.getByRole('alert').getByText('has changed since').waitFor();
  expect(await source()).toBe(`${before}// mended\n`);
  expect(problems).toEqual([]);
  await tab.close();
});

test('a transition is drawn with the mouse, from one state to anywhere on another', async () => {
  const url = await serving();
  const { tab, problems } = await openPage(browser, url);
  await tab.getByRole('button', { name: 'Statechart of lamp' }).click();
  const board = tab.getByRole('region', { name: 'Statechart of lamp' });
  const [lit, dark] = [
    board.locator('[data-state="lamp.lit"]'),
    board.locator('[data-state="lamp.dark"]'),
  ];
  /** From the dot of the lit lamp to a place on a state, in shares of its width and height. */
  const drag = async (to: typeof dark, across: number, down: number): Promise<void> => {
    // The chart has moved to where it stays.
    await lit.locator('.source').hover();
    const box = await to.boundingBox();
    if (box === null) throw new Error('The state is not drawn.');
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
    await tab.mouse.move(box.x + box.width * across, box.y + box.height * down, { steps: 4 });
    await tab.mouse.up();
  };
  const form = board.getByRole('form', { name: 'New transition' });
  const leadsTo = form.getByLabel('leads to');

  // Let go of where no state is, it draws nothing; nor does it lead to the machine around all.
  await drag(board.locator('[data-state="lamp"]'), 0.97, 0.97);
  expect(await form.count()).toBe(0);
  // Back to itself.
  await drag(lit, 0.3, 0.5);
  await form.getByRole('heading', { name: 'New transition from lit' }).waitFor();
  expect(await leadsTo.inputValue()).toBe('lamp.lit');
  // To a corner of the other.
  await drag(dark, 0.92, 0.85);
  await form.getByRole('heading', { name: 'New transition from lit' }).waitFor();
  while ((await leadsTo.inputValue()) !== 'lamp.dark') await tab.waitForTimeout(20);
  await form.getByRole('combobox', { name: 'event' }).fill('SNUFF');
  await form.getByRole('button', { name: 'Show the change' }).click();
  await board.getByRole('button', { name: 'Write to the file' }).click();
  await board.locator('[data-transition="lamp.lit on SNUFF 0"]').waitFor();
  expect(await source()).toContain("      on: { SNUFF: 'dark' },\n");
  expect(problems).toEqual([]);
  await tab.close();
});

test('a delay that setup() names is drawn anew where it is a number, and left where it is worked out', async () => {
  const named = LAMP.replace(
    'guards: { isNight: () => true },',
    'guards: { isNight: () => true },\n  delays: { dusk: 600_000 /* ten minutes */, dawn: () => 900 },',
  )
    .replace("600000: 'lit'", "dusk: 'lit'")
    .replace("600000: 'dark'", "dawn: 'dark'");
  const url = await serving(named);
  const { tab, problems, find } = await openPage(browser, url);
  const pier = await find('pier');
  await tab.getByRole('button', { name: 'Statechart of lamp' }).click();
  const board = tab.getByRole('region', { name: 'Statechart of lamp' });
  await board.locator('[data-transition="lamp.lit after dawn 0"]').click();
  await board.getByText('How long dawn is, the machine works out').waitFor();

  await board.locator('[data-transition="lamp.dark after dusk 0"]').click();
  const form = board.getByRole('form', { name: 'Delay dusk' });
  expect(await form.getByLabel('Milliseconds of dusk').inputValue()).toBe('600000');
  await form.getByLabel('Milliseconds of dusk').fill('soon');
  expect(await form.getByRole('button').isDisabled()).toBe(true);
  await form.getByLabel('Milliseconds of dusk').fill('1200000');
  await form.getByRole('button', { name: 'Show the change of dusk' }).click();
  const outcome = board.getByRole('region', { name: 'Changes of the source' });
  await outcome.getByText('Would change machines/lamp.machine.ts').waitFor();
  expect(await outcome.locator('.put').allTextContents()).toEqual([
    '+  delays: { dusk: 1_200_000 /* ten minutes */, dawn: () => 900 },\n',
  ]);
  expect(await source()).toBe(named);
  await outcome.getByRole('button', { name: 'Write to the file' }).click();
  await outcome.getByText('Written to machines/lamp.machine.ts').waitFor();
  const drawn = named.replace('600_000', '1_200_000');
  expect(await source()).toBe(drawn);
  // The server has taken it up.
  await form.getByText('Now 20 min').waitFor();

  // The timer that runs keeps its time; the next time it is dark, it is dark for longer.
  await tab.getByLabel('How far to jump').selectOption('10 min');
  await tab.getByRole('button', { name: 'Jump' }).click();
  await pier.locator('.happenings').getByText('after dusk in dark').waitFor();
  await pier.locator('.happenings').getByText('after dawn in lit').waitFor();
  await pier
    .locator('.timers time')
    .filter({ hasText: /^(20|1\d) min/ })
    .waitFor();
  await board.getByRole('button', { name: 'Undo' }).click();
  await form.getByText('Now 10 min').waitFor();
  expect(await source()).toBe(named);
  expect(problems).toEqual([]);
  await tab.close();
});
