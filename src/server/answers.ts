/** What the server answers to plain HTTP requests. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { messageOf } from '../core/errors.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface AnswerParts {
  health(): Health;
  readonly metrics: Metrics;
  /** Whether a request comes from one who looks after the server. */
  isAdmin(request: IncomingMessage): boolean;
}

/**
 * `/` says what runs here and how to see it; `/healthz` says how it does, red as 503; `/metrics` gives
 * figures for Prometheus to those who are let into `/admin`.
 */
export function answers(world: string, { health, metrics, isAdmin }: AnswerParts): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/healthz') {
      const state = health();
      response.writeHead(state.ok ? 200 : 503, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(state)}\n`);
      return;
    }
    if (path === '/metrics') {
      if (!isAdmin(request)) {
        response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
        response.end('Metrics are for admins: ask from this machine, or with the admin token.\n');
        return;
      }
      metrics.page().then(
        (page) => response.writeHead(200, { 'content-type': metrics.contentType }).end(page),
        (error: unknown) => response.writeHead(500).end(`${messageOf(error)}\n`),
      );
      return;
    }
    const isRoot = path === '/';
    const at = request.headers.host === undefined ? '' : ` http://${request.headers.host}`;
    response.writeHead(isRoot ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(
      isRoot
        ? `Offstage runs the world '${world}' here.\n\nSee it in a terminal:  npx offstage watch${at}\nHow it is doing:       npx offstage info${at}, /healthz, or /metrics\n`
        : 'Nothing is here. The world is at /world and /admin (WebSocket), its health at /healthz, its figures at /metrics.\n',
    );
  };
}
