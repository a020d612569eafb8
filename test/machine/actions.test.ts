/** Our actions and reads: what they ask of the event that is happening, and when they refuse. */

import { afterEach, describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createActor, type MachineContext, setup } from 'xstate';
import {
  type AmbientEvent,
  ambient,
  type LinkedRecord,
  type NewRecord,
  type Offered,
} from '../../src/core/ambient.ts';
import { OutsideEventError, WorldError } from '../../src/core/errors.ts';
import type { MachineEvent } from '../../src/core/logic.ts';
import * as offstage from '../../src/machine/index.ts';
import { Run } from './run.ts';

const { addRecord, byId, edit, link, moveTo, removeRecord, tryEdit, unlink } = offstage;

/** An event that writes down what it is asked for. `TAKE` of more than 3 is refused. */
class Told implements AmbientEvent {
  readonly asked: unknown[][] = [];
  readonly time = 1200;
  readonly selfId = 'station-1';
  readonly sender = 'ferry';
  readonly at = [3, 4];

  linked(address: unknown): LinkedRecord | undefined {
    return address === 'ore' ? ({ id: 'stash-7' } as LinkedRecord) : undefined;
  }
  edit(address: unknown, event: MachineEvent): void {
    this.asked.push(['edit', address, event]);
    if ((event.count as number) > 3) throw new WorldError('EDIT_REFUSED', 'too many');
  }
  tell(address: unknown, event: MachineEvent): void {
    this.asked.push(['tell', address, event]);
  }
  tryEdit(address: unknown, event: MachineEvent): boolean {
    this.asked.push(['tryEdit', address, event]);
    return !((event.count as number) > 3);
  }
  offer(address: unknown, event: MachineEvent): Offered {
    this.asked.push(['offer', address, event]);
    return 'taken';
  }
  addRecord(record: NewRecord): string {
    this.asked.push(['addRecord', record]);
    return 'new';
  }
  removeRecord(...id: string[]): void {
    this.asked.push(['removeRecord', ...id]);
  }
  moveTo(at: readonly number[]): void {
    this.asked.push(['moveTo', at]);
  }
  link(name: string, id: string): void {
    this.asked.push(['link', name, id]);
  }
  unlink(name: string): void {
    this.asked.push(['unlink', name]);
  }
  random(): number {
    return 0.25;
  }
}

afterEach(() => {
  ambient.current = undefined;
});

interface Context extends MachineContext {
  readonly n: number;
  readonly log?: readonly string[];
}
type Events = { type: 'GO'; count: number } | { type: 'SHORT'; by: number } | { type: 'NOTE' };

const site = setup({
  types: { context: {} as Context, events: {} as Events },
  actions: {
    take: edit('ore', ({ event }) => ({
      type: 'TAKE',
      count: event.type === 'GO' ? event.count : 0,
    })),
    takeSome: edit('ore', (_, params: { count: number }) => ({ type: 'TAKE', ...params })),
    grab: tryEdit('ore', { type: 'TAKE', count: 9 }, { else: { type: 'SHORT', by: 6 } }),
  },
});

const asked = (machine: AnyStateMachine, event: Events) => {
  const told = new Told();
  ambient.current = told;
  const run = new Run(machine);
  run.send(event);
  return { asked: told.asked, run };
};

