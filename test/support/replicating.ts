import { createHash } from 'node:crypto';
import type { World } from 'offstage';
import type { ReplicationRates, ReplicationStats, SaveStats } from '../../src/protocol/admin.ts';
import type { Connection } from '../../src/replication/connection.ts';
import { Replication, type ReplicationParts } from '../../src/replication/replication.ts';
import { FakeWire } from './fake-wire.ts';

/** What stands for real time in a test; it goes only when the test says so. */
export interface TestTime {
  now: number;
}

/** The replication of a world without a server around it. */
export function replicate(
  world: World,
  time: TestTime = { now: 0 },
  more: Partial<ReplicationParts> = {},
): Replication {
  let secrets = 0;
  return new Replication({
    world,
    name: 'meadow',
    clock: () => ({ time: world.time, speed: 1, paused: false }),
    secret: () => {
      secrets += 1;
      return `secret-${secrets}`;
    },
    idOf: (secret, user) =>
      createHash('sha256').update(`${secret} ${user?.id}`).digest('base64url'),
    warn: () => {},
    now: () => time.now,
    date: () => 1_800_000_000_000 + time.now,
    ...more,
  });
}

/** A client without a socket. */
export interface TestClient {
  readonly wire: FakeWire;
  readonly connection: Connection;
  say(message: object): void;
}

/** Connects a client and says nothing. */
export function connected(replication: Replication, wire = new FakeWire()): TestClient {
  const connection = replication.connect(wire);
  return {
    wire,
    connection,
    say: (message) => replication.receive(connection, JSON.stringify(message)),
  };
}

const NO_TRAFFIC: ReplicationStats & ReplicationRates = {
  clients: 0,
  away: 0,
  cells: 0,
  bytesSent: 0,
  framesSent: 0,
  buffered: 0,
  conflations: 0,
  noticesMissed: 0,
  commands: 0,
  rejects: {},
  flushes: 0,
  flushMilliseconds: 0,
  bytesPerSecond: 0,
  framesPerSecond: 0,
};

/** What is kept of a world that is not kept. */
export const NO_SAVES: SaveStats = {
  state: 'well',
  code: null,
  message: null,
  generation: 0,
  savedAt: 0,
  waiting: 0,
};

/** What a world that is not served or kept says of its server. */
export const NOTHING_SENT = {
  replication: NO_TRAFFIC,
  saves: NO_SAVES,
  frames: { count: 0, milliseconds: 0, longest: 0 },
  memory: { heapUsed: 0, resident: 0 },
};
