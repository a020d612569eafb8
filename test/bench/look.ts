/**
 * A look at the inspector page: `npm run look`. It writes a picture of each view, dark and light, into
 * `screenshots/`, and prints what a world of 100,000 records costs the browser and the server. The
 * figures are of the machine at hand, with its own noise beside them; nothing here is a test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorld } from 'offstage';
import type { Browser, Page } from 'playwright-core';
import { kinds } from '../../kinds/index.ts';
import { AdminConnection } from '../../src/cli/admin-connection.ts';
import { AdminSessions } from '../../src/server/admin-sessions.ts';
import { launchBrowser } from '../support/browser.ts';
import { openPage } from '../support/page.ts';
import { NOTHING_SENT } from '../support/replicating.ts';
import { repository } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';

const RECORDS = 100_000;
const FRAMES = 6000;
const INTO = join(repository, 'screenshots');
const SIZES = [
  [1440, 900],
  [1280, 800],
  [900, 700],
] as const;

interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
}

async function serving(savesDir: string): Promise<Serving> {
  const bin = join(repository, 'src/cli/bin.js');
  const args = [bin, 'serve', 'valley', '--port', '0', '--saves', savesDir, '--watch'];
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production' },
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (text: unknown): void => {
      output += String(text);
      const [, found] = /listening on (\S+)\n/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(`The server ended:\n${output}`)));
  });
  return { url, process: child };
}

/** Timers whose events are spread over the time, as those of a world that has run for long are. */
async function load(url: string): Promise<void> {
  const admin = await AdminConnection.open(url, undefined);
  for (let i = 0; i < 50; i += 1) {
    await admin.do({
      type: 'spawnTimers',
      count: RECORDS / 50,
      interval: 55_000 + i * 200,
      spacing: 2800 + i,
    });
  }
  await admin.do({ type: 'jump', milliseconds: 600_000 });
  await admin.stats(({ behind }) => behind === 0);
  admin.close();
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function pictures(browser: Browser, url: string, world: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    for (const [width, height] of SIZES) {
      const { tab, find, problems } = await openPage(browser, url, {
        viewport: { width, height },
        colorScheme: theme,
      });
      const shoot = async (view: string): Promise<void> => {
        await tab.screenshot({ path: join(INTO, `${world}-${view}-${width}-${theme}.png`) });
      };
      await tab.getByText('records in and around this view').waitFor();
      await shoot('map');
      await tab.getByLabel('Colour by').selectOption('state');
      await shoot('states');
      await find('alderford-bakery');
      await tab.locator('.record [data-state="station.working"]').waitFor();
      await shoot('record');
      if (world === 'valley') await otherViews(tab, width, shoot);
      if (problems.length > 0) console.log(`${world} ${width} ${theme}: ${problems.join('; ')}`);
      await tab.close();
    }
  }
}

async function otherViews(
  tab: Page,
  width: number,
  shoot: (view: string) => Promise<void>,
): Promise<void> {
  for (const list of ['Next', 'Faults', 'Cheats']) {
    await tab.getByRole('tab', { name: list }).click();
    await shoot(list.toLowerCase());
  }
  await tab.getByRole('tab', { name: 'Kinds' }).click();
  await tab.getByRole('button', { name: 'Close', exact: true }).click();
  const kinds =
    width === 1280 ? tab.locator('.kinds tbody tr') : tab.locator('.kinds tbody tr').first();
  for (const row of await kinds.all()) {
    const kind = (await row.locator('th').textContent()) ?? '';
    await row.getByRole('button', { name: `Statechart of ${kind}` }).click();
    await tab.locator('.drawing .state-box').first().waitFor();
    await pause(300);
    await shoot(`chart-${kind}`);
    await tab.getByRole('button', { name: 'Back to the map' }).click();
  }
}