describe('actions', () => {
  it('ask with values and with expressions of the context, the event and the parameters', () => {
    const machine = site.createMachine({
      context: { n: 5 },
      on: {
        GO: {
          actions: [
            'take',
            { type: 'takeSome', params: { count: 2 } },
            addRecord({ kind: 'tent' }),
            addRecord(({ context }) => ({
              kind: 'tent',
              at: [context.n],
            })),
            removeRecord(),
            removeRecord(({ context }) => `tent-${context.n}`),
            moveTo(({ context }) => [context.n, 1]),
            link('ore', ({ context }) => `stash-${context.n}`),
            unlink('bars'),
            edit(({ context }) => byId(`stash-${context.n}`), {
              type: 'PUT',
            }),
          ],
        },
      },
    });
    expect(asked(machine, { type: 'GO', count: 1 }).asked).toEqual([
      ['edit', 'ore', { type: 'TAKE', count: 1 }],
      ['edit', 'ore', { type: 'TAKE', count: 2 }],
      ['addRecord', { kind: 'tent' }],
      ['addRecord', { kind: 'tent', at: [5] }],
      ['removeRecord', 'station-1'],
      ['removeRecord', 'tent-5'],
      ['moveTo', [5, 1]],
      ['link', 'ore', 'stash-5'],
      ['unlink', 'bars'],
      ['edit', byId('stash-5'), { type: 'PUT' }],
    ]);
  });

  it('given plain values fit into a setup that declares no types', () => {
    const untyped = setup({
      actions: {
        add: addRecord({ kind: 'tent' }),
        go: edit('there', { type: 'GO' }),
        leave: unlink('there'),
        link: link('there', 'tent-1'),
        move: moveTo([1, 2]),
        raze: removeRecord('tent-1'),
        try: tryEdit('there', { type: 'GO' }, { else: { type: 'NO' } }),
      },
    });
    expect(untyped.createMachine({ entry: 'add' }).id).toBe('(machine)');
  });

  it('have names that traces show', () => {
    const names = [edit('a', { type: 'X' }), addRecord({ kind: 'x' }), moveTo([1]), unlink('a')];
    expect(names.map((action) => action.name)).toEqual(['edit', 'addRecord', 'moveTo', 'unlink']);
  });

  it('fail the step with what an edit throws', () => {
    expect(() =>
      asked(site.createMachine({ context: { n: 1 }, on: { GO: { actions: 'take' } } }), {
        type: 'GO',
        count: 4,
      }),
    ).toThrow('too many');
  });

  it('of tryEdit raise `else` in the same macrostep when they are refused, and fail nothing', () => {
    const { run, asked: calls } = asked(
      site.createMachine({
        context: { n: 1 },
        initial: 'idle',
        states: {
          idle: { on: { GO: { target: 'busy', actions: 'grab' } } },
          busy: {
            on: {
              SHORT: {
                target: 'short',
                actions: [
                  assign({ n: ({ event }) => event.by }),
                  tryEdit('ore', { type: 'TAKE', count: 1 }, { else: { type: 'NOTE' } }),
                  tryEdit('ore', { type: 'TAKE', count: 4 }),
                  tryEdit('ore', ({ context }) => ({ type: 'TAKE', count: context.n }), {
                    else: ({ context }) => ({ type: 'SHORT', by: context.n + 1 }),
                  }),
                ],
              },
            },
          },
          short: {
            on: { SHORT: { actions: assign({ n: ({ event }) => event.by }) }, NOTE: 'idle' },
          },
        },
      }),
      { type: 'GO', count: 1 },
    );
    expect(run.state).toMatchObject({ value: 'short', context: { n: 7 } });
    expect(calls.map(([name, , event]) => [name, (event as { count: number }).count])).toEqual([
      ['tryEdit', 9],
      ['tryEdit', 1],
      ['tryEdit', 4],
      ['tryEdit', 6],
    ]);
  });
});

describe('reads', () => {
  it('give what the event says', () => {
    ambient.current = new Told();
    const { at, linked, now, random, selfId, sender } = offstage;
    expect([now(), random(), selfId(), at(), sender()]).toEqual([
      1200,
      0.25,
      'station-1',
      [3, 4],
      'ferry',
    ]);
    expect(linked('ore')?.id).toBe('stash-7');
    expect(linked('bars')).toBeUndefined();
  });

  it('refuse outside an event, and say how to run a machine alone', () => {
    const { at, linked, now, random, selfId, sender } = offstage;
    for (const read of [now, random, selfId, at, sender, () => linked('ore')]) {
      expect(read).toThrow(OutsideEventError);
    }
    expect(() => now()).toThrow(
      "now() was called while no event was happening. Actions and reads work only inside a machine that a world runs; to try a machine alone, run it with testKind from 'offstage/testing'.",
    );
  });

  it('refuse in a plain actor, as actions do', () => {
    const machine = site.createMachine({ context: { n: 1 }, on: { GO: { actions: 'take' } } });
    const errors: unknown[] = [];
    const actor = createActor(machine);
    actor.subscribe({ error: (error) => errors.push(error) });
    actor.start();
    actor.send({ type: 'GO', count: 1 });
    expect(errors).toEqual([expect.any(OutsideEventError)]);
  });
});
