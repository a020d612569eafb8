/** What the server answers to plain HTTP requests. */
import type { RequestListener } from 'node:http';
import type { Health } from './health.ts';

/** `/` says what runs here and how to see it; `/healthz` says how it does, red as 503. */
export function answers(world: string, health: () => Health): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/healthz') {
      const state = health();
      response.writeHead(state.ok ? 200 : 503, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(state)}\n`);
      return;
    }
    const isRoot = path === '/';
    const at = request.headers.host === undefined ? '' : ` http://${request.headers.host}`;
    response.writeHead(isRoot ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(
      isRoot
        ? `Offstage runs the world '${world}' here.\n\nSee it in a terminal:  npx offstage watch${at}\nHow it is doing:       npx offstage info${at}, or /healthz\n`
        : 'Nothing is here. The world is at /world and /admin (WebSocket), its health at /healthz.\n',
    );
  };
}
