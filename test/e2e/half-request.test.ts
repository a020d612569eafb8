import { expect, test } from 'vitest';
import { overTcp, serveMeadow } from '../support/serving.ts';

// In a file of its own, because the deadline is a real one.

test('a request whose header never ends does not hold its socket for good', {
  timeout: 30_000,
}, async () => {
  const { url } = await serveMeadow([]);
  expect(await overTcp(url, 'GET / HTTP/1.1\r\nHost: x\r\n')).toMatch(/^(HTTP\/1\.1 408|$)/);
});
