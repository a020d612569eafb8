/**
 * What history states remember, interned: equal histories are one object, so that what follows from
 * one is looked up by identity. In the middle of a step a history may remember no node at all, and
 * nodes in any order; the `ids` a state keeps are those of a history that was saved and restored.
 */
import type { HistoryValue } from '../../core/logic.ts';
import type { XMachine, XNode } from '../xstate-internals.ts';

/** How many different histories of a machine are remembered before all are forgotten. */
const REMEMBERED = 10_000;

export const NO_HISTORY: HistoryValue = Object.freeze({});

export class History {
  readonly lists: ReadonlyMap<string, readonly XNode[]>;
  readonly ids: HistoryValue;

  constructor(lists: ReadonlyMap<string, readonly XNode[]>) {
    this.lists = lists;
    this.ids = idsOf(lists);
  }
}

export class Histories {
  readonly none = new History(new Map());
  readonly #machine: XMachine;
  #byKey = new Map<string, History>();
  #byIds = new WeakMap<HistoryValue, History>();

  constructor(machine: XMachine) {
    this.#machine = machine;
  }

  /** The history that a state keeps. Nodes that the machine no longer has are left out. */
  of(ids: HistoryValue): History {
    if (ids === NO_HISTORY) return this.none;
    const known = this.#byIds.get(ids);
    if (known !== undefined) return known;
    const lists = new Map<string, readonly XNode[]>();
    for (const [id, list] of Object.entries(ids)) {
      const nodes = list
        .map((node) => this.#machine.idMap.get(node))
        .filter((node) => node !== undefined);
      if (nodes.length > 0) lists.set(id, nodes);
    }
    const history = this.#interned(lists);
    this.#byIds.set(ids, history);
    return history;
  }

  /** The history once some more is remembered. */
  with(history: History, recorded: ReadonlyMap<string, readonly XNode[]>): History {
    return this.#interned(new Map([...history.lists, ...recorded]));
  }

  #interned(lists: ReadonlyMap<string, readonly XNode[]>): History {
    if (lists.size === 0) return this.none;
    const key = JSON.stringify([...lists].map(([id, nodes]) => [id, nodes.map((node) => node.id)]));
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= REMEMBERED) {
      this.#byKey = new Map();
      this.#byIds = new WeakMap();
    }
    const history = new History(lists);
    this.#byKey.set(key, history);
    return history;
  }
}

function idsOf(lists: ReadonlyMap<string, readonly XNode[]>): HistoryValue {
  const ids: Record<string, readonly string[]> = {};
  for (const [id, nodes] of lists) {
    if (nodes.length === 0) continue;
    const sorted = [...nodes].sort((a, b) => a.order - b.order);
    ids[id] = Object.freeze(sorted.map((node) => node.id));
  }
  return Object.keys(ids).length === 0 ? NO_HISTORY : Object.freeze(ids);
}
