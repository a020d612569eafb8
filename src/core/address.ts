/**
 * Addresses: how one record names others. A string is the name of one of its links; `byId` names a
 * record; `all` names a set, taken when a message to it is delivered.
 */

/** The record of that id. */
export interface ById {
  readonly type: 'offstage.byId';
  readonly id: string;
}

/** What `all` selects; everything given must hold. */
export interface Selection {
  /** Only records of this kind. */
  readonly kind?: string;
  /** Only records at most `radius` world units from `at`. */
  readonly within?: { readonly at: readonly number[]; readonly radius: number };
  /** Not these ids. */
  readonly except?: string | readonly string[];
}

/** All records of a selection. */
export interface AllOf extends Selection {
  readonly type: 'offstage.all';
}

/** One other record: the name of a link, or `byId`. */
export type Address = string | ById;

/**
 * Names a record by its id.
 *
 * @example
 * sendTo(({ event }) => byId(event.customer), { type: 'SERVED' })
 */
export function byId(id: string): ById {
  return { type: 'offstage.byId', id };
}

/**
 * Names every record of a selection, taken when the message is delivered.
 *
 * @example
 * sendTo(() => all({ kind: 'camp', within: { at: at(), radius: 500 }, except: selfId() }), { type: 'ALARM' })
 */
export function all(selection: Selection = {}): AllOf {
  return { type: 'offstage.all', ...selection };
}

/** Whether something a machine sends to is an address by id. */
export function isById(target: unknown): target is ById {
  return typeof target === 'object' && target !== null && (target as ById).type === 'offstage.byId';
}

/** Whether something a machine sends to is a selection. */
export function isAllOf(target: unknown): target is AllOf {
  return typeof target === 'object' && target !== null && (target as AllOf).type === 'offstage.all';
}
