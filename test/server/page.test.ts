import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serveMeadow } from '../support/serving.ts';

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } };

describe('the page at /', () => {
  test('is for browsers; a program is told in words what runs here', async () => {
    const { url } = await serveMeadow([]);
    const page = await fetch(url, asBrowser);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('<div id="page">');
    const words = await fetch(url);
    expect(words.headers.get('content-type')).toContain('text/plain');
    expect(await words.text()).toContain("runs the world 'meadow'");
  });

  test('names only files of this server, and may be framed by nobody', async () => {
    const { url } = await serveMeadow([]);
    const page = await fetch(url, asBrowser);
    expect(page.headers.get('content-security-policy')).toMatch(
      /default-src 'self'.*frame-ancestors 'none'/,
    );
    const html = await page.text();
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, address]) => address as string)
      .filter((address) => !address.startsWith('data:'));
    expect(named.length).toBeGreaterThan(1);
    for (const address of named) {
      expect(address).toMatch(/^\.\/assets\//);
      const file = await fetch(new URL(address, url));
      expect(file.status, address).toBe(200);
      expect((await file.text()).length).toBeGreaterThan(100);
    }
    const licences = await (await fetch(`${url}/licenses.md`)).text();
    for (const part of ['elkjs', 'react', '@xyflow/react', 'uplot'])
      expect(licences).toContain(`## ${part} `);
  });

  test('gives no file that is not its own', async () => {
    const { url } = await serveMeadow([]);
    for (const path of [
      '/assets/none.js',
      '/assets/../../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/src/server/page.ts',
    ]) {
      const { hostname, port } = new URL(url);
      // `fetch` would tidy the path up.
      const status = await new Promise((resolve, reject) => {
        request({ hostname, port, path }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status, path).toBe(404);
    }
    expect(
      (await fetch(url, { ...asBrowser, method: 'POST' })).headers.get('content-type'),
    ).toContain('text/plain');
  });
});

test('/admin says to a plain request whether an admin would be let in', async () => {
  const open = await serveMeadow([]);
  expect((await fetch(`${open.url}/admin`)).status).toBe(426);
  expect(
    (await fetch(`${open.url}/admin`, { headers: { origin: 'https://evil.example' } })).status,
  ).toBe(403);
  const shut = await serveMeadow([], { adminToken: 'sesame' });
  expect((await fetch(`${shut.url}/admin`)).status).toBe(401);
  expect((await fetch(`${shut.url}/admin?token=sesame`)).status).toBe(426);
});
