/**
 * A look at the inspector page: `npm run look`. It writes a picture of each view, dark and light, into
 * `screenshots/`, and prints what a world of 100,000 records costs the browser and the server. The
 * figures are of the machine at hand, with its own noise beside them; nothing here is a test.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createWorld } from 'offstage';
import type { Browser, Page } from 'playwright-core';
import { kinds } from '../../kinds/index.ts';
import { AdminConnection } from '../../src/cli/admin-connection.ts';
import { AdminSessions } from '../../src/server/admin-sessions.ts';
import { launchBrowser } from '../support/browser.ts';
import { CommandProcess } from '../support/command-process.ts';
import { openPage } from '../support/page.ts';
import { NOTHING_SENT } from '../support/replicating.ts';
import { repository } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';

const RECORDS = 100_000;
/** Flushes of one round, with twelve frames each, and rounds, where the page is open in every other. */
const FLUSHES = 100;
const ROUNDS = 40;
const INTO = join(repository, 'screenshots');
const SIZES = [
  [1440, 900],
  [1280, 800],
  [900, 700],
] as const;

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

/** What was changed is drawn. */
const TWO_FRAMES =
  'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

/** What asks for the next frame waits until `goOn`. */
const HOLD_FRAMES = `{
  const next = window.requestAnimationFrame;
  const waiting = [];
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  window.goOn = () => {
    window.requestAnimationFrame = next;
    for (const draw of waiting) next(draw);
  };
}`;

async function pictures(
  browser: Browser,
  url: string,
  world: string,
  records: number,
): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    for (const [width, height] of SIZES) {
      const { tab, find, problems } = await openPage(browser, url, {
        viewport: { width, height },
        colorScheme: theme,
        bypassCSP: true,
      });
      const shoot = async (view: string): Promise<void> => {
        // A page that draws without a pause, in software, leaves no time to be pictured.
        await tab.evaluate(TWO_FRAMES);
        await tab.evaluate(HOLD_FRAMES);
        await tab.screenshot({ path: join(INTO, `${world}-${view}-${width}-${theme}.png`) });
        await tab.evaluate('window.goOn()');
      };
      await tab.waitForFunction(`window.offstageMap?.points.size >= ${records}`);
      // Figures and their plot begin with the second second.
      await pause(2500);
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
 * its admin are in this process. Processor time, and the lower quartile of many short rounds, so that
 * other programs of the machine count little.
 */
function frames(): void {
  const world = createWorld({ kinds, settings: { freeze: false } });
  world.add(
    Array.from({ length: RECORDS }, (_, i) => ({
      id: `timer-${i}`,
      kind: 'timer',
      at: [(i % 316) * 400, Math.floor(i / 316) * 400],
      input: { every: 60_000, first: ((i + 1) * 60_000) / RECORDS },
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
  const watched = [
    { what: 'map', from: [-1e6, -1e6], to: [1e6, 1e6] },
    { what: 'stats' },
    { what: 'machines' },
    { what: 'faults' },
  ];
  const round = (isOpen: boolean): { readonly frame: number; readonly flush: number } => {
    const session = admins.connect({ write: () => {}, fail: console.log });
    let now = 0;
    if (isOpen) {
      for (const watch of watched) {
        admins.receive(session, JSON.stringify({ type: 'watch', ...watch }));
      }
      // All that is told once.
      for (let i = 0; i < 100; i += 1) admins.flush(i);
    }
    // Five times a second, as the server does.
    const runFlush = (): number => {
      for (let frame = 0; frame < 12; frame += 1) world.frame(1000 / 60);
      now += 200;
      const before = processorTime();
      admins.flush(now);
      return processorTime() - before;
    };
    // What opening it leaves behind, for the garbage collector and the compiler, is over.
    collectGarbage();
    for (let flush = 0; flush < FLUSHES; flush += 1) runFlush();
    let telling = 0;
    const began = processorTime();
    for (let flush = 0; flush < FLUSHES; flush += 1) telling += runFlush();
    const spent = processorTime() - began;
    admins.disconnect(session);
    return { frame: (spent - telling) / (FLUSHES * 12), flush: telling / FLUSHES };
  };
  round(false);
  round(true);
  const rounds = Array.from({ length: ROUNDS }, () => ({ shut: round(false), open: round(true) }));
  const all = quartiles(rounds.map(({ shut }) => shut.frame));
  const open = quartiles(rounds.map((one) => one.open.frame))[0];
  const flush = quartiles(rounds.map((one) => one.open.flush))[0];
  const text = (milliseconds: number): string => milliseconds.toFixed(4);
  const times = (milliseconds: number): string => (milliseconds / all[0]).toFixed(2);
  console.log(
    `a frame of the world: ${text(all[0])} ms of processor time without the page (three quarters of ${ROUNDS} rounds at most ${text(all[1])}), ${text(open)} ms with it open: ${times(open)} times; and ${flush.toFixed(3)} ms to tell it, five times a second: ${times(open + flush / 12)} times with that`,
  );
}

/** Milliseconds that this process has had of the processors. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** The lower and the upper quartile. */
function quartiles(all: readonly number[]): [number, number] {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [at(0.25), at(0.75)];
}

frames();
await mkdir(INTO, { recursive: true });
await using saves = await scratch('look');
await copyFile(join(repository, 'saves/valley.seed.json'), join(saves.path, 'valley.seed.json'));
const browser = await launchBrowser();
const server = await CommandProcess.listening(
  ['serve', 'valley', '--port', '0', '--saves', saves.path, '--watch'],
  { env: { NODE_ENV: 'production' } },
);
try {
  if (!process.argv.includes('--figures')) await pictures(browser, server.url, 'valley', 300);
  await load(server.url);
  await drawing(browser, server.url);
  if (!process.argv.includes('--figures')) await pictures(browser, server.url, 'many', RECORDS);
} finally {
  await server.stop();
  await browser.close();
}
