/**
 * The records a client is told of. A record belongs to the cell that sent it last; only that cell can
 * take it away. Applying a message gives what is new, and calls nobody.
 */
import type { CellFrame, Rec, WireNotice } from '../protocol/messages.ts';
import { isFull, viewOf, viewWith } from '../protocol/record-view.ts';
import { fromRich } from '../protocol/rich.ts';
import { type ClientNotice, ClientRecord } from './record.ts';

/** What a message changed. */
export interface MirrorChange {
  readonly set: readonly ClientRecord[];
  /** As they were last known. */
  readonly gone: readonly ClientRecord[];
  readonly notices: readonly ClientNotice[];
}

export class Mirror {
  private readonly known = new Map<string, ClientRecord>();
  private readonly owners = new Map<string, string>();
  /** Records from before a reconnect that the server has not sent again yet. */
  private readonly stale = new Set<string>();

  get records(): ReadonlyMap<string, ClientRecord> {
    return this.known;
  }

  /** A new connection begins: what it does not send again by the time it has sent all is gone. */
  beginAgain(): void {
    this.owners.clear();
    for (const id of this.known.keys()) this.stale.add(id);
  }

  cell({ cell, full, set, gone, notices = [] }: CellFrame): MirrorChange {
    const lost: (ClientRecord | undefined)[] = [];
    if (full === true) {
      const sent = new Set(set.map(({ id }) => id));
      for (const id of this.ownedBy(cell)) if (!sent.has(id)) lost.push(this.drop(id));
    }
    const changed = set.map((rec) => this.set(rec, cell));
    for (const id of gone) if (this.owners.get(id) === cell) lost.push(this.drop(id));
    return {
      set: changed.filter((record) => record !== undefined),
      gone: lost.filter((record) => record !== undefined),
      notices: notices.map(toNotice),
    };
  }

  leave(cell: string): MirrorChange {
    return this.allGone(this.ownedBy(cell));
  }

  /** The connection has sent everything that is near. */
  settle(): MirrorChange {
    return this.allGone([...this.stale]);
  }

  private allGone(ids: readonly string[]): MirrorChange {
    const gone = ids.map((id) => this.drop(id)).filter((record) => record !== undefined);
    return { set: [], gone, notices: [] };
  }

  private set(rec: Rec, cell: string): ClientRecord | undefined {
    const before = this.known.get(rec.id);
    // A change of a record that was never whole says too little to show.
    if (before === undefined && !isFull(rec)) return undefined;
    const view = isFull(rec) ? viewOf(rec) : viewWith(before as ClientRecord, rec);
    const record = new ClientRecord(view, before);
    this.known.set(rec.id, record);
    this.owners.set(rec.id, cell);
    this.stale.delete(rec.id);
    return record;
  }

  private drop(id: string): ClientRecord | undefined {
    const record = this.known.get(id);
    this.known.delete(id);
    this.owners.delete(id);
    this.stale.delete(id);
    return record;
  }

  private ownedBy(cell: string): string[] {
    return [...this.owners].filter(([, owner]) => owner === cell).map(([id]) => id);
  }
}

function toNotice({ rich, event, ...rest }: WireNotice): ClientNotice {
  // Exactly one of the two is there.
  return { ...rest, event: (rich === undefined ? event : fromRich(rich)) as ClientNotice['event'] };
}
