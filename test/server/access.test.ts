import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { WorldError } from '../../src/core/errors.ts';
import {
  type AccessRules,
  adminRefusal,
  checkExposure,
  clientAdmission,
} from '../../src/server/access.ts';

const open = { token: undefined, authenticate: undefined, adminToken: undefined, origins: [] };
const locked = {
  token: 'sesame',
  authenticate: undefined,
  adminToken: 'master',
  origins: ['https://game.example'],
};

/** Why a client is not let in, undefined if it is. */
async function clientRefusal(
  request: IncomingMessage,
  rules: AccessRules,
): Promise<number | undefined> {
  const admission = await clientAdmission(request, rules, () => {});
  return 'refusal' in admission ? admission.refusal : undefined;
}

function request({
  url = '/world',
  from = '127.0.0.1',
  ...headers
}: { url?: string; from?: string } & Record<string, string>): IncomingMessage {
  return {
    url,
    headers: { host: '127.0.0.1:4400', ...headers },
    socket: { remoteAddress: from },
  } as unknown as IncomingMessage;
}

describe('a server that others could reach', () => {
  test('does not start without a token', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'game.example', '127.0.0.1.evil.example']) {
      expect(() => checkExposure(host, open)).toThrow(WorldError);
      expect(() => checkExposure(host, locked)).not.toThrow();
    }
  });

  test('on this machine it does', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1', '127.1.2.3']) {
      expect(() => checkExposure(host, open)).not.toThrow();
    }
  });
});

describe('a client', () => {
  test('needs no token where there is none', async () => {
    expect(await clientRefusal(request({}), open)).toBeUndefined();
  });

  test('shows its token in the address or in a header', async () => {
    expect(await clientRefusal(request({ url: '/world?token=sesame' }), locked)).toBeUndefined();
    expect(
      await clientRefusal(request({ authorization: 'Bearer sesame' }), locked),
    ).toBeUndefined();
  });

  test('with a wrong token, or none, is not let in', async () => {
    expect(await clientRefusal(request({}), locked)).toBe(401);
    expect(await clientRefusal(request({ url: '/world?token=sesam' }), locked)).toBe(401);
    expect(await clientRefusal(request({ url: '/world?token=' }), locked)).toBe(401);
    expect(await clientRefusal(request({ authorization: 'Basic sesame' }), locked)).toBe(401);
  });
});

describe('a page', () => {
  test('of this server, or of an origin that is named, may connect', async () => {
    expect(await clientRefusal(request({ origin: 'http://127.0.0.1:4400' }), open)).toBeUndefined();
    const named = request({ origin: 'https://game.example', authorization: 'Bearer sesame' });
    expect(await clientRefusal(named, locked)).toBeUndefined();
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:9999' }],
    [
      'a name that was made to lead here',
      { origin: 'http://evil.example:4400', host: 'evil.example:4400' },
    ],
    ['no origin at all', { origin: 'null' }],
    ['one that only begins like a named one', { origin: 'https://game.example.evil.example' }],
  ])('of %s may not, with a token or without', async (_, headers) => {
    const rules = { ...locked, adminToken: undefined };
    expect(
      await clientRefusal(request({ ...headers, authorization: 'Bearer sesame' }), rules),
    ).toBe(403);
    expect(adminRefusal(request(headers), open)).toBe(403);
  });
});

describe('an admin', () => {
  test('is any program on this machine, where there is no admin token', () => {
    expect(adminRefusal(request({}), open)).toBeUndefined();
    expect(adminRefusal(request({ from: '::ffff:127.0.0.1' }), open)).toBeUndefined();
    expect(adminRefusal(request({ from: '10.0.0.7' }), open)).toBe(403);
  });

  test('does not come through a proxy on this machine', () => {
    expect(adminRefusal(request({ 'x-forwarded-for': '10.0.0.7' }), open)).toBe(403);
  });

  test('shows the admin token where there is one; the token of clients is not enough', () => {
    expect(
      adminRefusal(request({ url: '/admin?token=master', from: '10.0.0.7' }), locked),
    ).toBeUndefined();
    expect(adminRefusal(request({ url: '/admin?token=sesame' }), locked)).toBe(401);
    expect(adminRefusal(request({ url: '/admin' }), locked)).toBe(401);
  });
});
