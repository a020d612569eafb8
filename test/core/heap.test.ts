/** The heap against a sorted list. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from '../../src/core/heap.ts';
import { TurnOrder } from '../../src/core/order.ts';

const SLOTS = 40;

function orderOfSlots(): TurnOrder {
  const order = new TurnOrder((slot) => `id${slot}`);
  // Few ranks, so that ties are decided by rank and then by id.
  for (let slot = 0; slot < SLOTS; slot += 1) order.set(slot, (slot * 7) % 5);
  return order;
}

describe('the heap', () => {
  it('holds one entry a slot and gives them by key, then in the order of turns', () => {
    const operation = fc.record({
      slot: fc.nat(SLOTS - 1),
      key: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
        const order = orderOfSlots();
        const heap = new Heap(order);
        const model = new Map<number, number>();
        const inOrder = (): number[] =>
          [...model.keys()].sort(
            (a, b) => (model.get(a) as number) - (model.get(b) as number) || order.compare(a, b),
          );
        for (const { slot, key } of operations) {
          if (key === undefined) {
            heap.remove(slot);
            model.delete(slot);
          } else {
            heap.set(slot, key);
            model.set(slot, key);
          }
          const [first] = inOrder();
          expect(heap.size).toBe(model.size);
          expect(heap.topKey).toBe(
            first === undefined ? Number.POSITIVE_INFINITY : model.get(first),
          );
          if (first !== undefined) expect(heap.topSlot).toBe(first);
          expect(heap.keyOf(slot)).toBe(model.get(slot) ?? Number.POSITIVE_INFINITY);
        }
        expect(heap.earliest(10)).toEqual(inOrder().slice(0, 10));
        expect(heap.dueBy(3).sort()).toEqual(
          inOrder()
            .filter((slot) => (model.get(slot) as number) <= 3)
            .sort(),
        );
        const drained: number[] = [];
        while (heap.size > 0) {
          drained.push(heap.topSlot);
          heap.remove(heap.topSlot);
        }
        expect(drained).toEqual(inOrder());
      }),
    );
  });
});
