import fc from 'fast-check';
import { createWorld } from 'offstage';
import { test } from 'vitest';
import { cellOf } from '../../src/core/place-index.ts';
import { fullRec } from '../../src/protocol/record-diff.ts';
import { viewOf } from '../../src/protocol/record-view.ts';
import { Replication } from '../../src/replication/replication.ts';
import type { Session } from '../../src/replication/session.ts';
import { FakeWire } from '../support/fake-wire.ts';
import { CANARY, meadowKinds } from '../support/meadow.ts';

// The mirror law: what a client holds after a flush is what the server has in the client's cells,
// without the server-only keys; nothing else, and nothing stale.

const place = fc.tuple(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -300, max: 300 }));
const which = fc.nat(7);

const step = fc.oneof(
  fc.record({ do: fc.constant('move' as const), which, to: place }),
  fc.record({ do: fc.constant('toggle' as const), which }),
  fc.record({ do: fc.constant('put' as const), which, item: fc.string({ maxLength: 3 }) }),
  fc.record({
    do: fc.constant('add' as const),
    which,
    at: place,
    kind: fc.constantFrom('lamp', 'cart', 'box', 'bell'),
    relevancy: fc.constantFrom('spatial' as const, 'always' as const, 'none' as const),
  }),
  fc.record({ do: fc.constant('remove' as const), which }),
  fc.record({ do: fc.constant('run' as const), milliseconds: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({ do: fc.constant('join' as const), view: place, kinds: fc.boolean() }),
  fc.record({ do: fc.constant('look' as const), client: which, at: place }),
  fc.record({ do: fc.constant('drop' as const), client: which }),
  fc.record({ do: fc.constant('resize' as const), cellSize: fc.constantFrom(40, 100, 250) }),
  fc.record({ do: fc.constant('flush' as const), later: fc.constantFrom(200, 1000, 2500) }),
);

interface Client {
  readonly session: Session;
  readonly wire: FakeWire;
  readonly reads: ReadonlySet<string> | undefined;
}

test('what a client holds is what is in its cells', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 80 }), (steps) => {
      const world = createWorld({
        kinds: meadowKinds,
        settings: { cellSize: 100, relevancyRadius: 120 },
      });
      let secrets = 0;
      const replication = new Replication({
        world,
        name: 'meadow',
        clock: () => ({ time: world.time, speed: 1, paused: false }),
        secret: () => {
          secrets += 1;
          return String(secrets);
        },
        warn: () => {},
      });
      const clients: Client[] = [];
      let now = 0;
      const flush = (later: number): void => {
        now += later;
        replication.flush(now);
        for (const client of clients) check(client);
      };
      const check = ({ session, wire, reads }: Client): void => {
        const { cellSize } = world.settings;
        const expected = new Map<string, unknown>();
        for (const { id } of world.query()) {
          const record = world.valueOf(id);
          if (record === undefined || reads?.has(record.kind.name) === false) continue;
          const cell = cellOf(record, cellSize);
          if (cell === 'always' || session.cells.has(cell)) {
            expected.set(id, viewOf(JSON.parse(JSON.stringify(fullRec(record)))));
          }
        }
        const held = new Map(
          [...wire.mirror.records].map(([id, { waitingSince: _, ...view }]) => [id, view]),
        );
        expectSame(held, expected);
        if (wire.text.includes(CANARY)) throw new Error('A secret was sent.');
      };
      for (const one of steps) {
        const id = 'which' in one ? `r${one.which}` : '';
        const client = 'client' in one ? clients[one.client % (clients.length || 1)] : undefined;
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
          case 'join': {
            const wire = new FakeWire();
            const session = replication.connect(wire);
            const kinds = one.kinds ? undefined : { cart: 1, bell: 1 };
            const hello = { type: 'hello', protocol: 1, view: one.view, kinds };
            replication.receive(session, JSON.stringify(hello));
            const reads = kinds === undefined ? undefined : new Set(Object.keys(kinds));
            clients.push({ session, wire, reads });
            break;
          }
          case 'look':
            if (client === undefined) break;
            replication.receive(client.session, JSON.stringify({ type: 'view', at: one.at }));
            break;
          case 'drop':
            if (client === undefined) break;
            replication.disconnect(client.session);
            clients.splice(clients.indexOf(client), 1);
            break;
          case 'resize':
            world.configure({ cellSize: one.cellSize });
            break;
          case 'flush':
            flush(one.later);
            break;
          default:
            one satisfies never;
        }
      }
      flush(200);
    }),
    { numRuns: 300 },
  );
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
