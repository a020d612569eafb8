import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineKind } from 'offstage';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { setup } from 'xstate';
import { kinds } from '../../kinds/index.ts';
import { AdminConnection } from '../../src/cli/admin-connection.ts';
import { type ServeOptions, type Server, serve } from '../../src/server/serve.ts';
import { launchBrowser } from '../support/browser.ts';
import { CommandProcess } from '../support/command-process.ts';
import { openPage, shows } from '../support/page.ts';
import { repository } from '../support/run.ts';
import { emptySaves, endWithTest, serveMeadow, until } from '../support/serving.ts';

// The inspector page as its reader meets it: a real server, a real browser.

// Software draws what a browser has a graphics card for, on whatever the machine has left.
vi.setConfig({ testTimeout: 240_000 });

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The demo world, kept in a folder of the test's own. */
async function serveValley(options: Partial<ServeOptions> = {}): Promise<Server> {
  const seed = join(repository, 'saves/valley.seed.json');
  const savesDir = options.savesDir ?? (await emptySaves());
  return endWithTest(await serve({ world: 'valley', kinds, port: 0, seed, savesDir, ...options }));
}

test('a station goes to work as flour is put in by a click; its bar fills, and stops with the clock', async () => {
  const { url, world } = await serveValley({ speed: 0.2 });
  const { tab, problems, find } = await openPage(browser, url);
  const bakery = await find('alderford-bakery');
  await shows(bakery.locator('.state'), 'waiting');
  await bakery.locator('[data-state="station.waiting"].active').waitFor();
  // Nothing it waits for in time: it rests until its stash changes.
  await bakery.getByText('Nothing; it rests').waitFor();

  await bakery.getByRole('button', { name: 'alderford-store' }).click();
  const store = tab.getByRole('complementary', { name: 'Record alderford-store' });
  // The click writes down what PUT carries, since its kind says so, or what can be sent at once.
  await store.getByLabel('Event', { exact: true }).fill('PUT');
  await store.getByLabel('What it carries').fill('{"item": "flour", "count": 3}');
  await store.getByRole('button', { name: 'Send', exact: true }).click();
  await store.getByText('PUT was taken.').waitFor();
  expect(world.find('alderford-bakery')?.value).toBe('working');

  await tab.goBack();
  await shows(bakery.locator('.state'), 'working');
  await bakery.locator('[data-state="station.working"].active').waitFor();
  const bar = bakery.getByRole('progressbar');
  const filled = async (): Promise<string> => (await bar.locator('i').getAttribute('style')) ?? '';
  const before = await filled();
  while ((await filled()) === before) await tab.waitForTimeout(20);

  await tab.getByRole('button', { name: 'Pause' }).click();
  await tab.getByRole('button', { name: 'Resume' }).waitFor();
  expect(world.clock.paused).toBe(true);
  const [stopped, face] = [await filled(), await tab.getByLabel('Game time').textContent()];
  await tab.waitForTimeout(300);
  expect([await filled(), await tab.getByLabel('Game time').textContent()]).toEqual([
    stopped,
    face,
  ]);

  // RUSH halves what is left: a click on its arrow sends it.
  const dueAt = world.find('alderford-bakery')?.nextEvent ?? 0;
  await bakery.locator('button[data-transition="station.working on RUSH 0"]').click();
  await until(() => (world.find('alderford-bakery')?.nextEvent ?? dueAt) < dueAt);
  await tab.getByRole('button', { name: 'Resume' }).click();
  await tab.getByRole('button', { name: 'Pause' }).waitFor();
  expect(problems).toEqual([]);
  await tab.close();
});

