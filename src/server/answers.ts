/** What the server answers to plain HTTP requests. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { messageOf } from '../core/errors.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { PageAnswer } from './page.ts';

export interface AnswerParts {
  health(): Health;
  readonly metrics: Metrics;
  /** Why a request may not look after the server, undefined if it may. */
  adminRefusal(request: IncomingMessage): number | undefined;
  readonly page: PageAnswer;
}

/**
 * `/` is the inspector page; a program that asks for no page is told what runs here and how to see it.
 * `/admin`, asked without a WebSocket, says whether one would be let in. `/healthz` says how it does, red as 503; `/metrics` gives
 * figures for Prometheus to those who are let into `/admin`.
 */
export function answers(
  world: string,
  { health, metrics, adminRefusal, page }: AnswerParts,
): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/healthz') {
      const state = health();
      response.writeHead(state.ok ? 200 : 503, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(state)}\n`);
      return;
    }
    if (path === '/metrics') {
      if (adminRefusal(request) !== undefined) {
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
    if (path === '/admin') {
      const refusal = adminRefusal(request);
      const answer = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
      response.writeHead(refusal ?? 426, answer);
      response.end(
        refusal === undefined
          ? 'Connect here with a WebSocket.\n'
          : 'Admins connect from this machine, or with the admin token.\n',
      );
      return;
    }
    // The page is for browsers: a program at `/` gets words.
    const asksForPage = path === '/' && /\btext\/html\b/.test(request.headers.accept ?? '');
    const isPage = asksForPage || /^\/(assets\/|licenses\.md$)/.test(path ?? '');
    const isRead = /^(GET|HEAD)$/.test(request.method ?? '');
    const inWords = (): void => answerInWords(world, path === '/', request, response);
    if (isPage && isRead) page(request, response, inWords);
    else inWords();
  };
}

function answerInWords(
  world: string,
  isRoot: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const at = request.headers.host === undefined ? '' : ` http://${request.headers.host}`;
  response.writeHead(isRoot ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(
    isRoot
      ? `Offstage runs the world '${world}' here.\n\nSee it in a browser:    open this address\nSee it in a terminal:  npx offstage watch${at}\nHow it is doing:       npx offstage info${at}, /healthz, or /metrics\n`
      : 'Nothing is here. The world is at /world and /admin (WebSocket), its health at /healthz, its figures at /metrics.\n',
  );
}
