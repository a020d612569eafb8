/** The world of the purses as it is if nothing ever happened to its process: made of what clients were told. */
import { createWorld, type World } from 'offstage';
import type { Send } from '../../src/protocol/messages.ts';
import type { Guest, Shown } from './guest.ts';
import { purseKinds, purseSeed } from './purses.ts';

export interface Given {
  readonly time: number;
  readonly session: string;
  readonly message: Send;
}

/**
 * What clients were told was carried out, by its time. Commands of one time are in the order in which
 * the last server that had them carried them out.
 */
export function carriedOut(all: readonly Guest[], numbers: ReadonlyMap<string, number>): Given[] {
  const given = all.flatMap(({ session, commands, answers }) =>
    [...answers].flatMap(([seq, answer]) =>
      'time' in answer ? [{ time: answer.time, session, message: commands.get(seq) as Send }] : [],
    ),
  );
  const number = ({ session, message }: Given): number =>
    numbers.get(keyOf(session, message.seq)) ?? Number.NaN;
  return given.sort((a, b) => a.time - b.time || number(a) - number(b));
}

export function keyOf(session: string, seq: number): string {
  return `${session} ${seq}`;
}

/**
 * A world to which nothing ever happened, with the same commands. Gives what clients were shown and
 * never was so in it, and the commands that they were told were carried out and cannot be.
 */
export function neverKilled(
  given: readonly Given[],
  shown: readonly Shown[],
  end: number,
): {
  readonly world: World;
  readonly undone: readonly Shown[];
  readonly untrue: readonly Given[];
} {
  const { seed, settings, records } = purseSeed;
  const world = createWorld({ kinds: purseKinds, seed, settings });
  world.add(records);
  const shownAt = byTime(shown);
  const givenAt = byTime(given);
  const undone: Shown[] = [];
  const untrue: Given[] = [];
  for (const time of [...new Set([...shownAt.keys(), ...givenAt.keys()])].sort((a, b) => a - b)) {
    let unseen = shownAt.get(time) ?? [];
    // What was shown at that time may be of any moment between two events or commands of it.
    const look = (): void => {
      unseen = unseen.filter((one) => !isSo(world, one));
    };
    world.runUntil(time, { inclusive: false });
    look();
    while ((world.nextEventAt ?? Number.POSITIVE_INFINITY) <= time) {
      world.step();
      look();
    }
    for (const one of givenAt.get(time) ?? []) {
      const { id, event, seq } = one.message;
      const source = { rank: 1, id: one.session };
      const { accepted } = world.execute({ type: 'send', id, event }, source, seq);
      if (!accepted) untrue.push(one);
      look();
    }
    undone.push(...unseen);
  }
  world.runUntil(end);
  return { world, undone, untrue };
}

function byTime<T extends { readonly time: number }>(all: readonly T[]): Map<number, T[]> {
  const times = new Map<number, T[]>();
  for (const one of all) times.set(one.time, [...(times.get(one.time) ?? []), one]);
  return times;
}

function isSo(world: World, { id, context, nextEvent }: Shown): boolean {
  const record = world.find(id);
  return JSON.stringify(record?.context) === context && record?.nextEvent === nextEvent;
}
