/** A WebSocket wherever this runs: the platform's own, or that of `ws` in a Node that has none. */

/** What the client uses of one. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener' | 'readyState'>;

export async function openSocket(url: string): Promise<Socket> {
  if (typeof globalThis.WebSocket === 'function') return new globalThis.WebSocket(url);
  // Imported only here and only then: a bundle for browsers never runs this line.
  const { WebSocket } = await import('ws');
  return new WebSocket(url) as Socket;
}

/** The address of a server's `/world` or `/admin`, with its token; `http:` is taken as `ws:`. */
export function socketUrl(url: string, path: string, token: string | undefined): string {
  const address = new URL(url);
  address.protocol = address.protocol.replace('http', 'ws');
  if (address.pathname === '/') address.pathname = path;
  if (token !== undefined) address.searchParams.set('token', token);
  return address.href;
}
