/** Who may connect: tokens, origins, and where from. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WorldError } from '../core/errors.ts';

export interface AccessRules {
  /** What clients must show; undefined: nothing. */
  readonly token: string | undefined;
  /** What admins must show; undefined: only programs on this machine are admins. */
  readonly adminToken: string | undefined;
  /** Pages of other origins that may connect. */
  readonly origins: readonly string[];
}

/** Why an upgrade is refused: the HTTP status to answer. */
export type Refusal = 401 | 403 | undefined;

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|\[::1\]|::ffff:127(\.\d+){3})$/;

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Throws `TOKEN_NEEDED` if others than this machine could connect and nothing would be asked of them. */
export function checkExposure(host: string, { token }: AccessRules): void {
  if (isLoopback(host) || token !== undefined) return;
  throw new WorldError(
    'TOKEN_NEEDED',
    `The server would listen on ${host}, where others can reach it, and no token is set. Give a token (--token), or listen on 127.0.0.1.`,
  );
}

/** Whether a client may connect. */
export function clientRefusal(request: IncomingMessage, rules: AccessRules): Refusal {
  if (!isOriginAllowed(request, rules)) return 403;
  if (rules.token === undefined || isSame(tokenOf(request), rules.token)) return undefined;
  return 401;
}

/** Whether an admin may connect: with the admin token if there is one, else from this machine. */
export function adminRefusal(request: IncomingMessage, rules: AccessRules): Refusal {
  if (!isOriginAllowed(request, rules)) return 403;
  if (rules.adminToken !== undefined) {
    return isSame(tokenOf(request), rules.adminToken) ? undefined : 401;
  }
  return isLocal(request) ? undefined : 403;
}

/**
 * Programs send no Origin; a page always does, and another site's page must not reach a server on
 * the reader's own machine. The server's own pages are those of the host that the request names,
 * when that is an address of this machine: a name could be made to lead here.
 */
function isOriginAllowed({ headers }: IncomingMessage, { origins }: AccessRules): boolean {
  const { origin, host = '' } = headers;
  if (origin === undefined || origins.includes(origin)) return true;
  return isLoopback(host.replace(/:\d+$/, '')) && origin === `http://${host}`;
}

/** A proxy on this machine passes on requests from elsewhere, and says so. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = 'forwarded' in headers || 'x-forwarded-for' in headers;
  return isLoopback(socket.remoteAddress ?? '') && !isForwarded;
}

function tokenOf({ headers, url = '' }: IncomingMessage): string {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  return bearer ?? new URLSearchParams(url.split('?')[1]).get('token') ?? '';
}

/** Takes the same time whatever the difference. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
