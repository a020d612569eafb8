/**
 * The order of records at one game time and iteration: the kind's order, then the hash of the id,
 * then the id. It depends on nothing else: not on slots, insertion, saving or the machine.
 */
import { roomFor } from './typed-arrays.ts';

/** One number that holds (kind order, hash of the id): exact for orders within ±2^20. */
export function turnRank(kindOrder: number, idHash: number): number {
  return kindOrder * 4_294_967_296 + idHash;
}

/** Compares two records' places in the order without their slots. */
export function compareTurns(rankA: number, idA: string, rankB: number, idB: string): number {
  if (rankA !== rankB) return rankA - rankB;
  return idA < idB ? -1 : idA > idB ? 1 : 0;
}

/** The order by slot, for the heap and the turns of an iteration. */
export class TurnOrder {
  ranks = new Float64Array(64);
  private readonly idOf: (slot: number) => string | undefined;

  constructor(idOf: (slot: number) => string | undefined) {
    this.idOf = idOf;
  }

  set(slot: number, rank: number): void {
    this.ranks = roomFor(this.ranks, slot);
    this.ranks[slot] = rank;
  }

  /** Negative if the record of `a` has its turn before that of `b`. */
  readonly compare = (a: number, b: number): number => {
    const rankA = this.ranks[a] as number;
    const rankB = this.ranks[b] as number;
    return rankA !== rankB
      ? rankA - rankB
      : compareTurns(0, this.idOf(a) ?? '', 0, this.idOf(b) ?? '');
  };
}
