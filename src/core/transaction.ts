/**
 * A transaction: one event, with all it changes in its record and in those it edits. It works on
 * drafts; the store stays as it is until `changes` is committed, and nothing is left of a
 * transaction that is dropped. While a machine steps, the transaction is both what the machine's
 * effects go to and the event that actions and reads find in the ambient cell.
 */
import { type Address, type AllOf, type ById, byId, isAllOf, isById } from './address.ts';
import { type AmbientEvent, ambient, type LinkedRecord, type NewRecord } from './ambient.ts';
import type { Notice } from './commit.ts';
import { Draft } from './draft.ts';
import { WorldError } from './errors.ts';
import { deepFreeze } from './freeze.ts';
import type { Kind } from './kind.ts';
import type { CustomAction, Effects, MachineEvent, MachineState, SendTarget } from './logic.ts';
import { linkedView, resolveAddress } from './looking.ts';
import { checkedId, checkedLink, checkedLinks, checkedPlace, checkedRelevancy } from './names.ts';
import { firstStep, replanPredictions } from './planning.ts';
import { addedId, drawAt } from './random.ts';
import { stateAt } from './record.ts';
import type { Sharing } from './sharing.ts';
import type { Store } from './store.ts';
import { LAST_TIME, roundTime } from './time.ts';

/** What a transaction needs to know of its world. */
export interface TransactionWorld {
  readonly store: Store;
  readonly seed: string;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** What the records of a kind share. */
  sharingOf(kind: Kind): Sharing;
  readonly steps: { readonly coarse: number; readonly frame: number };
  /** The kind a record that links to this id wants there, if it is not this one. */
  unwanted(id: string, kind: string): string | undefined;
}

/** A message on its way. */
export interface Delivery {
  readonly to: ById | AllOf;
  readonly event: MachineEvent;
  readonly from: string;
  /** The sender's place in the order. */
  readonly fromOrder: number;
}

/** A notice whose place among those of its game time is set when it is committed. */
export type UnnumberedNotice = Omit<Notice, 'order'> & { order: number };

/** What is applied once the event is over. */
type Afterwards =
  | { readonly type: 'move'; readonly draft: Draft; readonly at: readonly number[] }
  | {
      readonly type: 'link';
      readonly draft: Draft;
      readonly name: string;
      readonly id: string | undefined;
    };

interface Addition {
  readonly record: NewRecord;
  readonly id: string;
  readonly at: readonly number[];
}

interface Savepoint {
  readonly drafts: number;
  readonly saved: number;
  readonly deliveries: number;
  readonly notices: number;
  readonly logs: number;
  readonly afterwards: number;
  readonly removals: number;
  readonly additions: number;
  readonly undeliverable: number;
}

/** More records than this added by one event are taken for a loop. */
const MOST_ADDED = 10_000;

export class Transaction implements AmbientEvent, Effects {
  time = 0;
  iteration = 0;
  /** Whether contexts are frozen, and checked for what cannot be saved. */
  isFreezing = false;
  /** Whom a read listener wants told: what was looked up, and which sets were asked for. */
  reads: Set<string> | undefined = undefined;
  readonly deliveries: Delivery[] = [];
  readonly notices: UnnumberedNotice[] = [];
  readonly logs: { readonly id: string; readonly params: unknown }[] = [];
  /** Messages whose link led nowhere when they were sent. */
  readonly undeliverable: { readonly kind: string; readonly event: MachineEvent }[] = [];

  private readonly world: TransactionWorld;
  /** The first record it worked on, mostly the only one; the others come after it. */
  private first: Draft | undefined = undefined;
  private readonly others: Draft[] = [];
  /** How many records it worked on. */
  size = 0;
  private readonly draftOfSlot = new Map<number, Draft>();
  private readonly added = new Map<string, Draft>();
  private readonly afterwards: Afterwards[] = [];
  private readonly removals: string[] = [];
  private readonly additions: Addition[] = [];
  /** How many of the additions have been made. */
  private additionsMade = 0;
  private savepoints = 0;
  private readonly saved: { readonly draft: Draft; readonly copy: Draft }[] = [];
  private frame: Draft | undefined = undefined;
  sender: string | undefined = undefined;

  constructor(world: TransactionWorld) {
    this.world = world;
  }

  begin(time: number, iteration: number): void {
    this.time = time;
    this.iteration = iteration;
  }