test('the map shows the world, and a click on a record selects it', async () => {
  const { url, world } = await serveMeadow([
    { id: 'lamp', kind: 'lamp', at: [50, 50] },
    { id: 'cart', kind: 'cart', at: [450, 250] },
  ]);
  const { tab, problems } = await openPage(browser, url);
  await tab.getByText('2 records in and around this view').waitFor();
  // With its next frames the map takes the room that its legend leaves.
  await tab.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  const map = tab.getByLabel('Map of the world');
  const box = await map.boundingBox();
  if (box === null) throw new Error('There is no map.');
  // The world of two cells' corners is shown whole; look for the lamp where the page drew it.
  const at = await tab.evaluate(() => window.offstageMap?.screenOf('lamp'));
  if (at === undefined) throw new Error('The lamp is not on the map.');
  await tab.mouse.move(box.x + at[0] + 2, box.y + at[1] + 2);
  await tab.mouse.down();
  await tab.mouse.up();
  await tab.getByRole('complementary', { name: 'Record lamp' }).getByText('lit 0 times').waitFor();

  world.send('cart', { type: 'GO', to: [50, 150] });
  const cart = () => tab.evaluate(() => window.offstageMap?.worldOf('cart'));
  while (String(await cart()) !== '50,150') await tab.waitForTimeout(20);

  // By keys: everything again, nearer, to the side.
  await map.focus();
  const before = await tab.evaluate(() => window.offstageMap?.screenOf('lamp'));
  await tab.keyboard.press('ArrowLeft');
  const after = await tab.evaluate(() => window.offstageMap?.screenOf('lamp'));
  expect(after?.[0]).toBeCloseTo((before?.[0] ?? 0) + 60);
  await tab.keyboard.press('+');
  await tab.keyboard.press('0');
  await tab.keyboard.press('Escape');
  await tab.getByRole('complementary', { name: 'Record lamp' }).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
  await tab.close();
});

test('a notice that comes after its frame has begun is drawn like any other', async () => {
  const { url } = await serveMeadow([{ id: 'bell', kind: 'bell', at: [50, 50] }]);
  const { tab, problems } = await openPage(browser, url);
  await tab.getByText('1 record in and around this view').waitFor();
  const drawn = () => tab.evaluate(() => window.offstageMap?.drawn.frames ?? 0);
  await tab.evaluate(() => {
    const next = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => next((now) => draw(now - 400));
  });
  // The bell rings twice a second, and only its pulses are drawn.
  const before = await drawn();
  while (problems.length === 0 && (await drawn()) < before + 10) await tab.waitForTimeout(20);
  expect(problems).toEqual([]);
  await tab.close();
});

/** A server of the demo world in a process of its own, which a test can kill. */
async function valleyProcess(savesDir: string, port: number): Promise<CommandProcess> {
  const args = ['serve', 'valley', '--port', `${port}`, '--saves', savesDir, '--speed', '0.01'];
  return endWithTest(await CommandProcess.listening(args));
}

test('a server that is killed is told, and the page comes back with the next one by itself', async () => {
  const savesDir = await emptySaves();
  await copyFile(join(repository, 'saves/valley.seed.json'), join(savesDir, 'valley.seed.json'));
  const first = await valleyProcess(savesDir, 0);
  const port = Number(new URL(first.url).port);
  const { tab, problems, find } = await openPage(browser, first.url);
  const store = await find('alderford-store');
  await store.getByLabel('Event', { exact: true }).fill('PUT');
  await store.getByLabel('What it carries').fill('{"item": "flour", "count": 3}');
  await store.getByRole('button', { name: 'Send', exact: true }).click();
  // What the page was told was taken, no kill undoes.
  await store.getByText('PUT was taken.').waitFor();
  const smithy = await find('alderford-bakery');
  await shows(smithy.locator('.state'), 'working');
  await first.kill();
  await tab.getByRole('status').getByText('The connection was lost').waitFor();
  expect(await tab.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
  expect(await smithy.getByText('station').first().isVisible()).toBe(true);

  // A server that is only just there answers a plain request and not yet the WebSocket before it.
  let asked = 0;
  await tab.route(/\/admin$/, (route) => {
    asked += 1;
    return route.fulfill({ status: 426, body: '' });
  });
  await until(() => asked > 3);
  const second = await valleyProcess(savesDir, port);
  const admin = endWithTest(await AdminConnection.open(second.url, undefined));
  const { records } = await admin.records('alderford-bakery', 1);
  expect(records[0]?.value).toBe('working');
  const context = { ...(records[0]?.context as object), rounds: 77 };
  await admin.do({ type: 'setState', id: 'alderford-bakery', change: { context } });
  await tab.getByText('The connection was lost').waitFor({ state: 'detached' });
  await smithy.locator('.tree').getByText('77').waitFor();
  await shows(smithy.locator('.state'), 'working');
  await tab.getByText(/\d+ records in and around this view/).waitFor();
  expect(problems).toEqual([]);
  await tab.close();
});

test('a server with an admin token lets the page in with it, and not without', async () => {
  const { url } = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [0, 0] }], {
    adminToken: 'sesame',
  });
  const { tab, problems } = await openPage(browser, url);
  await tab.getByText('shows itself to admins').waitFor();
  await tab.getByLabel(/admin token/).fill('wrong');
  await tab.getByRole('button', { name: 'Connect' }).click();
  await tab.getByText('does not know that admin token').waitFor();
  await tab.getByLabel(/admin token/).fill('sesame');
  await tab.getByRole('button', { name: 'Connect' }).click();
  await tab.getByRole('heading', { name: 'meadow' }).waitFor();
  await tab.getByText('1 record in and around this view').waitFor();

  const other = await browser.newPage({ locale: 'en-US' });
  await other.goto(`${url}/#token=sesame`);
  await other.getByRole('heading', { name: 'meadow' }).waitFor();
  // The token does not stay in the address, which is passed on and kept.
  expect(other.url()).not.toContain('sesame');
  expect(problems).toEqual([]);
  await other.close();
  await tab.close();
});

