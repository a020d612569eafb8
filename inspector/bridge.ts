/**
 * The one place that touches `@xstate/inspect`, Stately's inspector for XState 4: it is given sockets of
 * ours for its server, and records that look like services. `src/inspect/stately` has both.
 */
import { EventEmitter } from 'node:events';
import { inspect } from '@xstate/inspect/lib/server.js';

interface Sockets extends EventEmitter {
  readonly clients: ReadonlySet<unknown>;
}

/** What the inspector takes for its server: there is one for as long as the process lives, as it forgets none. */
class Server extends EventEmitter {
  sockets: Sockets | undefined;
  get clients(): ReadonlySet<unknown> {
    return this.sockets?.clients ?? new Set();
  }
}

let server: Server | undefined;

/** Opens it on our sockets, in the place of any from before. */
export function openV4(sockets: Sockets): { register(service: object): void; close(): void } {
  if (server === undefined) {
    server = new Server();
    inspect({ server: server as unknown as Parameters<typeof inspect>[0]['server'] });
  }
  const opened = server;
  const connect = (client: unknown): boolean => opened.emit('connection', client);
  opened.sockets = sockets;
  sockets.on('connection', connect);
  const devTools = (globalThis as { __xstate__?: { register(service: object): void } }).__xstate__;
  if (devTools === undefined) throw new Error('@xstate/inspect has set up no devtools.');
  return {
    register: (service) => devTools.register(service),
    close: () => {
      sockets.off('connection', connect);
      if (opened.sockets === sockets) opened.sockets = undefined;
    },
  };
}
