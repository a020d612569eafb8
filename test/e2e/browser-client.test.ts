import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { repository } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { endWithTest, serveMeadow } from '../support/serving.ts';

// The client as a page uses it: bundled by an ordinary bundler, run by a real browser.

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The client and all that it imports, as scripts by their address. */
async function bundledClient(): Promise<ReadonlyMap<string, string>> {
  await using folder = await scratch('bundle');
  await folder.write({
    'main.js': `export { connect } from ${JSON.stringify(join(repository, 'src/client/index.ts'))};`,
  });
  const result = await build({
    configFile: false,
    root: folder.path,
    logLevel: 'error',
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

test('a page shows a world live, acts in it, and needs neither eval nor anything of Node', async () => {
  const scripts = await bundledClient();
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
        '<!doctype html><title>A lamp</title><p id="lamp"></p><p id="size"></p><p id="refused"></p><p id="state"></p>',
      );
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  endWithTest({ close: () => pages.close() });
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
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