/** Frames a second while the map pans and zooms, and while nothing moves. */
async function drawing(browser: Browser, url: string): Promise<void> {
  const { tab } = await openPage(browser, url, {
    viewport: { width: 1280, height: 800 },
    bypassCSP: true,
  });
  await tab.waitForFunction(`window.offstageMap?.points.size > ${RECORDS}`);
  await pause(2000);
  const inspector = await tab.context().newCDPSession(tab);
  // Processor time and not the clock's: other programs of the machine do not count.
  await inspector.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async (): Promise<number> => {
    const { metrics } = await inspector.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const measured = async (move: string): Promise<string> => {
    const spentBefore = await spent();
    const intervals = (await tab.evaluate(`new Promise((resolve) => {
      const map = window.offstageMap;
      const intervals = [];
      const drawn = map.drawn.milliseconds;
      let before = performance.now();
      const began = before;
      requestAnimationFrame(function frame(now) {
        intervals.push(now - before);
        before = now;
        const n = intervals.length;
        ${move}
        if (now - began < 5000) requestAnimationFrame(frame);
        else resolve([...intervals, (map.drawn.milliseconds - drawn) / n]);
      });
    })`)) as number[];
    const script = intervals.pop() ?? 0;
    const busy = ((await spent()) - spentBefore) / intervals.length;
    const sorted = intervals.slice(1).sort((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    return `${(intervals.length / 5).toFixed(1)} frames/s; a frame ${at(0.5)} ms in the median, ${at(0.95)} ms in 95 of 100; ${script.toFixed(1)} ms of it drawing; ${busy.toFixed(1)} ms of processor time a frame`;
  };
  for (let round = 1; round <= 2; round += 1) {
    console.log(`nothing moves, round ${round}: ${await measured('')}`);
    console.log(
      `pan and zoom, round ${round}: ${await measured('map.pan(n % 40 < 20 ? 6 : -6, 3); map.zoom(n % 60 < 30 ? 1.02 : 1 / 1.02);')}`,
    );
  }
  await tab.close();
}

/**
 * What a frame of the world costs without the page and with all that it watches, in turn. The world and
 * its admin are in this process; medians, so that other programs of the machine count little.
 */
function frames(): void {
  const world = createWorld({ kinds, settings: { freeze: false } });
  world.add(
    Array.from({ length: RECORDS }, (_, i) => ({
      id: `timer-${i}`,
      kind: 'timer',
      at: [(i % 316) * 400, Math.floor(i / 316) * 400],
      input: { every: 55_000 + (i % 10_000) },
    })),
  );
  world.run(120_000);
  const admins = new AdminSessions({
    world,
    surroundings: () => ({ name: 'many', clock: world.clock, ...NOTHING_SENT }),
    warn: console.log,
    whenDurable: (run) => run(),
    save: () => Promise.reject(new Error('Nobody asked for it.')),
  });
  const round = (isOpen: boolean): { readonly frame: number; readonly flush: number } => {
    const session = admins.connect({ write: () => {}, fail: console.log });
    const watched = [
      { what: 'map', from: [-1e6, -1e6], to: [1e6, 1e6] },
      { what: 'stats' },
      { what: 'machines' },
      { what: 'faults' },
    ];
    let now = 0;
    if (isOpen) {
      for (const watch of watched) {
        admins.receive(session, JSON.stringify({ type: 'watch', ...watch }));
      }
      // All that is told once.
      for (let i = 0; i < 100; i += 1) admins.flush(i);
    }
    const frames: number[] = [];
    const flushes: number[] = [];
    for (let frame = 0; frame < FRAMES; frame += 1) {
      const began = performance.now();
      world.frame(1000 / 60);
      const over = performance.now();
      frames.push(over - began);
      // Five times a second, as the server does.
      if (frame % 12 > 0) continue;
      now += 200;
      admins.flush(now);
      flushes.push(performance.now() - over);
    }
    admins.disconnect(session);
    return { frame: middle(frames), flush: middle(flushes) };
  };
  const rounds = Array.from({ length: 5 }, () => ({ shut: round(false), open: round(true) }));
  const shut = middle(rounds.map((one) => one.shut.frame));
  const open = middle(rounds.map((one) => one.open.frame));
  const flush = middle(rounds.map((one) => one.open.flush));
  const all = rounds.map((one) => one.shut.frame).sort((a, b) => a - b);
  console.log(
    `a frame of the world: ${shut.toFixed(4)} ms in the median without the page (rounds from ${all[0]?.toFixed(4)} to ${all.at(-1)?.toFixed(4)}), ${open.toFixed(4)} ms with it open: ${(open / shut).toFixed(2)} times; and ${flush.toFixed(2)} ms to tell it, five times a second`,
  );
}

function middle(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
}

frames();
await mkdir(INTO, { recursive: true });
await using saves = await scratch('look');
await copyFile(join(repository, 'saves/valley.seed.json'), join(saves.path, 'valley.seed.json'));
const browser = await launchBrowser();
const server = await serving(saves.path);
try {
  if (!process.argv.includes('--figures')) await pictures(browser, server.url, 'valley');
  await load(server.url);
  await drawing(browser, server.url);
  if (!process.argv.includes('--figures')) await pictures(browser, server.url, 'many');
} finally {
  server.process.kill('SIGTERM');
  await new Promise((resolve) => server.process.once('exit', resolve));
  await browser.close();
}
