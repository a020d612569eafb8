import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';

// Proves the tool that later tests of pages stand on: a browser that npm alone brings.

const page = `<!doctype html>
<title>A field</title>
<span>growing</span>
<script type="module">
  document.querySelector('span').textContent += ' for ' + [1, 2].at(-1) + ' days';
</script>`;

const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
});
let browser: Browser;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server.close();
});

test('a browser opens a page of a local server, runs its script and draws its text', async () => {
  const { port } = server.address() as AddressInfo;
  const tab = await browser.newPage();
  await tab.goto(`http://127.0.0.1:${port}/`);
  expect(await tab.title()).toBe('A field');
  expect(await tab.textContent('span')).toBe('growing for 2 days');
  // Without fonts the text would be there and take no room.
  expect((await tab.locator('span').boundingBox())?.width).toBeGreaterThan(50);
});
