import { createWorld } from 'offstage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { AdminSessions } from '../../src/server/admin-sessions.ts';
import { followAdmin } from '../../src/server/admin-socket.ts';
import { meadowKinds } from '../support/meadow.ts';
import { NOTHING_SENT } from '../support/replicating.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** As much of a socket as a server asks for. */
class FakeSocket {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: string[] = [];
  closed: readonly [code: number, reason: string] | undefined;
  isTerminated = false;
  say: (data: string, isBinary: boolean) => void = () => {};

  on(event: string, listener: (data: string, isBinary: boolean) => void): void {
    if (event === 'message') this.say = listener;
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(code: number, reason: string): void {
    this.readyState = 2;
    this.closed = [code, reason];
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

test('an admin that does not read what it asked for is let go, and cut off', () => {
  const world = createWorld({ kinds: meadowKinds });
  const admins = new AdminSessions({
    world,
    surroundings: () => ({ name: 'meadow', clock: world.clock, ...NOTHING_SENT }),
    warn: () => {},
    whenDurable: (run) => run(),
    save: () => Promise.reject(new Error('Nobody asked for it.')),
  });
  const socket = new FakeSocket();
  followAdmin(socket as unknown as WebSocket, admins, () => {});
  const ask = JSON.stringify({ type: 'query', seq: 1, what: 'records' });
  socket.bufferedAmount = 1024 * 1024;
  socket.say(ask, false);
  expect(socket.sent).toHaveLength(2);
  socket.bufferedAmount = 9 * 1024 * 1024;
  socket.say(ask, false);
  expect(socket.sent).toHaveLength(2);
  expect(socket.closed).toEqual([1013, 'TOO_SLOW']);
  vi.runAllTimers();
  expect(socket.isTerminated).toBe(true);
});
