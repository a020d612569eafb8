/**
 * Porters who carry items from one stash to another, as a kind whose author never stops changing it:
 * delays of other lengths and names, a state more or less. Items are only ever moved.
 */
import { type DefinedKind, defineKind, edit, linked } from 'offstage';
import { type AnyStateMachine, assign, setup } from 'xstate';

export interface PorterVersion {
  /** What the delay of a walk is called. */
  readonly walk: string;
  /** Game milliseconds of a walk. */
  readonly long: number;
  /** Whether porters wash between two walks. */
  readonly wash: boolean;
  /** Where those go on who wash when washing is given up; they are lost if left out. */
  readonly instead?: string;
  readonly version?: number;
}

interface Porter {
  readonly cargo: number;
  readonly walks: number;
}

/** What a porter takes at a time. */
const ONE = { item: 'sack', count: 1 } as const;

export function porter({ walk, long, wash, instead, version = 1 }: PorterVersion): DefinedKind {
  const machine = setup({
    types: { context: {} as Porter },
    guards: {
      hasSack: () => linked('from')?.can({ type: 'TAKE', ...ONE }) ?? false,
      hasRoom: () => linked('to')?.can({ type: 'PUT', ...ONE }) ?? false,
    },
    actions: {
      take: edit('from', { type: 'TAKE', ...ONE }),
      load: assign({ cargo: 1 }),
      put: edit('to', { type: 'PUT', ...ONE }),
      unload: assign({ cargo: 0, walks: ({ context }) => context.walks + 1 }),
    },
    delays: { [walk]: long, back: long * 2, scrub: 700 },
  }).createMachine({
    id: 'porter',
    context: { cargo: 0, walks: 0 },
    initial: 'waiting',
    states: {
      waiting: { always: { guard: 'hasSack', target: 'walking', actions: ['take', 'load'] } },
      walking: { after: { [walk]: 'there' } },
      there: {
        always: {
          guard: 'hasRoom',
          target: wash ? 'washing' : 'returning',
          actions: ['put', 'unload'],
        },
      },
      ...(wash ? { washing: { after: { scrub: 'returning' } } } : {}),
      returning: { after: { back: 'waiting' } },
    },
  } as never) as unknown as AnyStateMachine;
  return defineKind({
    name: 'porter',
    version,
    machine,
    links: { from: 'stash', to: 'stash' },
    ...(instead === undefined
      ? {}
      : {
          migrate: (saved) =>
            saved.value === 'washing' ? { ...saved, value: instead, timers: [] } : saved,
        }),
  });
}
