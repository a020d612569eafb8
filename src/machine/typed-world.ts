/**
 * A world as the registry of its kinds types it: an event that no kind takes does not compile. The world
 * itself takes any event, since which kind a record has is known only when it runs.
 */
import type { SendResult } from '../core/commands.ts';
import type { Notice } from '../core/commit.ts';
import type { ContextOf, EventOf, Kind, NoticeOf } from '../core/kind.ts';
import type { RecordRef } from '../core/views.ts';
import type { World } from '../core/world.ts';

/** A notice of one of some kinds. */
export type NoticeFrom<Of extends Kind> = Omit<Notice, 'event'> & { readonly event: NoticeOf<Of> };

/** A world, typed by its kinds. */
export interface TypedWorld<Of extends Kind> {
  /** The world itself, for all else. */
  readonly untyped: World;
  send(id: string, event: EventOf<Of>): SendResult;
  record<One extends Of>(id: string, kind: One): RecordRef<ContextOf<One>, EventOf<One>>;
  /** Listens to what records emit; the function given back stops it. */
  onNotice(listener: (notice: NoticeFrom<Of>) => void): () => void;
}

/**
 * A world with the events and notices of its kinds.
 *
 * @example
 * const valley = typedWorld(createWorld({ kinds }), kinds);
 * valley.send('field-3', { type: 'WATER', amount: 0.2 });
 */
export function typedWorld<const Kinds extends readonly Kind[]>(
  world: World,
  _kinds: Kinds,
): TypedWorld<Kinds[number]> {
  return {
    untyped: world,
    send: (id, event) => world.send(id, event),
    record: (id, kind) => world.record(id, kind),
    onNotice: (listener) => world.on('notice', listener as (notice: Notice) => void),
  };
}
