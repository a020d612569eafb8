import { connect } from 'node:net';
import { afterEach } from 'vitest';
import WebSocket from 'ws';
import type { NewRecord } from '../../src/core/ambient.ts';
import type { Settings } from '../../src/core/settings.ts';
import { type ServeOptions, type Server, serve } from '../../src/server/serve.ts';
import { meadowKinds } from './meadow.ts';
import { type Scratch, scratch } from './scratch.ts';

const running: { close(): unknown }[] = [];
const folders: Scratch[] = [];

// Whatever a test starts ends with it, also when it fails.
afterEach(async () => {
  for (const one of running.splice(0).reverse()) {
    // A server that a test left in trouble says so again.
    await Promise.resolve(one.close()).catch(() => {});
  }
  for (const folder of folders.splice(0)) await folder.remove();
});

/** Ends something with the test that began it. */
export function endWithTest<T extends { close(): unknown }>(one: T): T {
  running.push(one);
  return one;
}

/** A folder for worlds, which ends with the test. */
export async function emptySaves(): Promise<string> {
  const folder = await scratch('saves');
  folders.push(folder);
  return folder.path;
}

/** A folder with the seed of a world `meadow`. */
export async function meadowSaves(
  records: readonly NewRecord[],
  settings: Partial<Settings> = {},
): Promise<string> {
  const folder = await scratch('saves');
  folders.push(folder);
  const seed = { format: 1, world: 'meadow', seed: 'meadow', settings, records };
  await folder.write({ 'meadow.seed.json': JSON.stringify(seed) });
  return folder.path;
}

/** A real server of the world `meadow` on a free port of this machine. */
export async function serveMeadow(
  records: readonly NewRecord[],
  options: Partial<ServeOptions> & { readonly settings?: Partial<Settings> } = {},
): Promise<Server> {
  const { settings = {}, ...rest } = options;
  const savesDir = await meadowSaves(records, { cellSize: 100, relevancyRadius: 150, ...settings });
  return endWithTest(
    await serve({ world: 'meadow', kinds: meadowKinds, port: 0, savesDir, ...rest }),
  );
}

/** A bare socket that keeps what it hears, for saying what no client would. */
export class RawSocket {
  readonly heard: { readonly type: string; readonly [key: string]: unknown }[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  private readonly socket: WebSocket;
  private readonly onMessage = new Set<() => void>();

  constructor(url: string, options: WebSocket.ClientOptions = {}) {
    this.socket = new WebSocket(url, options);
    this.socket.on('message', (data) => {
      this.heard.push(JSON.parse(String(data)));
      for (const look of this.onMessage) look();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
      this.socket.on('error', ({ message }) => resolve({ code: 0, reason: message }));
    });
    running.push(this);
  }

  async opened(): Promise<this> {
    if (this.socket.readyState !== WebSocket.OPEN) {
      await new Promise<void>((resolve, reject) => {
        this.socket.once('open', () => resolve());
        this.socket.once('error', reject);
      });
    }
    return this;
  }

  say(message: unknown): this {
    this.socket.send(typeof message === 'object' ? JSON.stringify(message) : String(message));
    return this;
  }

  sendBytes(bytes: Uint8Array, options: { binary?: boolean; fin?: boolean } = {}): void {
    this.socket.send(bytes, options);
  }

  /** The first message of a type, once it is there. */
  hears(type: string): Promise<{ readonly [key: string]: unknown }> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.heard.find((message) => message.type === type);
        if (found === undefined) return;
        this.onMessage.delete(look);
        resolve(found);
      };
      this.onMessage.add(look);
      look();
    });
  }

  close(): void {
    this.socket.terminate();
  }
}

/** Says something over plain TCP and gives all that comes back until the other side ends it. */
export function overTcp(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

/** Resolves when something is so. It looks again with each turn of the event loop. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