  // What an event does to a record

  /** The working copy of the record in a slot. */
  touch(slot: number): Draft {
    const known = this.known(slot);
    if (known !== undefined) return known;
    const record = this.world.store.get(slot);
    if (record === undefined)
      throw new WorldError('UNKNOWN_RECORD', 'The record is no longer there.');
    return this.open(Draft.of(slot, record));
  }

  /** The working copy of the record of that id. */
  draftOf(id: string): Draft | undefined {
    if (this.added.size > 0) {
      const added = this.added.get(id);
      if (added !== undefined) return added.isRemoved ? undefined : added;
    }
    const slot = this.world.store.slotOf(id);
    return slot < 0 ? undefined : this.touch(slot);
  }

  /** Gives the machine an event, and says whether anything took it. The record is first moved to now. */
  take(draft: Draft, event: MachineEvent, sender?: string): boolean {
    if (draft.status !== 'active' || draft.isRemoved) return false;
    const { logic, advance } = draft.kind;
    const now = advance === undefined ? draft.state : this.frozen(stateAt(draft, this.time));
    // As `stepping`, written out: this is the path of every event.
    const { frame, sender: outerSender } = this;
    const { current, inGuard } = ambient;
    this.frame = draft;
    this.sender = sender;
    draft.stepping = true;
    ambient.current = this;
    ambient.inGuard = false;
    let next: MachineState;
    try {
      next = logic.step(now, event, this);
    } finally {
      ambient.current = current;
      ambient.inGuard = inGuard;
      draft.stepping = false;
      this.sender = outerSender;
      this.frame = frame;
    }
    if (next === now) return false;
    draft.become(this.frozen(next), this.time);
    draft.clearFault();
    return true;
  }

  /** Stores a record's continuous quantities as they are now. */
  advance(draft: Draft): void {
    const now = this.frozen(stateAt(draft, this.time));
    if (now.context !== draft.state.context) draft.become(now, this.time);
  }

  /** Puts a machine elsewhere from outside. */
  set(draft: Draft, change: { value?: MachineState['value']; context?: unknown }): void {
    if (draft.status === 'error')
      throw new WorldError('RECORD_DONE', `${draft.id} has ended in an error.`);
    if ('context' in change && this.isFreezing) deepFreeze(change.context);
    const now = this.frozen(stateAt(draft, this.time));
    this.enter(draft, (logic) => logic.set(now, change, this));
    draft.clearFault();
  }

  /** Adds a record and takes its initial step. */
  create(record: NewRecord, id = checkedId(record.id), at = checkedPlace(record.at, id)): Draft {
    const { world } = this;
    const kind = world.kinds.get(record.kind);
    if (kind === undefined) {
      throw new WorldError(
        'UNKNOWN_KIND',
        `${id}: there is no kind '${String(record.kind)}' in this world; it has: ${[...world.kinds.keys()].join(', ')}.`,
      );
    }
    const there = this.draftOf(id);
    if (there !== undefined && !there.isRemoved)
      throw new WorldError('DUPLICATE_ID', `There is a record ${id} already.`);
    const unwanted = world.unwanted(id, kind.name);
    if (unwanted !== undefined)
      throw new WorldError('BAD_LINK', `${id} cannot be a ${kind.name}: ${unwanted}.`);
    if (this.additions.length > MOST_ADDED) {
      throw new WorldError(
        'TOO_MANY_ADDED',
        `One event adds more than ${MOST_ADDED} records; a machine adds itself again and again.`,
      );
    }
    const links = checkedLinks(record.links, id, kind, (target) => this.kindOf(target));
    const relevancy = checkedRelevancy(record.relevancy, id, kind);
    const slot = world.store.reserve();
    const sharing = world.sharingOf(kind);
    const standing = { id, kind, at, links, relevancy, sharing };
    const draft = this.open(Draft.unborn(slot, standing, this.time));
    this.added.set(id, draft);
    draft.pending = firstStep(kind, this.time, world.steps);
    this.enter(draft, (logic) => logic.initial(record.input, this));
    return draft;
  }

  /** Marks a record to be gone when the transaction commits. */
  remove(draft: Draft): void {
    draft.isRemoved = true;
  }

  /** Moves a record, its links unchanged. */
  place(draft: Draft, at: readonly number[]): void {
    if (at.length === draft.at.length && at.every((n, i) => n === draft.at[i])) return;
    draft.standing = { ...draft.standing, at };
  }

