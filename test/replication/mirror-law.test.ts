import fc from 'fast-check';
import { createWorld, defineKind, type World } from 'offstage';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { cellOf } from '../../src/core/place-index.ts';
import { fullRec } from '../../src/protocol/record-diff.ts';
import { viewOf } from '../../src/protocol/record-view.ts';
import type { Replication } from '../../src/replication/replication.ts';
import { CANARY, cart, meadowKinds } from '../support/meadow.ts';
import { Player } from '../support/player.ts';
import { replicate } from '../support/replicating.ts';

// The mirror law: what a client holds, once the flush has settled, is what the server has in the
// client's cells, without the server-only keys; nothing else, and nothing stale. Clients walk about,
// lose their connection with all that was under way, come back, do not keep up, and have budgets;
// flushes wait for the disk. And on the way there no record is missing that a client sees throughout.

/** More runs by `OFFSTAGE_FUZZ=n`. */
const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 300);

/** A cart that is always sent, whatever the budget. */
const flare = defineKind({
  name: 'flare',
  version: 1,
  machine: cart.machine as AnyStateMachine,
  urgent: true,
});
const kinds = [...meadowKinds, flare];

const place = fc.tuple(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -300, max: 300 }));
/** Where clients look: often where others do, so that they are told the same. */
const view = fc.oneof(fc.constantFrom<[number, number][]>([0, 0], [5, 5], [120, 0]), place);
const which = fc.nat(7);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), which, to: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('toggle' as const), which }) },
  fc.record({ do: fc.constant('put' as const), which, item: fc.string({ maxLength: 3 }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      which,
      at: place,
      kind: fc.constantFrom('lamp', 'cart', 'box', 'bell', 'flare'),
      relevancy: fc.constantFrom('spatial' as const, 'always' as const, 'none' as const),
    }),
  },
  fc.record({ do: fc.constant('remove' as const), which }),
  fc.record({ do: fc.constant('run' as const), milliseconds: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({ do: fc.constant('join' as const), view, all: fc.boolean() }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('look' as const), client: which, at: view }),
  },
  fc.record({ do: fc.constant('lose' as const), client: which, arrives: fc.nat(3) }),
  fc.record({ do: fc.constant('return' as const), client: which }),
  fc.record({ do: fc.constant('replace' as const), client: which }),
  fc.record({ do: fc.constant('ping' as const), client: which }),
  fc.record({ do: fc.constant('slow' as const), client: which }),
  fc.record({
    do: fc.constant('drain' as const),
    client: which,
    writes: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ do: fc.constant('disk' as const), isSlow: fc.boolean() }),
  fc.record({ do: fc.constant('resize' as const), cellSize: fc.constantFrom(40, 100, 250) }),
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('flush' as const),
      later: fc.constantFrom(200, 200, 1000, 2500, 61_000),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One run of the law, with all that it needs. */
class Run {
  readonly world: World = createWorld({
    kinds,
    settings: { cellSize: 100, relevancyRadius: 120 },
  });
  readonly players: Player[] = [];
  private readonly time = { now: 0 };
  private readonly replication: Replication;
  private isDiskLate = false;
  private waitingForDisk: (() => void)[] | undefined;
  private readonly held = new Map<Player, ReadonlySet<string>>();

  constructor(bytesPerSecond: number | undefined) {
    this.replication = replicate(this.world, this.time, {
      bytesPerSecond,
      whenDurable: (run) => {
        if (this.waitingForDisk === undefined) run();
        else this.waitingForDisk.push(run);
      },
    });
  }

  do(one: Step): void {
    const { world, players } = this;
    const id = 'which' in one ? `r${one.which}` : '';
    const player = 'client' in one ? players[one.client % (players.length || 1)] : undefined;
    switch (one.do) {
      case 'move':
        world.send(id, { type: 'GO', to: one.to });
        break;
      case 'toggle':
        world.send(id, { type: 'TOGGLE' });
        world.send(id, { type: 'NOTE', text: 'n' });
        break;
      case 'put':
        world.send(id, { type: 'PUT', item: one.item });
        break;
      case 'add':
        world.addIfMissing({ id, kind: one.kind, at: one.at, relevancy: one.relevancy });
        break;
      case 'remove':
        world.remove(id);
        break;
      case 'run':
        world.run(one.milliseconds);
        break;
      case 'join':
        this.join(one.view, one.all);
        break;
      case 'look':
        player?.look(one.at);
        break;
      case 'lose':
        if (player === undefined) break;
        player.wire.deliver(one.arrives);
        this.replication.disconnect(player.connection);
        break;
      case 'return':
        if (player?.connection.isOver) player.connect();
        break;
      case 'replace':
        // The old connection is still open, and its end comes late.
        if (player === undefined) break;
        {
          const old = player.connection;
          player.connect();
          this.replication.disconnect(old);
        }
        break;
      case 'ping':
        player?.ping();
        break;
      case 'slow':
        if (player !== undefined) player.wire.isSlow = true;
        break;
      case 'drain':
        player?.wire.deliver(one.writes);
        break;
      case 'disk':
        this.disk(one.isSlow);
        break;
      case 'resize':
        world.configure({ cellSize: one.cellSize });
        break;
      case 'flush':
        this.flush(one.later);
        break;
      default:
        one satisfies never;
    }
  }

