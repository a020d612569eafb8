/** Where the server's `/admin` is, and the admin token if it asks for one. */

const KEY = 'offstage-admin-token';

/** Beside the page, also behind a proxy that adds a path. */
export function addressOfAdmin(): URL {
  return new URL('admin', location.href.replace(/[?#].*$/, ''));
}

/**
 * The token given after `#token=`, which browsers send to no server, else the one typed in before. It
 * is kept for this tab alone.
 */
export function rememberedToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    rememberToken(given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function rememberToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}