  /** Gives a record all its links anew. */
  relink(draft: Draft, links: Readonly<Record<string, string>>): void {
    const checked = checkedLinks(links, draft.id, draft.kind, (target) => this.kindOf(target));
    draft.standing = { ...draft.standing, links: checked };
  }

  // How a transaction ends

  /** Carries out what waits for the end of the event, and asks predictions again. */
  finish(): void {
    if (this.afterwards.length + this.removals.length + this.additions.length > 0) this.applyAll();
    for (let i = 0; i < this.size; i += 1) {
      const draft = this.draftAt(i);
      if (draft.isToReplan && draft.kind.predict.length > 0 && !draft.isRemoved) {
        replanPredictions(draft, this, this.iteration);
      }
    }
  }

  /** Moves and links, removals, additions; an addition's initial step may ask for more of all three. */
  private applyAll(): void {
    for (;;) {
      for (const change of this.afterwards.splice(0)) this.applyAfterwards(change);
      for (const id of this.removals.splice(0)) this.removeById(id);
      const addition = this.additions[this.additionsMade];
      if (addition === undefined) return;
      this.additionsMade += 1;
      this.create(addition.record, addition.id, addition.at);
    }
  }

  /** One of the records it worked on, in the order in which they were touched. */
  draftAt(index: number): Draft {
    return (index === 0 ? this.first : this.others[index - 1]) as Draft;
  }

  /** Forgets everything, for the next transaction. */
  clear(): void {
    if (this.size > 1) {
      this.others.length = 0;
      this.draftOfSlot.clear();
    }
    this.first = undefined;
    this.size = 0;
    if (this.added.size > 0) this.added.clear();
    if (this.deliveries.length > 0) this.deliveries.length = 0;
    if (this.notices.length > 0) this.notices.length = 0;
    if (this.logs.length > 0) this.logs.length = 0;
    if (this.undeliverable.length > 0) this.undeliverable.length = 0;
    if (this.afterwards.length > 0) this.afterwards.length = 0;
    if (this.removals.length > 0) this.removals.length = 0;
    if (this.additions.length > 0) this.additions.length = 0;
    if (this.saved.length > 0) this.saved.length = 0;
    this.additionsMade = 0;
  }

  /** Drops the transaction: nothing of it happened. */
  drop(): void {
    for (let i = 0; i < this.size; i += 1) {
      const draft = this.draftAt(i);
      if (draft.before === undefined) this.world.store.release(draft.slot);
    }
    this.clear();
  }

  /** The ids of the records it worked on. */
  touchedIds(): string[] {
    return Array.from({ length: this.size }, (_, i) => this.draftAt(i).id);
  }

  // Records, for looking

  find(id: string): Draft | ReturnType<Store['get']> {
    this.reads?.add(id);
    if (this.size > 0) {
      const added = this.added.size > 0 ? this.added.get(id) : undefined;
      if (added !== undefined) return added.isRemoved ? undefined : added;
      const slot = this.world.store.slotOf(id);
      if (slot < 0) return undefined;
      const draft = this.known(slot);
      return draft === undefined ? this.world.store.get(slot) : draft.isRemoved ? undefined : draft;
    }
    return this.world.store.find(id);
  }

  // AmbientEvent: what actions and reads ask

  get selfId(): string {
    return this.self.id;
  }

  get at(): readonly number[] {
    return this.self.at;
  }

  linked(address: Address): LinkedRecord | undefined {
    const id = resolveAddress(this.self, address);
    return id === undefined ? undefined : linkedView(this, this.find(id));
  }

  edit(address: Address, event: MachineEvent): void {
    const { self } = this;
    const id = resolveAddress(self, address);
    const draft = id === undefined ? undefined : this.draftOf(id);
    if (id === undefined || draft === undefined || draft.isRemoved) {
      const where = typeof address === 'string' ? `link '${address}'` : `record ${address.id}`;
      throw new WorldError(
        'UNKNOWN_RECORD',
        `${self.id}: ${where} leads to no record, so it cannot take ${event.type}.`,
      );
    }
    this.reads?.add(id);
    if (draft.stepping) {
      throw new WorldError(
        'EDIT_CYCLE',
        `${self.id} edits ${id} with ${event.type} while ${id} is in the middle of a step of this event. Send it a message (sendTo) instead.`,
      );
    }
    if (this.savepoints > 0) this.saved.push({ draft, copy: draft.copy() });
    if (this.take(draft, event, self.id)) return;
    throw new WorldError(
      'EDIT_REFUSED',
      `${id} (${draft.kind.name}, in ${JSON.stringify(draft.state.value)}) does not take ${event.type} from ${self.id}. Ask linked(…).can(event) first, or use tryEdit.`,
    );
  }