  /** Lets everything arrive and everyone come back, and then compares. */
  settle(): void {
    this.disk(false);
    for (const player of this.players) {
      player.wire.isSlow = false;
      player.wire.deliver();
      if (player.connection.isOver) player.connect();
    }
    for (let i = 0; i < 100; i += 1) {
      const { dueAt } = this.replication;
      if (dueAt === undefined) break;
      this.flush(Math.max(0, dueAt - this.time.now));
    }
    expect(this.replication.dueAt).toBeUndefined();
    for (const player of this.players) {
      const held = new Map(
        [...player.mirror.records].map(([id, { waitingSince: _, ...view }]) => [id, view]),
      );
      expectSame(held, this.visibleTo(player));
      for (const sent of player.wire.sent) {
        if (Buffer.from(sent).includes(CANARY)) throw new Error('A secret was sent.');
      }
    }
  }

  private join(view: [number, number], all: boolean): void {
    const wanted = all ? undefined : { cart: 1, bell: 1, flare: 1 };
    this.players.push(new Player(this.replication, view, wanted, (player) => this.arrived(player)));
  }

  /** A write has arrived; nothing has gone that the client still sees. */
  private arrived(player: Player): void {
    const before = this.held.get(player);
    this.held.set(player, new Set(player.mirror.records.keys()));
    // What comes late is of an earlier moment; only of this one it can be said what must be there.
    if (before === undefined || this.isDiskLate || player.wire.isLate) return;
    const visible = this.visibleTo(player);
    for (const id of before) {
      if (player.mirror.records.has(id) || !visible.has(id)) continue;
      throw new Error(`${id} went missing though the client sees it.`);
    }
  }

  private flush(later: number): void {
    this.time.now += later;
    this.replication.flush(this.time.now);
  }

  private disk(isSlow: boolean): void {
    const waiting = this.waitingForDisk ?? [];
    this.waitingForDisk = isSlow ? [] : undefined;
    this.isDiskLate = true;
    for (const run of waiting) run();
    this.isDiskLate = false;
  }

  private visibleTo(player: Player): Map<string, unknown> {
    const cells = this.replication.cellsOf(player.connection);
    const visible = new Map<string, unknown>();
    for (const { id } of this.world.query()) {
      const record = this.world.valueOf(id);
      if (record === undefined) continue;
      if (player.kinds !== undefined && !Object.hasOwn(player.kinds, record.kind.name)) continue;
      const cell = cellOf(record, this.world.settings.cellSize);
      if (cell === 'always' || cells.has(cell)) {
        visible.set(id, viewOf(JSON.parse(JSON.stringify(fullRec(record)))));
      }
    }
    return visible;
  }
}

function run(steps: readonly Step[], bytesPerSecond?: number): Run {
  const it = new Run(bytesPerSecond);
  for (const one of steps) it.do(one);
  it.settle();
  return it;
}

test('what a client holds is what is in its cells', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 5, maxLength: 150, size: 'max' }),
      fc.constantFrom(undefined, 100, 1000),
      (steps, bytesPerSecond) => void run(steps, bytesPerSecond),
    ),
    { numRuns: RUNS },
  );
});

