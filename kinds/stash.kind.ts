import { defineKind } from 'offstage';
import { totalOf } from '../machines/items.ts';
import { stashMachine } from '../machines/stash.machine.ts';

/**
 * Items in a place that holds only so many; see the machine. Clients may not put or take: items come
 * from other records and go to them.
 */
export const stash = defineKind({
  name: 'stash',
  version: 1,
  machine: stashMachine,
  describe: ({ context: { items, capacity } }) => {
    const each = Object.keys(items)
      .sort()
      .map((item) => `${items[item]} ${item}`);
    return `${totalOf(items)} of ${capacity}${each.length === 0 ? '' : `: ${each.join(', ')}`}`;
  },
});