  tryEdit(address: Address, event: MachineEvent): boolean {
    const save = this.savepoint();
    this.savepoints += 1;
    try {
      this.edit(address, event);
      return true;
    } catch (error) {
      // A refusal and a failure further on are the same to who tries; a wrong link name is a mistake in the machine.
      if (error instanceof WorldError && error.code === 'NO_LINK') throw error;
      this.goBackTo(save);
      return false;
    } finally {
      this.savepoints -= 1;
    }
  }

  addRecord(record: NewRecord): string {
    const { self } = this;
    const at = record.at === undefined ? self.at : checkedPlace(record.at, `${self.id}, addRecord`);
    const id = record.id === undefined ? this.freeId(record.kind) : checkedId(record.id);
    this.additions.push({ record, id, at });
    return id;
  }

  removeRecord(id: string = this.self.id): void {
    this.removals.push(id);
  }

  moveTo(at: readonly number[]): void {
    const { self } = this;
    this.afterwards.push({ type: 'move', draft: self, at: checkedPlace(at, `${self.id}, moveTo`) });
  }

  link(name: string, id: string): void {
    this.afterwards.push({ type: 'link', draft: this.self, name, id });
  }

  unlink(name: string): void {
    this.afterwards.push({ type: 'link', draft: this.self, name, id: undefined });
  }

  random(): number {
    const { self } = this;
    if (ambient.inGuard) {
      throw new WorldError(
        'RANDOM_IN_GUARD',
        `${self.id} (${self.kind.name}) draws a random number in a guard, which may be asked any number of times; draw in an action or a delay and keep the number in the context.`,
      );
    }
    return drawAt(this.world.seed, self.id, self.countDraw());
  }

  // Effects: what a machine's step asks for

  schedule(id: string, event: MachineEvent, delay: number, target?: SendTarget): void {
    const { self } = this;
    const at = this.time + (delay === 0 || delay > 0 ? roundTime(delay) : this.badDelay(id, delay));
    if (at > LAST_TIME) this.badDelay(id, delay);
    const to = target === undefined ? undefined : this.recipient(target, event);
    // XState keeps every timer that was given no id.
    if (id !== '') self.disarm(id);
    if (target !== undefined && to === undefined) return;
    const iteration = at === this.time ? this.iteration + 1 : 0;
    self.arm(id, event, at, iteration, to);
  }

  cancel(id: string): void {
    this.self.disarm(id);
  }

  send(target: SendTarget, event: MachineEvent): void {
    const { self } = this;
    const to = target === undefined ? byId(self.id) : this.recipient(target, event);
    if (to !== undefined) this.deliver(to, event, self);
  }

  emit(event: MachineEvent): void {
    const { self } = this;
    this.notices.push({
      id: self.id,
      kind: self.kind.name,
      at: self.at,
      event,
      time: this.time,
      order: 0,
    });
  }

  custom(action: CustomAction): void {
    if (action.type === 'xstate.log') this.logs.push({ id: this.self.id, params: action.params });
    else action.exec?.(action.info, action.params);
  }

  /** Puts a message on its way; it arrives in the next iteration. */
  deliver(to: ById | AllOf, event: MachineEvent, from: Draft): void {
    this.deliveries.push({ to, event, from: from.id, fromOrder: from.kind.order });
  }

  // Inside

  /** The record whose step is running. */
  private get self(): Draft {
    if (this.frame === undefined)
      throw new WorldError('BUSY', 'No record is in the middle of a step.');
    return this.frame;
  }

  private stepping(
    draft: Draft,
    sender: string | undefined,
    step: (logic: Kind['logic']) => MachineState,
  ): MachineState {
    const { frame, sender: outerSender } = this;
    const { current, inGuard } = ambient;
    this.frame = draft;
    this.sender = sender;
    draft.stepping = true;
    ambient.current = this;
    ambient.inGuard = false;
    try {
      return step(draft.kind.logic);
    } finally {
      ambient.current = current;
      ambient.inGuard = inGuard;
      draft.stepping = false;
      this.sender = outerSender;
      this.frame = frame;
    }
  }

