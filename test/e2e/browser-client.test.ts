import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { repository } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { endWithTest, meadowSaves, serveMeadow } from '../support/serving.ts';

// The client as a page uses it: bundled by an ordinary bundler, run by a real browser.

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** What a file of this repository exports and all that it imports, as scripts by their address. */
async function bundled(file: string): Promise<ReadonlyMap<string, string>> {
  await using folder = await scratch('bundle');
  await folder.write({
    'main.js': `export * from ${JSON.stringify(join(repository, file))};`,
  });
  const result = await build({
    configFile: false,
    root: folder.path,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: true,
      lib: { entry: join(folder.path, 'main.js'), formats: ['es'], fileName: 'client' },
    },
  });
  const [output] = [result].flat();
  if (output === undefined || !('output' in output)) throw new Error('Vite built nothing.');
  return new Map(
    output.output.flatMap((part) =>
      part.type === 'chunk' ? [[`/${part.fileName}`, part.code]] : [],
    ),
  );
}

/** Serves a page with these scripts; gives its origin. */
async function pageWith(scripts: ReadonlyMap<string, string>): Promise<string> {
  const pages = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    if (script !== undefined) {
      response.setHeader('content-type', 'text/javascript').end(script);
      return;
    }
    // No eval: what a careful site would set.
    response
      .setHeader('content-security-policy', "script-src 'self' 'unsafe-inline'")
      .setHeader('content-type', 'text/html')
      .end(
        '<!doctype html><title>A lamp</title><div id="root"></div><p id="lamp"></p><p id="size"></p><p id="refused"></p><p id="state"></p>',
      );
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  endWithTest({ close: () => pages.close() });
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
}

test('a page shows a world live, acts in it, and needs neither eval nor anything of Node', async () => {
  const origin = await pageWith(await bundled('src/client/index.ts'));
  const { url, world } = await serveMeadow(
    [
      { id: 'lamp', kind: 'lamp', at: [0, 0] },
      { id: 'box', kind: 'box', at: [0, 0] },
    ],
    { token: 'sesame', origins: [origin] },
  );
  const tab = await browser.newPage();
  const problems: string[] = [];
  tab.on('pageerror', (error) => problems.push(error.message));
  await tab.goto(origin);
  const shows = async (id: string, text: string): Promise<void> => {
    while ((await tab.textContent(`#${id}`)) !== text) await tab.waitForTimeout(10);
  };
  await tab.addScriptTag({
    type: 'module',
    content: `import { connect } from '/client.js';
      const show = (id, text) => { document.querySelector('#' + id).textContent = text; };
      const client = connect('${url}', { view: [0, 0], token: 'sesame' });
      client.on('record', ({ id, value }) => { if (id === 'lamp') show('lamp', value); });
      await client.ready;
      show('size', client.records.get('box').context.size + 1n);
      await client.send('lamp', { type: 'TOGGLE' });
      client.send('lamp', { type: 'PEEK' }).catch(({ code }) => show('refused', code));`,
  });
  await shows('lamp', 'on');
  expect(world.find('lamp')?.value).toBe('on');
  await shows('refused', 'NOT_ALLOWED');
  await shows('size', '4');
  world.send('lamp', { type: 'TOGGLE' });
  await shows('lamp', 'off');
  expect(problems).toEqual([]);

  // The same page does not get into a server that does not name its origin.
  const other = await serveMeadow([], { token: 'sesame' });
  await tab.addScriptTag({
    type: 'module',
    content: `import { connect } from '/client.js';
      connect('${other.url}', { view: [0, 0], token: 'sesame' }).on('status', ({ state }) => {
        if (state === 'waiting') document.querySelector('#state').textContent = state;
      });`,
  });
  await shows('state', 'waiting');
  await tab.close();
});

test('a page of React shows a record through useSelector of @xstate/react, and draws it only when it looks different', async () => {
  const origin = await pageWith(await bundled('test/support/react-page.ts'));
  const { url, world } = await serveMeadow([{ id: 'lamp', kind: 'lamp', at: [0, 0] }], {
    token: 'sesame',
    origins: [origin],
  });
  world.clock.pause();
  const tab = await browser.newPage();
  await tab.goto(origin);
  await tab.addScriptTag({
    type: 'module',
    content: `import { showLamp } from '/client.js'; showLamp(document.querySelector('#root'), '${url}');`,
  });
  const button = tab.locator('#root button');
  await button.getByText('off, rendered 2 times').waitFor();
  await button.click();
  await button.getByText('on, rendered 3 times').waitFor();
  // Its level is not shown, so that is no reason to draw it.
  world.send('lamp', { type: 'DIM', level: 7 });
  world.send('lamp', { type: 'TOGGLE' });
  await button.getByText('off, rendered 4 times').waitFor();
  world.remove('lamp');
  await button.getByText('none, rendered 5 times').waitFor();
  await tab.close();
});

test('a page whose server is started anew goes on, and what it asked for meanwhile counts once', async () => {
  const origin = await pageWith(await bundled('src/client/index.ts'));
  const savesDir = await meadowSaves([{ id: 'lamp', kind: 'lamp', at: [0, 0] }]);
  const options = { savesDir, origins: [origin] };
  const first = await serveMeadow([], options);
  first.world.clock.pause();
  const tab = await browser.newPage();
  await tab.goto(origin);
  await tab.addScriptTag({
    type: 'module',
    content: `import { connect } from '/client.js';
      const show = (id, text) => { document.querySelector('#' + id).textContent = text; };
      const client = connect('${first.url}', { view: [0, 0] });
      client.on('record', ({ context }) => show('lamp', 'lit ' + context.lit));
      client.on('status', ({ state }) => show('state', state));
      await client.send('lamp', { type: 'TOGGLE' });
      show('size', 'done');
      globalThis.client = client;`,
  });
  await tab.locator('#size').getByText('done').waitFor({ state: 'attached' });
  await first.close();
  await tab.locator('#state').getByText('waiting').waitFor({ state: 'attached' });
  const asked = tab.evaluate(`client.send('lamp', { type: 'TOGGLE' }).then(() => 'carried out')`);
  const second = await serveMeadow([], { ...options, port: Number(new URL(first.url).port) });
  expect(await asked).toBe('carried out');
  expect(second.world.find('lamp')).toMatchObject({ value: 'off', context: { lit: 1 } });
  await tab.locator('#state').getByText('open').waitFor({ state: 'attached' });
  await tab.close();
});
