/** What a resource does to those who wait for it: it gives, and is told whether that was taken. */
import type { Address } from '../core/address.ts';
import { ambient, currentEvent, type Offered } from '../core/ambient.ts';
import { WorldError } from '../core/errors.ts';
import type { MachineEvent } from '../core/logic.ts';

/**
 * Has another record take an event now, within this transaction, as `tryEdit` does, and says what
 * became of it: `taken`; `refused`, and nothing changed there; or `busy`, as that record is in the
 * middle of a step of this very event (or a message between the two is on its way, which this would overtake or cross), and can be asked
 * again in the next. For an `assign` or an action
 * whose outcome depends on the answer. In a guard it throws `ONLY_LOOKING`.
 *
 * @example
 * actions: { serve: assign(({ context }) =>
 *   offer(byId(context.next), { type: 'SERVED' }) === 'taken' ? { next: null } : {}) }
 */
export function offer(record: Address, event: MachineEvent): Offered {
  const happening = currentEvent('offer');
  if (ambient.inGuard) {
    throw new WorldError(
      'ONLY_LOOKING',
      `${happening.selfId} offers ${event.type} in a guard, which only looks; ask linked(…).can(event) there, and offer in an action.`,
    );
  }
  return happening.offer(record, event);
}
