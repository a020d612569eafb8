/**
 * The kinds of the golden documents. They stay as they are: what a format held is read with the kinds it
 * was written with.
 */
import { all, defineKind, type World } from 'offstage';
import { assign, sendTo, setup } from 'xstate';

const drumMachine = setup({
  types: { context: {} as { beats: number }, events: {} as { type: 'BEAT'; by: number } },
}).createMachine({
  id: 'drum',
  context: { beats: 0 },
  initial: 'still',
  on: { BEAT: { actions: assign({ beats: ({ context, event }) => context.beats + event.by }) } },
  states: {
    still: {
      tags: ['quiet'],
      after: {
        1000: {
          target: 'still',
          reenter: true,
          actions: sendTo(() => all({ kind: 'drum' }), { type: 'BEAT', by: 1 }),
        },
      },
    },
  },
});

const chestMachine = setup({
  types: {
    context: {} as { items: ReadonlyMap<string, bigint>; since: Date; odd: unknown },
    events: {} as { type: 'PUT'; item: string; count: bigint },
  },
}).createMachine({
  id: 'chest',
  context: {
    items: new Map([['coin', 12_345_678_901_234_567_890n]]),
    since: new Date(86_400_000),
    odd: [undefined, Number.NaN, -0, Number.POSITIVE_INFINITY, new Set(['a'])],
  },
  on: {
    PUT: {
      actions: assign({
        items: ({ context, event }) => new Map(context.items).set(event.item, event.count),
      }),
    },
  },
});

const relicMachine = setup({}).createMachine({
  id: 'relic',
  context: { of: 'a kind that is gone' },
});

export const drum = defineKind({ name: 'drum', version: 1, machine: drumMachine });
export const chest = defineKind({ name: 'chest', version: 1, machine: chestMachine });
export const relic = defineKind({ name: 'relic', version: 1, machine: relicMachine });

/** What the world of a golden document begins with. */
export function beginGolden(world: World): void {
  world.add([
    { id: 'drum-1', kind: 'drum', at: [0, 0] },
    { id: 'drum-2', kind: 'drum', at: [5, 5, 5], relevancy: 'always' },
    { id: 'drum-3', kind: 'drum', at: [-200_000, 0], relevancy: 'none' },
    { id: 'chest-1', kind: 'chest', at: [150_000, -1] },
    { id: 'relic-1', kind: 'relic', at: [0, 0] },
  ]);
}
