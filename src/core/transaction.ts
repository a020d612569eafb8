/**
 * A transaction: one event, with all it changes in its record and in those it edits. It works on
 * drafts; the store stays as it is until they are committed, and nothing is left of a
 * transaction that is dropped. While a machine steps, the transaction is both what the machine's
 * effects go to and the event that actions and reads find in the ambient cell.
 */
import { type Address, type AllOf, type ById, byId, isAllOf, isById } from './address.ts';
import {
  type AmbientEvent,
  ambient,
  type LinkedRecord,
  type NewRecord,
  type Offered,
} from './ambient.ts';
import type { Draft } from './draft.ts';
import { Drafts } from './drafts.ts';
import { codeOf, messageOf, WorldError } from './errors.ts';
import { deepFreeze, isMutationOfFrozen } from './freeze.ts';
import type { Kind } from './kind.ts';
import { checkLinks, type LinkedStore } from './link-check.ts';
import {
  BEYOND,
  type CustomAction,
  type Effects,
  type MachineEvent,
  type MachineState,
  NOWHERE,
  type SendTarget,
} from './logic.ts';
import { advancedState, linkedView, resolveAddress } from './looking.ts';
import type { Mail } from './mail.ts';
import {
  checkedEvent,
  checkedId,
  checkedLink,
  checkedLinkName,
  checkedLinks,
  checkedPlace,
  checkedRelevancy,
  checkedSelection,
} from './names.ts';
import { type Afterwards, holdsMessage, Outgoing } from './outgoing.ts';
import { replanPredictions, withNextStep } from './planning.ts';
import { addedId, drawAt } from './random.ts';
import type { RecordValue } from './record.ts';
import { badDelay, drawnInGuard, editCycle, editRefused, leadsNowhere } from './refusals.ts';
import type { SavableCheck } from './savable.ts';
import { type Shape, type Sharing, stateOf } from './sharing.ts';
import { LAST_TIME, roundTime } from './time.ts';

/** What a transaction needs to know of its world. */
export interface TransactionWorld extends LinkedStore {
  readonly seed: string;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** What the records of a kind share. */
  sharingOf(kind: Kind): Sharing;
  readonly steps: { readonly coarse: number; readonly frame: number };
  readonly mail: Mail;
}

/** More records than this added by one event are taken for a loop. */
const MOST_ADDED = 10_000;

/** Codes of what a machine asks that nobody could take. */
const MISTAKES = new Set(['NO_LINK', 'BAD_ADDRESS', 'BAD_EVENT']);

/**
 * Whether what an edit failed with is a mistake in the machine: a wrong link, address or event. A refusal
 * and a failure further on are the same to who tries.
 */
function isMistake(error: unknown): boolean {
  return error instanceof WorldError && MISTAKES.has(error.code);
}

export class Transaction implements AmbientEvent, Effects {
  readonly justCalls = true;
  time = 0;
  iteration = 0;
  /** Whether contexts are frozen, and checked for what cannot be saved. */
  isFreezing = false;
  /** Refuses what cannot be saved, in a world that is. */
  savable: SavableCheck | undefined = undefined;
  /** Whom a read listener wants told: what was looked up, and which sets were asked for. */
  reads: Set<string> | undefined = undefined;
  readonly drafts: Drafts;
  readonly outgoing = new Outgoing();

  private readonly world: TransactionWorld;
  private savepoints = 0;
  private frame: Draft | undefined = undefined;

  constructor(world: TransactionWorld) {
    this.world = world;
    this.drafts = new Drafts(world.store);
  }

  begin(time: number, iteration: number): void {
    this.time = time;
    this.iteration = iteration;
  }

  // What an event does to a record

