/** Records that are added with the same links share them; nobody can see that. */
import { createWorld, link } from 'offstage';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { kindOf, pile } from '../support/small-kinds.ts';

const at = [0, 0];

const cart = kindOf(
  setup({
    types: { events: {} as { type: 'TURN' } },
    actions: { turn: link('ore', () => 'far') },
  }).createMachine({ id: 'cart', on: { TURN: { actions: 'turn' } } }),
  { links: { ore: 'pile' } },
);

describe('records that were added with the same links', () => {
  it('are linked elsewhere one by one', () => {
    const world = createWorld({ kinds: [pile, cart] });
    for (const id of ['near', 'far']) world.add({ id, kind: 'pile', at });
    for (const id of ['a', 'b', 'c']) world.add({ id, kind: 'cart', at, links: { ore: 'near' } });
    world.send('b', { type: 'TURN' });
    world.run(1);
    expect(['a', 'b', 'c'].map((id) => world.find(id)?.links.ore)).toEqual(['near', 'far', 'near']);
    expect(['near', 'far'].map((id) => world.linkerIds(id).toSorted())).toEqual([
      ['a', 'c'],
      ['b'],
    ]);
  });

  it('differ from one that was added with none, or with others', () => {
    const world = createWorld({ kinds: [pile, cart] });
    for (const id of ['near', 'far']) world.add({ id, kind: 'pile', at });
    world.add({ id: 'a', kind: 'cart', at, links: { ore: 'near' } });
    world.add({ id: 'b', kind: 'cart', at });
    world.add({ id: 'c', kind: 'cart', at, links: { ore: 'far' } });
    world.add({ id: 'd', kind: 'cart', at, links: { ore: 'near' } });
    expect(['a', 'b', 'c', 'd'].map((id) => world.find(id)?.links)).toEqual([
      { ore: 'near' },
      {},
      { ore: 'far' },
      { ore: 'near' },
    ]);
  });
});
