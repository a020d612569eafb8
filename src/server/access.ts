/** Who may connect: tokens, origins, and where from. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { messageOf, WorldError } from '../core/errors.ts';
import type { User } from '../replication/connection.ts';

/** What a client shows when it connects. */
export interface Credentials {
  /** Its bearer token, or the `token` of the address; empty if it has none. */
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  /** The address it connects from. */
  readonly address: string | undefined;
}

/** Says who a client is, or undefined if it may not connect. */
export type Authenticate = (
  credentials: Credentials,
) => Promise<User | undefined> | User | undefined;

export interface AccessRules {
  /** What clients must show; undefined: nothing. */
  readonly token: string | undefined;
  /** Asked instead, if there is one. */
  readonly authenticate: Authenticate | undefined;
  /** What admins must show; undefined: only programs on this machine are admins. */
  readonly adminToken: string | undefined;
  /** Pages of other origins that may connect. */
  readonly origins: readonly string[];
}

/** Why somebody is not let in: the HTTP status to answer. */
export type Refusal = 401 | 403 | 503;

/** Whether a client may connect, and who it is. */
export type Admission = { readonly refusal: Refusal } | { readonly user: User | undefined };

/** Real milliseconds that the server's own authentication may take. */
const AUTHENTICATED_WITHIN = 10_000;

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|\[::1\]|::ffff:127(\.\d+){3})$/;

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Throws `TOKEN_NEEDED` if others than this machine could connect and nothing would be asked of them. */
export function checkExposure(host: string, { token, authenticate }: AccessRules): void {
  if (isLoopback(host) || token !== undefined || authenticate !== undefined) return;
  throw new WorldError(
    'TOKEN_NEEDED',
    `The server would listen on ${host}, where others can reach it, and no token is set. Give a token (--token), or listen on 127.0.0.1.`,
  );
}

/** Whether a client may connect: as the server's own authentication says, or with the token. */
export async function clientAdmission(
  request: IncomingMessage,
  rules: AccessRules,
  warn: (message: string) => void,
): Promise<Admission> {
  if (!isOriginAllowed(request, rules)) return { refusal: 403 };
  const { token, authenticate } = rules;
  if (authenticate === undefined) {
    const isKnown = token === undefined || isSame(tokenOf(request), token);
    return isKnown ? { user: undefined } : { refusal: 401 };
  }
  let timer: NodeJS.Timeout | undefined;
  try {
    const { headers, socket } = request;
    const user = await Promise.race([
      authenticate({ token: tokenOf(request), headers, address: socket.remoteAddress }),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('it took too long')), AUTHENTICATED_WITHIN);
      }),
    ]);
    return typeof user?.id === 'string' ? { user } : { refusal: 401 };
  } catch (error) {
    warn(`Authentication failed, and the client was told to come again: ${messageOf(error)}`);
    return { refusal: 503 };
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an admin may connect: with the admin token if there is one, else from this machine. */
export function adminRefusal(request: IncomingMessage, rules: AccessRules): Refusal | undefined {
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
