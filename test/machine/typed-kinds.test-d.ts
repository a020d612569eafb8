/** What the compiler knows of kinds, and what it does not let pass. */
import {
  type ContextOf,
  createWorld,
  defineKind,
  type EventOf,
  linksOf,
  typedWorld,
} from 'offstage';
import { connect } from 'offstage/client';
import { testKind } from 'offstage/testing';
import { field, kinds, stash, station } from '../../kinds/index.ts';
import type { stashMachine } from '../../machines/stash.machine.ts';

// Links: their names, and the events at their ends.
const { edit, tryEdit, linked } = linksOf<{ from: typeof stashMachine }>();
edit('from', { type: 'TAKE', item: 'ore', count: 1 });
// @ts-expect-error There is no link of that name.
edit('form', { type: 'TAKE', item: 'ore', count: 1 });
// @ts-expect-error A stash takes no such event.
edit('from', { type: 'STEAL', item: 'ore', count: 1 });
// @ts-expect-error It lacks its count.
tryEdit('from', { type: 'TAKE', item: 'ore' });
// @ts-expect-error A stash takes no such event.
linked('from')?.can({ type: 'STEAL' });
linked('from')?.context.capacity satisfies number | undefined;

// Kinds: their context and events.
({ type: 'RUSH' }) satisfies EventOf<typeof station>;
// @ts-expect-error Not an event of a station.
({ type: 'WATER', amount: 1 }) satisfies EventOf<typeof station>;
({}) as ContextOf<typeof field> satisfies { readonly moisture: number };

// A world, by the registry of its kinds.
const world = typedWorld(createWorld({ kinds }), kinds);
world.send('field-3', { type: 'WATER', amount: 0.2 });
// @ts-expect-error No kind takes it.
world.send('field-3', { type: 'BURN' });
// @ts-expect-error It lacks its amount.
world.send('field-3', { type: 'WATER' });
world.onNotice(({ event }) => {
  if (event.type === 'HARVESTED') event.count satisfies number;
  // @ts-expect-error No kind emits it.
  if (event.type === 'BURNT') return;
});

// A record, by its kind: on the server, on a client, and in a test.
const onServer = createWorld({ kinds }).record('field-3', field);
onServer.getSnapshot()?.context.moisture satisfies number | undefined;
// @ts-expect-error A field takes no such event.
onServer.send({ type: 'RUSH' });
const client = connect('ws://127.0.0.1:4400', { kinds, view: [0, 0] });
const onClient = client.record('field-3', field);
onClient.getSnapshot()?.context.moisture satisfies number | undefined;
onClient.send({ type: 'HARVEST' });
// @ts-expect-error A field takes no such event.
onClient.send({ type: 'RUSH' });
const t = testKind(stash, { input: { capacity: 9 } });
// @ts-expect-error A stash takes no such event.
t.send({ type: 'STEAL' });
// @ts-expect-error Its input lacks the capacity.
testKind(stash, { input: {} });

// A kind: what its options name.
defineKind({
  name: 'x',
  version: 1,
  machine: station.machine,
  // @ts-expect-error The machine takes no such event.
  commands: { HURRY: {} },
});
defineKind({
  name: 'x',
  version: 1,
  machine: station.machine,
  // @ts-expect-error The context has no such key.
  serverOnly: ['secret'],
});
