/**
 * A record's working copy inside a transaction: what it will be if the transaction commits. Drafts
 * are used again by later transactions.
 */
import type { Kind, Relevancy } from './kind.ts';
import type { MachineState } from './logic.ts';
import { machineState } from './logic.ts';
import type { PendingList } from './pending.ts';
import { type Fault, type Links, NO_LINKS, type RecordValue } from './record.ts';

/** The state a record has while its initial step runs. */
const UNBORN: MachineState = machineState('', undefined, 'active', {}, undefined, undefined, []);

const NOWHERE: readonly number[] = Object.freeze([0, 0]);

export class Draft {
  slot = -1;
  before: RecordValue | undefined = undefined;
  id = '';
  kind!: Kind;
  at = NOWHERE;
  links: Links = NO_LINKS;
  relevancy: Relevancy = 'spatial';
  state = UNBORN;
  advancedTo = 0;
  pending: PendingList = undefined;
  draws = 0;
  created = 0;
  fault: Fault | null = null;
  /** It will be gone when the transaction commits. */
  isRemoved = false;
  /** Its machine is in the middle of a step. */
  stepping = false;
  /** Its predictions are to be asked again before the commit. */
  isToReplan = false;

  load(slot: number, record: RecordValue): this {
    this.slot = slot;
    this.before = record;
    this.id = record.id;
    this.kind = record.kind;
    this.at = record.at;
    this.links = record.links;
    this.relevancy = record.relevancy;
    this.state = record.state;
    this.advancedTo = record.advancedTo;
    this.pending = record.pending;
    this.draws = record.draws;
    this.created = record.created;
    this.fault = record.fault;
    this.isRemoved = false;
    this.stepping = false;
    this.isToReplan = false;
    return this;
  }

  /** A record that is not there yet. */
  begin(
    slot: number,
    id: string,
    kind: Kind,
    at: readonly number[],
    links: Links,
    relevancy: Relevancy,
    time: number,
  ): this {
    this.slot = slot;
    this.before = undefined;
    this.id = id;
    this.kind = kind;
    this.at = at;
    this.links = links;
    this.relevancy = relevancy;
    this.state = UNBORN;
    this.advancedTo = time;
    this.pending = undefined;
    this.draws = 0;
    this.created = 0;
    this.fault = null;
    this.isRemoved = false;
    this.stepping = false;
    this.isToReplan = true;
    return this;
  }

  /** The value the record will have; the one it had, if nothing differs. */
  value(): RecordValue | undefined {
    if (this.isRemoved) return undefined;
    const { before } = this;
    if (
      before !== undefined &&
      before.state === this.state &&
      before.pending === this.pending &&
      before.fault === this.fault &&
      before.at === this.at &&
      before.links === this.links &&
      before.draws === this.draws &&
      before.created === this.created &&
      before.advancedTo === this.advancedTo &&
      before.kind === this.kind
    ) {
      return before;
    }
    return {
      id: this.id,
      kind: this.kind,
      at: this.at,
      links: this.links,
      relevancy: this.relevancy,
      state: this.state,
      advancedTo: this.advancedTo,
      pending: this.pending,
      draws: this.draws,
      created: this.created,
      fault: this.fault,
      revision: before === undefined ? 0 : before.revision + 1,
    };
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
