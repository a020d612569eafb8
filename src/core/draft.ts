/**
 * A record's working copy inside a transaction: what it will be if the transaction commits. Drafts
 * are used again by later transactions.
 */
import type { Kind } from './kind.ts';
import type { MachineState } from './logic.ts';
import { machineState } from './logic.ts';
import type { PendingList } from './pending.ts';
import {
  type Fault,
  type Links,
  NO_LINKS,
  NOTHING_RARE,
  RecordValue,
  type Standing,
} from './record.ts';

/** The state a record has while its initial step runs. */
const UNBORN: MachineState = machineState('', undefined, 'active', {}, undefined, undefined, []);

const NOBODY = {
  id: '',
  at: Object.freeze([0, 0]),
  links: NO_LINKS,
  relevancy: 'spatial',
} as unknown as Standing;

export class Draft {
  slot = -1;
  before: RecordValue | undefined = undefined;
  /** What it is after the commit; set by `settle`. */
  after: RecordValue | undefined = undefined;
  standing: Standing = NOBODY;
  state = UNBORN;
  advancedTo = 0;
  pending: PendingList = undefined;
  rarity = NOTHING_RARE;
  /** It will be gone when the transaction commits. */
  isRemoved = false;
  /** Its machine is in the middle of a step. */
  stepping = false;
  /** Its predictions are to be asked again before the commit. */
  isToReplan = false;
  private loadedState = UNBORN;
  private loadedPending: PendingList = undefined;

  get id(): string {
    return this.standing.id;
  }
  get kind(): Kind {
    return this.standing.kind;
  }
  get at(): readonly number[] {
    return this.standing.at;
  }
  get links(): Links {
    return this.standing.links;
  }
  get fault(): Fault | null {
    return this.rarity.fault;
  }

  load(slot: number, record: RecordValue): this {
    this.slot = slot;
    this.before = record;
    this.standing = record.standing;
    this.state = record.state;
    this.loadedState = this.state;
    this.advancedTo = record.advancedTo;
    this.pending = record.pending;
    this.loadedPending = this.pending;
    this.rarity = record.rarity;
    this.isRemoved = false;
    this.isToReplan = false;
    return this;
  }

  /** A record that is not there yet. */
  begin(slot: number, standing: Standing, time: number): this {
    this.slot = slot;
    this.before = undefined;
    this.standing = standing;
    this.state = UNBORN;
    this.advancedTo = time;
    this.pending = undefined;
    this.rarity = NOTHING_RARE;
    this.isRemoved = false;
    this.isToReplan = true;
    return this;
  }

  clearFault(): void {
    if (this.rarity.fault !== null) this.rarity = { ...this.rarity, fault: null };
  }

  /** Counts one more random draw; gives how many there were. */
  countDraw(): number {
    const { draws } = this.rarity;
    this.rarity = { ...this.rarity, draws: draws + 1 };
    return draws;
  }

  /** Counts one more record added without an id; gives how many there were. */
  countCreated(): number {
    const { created } = this.rarity;
    this.rarity = { ...this.rarity, created: created + 1 };
    return created;
  }

  /** Works out the value the record will have. False if nothing of it differs. */
  settle(): boolean {
    const { before, standing, state, advancedTo, pending, rarity } = this;
    if (this.isRemoved) {
      this.after = undefined;
      return before !== undefined;
    }
    if (
      before !== undefined &&
      this.loadedState === state &&
      this.loadedPending === pending &&
      before.rarity === rarity &&
      before.standing === standing &&
      before.advancedTo === advancedTo
    ) {
      this.after = before;
      return false;
    }
    const { sharing } = standing;
    const shape = sharing.shapeOf(state, before?.shape);
    const revision = before === undefined ? 0 : before.revision + 1;
    this.after =
      pending === undefined
        ? new RecordValue(
            standing,
            shape,
            state.context,
            advancedTo,
            rarity,
            revision,
            undefined,
            0,
            0,
            undefined,
          )
        : new RecordValue(
            standing,
            shape,
            state.context,
            advancedTo,
            rarity,
            revision,
            sharing.plannedOf(pending, before?.planned),
            pending.at,
            pending.iteration,
            pending.next,
          );
    return true;
  }

  /** A copy to go back to. */
  copy(): Draft {
    return Object.assign(new Draft(), this);
  }

  /** Becomes what the copy was. */
  restore(copy: Draft): void {
    Object.assign(this, copy);
  }
}
