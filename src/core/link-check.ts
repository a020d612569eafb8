/**
 * Whether links lead to kinds they may lead to. Asked when a transaction is over, of what is there
 * then, so that it depends neither on the order of what was added nor on what was there before.
 */
import type { Draft } from './draft.ts';
import type { Drafts } from './drafts.ts';
import { checkLinkKind } from './names.ts';
import type { Store } from './store.ts';

/** Where records that link to one are looked up. */
export interface LinkedStore {
  readonly store: Store;
  /** The slots of records that link to an id. */
  linkers(id: string): Iterable<number>;
}

/** Refuses the links of a record, and those to it if it was added, that lead to a wrong kind. */
export function checkLinks(draft: Draft, drafts: Drafts, { store, linkers }: LinkedStore): void {
  for (const [name, to] of Object.entries(draft.links)) {
    const found = drafts.find(to);
    if (found !== undefined) checkLinkKind(draft.id, draft.kind, name, to, found.kind.name);
  }
  if (draft.before !== undefined) return;
  for (const slot of linkers(draft.id)) {
    const id = store.get(slot)?.id;
    const linker = id === undefined ? undefined : drafts.find(id);
    if (linker === undefined) continue;
    for (const [name, to] of Object.entries(linker.links)) {
      if (to === draft.id) checkLinkKind(linker.id, linker.kind, name, to, draft.kind.name);
    }
  }
}