  /** A step that no event of the machine's own brings about: initial, or set from outside. */
  private enter(draft: Draft, step: (logic: Kind['logic']) => MachineState): void {
    draft.become(this.frozen(this.stepping(draft, undefined, step)), this.time);
  }

  private frozen(state: MachineState): MachineState {
    if (this.isFreezing) {
      deepFreeze(state.context);
      deepFreeze(state.output, 'output');
    }
    return state;
  }

  private badDelay(id: string, delay: unknown): never {
    const { self } = this;
    throw new WorldError(
      'BAD_DELAY',
      `${self.id} (${self.kind.name}): the delay of '${id}' is ${String(delay)}; it must be a number of milliseconds, 0 or more, that ends before the last game time (${LAST_TIME}).`,
    );
  }

  private recipient(
    target: Exclude<SendTarget, undefined>,
    event: MachineEvent,
  ): ById | AllOf | undefined {
    if (isAllOf(target)) return Object.freeze({ ...target });
    if (isById(target) && target.id === this.self.id) return target;
    const id = resolveAddress(this.self, target as Address);
    if (id !== undefined) return typeof target === 'string' ? byId(id) : (target as ById);
    this.undeliverable.push({ kind: this.self.kind.name, event });
    return undefined;
  }

  private kindOf(id: string): string | undefined {
    return this.find(id)?.kind.name;
  }

  private known(slot: number): Draft | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    if (first.slot === slot) return first;
    return this.others.length === 0 ? undefined : this.draftOfSlot.get(slot);
  }

  /** Takes a draft into the transaction. The first alone is found without a map. */
  private open(draft: Draft): Draft {
    if (this.first === undefined) this.first = draft;
    else {
      this.others.push(draft);
      this.draftOfSlot.set(draft.slot, draft);
    }
    this.size += 1;
    return draft;
  }

  private freeId(kind: string): string {
    const { self } = this;
    for (;;) {
      const id = addedId(kind, self.id, self.countCreated());
      if (this.find(id) === undefined && !this.isToBeAdded(id)) return id;
    }
  }

  private isToBeAdded(id: string): boolean {
    for (let i = this.additionsMade; i < this.additions.length; i += 1) {
      if (this.additions[i]?.id === id) return true;
    }
    return false;
  }

  private removeById(id: string): void {
    const draft = this.draftOf(id);
    if (draft !== undefined) this.remove(draft);
  }

  private applyAfterwards(change: Afterwards): void {
    const { draft } = change;
    if (change.type === 'move') this.place(draft, change.at);
    else if (change.id === undefined) this.unlinkOf(draft, change.name);
    else {
      const id = checkedLink(change.name, change.id, draft.id, draft.kind, (target) =>
        this.kindOf(target),
      );
      if (draft.links[change.name] !== id)
        this.relink(draft, { ...draft.links, [change.name]: id });
    }
  }

  private unlinkOf(draft: Draft, name: string): void {
    if (!Object.hasOwn(draft.links, name)) return;
    const { [name]: _, ...others } = draft.links;
    this.relink(draft, others);
  }

  private savepoint(): Savepoint {
    return {
      drafts: this.size,
      saved: this.saved.length,
      deliveries: this.deliveries.length,
      notices: this.notices.length,
      logs: this.logs.length,
      afterwards: this.afterwards.length,
      removals: this.removals.length,
      additions: this.additions.length,
      undeliverable: this.undeliverable.length,
    };
  }

  private goBackTo(save: Savepoint): void {
    while (this.saved.length > save.saved) {
      const { draft, copy } = this.saved.pop() as { draft: Draft; copy: Draft };
      draft.restore(copy);
    }
    while (this.size > save.drafts) {
      this.size -= 1;
      const dropped = this.others.pop();
      if (dropped !== undefined) this.draftOfSlot.delete(dropped.slot);
      else this.first = undefined;
    }
    this.deliveries.length = save.deliveries;
    this.notices.length = save.notices;
    this.logs.length = save.logs;
    this.afterwards.length = save.afterwards;
    this.removals.length = save.removals;
    this.additions.length = save.additions;
    this.undeliverable.length = save.undeliverable;
  }
}