  /** Gives the machine an event, and says whether anything took it. The record is first moved to now. */
  take(draft: Draft, event: MachineEvent, sender?: string): boolean {
    const { shape } = draft;
    if (shape.status !== 'active' || draft.isRemoved) return false;
    const { kind } = shape.sharing;
    const { fork, ends } = shape.sharing.meetingOf(shape, event.type);
    const isAsItWas = kind.advance === undefined && !this.isFreezing;
    const now = isAsItWas ? draft.context : this.advancedContext(draft);
    // As `stepping`, written out: this is the path of every event.
    const { frame } = this;
    const { current, inGuard } = ambient;
    this.frame = draft;
    draft.sender = sender;
    draft.stepping = true;
    // An edit finds the transaction there.
    if (current !== this) ambient.current = this;
    ambient.inGuard = false;
    let led: number;
    let left: unknown;
    try {
      if (fork === undefined) {
        const before = stateOf(shape, now);
        left = kind.logic.step(before, event, this);
        led = left === before ? NOWHERE : BEYOND;
      } else {
        left = fork.run(shape, now, event, this);
        led = fork.led;
      }
    } finally {
      if (current !== this) ambient.current = current;
      ambient.inGuard = inGuard;
      draft.stepping = false;
      this.frame = frame;
    }
    if (led === NOWHERE) return false;
    if (led === BEYOND) {
      this.become(draft, left as MachineState);
    } else {
      if (this.isFreezing || this.savable !== undefined) this.keep(draft, left);
      draft.arrive(ends[led] as Shape, left, this.time);
    }
    if (draft.fault !== null) draft.clearFault(this.time);
    return true;
  }

  private advancedContext(draft: Draft): unknown {
    return this.frozen(advancedState(this, draft)).context;
  }

  /** Stores a record's continuous quantities as they are now. */
  advance(draft: Draft): void {
    const now = advancedState(this, draft);
    if (now.context !== draft.context) this.become(draft, now);
  }

  /** Puts a machine elsewhere from outside. */
  set(draft: Draft, change: { value?: MachineState['value']; context?: unknown }): void {
    if (draft.status === 'error')
      throw new WorldError('RECORD_DONE', `${draft.id} has ended in an error.`);
    if ('context' in change && this.isFreezing) deepFreeze(change.context);
    const now = this.frozen(advancedState(this, draft));
    const hadEnded = draft.status !== 'active';
    this.enter(draft, (logic) => logic.set(now, change, this));
    if (hadEnded && this.isActive(draft)) {
      draft.pending = withNextStep(draft.pending, draft.kind, this.time, this.world.steps);
    }
    draft.clearFault(this.time);
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
    const there = this.drafts.ofId(id);
    if (there !== undefined && !there.isRemoved)
      throw new WorldError('DUPLICATE_ID', `There is a record ${id} already.`);
    if (this.outgoing.additions.length > MOST_ADDED) {
      throw new WorldError(
        'TOO_MANY_ADDED',
        `One event adds more than ${MOST_ADDED} records; a machine adds itself again and again.`,
      );
    }
    const sharing = world.sharingOf(kind);
    const links = sharing.linksOf(checkedLinks(record.links, id, kind));
    const relevancy = checkedRelevancy(record.relevancy, id, kind);
    const standing = { id, kind, at, links, relevancy, sharing };
    const draft = this.drafts.add(standing, this.time);
    draft.pending = withNextStep(undefined, kind, this.time, world.steps);
    this.takeInitialStep(draft, record.input);
    return draft;
  }

  /** Takes a record's first step; what fails says of which record. */
  private takeInitialStep(draft: Draft, input: unknown): void {
    try {
      this.enter(draft, (logic) => logic.initial(input, this));
    } catch (error) {
      if (isMutationOfFrozen(error)) throw error;
      const given = input === undefined ? ' without input' : '';
      const message = `${draft.id} (${draft.kind.name}) could not start${given}: ${messageOf(error)}`;
      throw new WorldError(codeOf(error), message, { cause: error });
    }
  }

  /** Takes in an event from outside: shared from then on, so nobody may change it. */
  share(event: MachineEvent): void {
    if (this.isFreezing) deepFreeze(event, 'event');
    this.savable?.(event, undefined, 'event');
  }

  /** Marks a record to be gone when the transaction commits. */
  remove(draft: Draft): void {
    this.drafts.remove(draft);
  }

  /** Moves a record, its links unchanged. */
  place(draft: Draft, at: readonly number[]): void {
    if (at.length === draft.at.length && at.every((n, i) => n === draft.at[i])) return;
    draft.standing = { ...draft.standing, at };
  }

