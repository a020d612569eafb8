/**
 * A look at the inspector page: `npm run look`. It writes a picture of each view, dark and light, into
 * `screenshots/`, and prints what a world of 100,000 records costs the browser and the server. The
 * figures are of the machine at hand, with its own noise beside them; nothing here is a test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { AdminConnection } from '../../src/cli/admin-connection.ts';
import { launchBrowser } from '../support/browser.ts';
import { openPage } from '../support/page.ts';
import { repository } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';

const RECORDS = 100_000;
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
  const measured = async (move: string): Promise<string> => {
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
    const sorted = intervals.slice(1).sort((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    return `${(intervals.length / 5).toFixed(1)} frames/s; a frame ${at(0.5)} ms in the median, ${at(0.95)} ms in 95 of 100; ${script.toFixed(1)} ms of it script`;
  };
  for (let round = 1; round <= 2; round += 1) {
    console.log(`nothing moves, round ${round}: ${await measured('')}`);
    console.log(
      `pan and zoom, round ${round}: ${await measured('map.pan(n % 40 < 20 ? 6 : -6, 3); map.zoom(n % 60 < 30 ? 1.02 : 1 / 1.02);')}`,
    );
  }
  await tab.close();
}

interface Costs {
  /** Milliseconds of a frame of the world, on average. */
  readonly frame: number;
  /** Share of one processor. */
  readonly busy: number;
}

async function costs({ url, process: { pid } }: Serving, seconds: number): Promise<Costs> {
  const look = async () => {
    const page = await (await fetch(`${url}/metrics`)).text();
    const figure = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1] ?? Number.NaN);
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return {
      count: figure('offstage_frame_seconds_count'),
      sum: figure('offstage_frame_seconds_sum'),
      // In hundredths of a second.
      cpu: Number(fields[11]) + Number(fields[12]),
    };
  };
  const before = await look();
  await pause(seconds * 1000);
  const after = await look();
  return {
    frame: ((after.sum - before.sum) * 1000) / (after.count - before.count),
    busy: (after.cpu - before.cpu) / 100 / seconds,
  };
}

const text = ({ frame, busy }: Costs): string =>
  `${frame.toFixed(3)} ms a frame, ${(busy * 100).toFixed(1)} % of a processor`;

await mkdir(INTO, { recursive: true });
await using saves = await scratch('look');
await copyFile(join(repository, 'saves/valley.seed.json'), join(saves.path, 'valley.seed.json'));
const browser = await launchBrowser();
const server = await serving(saves.path);
try {
  if (!process.argv.includes('--figures')) await pictures(browser, server.url, 'valley');
  await load(server.url);
  await drawing(browser, server.url);
  for (let round = 1; round <= 3; round += 1) {
    console.log(`server without the page, round ${round}: ${text(await costs(server, 8))}`);
    const open = await openPage(browser, server.url, { bypassCSP: true });
    await open.tab.waitForFunction(`window.offstageMap?.points.size > ${RECORDS}`);
    await pause(1000);
    console.log(`server with the page open, round ${round}: ${text(await costs(server, 8))}`);
    await open.tab.close();
  }
  if (!process.argv.includes('--figures')) await pictures(browser, server.url, 'many');
} finally {
  server.process.kill('SIGTERM');
  await new Promise((resolve) => server.process.once('exit', resolve));
  await browser.close();
}
