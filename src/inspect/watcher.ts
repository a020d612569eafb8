/** Something that an admin watches, and that is asked with each flush what is new. */
import type { FromAdminServer } from '../protocol/admin.ts';

export interface Watcher {
  /** What is new since it was asked last; undefined if nothing is. */
  news(): FromAdminServer | undefined;
  /** Whether it has more to tell, although nothing changed. */
  readonly hasMore: boolean;
  close(): void;
}