  /** Gives a record all its links anew. */
  relink(draft: Draft, links: Readonly<Record<string, string>>): void {
    const checked = checkedLinks(links, draft.id, draft.kind);
    draft.standing = { ...draft.standing, links: checked };
  }

  // How a transaction ends

  /** Carries out what waits for the end of the event, and asks predictions again. */
  finish(): void {
    const { drafts, outgoing } = this;
    if (!outgoing.isEmpty && outgoing.hasAfterwards) this.applyAfterwards();
    for (let i = 0; i < drafts.size; i += 1) {
      const draft = drafts.at(i);
      if (draft.isToFinish && !draft.isRemoved) this.finishDraft(draft);
    }
  }

  private finishDraft(draft: Draft): void {
    if (draft.standing !== draft.before?.standing) checkLinks(draft, this.drafts, this.world);
    replanPredictions(draft, this, this.iteration);
  }

  /** Forgets everything, for the next transaction. */
  clear(): void {
    this.drafts.clear();
    this.outgoing.clear();
  }

  /** Drops the transaction: nothing of it happened. */
  drop(): void {
    this.drafts.release();
    this.clear();
  }

  // Records, for looking

  find(id: string): Draft | RecordValue | undefined {
    this.reads?.add(id);
    return this.drafts.find(id);
  }

  // AmbientEvent: what actions and reads ask

  get selfId(): string {
    return this.self.id;
  }

  get sender(): string | undefined {
    return this.frame?.sender;
  }

  get at(): readonly number[] {
    return this.self.at;
  }

  get isTrying(): boolean {
    return this.savepoints > 0;
  }

  linked(address: Address): LinkedRecord | undefined {
    const id = resolveAddress(this.self, address);
    return id === undefined ? undefined : linkedView(this, this.find(id));
  }

  edit(address: Address, event: MachineEvent): void {
    this.checked(event);
    const slot = this.slotAt(address);
    this.editAt(slot, this.drafts.opened(slot), address, event);
  }

  tell(address: Address, event: MachineEvent): void {
    const slot = this.slotAt(address);
    const draft = slot < 0 ? undefined : this.drafts.opened(slot);
    if (slot < 0 || this.isBusy(slot, draft)) {
      this.send(address, event);
    } else {
      this.checked(event);
      this.editAt(slot, draft, address, event);
    }
  }

  tryEdit(address: Address, event: MachineEvent): boolean {
    return this.tryEditAt(undefined, undefined, address, event);
  }

  offer(address: Address, event: MachineEvent): Offered {
    const slot = this.slotAt(address);
    if (slot < 0) return 'refused';
    const draft = this.drafts.opened(slot);
    if (this.isBusy(slot, draft)) return 'busy';
    return this.tryEditAt(slot, draft, address, event) ? 'taken' : 'refused';
  }

  addRecord(record: NewRecord): string {
    const { self } = this;
    if (typeof record !== 'object' || record === null) {
      throw new WorldError(
        'BAD_RECORD',
        `${self.id}, addRecord: ${String(record)} is no record; give { kind, … }.`,
      );
    }
    const at = record.at === undefined ? self.at : checkedPlace(record.at, `${self.id}, addRecord`);
    const id = record.id === undefined ? this.freeId(record.kind) : checkedId(record.id);
    this.outgoing.put(this.outgoing.additions, { record, id, at });
    return id;
  }

  removeRecord(id: string): void {
    this.outgoing.put(this.outgoing.removals, checkedId(id));
  }

  moveTo(at: readonly number[]): void {
    const { self } = this;
    const place = checkedPlace(at, `${self.id}, moveTo`);
    this.outgoing.put(this.outgoing.afterwards, { type: 'move', draft: self, at: place });
  }

  link(name: string, to: string): void {
    const { self } = this;
    const id = checkedLink(name, to, self.id, self.kind);
    this.outgoing.put(this.outgoing.afterwards, { type: 'link', draft: self, name, id });
  }

  unlink(name: string): void {
    const { self } = this;
    checkedLinkName(name, self.id, self.kind);
    this.outgoing.put(this.outgoing.afterwards, { type: 'unlink', draft: self, name });
  }