describe('cheats', () => {
  test('add, change and remove records, and spawn timers, as commands of the world', async () => {
    const { url, world } = await serveValley();
    const { tab, problems } = await openPage(browser, url);
    await tab.getByRole('tab', { name: 'Cheats' }).click();
    const form = (name: string | RegExp) => tab.getByRole('form', { name });

    const records = world.size;
    await form('Spawn timers').getByRole('button').click();
    await tab.getByText('100 timers added.').waitFor();
    expect(world.size).toBe(records + 100);

    await form('Add a record').getByLabel('id').fill('page-stash');
    await form('Add a record').getByLabel('kind').selectOption('stash');
    await form('Add a record').getByLabel('place').fill('one, two');
    await form('Add a record').getByRole('button').click();
    await form('Add a record')
      .getByRole('alert')
      .getByText('The place is one to three numbers')
      .waitFor();
    await form('Add a record').getByLabel('place').fill('120, 40');
    await form('Add a record').getByLabel('input').fill('{"capacity": 5}');
    await form('Add a record').getByRole('button', { name: 'Add', exact: true }).click();
    await tab
      .getByRole('complementary', { name: 'Record page-stash' })
      .getByText('Waits for')
      .waitFor();
    expect(world.find('page-stash')?.at).toEqual([120, 40]);

    const set = form('Set the state of page-stash');
    // Begins from what it is, since a context is set whole.
    await set.getByRole('button', { name: 'As it is now' }).click();
    const context = JSON.parse(await set.getByLabel('context').inputValue());
    expect(context).toEqual(world.find('page-stash')?.context);
    await set.getByLabel('context').fill(JSON.stringify({ ...context, capacity: 9 }));
    await set.getByRole('button', { name: 'Set', exact: true }).click();
    await tab.getByText('page-stash was changed.').waitFor();
    expect(world.find('page-stash')?.context).toMatchObject({ capacity: 9 });

    await form('Remove page-stash').getByRole('button').click();
    await tab
      .getByRole('complementary', { name: 'Record page-stash' })
      .waitFor({ state: 'detached' });
    expect(world.find('page-stash')).toBeUndefined();
    const time = world.time;
    await form('Advance').getByRole('button').click();
    await tab.getByText('The clock is 3600 s on.').waitFor();
    await until(() => world.time >= time + 3_600_000);
    expect(problems).toEqual([]);
    await tab.close();
  });

  test('what the world refuses is said, and nothing is lost of what was typed', async () => {
    const { url } = await serveValley();
    const { tab, find } = await openPage(browser, url);
    const bakery = await find('alderford-bakery');
    await bakery.getByLabel('Event', { exact: true }).fill('FLY');
    await bakery.getByLabel('What it carries').fill('{"high": true');
    await bakery.getByRole('button', { name: 'Send', exact: true }).click();
    await bakery.getByRole('alert').getByText('is no JSON').waitFor();
    await bakery.getByLabel('What it carries').fill('{"high": true}');
    await bakery.getByRole('button', { name: 'Send', exact: true }).click();
    await bakery
      .getByRole('alert')
      .getByText(/does not take 'FLY'|FLY/)
      .waitFor();
    expect(await bakery.getByLabel('What it carries').inputValue()).toBe('{"high": true}');
    await tab.close();
  });
});