test('what moves between cells is never missing to a client that is sent some of them less often', () => {
  const begin: Step[] = [
    ...[0, 1, 2, 3, 4, 5, 6, 7].map(
      (n): Step => ({
        do: 'add',
        which: n,
        at: [n * 60 - 200, 50],
        kind: n < 4 ? 'cart' : 'lamp',
        relevancy: 'spatial',
      }),
    ),
    { do: 'join', view: [0, 0], all: true },
    { do: 'join', view: [100, 50], all: true },
  ];
  const near = fc.tuple(fc.integer({ min: -250, max: 250 }), fc.integer({ min: -50, max: 150 }));
  // Every turn something changes in every cell, so that budgets are always short.
  const turn = fc
    .tuple(fc.nat(3), near, fc.nat(12), fc.nat(1), near)
    .map(([cart, to, chance, client, view]): Step[] => [
      { do: 'move', which: cart, to },
      ...[4, 5, 6, 7].map((n): Step => ({ do: 'toggle', which: n })),
      ...(chance === 0 ? [{ do: 'look', client, at: view } as const] : []),
      { do: 'flush', later: 200 },
    ]);
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 20, maxLength: 60, size: 'max' }),
      fc.integer({ min: 500, max: 6000 }),
      (turns, bytesPerSecond) => void run([...begin, ...turns.flat()], bytesPerSecond),
    ),
    { numRuns: Math.ceil(RUNS / 3) },
  );
});

describe('the law was broken once, and holds,', () => {
  test('when a record is replaced by one of a kind that the client does not read', () => {
    run([
      { do: 'join', view: [0, 0], all: false },
      { do: 'add', which: 6, at: [0, 0], kind: 'cart', relevancy: 'always' },
      { do: 'flush', later: 200 },
      { do: 'remove', which: 6 },
      { do: 'add', which: 6, at: [0, 0], kind: 'lamp', relevancy: 'always' },
      { do: 'flush', later: 200 },
      { do: 'remove', which: 6 },
      { do: 'flush', later: 200 },
    ]);
  });

  test('when what was said of an emptied cell is lost with the connection, and that again', () => {
    run([
      { do: 'add', which: 3, at: [0, 0], kind: 'flare', relevancy: 'spatial' },
      { do: 'join', view: [0, 0], all: false },
      { do: 'flush', later: 200 },
      { do: 'remove', which: 3 },
      { do: 'lose', client: 0, arrives: 0 },
      { do: 'flush', later: 200 },
      { do: 'return', client: 0 },
      { do: 'disk', isSlow: true },
      { do: 'flush', later: 200 },
      { do: 'slow', client: 0 },
      { do: 'lose', client: 0, arrives: 0 },
      { do: 'flush', later: 200 },
    ]);
  });

  test('when a cell is left and entered again, and what it held is by then in one that waits', () => {
    const turn = (to: [number, number], which: number, at: [number, number]): Step[] => [
      { do: 'move', which, to },
      ...[4, 5, 6, 7].map((n): Step => ({ do: 'toggle', which: n })),
      { do: 'look', client: 0, at },
      { do: 'flush', later: 200 },
    ];
    const steps: Step[] = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({
      do: 'add',
      which: n,
      at: [n * 60 - 200, 50],
      kind: n < 4 ? 'cart' : 'lamp',
      relevancy: 'spatial',
    }));
    for (let warmUp = 0; warmUp < 12; warmUp += 1) {
      run(
        [
          ...steps,
          { do: 'join', view: [0, 0], all: true },
          ...Array.from({ length: warmUp }, () => turn([0, 0], 0, [0, 0])).flat(),
          ...turn([0, 0], 0, [154, 0]),
          ...turn([0, 0], 1, [0, 0]),
        ],
        500,
      );
    }
  });

  test('when a client loses what filled and emptied a cell that was empty when it came', () => {
    run([
      { do: 'join', view: [0, 0], all: true },
      { do: 'join', view: [0, 0], all: true },
      { do: 'flush', later: 200 },
      { do: 'ping', client: 0 },
      { do: 'add', which: 1, at: [10, 10], kind: 'cart', relevancy: 'spatial' },
      { do: 'flush', later: 200 },
      { do: 'slow', client: 0 },
      { do: 'remove', which: 1 },
      { do: 'flush', later: 200 },
      { do: 'lose', client: 0, arrives: 0 },
      { do: 'flush', later: 200 },
    ]);
  });
});

/** Cheaper than an assertion per record, and the message shows only what differs. */
function expectSame(held: Map<string, unknown>, expected: Map<string, unknown>): void {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, inner) =>
      inner instanceof Map ? [...inner] : typeof inner === 'bigint' ? `${inner}n` : inner,
    ) ?? 'nothing';
  for (const id of new Set([...held.keys(), ...expected.keys()])) {
    const [a, b] = [text(held.get(id)), text(expected.get(id))];
    if (a !== b) throw new Error(`${id} is held as\n${a}\nand is\n${b}`);
  }
}