  random(): number {
    const { self } = this;
    if (ambient.inGuard) throw drawnInGuard(self);
    return drawAt(this.world.seed, self.id, self.countDraw());
  }

  // Effects: what a machine's step asks for

  schedule(id: string, event: MachineEvent, delay: number, target?: SendTarget): void {
    const { self } = this;
    const at = this.time + (delay === 0 || delay > 0 ? roundTime(delay) : Number.NaN);
    if (!(at <= LAST_TIME)) throw badDelay(self, id, delay);
    this.checked(event);
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
    this.checked(event);
    const to = target === undefined ? byId(self.id) : this.recipient(target, event);
    if (to !== undefined) this.deliver(to, event, self);
  }

  emit(event: MachineEvent): void {
    const { self } = this;
    this.checked(event);
    this.outgoing.put(this.outgoing.notices, {
      id: self.id,
      kind: self.kind.name,
      at: self.at,
      event,
      time: this.time,
      order: 0,
    });
  }

  custom(action: CustomAction): void {
    if (action.type === 'xstate.log')
      this.outgoing.put(this.outgoing.logs, { id: this.self.id, params: action.params });
    else action.exec?.(action.info, action.params);
  }

  /** Puts a message on its way; it arrives in the next iteration. */
  deliver(to: ById | AllOf, event: MachineEvent, from: Draft): void {
    this.outgoing.put(this.outgoing.deliveries, {
      to,
      event,
      from: from.id,
      fromOrder: from.kind.order,
    });
  }

  // Inside

  /** The record whose step is running. */
  private get self(): Draft {
    if (this.frame === undefined)
      throw new WorldError('BUSY', 'No record is in the middle of a step.');
    return this.frame;
  }

  /** The slot of the record at an address, as this transaction has it; −1 if there is none. */
  private slotAt(address: Address): number {
    const { self, drafts } = this;
    const id = resolveAddress(self, address);
    if (id === undefined) return -1;
    if (this.reads !== undefined) this.reads.add(id);
    return typeof address === 'string' ? drafts.slotOfLinked(self.slot, id) : drafts.slotOf(id);
  }

  /** Whether an edit cannot get to the record in that slot now. */
  private isBusy(slot: number, draft: Draft | undefined): boolean {
    if (draft?.stepping === true) return true;
    if (this.outgoing.isEmpty && this.world.mail.isSettled) return false;
    return this.isMessageBetween(slot, draft);
  }

  /** Whether a message is on its way between the record whose step is running and the one in that slot. */
  private isMessageBetween(slot: number, draft: Draft | undefined): boolean {
    const { self } = this;
    const { deliveries } = this.outgoing;
    if (deliveries.length === 0 && this.world.mail.isSettled) return false;
    const { id } = draft ?? (this.world.store.get(slot) as RecordValue);
    return (
      holdsMessage(deliveries, self.id, id) ||
      holdsMessage(deliveries, id, self.id) ||
      this.world.mail.isUnsettled(self.id, id)
    );
  }

  /** An edit of the record in a slot, whose draft is given if it is open already. */
  private editAt(
    slot: number,
    opened: Draft | undefined,
    address: Address,
    event: MachineEvent,
  ): void {
    const { self, drafts } = this;
    if (slot < 0) throw leadsNowhere(self, address, event);
    if (opened?.stepping === true) throw editCycle(self, opened, event);
    const draft = opened ?? drafts.open(slot);
    // One that was opened only now is closed again if it comes to nothing.
    if (this.savepoints > 0 && opened !== undefined) drafts.save(draft);
    if (!this.take(draft, event, self.id)) throw editRefused(self, draft, event);
  }

  /** An edit that fails nothing. The slot is looked up, and what is wrong with that told, if it is not given. */
  private tryEditAt(
    given: number | undefined,
    opened: Draft | undefined,
    address: Address,
    event: MachineEvent,
  ): boolean {
    const { drafts, outgoing } = this;
    const { size, savedCount } = drafts;
    const sent = outgoing.mark();
    this.savepoints += 1;
    try {
      this.checked(event);
      if (given === undefined) {
        const slot = this.slotAt(address);
        this.editAt(slot, drafts.opened(slot), address, event);
      } else {
        this.editAt(given, opened, address, event);
      }
      return true;
    } catch (error) {
      if (isMistake(error)) throw error;
      drafts.goBackTo(size, savedCount);
      outgoing.goBackTo(sent);
      return false;
    } finally {
      this.savepoints -= 1;
    }
  }