test('a record with a fault is listed with its reason, and retry tries again', async () => {
  const storm = { isOver: false };
  const fuse = defineKind({
    name: 'fuse',
    version: 1,
    machine: setup({
      actions: {
        burn: () => {
          if (!storm.isOver) throw new Error('Lightning struck.');
        },
      },
    }).createMachine({
      id: 'fuse',
      initial: 'cold',
      states: { cold: { after: { 50: { target: 'warm', actions: 'burn' } } }, warm: {} },
    }),
  });
  const { url, world } = await serveMeadow([{ id: 'fuse-1', kind: 'fuse', at: [0, 0] }], {
    kinds: [fuse],
  });
  const { tab, problems } = await openPage(browser, url);
  await tab.getByRole('tab', { name: 'Faults' }).click();
  const row = tab.getByRole('listitem').filter({ hasText: 'fuse-1' });
  await row.getByText('THREW').waitFor();
  await row.getByText('Lightning struck.').waitFor();
  await row.getByRole('button', { name: 'Retry' }).click();
  await row.getByText('Lightning struck.').waitFor();
  expect(world.find('fuse-1')?.fault).not.toBeNull();
  storm.isOver = true;
  await row.getByRole('button', { name: 'Retry' }).click();
  await tab.getByText('No record has a fault.').waitFor();
  expect(world.find('fuse-1')?.value).toBe('warm');
  expect(problems).toEqual([]);
  await tab.close();
});

test('kinds are counted, filter the map, and draw their charts; themes follow the reader', async () => {
  const { url } = await serveValley();
  const { tab, problems } = await openPage(browser, url, { colorScheme: 'light' });
  const field = tab.getByRole('button', { name: 'field', exact: true });
  await field.click();
  expect(await field.getAttribute('aria-pressed')).toBe('true');
  await field.click();
  expect(await tab.locator('html').getAttribute('data-theme')).toBe('light');
  await tab.getByRole('button', { name: 'Switch to dark' }).click();
  expect(await tab.locator('html').getAttribute('data-theme')).toBe('dark');
  await tab.reload();
  await tab.getByRole('button', { name: 'Switch to light' }).waitFor();
  expect(problems).toEqual([]);
  await tab.close();
});

test('in the charts of all starter kinds no label lies on another or on a state, and none is cut off', async () => {
  const { url } = await serveValley();
  const { tab, problems } = await openPage(browser, url);
  for (const { name } of kinds) {
    await tab.getByRole('button', { name: `Statechart of ${name}` }).click();
    await tab.locator(`.drawing [data-state="${name}"]`).waitFor();
    const found = await tab.locator('.drawing').evaluate((drawing) => {
      const boxes = [
        ...drawing.querySelectorAll('.transition-label, .state-box.atomic, .state-box.final'),
      ];
      return {
        labels: drawing.querySelectorAll('.transition-label').length,
        // Half a pixel is rounding.
        overlaps: boxes.flatMap((one, i) =>
          boxes.slice(i + 1).flatMap((other) => {
            const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            return across > 0.5 && down > 0.5 ? [`${one.textContent} / ${other.textContent}`] : [];
          }),
        ),
        cutOff: [...drawing.querySelectorAll('.transition-label, .state-box li, .state-box header')]
          .filter((one) => one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.textContent),
      };
    });
    expect(found, name).toEqual({ labels: expect.any(Number), overlaps: [], cutOff: [] });
    await tab.getByRole('button', { name: 'Back to the map' }).click();
  }
  expect(problems).toEqual([]);
  await tab.close();
});
