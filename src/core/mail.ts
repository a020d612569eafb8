/**
 * Messages on their way: those that arrive in the next iteration, and those that wait in this one for
 * the turn of whom they are for. The agenda says whose turn it is.
 */
import { type AllOf, all, byId } from './address.ts';
import { hash32 } from './hash.ts';
import type { MachineEvent } from './logic.ts';
import { compareTurns, turnRank } from './order.ts';
import { type Delivery, holdsMessage } from './outgoing.ts';
import type { Store } from './store.ts';

/** A message that waits for its receiver's turn, as it is saved. */
export interface WaitingMessage {
  readonly to: string;
  readonly from: string;
  readonly event: MachineEvent;
  /** Set if it was sent to a set of records, and not to this one by its id. */
  readonly isToMany?: true;
}

/** Gives the slots of a set of records. */
export type Receivers = (set: AllOf) => Iterable<number>;

/** The messages of a record in this iteration, and how many it has taken. */
interface Inbox {
  readonly messages: Delivery[];
  taken: number;
}

function waitingIn({ messages, taken }: Inbox): Delivery[] {
  return messages.slice(taken);
}

export class Mail {
  private readonly store: Store;
  private messages: Delivery[] = [];
  private readonly inboxes = new Map<number, Inbox>();

  constructor(store: Store) {
    this.store = store;
  }

  /** How many messages wait for the next iteration. */
  get count(): number {
    return this.messages.length;
  }

  /** Whether no message is on its way to anybody. */
  get isSettled(): boolean {
    return this.messages.length === 0 && this.inboxes.size === 0;
  }

  /** Whether one of two records has a message on its way to the other that was not taken yet. */
  isUnsettled(one: string, other: string): boolean {
    return this.isOnItsWay(one, other) || this.isOnItsWay(other, one);
  }

  /** A message arrives in the next iteration. */
  post(delivery: Delivery): void {
    this.messages.push(delivery);
  }

  /** Those that wait for the next iteration. */
  posted(): Delivery[] {
    return this.messages.slice();
  }

  /** Slots of records for which messages wait in this iteration. */
  slots(): Iterable<number> {
    return this.inboxes.keys();
  }

  /** Whether a message waits for the record in that slot. */
  has(slot: number): boolean {
    return this.inboxes.has(slot);
  }

  /** The next message that waits for the record in that slot; it is then no longer there. */
  take(slot: number): Delivery | undefined {
    const inbox = this.inboxes.get(slot);
    if (inbox === undefined) return undefined;
    const message = inbox.messages[inbox.taken];
    inbox.taken += 1;
    if (inbox.taken === inbox.messages.length) this.inboxes.delete(slot);
    return message;
  }

  /**
   * Begins an iteration: puts each message before its receivers, by the sender's place in the order, then
   * its count. Gives those that reach nobody.
   */
  deliver(receivers: Receivers): Delivery[] {
    const { messages } = this;
    if (messages.length === 0) return messages;
    this.messages = [];
    const lost: Delivery[] = [];
    if (messages.length > 1) messages.sort(bySender);
    for (const delivery of messages) {
      let reached = false;
      for (const slot of this.receiversOf(delivery, receivers)) {
        reached = true;
        this.put(slot, delivery);
      }
      if (!reached) lost.push(delivery);
    }
    return lost;
  }

  /** Drops what waits in this iteration for a record, or for all. */
  drop(slot?: number): void {
    if (slot === undefined) this.inboxes.clear();
    else this.inboxes.delete(slot);
  }

  /** What waits in this iteration for records, given in the order of turns. */
  waiting(slots: readonly number[]): WaitingMessage[] {
    return slots.flatMap((slot) => {
      const to = (this.store.get(slot) as { readonly id: string }).id;
      return waitingIn(this.inboxes.get(slot) as Inbox).map(({ from, event, to: { type } }) => ({
        to,
        from,
        event,
        ...(type === 'offstage.all' ? { isToMany: true as const } : {}),
      }));
    });
  }

  /** Takes up where a saved world was. */
  restore(waiting: readonly WaitingMessage[], posted: readonly Delivery[]): void {
    for (const { to, from, event, isToMany } of waiting) {
      const slot = this.store.slotOf(to);
      if (slot < 0) continue;
      this.put(slot, { to: isToMany === true ? all({}) : byId(to), event, from, fromOrder: 0 });
    }
    this.messages = [...posted];
  }

  private put(slot: number, delivery: Delivery): void {
    const inbox = this.inboxes.get(slot);
    if (inbox === undefined) this.inboxes.set(slot, { messages: [delivery], taken: 0 });
    else inbox.messages.push(delivery);
  }

  private isOnItsWay(from: string, to: string): boolean {
    if (this.messages.length > 0 && holdsMessage(this.messages, from, to)) return true;
    if (this.inboxes.size === 0) return false;
    const inbox = this.inboxes.get(this.store.slotOf(to));
    return inbox !== undefined && holdsMessage(waitingIn(inbox), from, to);
  }

  private receiversOf({ to }: Delivery, receivers: Receivers): Iterable<number> {
    if (to.type === 'offstage.all') return receivers(to);
    const slot = this.store.slotOf(to.id);
    return slot < 0 ? [] : [slot];
  }
}

/** The sender's place in the order; messages of one sender stay in the order in which it sent them. */
function bySender(a: Delivery, b: Delivery): number {
  if (a.from === b.from) return 0;
  return compareTurns(
    turnRank(a.fromOrder, hash32(a.from)),
    a.from,
    turnRank(b.fromOrder, hash32(b.from)),
    b.from,
  );
}