  private stepping(draft: Draft, step: (logic: Kind['logic']) => MachineState): MachineState {
    const { frame } = this;
    const { current, inGuard } = ambient;
    this.frame = draft;
    draft.sender = undefined;
    draft.stepping = true;
    ambient.current = this;
    ambient.inGuard = false;
    try {
      return step(draft.kind.logic);
    } finally {
      ambient.current = current;
      ambient.inGuard = inGuard;
      draft.stepping = false;
      this.frame = frame;
    }
  }

  /** A step that no event of the machine's own brings about: initial, or set from outside. */
  private enter(draft: Draft, step: (logic: Kind['logic']) => MachineState): void {
    this.become(draft, this.stepping(draft, step));
  }

  /** Takes in a context, which is then to be kept and saved. */
  private keep(draft: Draft, context: unknown): void {
    if (this.savable !== undefined && context !== draft.context)
      this.savable(context, this.isFreezing ? undefined : draft.context, 'context');
    if (this.isFreezing) deepFreeze(context);
  }

  /** Takes on a state, which is then to be kept and saved. */
  private become(draft: Draft, state: MachineState): void {
    if (this.savable !== undefined && state.context !== draft.context)
      this.savable(state.context, this.isFreezing ? undefined : draft.context, 'context');
    if (this.savable !== undefined && state.output !== undefined)
      this.savable(state.output, undefined, 'output');
    draft.become(this.frozen(state), this.time);
  }

  private isActive(draft: Draft): boolean {
    return draft.status === 'active';
  }

  /** An event a machine gives to others: shared from then on, so nobody may change it. */
  private checked(event: MachineEvent): void {
    if (typeof event?.type !== 'string') checkedEvent(event, this.self.id);
    if (this.isFreezing || this.savable !== undefined) this.share(event);
  }

  private frozen(state: MachineState): MachineState {
    if (this.isFreezing) {
      deepFreeze(state.context);
      deepFreeze(state.output, 'output');
    }
    return state;
  }

  private recipient(
    target: Exclude<SendTarget, undefined>,
    event: MachineEvent,
  ): ById | AllOf | undefined {
    if (isAllOf(target)) return Object.freeze({ ...checkedSelection(target, this.self.id) });
    if (isById(target) && target.id === this.self.id) return target;
    const id = resolveAddress(this.self, target as Address);
    if (id !== undefined) return typeof target === 'string' ? byId(id) : (target as ById);
    this.outgoing.put(this.outgoing.undeliverable, { kind: this.self.kind.name, event });
    return undefined;
  }

  private freeId(kind: string): string {
    const { self } = this;
    for (;;) {
      const id = addedId(kind, self.id, self.countCreated());
      if (this.find(id) === undefined && !this.outgoing.willAdd(id)) return id;
    }
  }

  /** Moves and links, removals, additions; an addition's initial step may ask for more of all three. */
  private applyAfterwards(): void {
    const { outgoing } = this;
    for (;;) {
      for (const change of outgoing.afterwards.splice(0)) this.moveOrLink(change);
      for (const id of outgoing.removals.splice(0)) {
        const draft = this.drafts.ofId(id);
        if (draft !== undefined) this.remove(draft);
      }
      const addition = outgoing.nextAddition();
      if (addition === undefined) return;
      this.create(addition.record, addition.id, addition.at);
    }
  }

  private moveOrLink(change: Afterwards): void {
    const { draft } = change;
    if (change.type === 'move') this.place(draft, change.at);
    else if (change.type === 'unlink') this.unlinkOf(draft, change.name);
    else if (draft.links[change.name] !== change.id) {
      this.relink(draft, { ...draft.links, [change.name]: change.id });
    }
  }

  private unlinkOf(draft: Draft, name: string): void {
    if (!Object.hasOwn(draft.links, name)) return;
    const { [name]: _, ...others } = draft.links;
    this.relink(draft, others);
  }
}
