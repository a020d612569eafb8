/**
 * What a transaction sends out and puts off: messages, notices and logs that leave with its commit,
 * and moves, links, removals and additions that wait for the event to be over.
 */
import type { AllOf, ById } from './address.ts';
import type { NewRecord } from './ambient.ts';
import type { Notice } from './commit.ts';
import type { Draft } from './draft.ts';
import type { MachineEvent } from './logic.ts';

/** A message on its way. */
export interface Delivery {
  readonly to: ById | AllOf;
  readonly event: MachineEvent;
  readonly from: string;
  /** The sender's place in the order. */
  readonly fromOrder: number;
}

/** Whether a message from one record to the other is among those. */
export function holdsMessage(deliveries: readonly Delivery[], from: string, id: string): boolean {
  return deliveries.some(
    ({ to, from: by }) => by === from && to.type === 'offstage.byId' && to.id === id,
  );
}

/** A notice whose place among those of its game time is set when it is committed. */
export type UnnumberedNotice = Omit<Notice, 'order'> & { order: number };

/** A move or a link, applied once the event is over. */
export type Afterwards =
  | { readonly type: 'move'; readonly draft: Draft; readonly at: readonly number[] }
  | { readonly type: 'link'; readonly draft: Draft; readonly name: string; readonly id: string }
  | { readonly type: 'unlink'; readonly draft: Draft; readonly name: string };

/** A record to be added once the event is over. */
export interface Addition {
  readonly record: NewRecord;
  readonly id: string;
  readonly at: readonly number[];
}

/** The mark of what holds nothing, as most events do. */
const NOTHING: readonly number[] = [0, 0, 0, 0, 0, 0, 0];

export class Outgoing {
  /** Whether nothing was put into it. */
  isEmpty = true;
  readonly deliveries: Delivery[] = [];
  readonly notices: UnnumberedNotice[] = [];
  readonly logs: { readonly id: string; readonly params: unknown }[] = [];
  /** Messages whose link led nowhere when they were sent. */
  readonly undeliverable: { readonly kind: string; readonly event: MachineEvent }[] = [];
  readonly afterwards: Afterwards[] = [];
  readonly removals: string[] = [];
  readonly additions: Addition[] = [];
  /** How many of the additions have been made. */
  made = 0;
  private readonly all: unknown[][] = [
    this.deliveries,
    this.notices,
    this.logs,
    this.undeliverable,
    this.afterwards,
    this.removals,
    this.additions,
  ];

  /** Puts something into one of its lists: the only way in. */
  put<Item>(list: Item[], item: Item): void {
    this.isEmpty = false;
    list.push(item);
  }

  /** Whether something waits for the event to be over. */
  get hasAfterwards(): boolean {
    return this.afterwards.length + this.removals.length + this.additions.length > 0;
  }

  /** The next record to be added. */
  nextAddition(): Addition | undefined {
    const addition = this.additions[this.made];
    if (addition !== undefined) this.made += 1;
    return addition;
  }

  /** Whether a record of that id is still to be added. */
  willAdd(id: string): boolean {
    for (let i = this.made; i < this.additions.length; i += 1) {
      if (this.additions[i]?.id === id) return true;
    }
    return false;
  }

  /** How much there is of each, to go back to. */
  mark(): readonly number[] {
    return this.isEmpty ? NOTHING : this.all.map(({ length }) => length);
  }

  /** Forgets what came after the mark. */
  goBackTo(mark: readonly number[]): void {
    if (this.isEmpty) return;
    this.all.forEach((list, i) => {
      list.length = mark[i] as number;
    });
  }

  clear(): void {
    // Most events send nothing.
    if (this.isEmpty) return;
    // Written out, because setting a length costs more than asking it.
    if (this.deliveries.length > 0) this.deliveries.length = 0;
    if (this.notices.length > 0) this.notices.length = 0;
    if (this.logs.length > 0) this.logs.length = 0;
    if (this.undeliverable.length > 0) this.undeliverable.length = 0;
    if (this.afterwards.length > 0) this.afterwards.length = 0;
    if (this.removals.length > 0) this.removals.length = 0;
    if (this.additions.length > 0) this.additions.length = 0;
    this.made = 0;
    this.isEmpty = true;
  }
}
