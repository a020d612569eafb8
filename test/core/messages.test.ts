/** Messages and the order of an instant: who hears what, when, and in which order. */
import { all, at, byId, createWorld, edit, type Kind, selfId, sender, type World } from 'offstage';
import { describe, expect, it } from 'vitest';
import { assign, cancel, sendTo, setup } from 'xstate';
import { hash32 } from '../../src/core/hash.ts';
import { kindOf } from '../support/small-kinds.ts';

const place = [0, 0];

/** Keeps what it hears, and says what it is told to say. */
const person = kindOf(
  setup({
    types: {
      context: {} as { heard: string[] },
      events: {} as
        | { type: 'HEAR'; text: string }
        | { type: 'TELL'; to: string; text: string; delay?: number; id?: string }
        | { type: 'TELL_ALL'; text: string; radius: number; delay?: number }
        | { type: 'HUSH'; id: string }
        | { type: 'END' },
    },
    actions: {
      hear: assign({
        heard: ({ context, event }) =>
          event.type === 'HEAR'
            ? [...context.heard, `${event.text} from ${sender()}`]
            : context.heard,
      }),
      tell: sendTo(
        ({ event }) => byId(event.type === 'TELL' ? event.to : ''),
        ({ event }) => ({ type: 'HEAR', text: event.type === 'TELL' ? event.text : '' }),
        {
          delay: ({ event }) => (event.type === 'TELL' ? event.delay : undefined) as number,
          id: 'told',
        },
      ),
      tellNow: sendTo(
        ({ event }) => byId(event.type === 'TELL' ? event.to : ''),
        ({ event }) => ({ type: 'HEAR', text: event.type === 'TELL' ? event.text : '' }),
      ),
      tellAll: sendTo(
        ({ event }) =>
          all({
            kind: 'person',
            except: selfId(),
            within: { at: at(), radius: event.type === 'TELL_ALL' ? event.radius : 0 },
          }),
        ({ event }) => ({ type: 'HEAR', text: event.type === 'TELL_ALL' ? event.text : '' }),
      ),
      hush: cancel('told'),
    },
    guards: { isLater: ({ event }) => event.type === 'TELL' && event.delay !== undefined },
  }).createMachine({
    id: 'person',
    context: { heard: [] },
    initial: 'here',
    states: {
      here: {
        on: {
          HEAR: { actions: 'hear' },
          TELL: [{ guard: 'isLater', actions: 'tell' }, { actions: 'tellNow' }],
          TELL_ALL: { actions: 'tellAll' },
          HUSH: { actions: 'hush' },
          END: 'gone',
        },
      },
      gone: { type: 'final' },
    },
  }),
);

function worldOf(ids: readonly string[], kinds: readonly Kind[] = [person]): World {
  const world = createWorld({ kinds, settings: { freeze: true } });
  world.add(ids.map((id, i) => ({ id, kind: 'person', at: [i * 100, 0] })));
  return world;
}

const heard = (world: World, id: string): unknown =>
  (world.find(id)?.context as { heard: string[] } | undefined)?.heard;
/** Ids in the order of turns, for kinds of one order. */
const inOrder = (ids: readonly string[]): string[] =>
  [...ids].sort((a, b) => hash32(a) - hash32(b));

describe('a message', () => {
  it('to one arrives at that time, after the current event, and says who sent it', () => {
    const world = worldOf(['ann', 'ben', 'cat']);
    world.run(10);
    const trace: string[] = [];
    world.on('event', ({ id, event, cause, iteration, time }) =>
      trace.push(`${time}/${iteration} ${id} ${event.type} ${cause}`),
    );
    world.send('ann', { type: 'TELL', to: 'ben', text: 'hi' });
    expect(heard(world, 'ben')).toEqual(['hi from ann']);
    expect(heard(world, 'cat')).toEqual([]);
    expect(trace).toEqual(['10/0 ann TELL command', '10/1 ben HEAR message']);
  });

  it('to oneself by id is an event of its own as well', () => {
    const world = worldOf(['ann']);
    world.send('ann', { type: 'TELL', to: 'ann', text: 'me' });
    expect(heard(world, 'ann')).toEqual(['me from ann']);
  });

  it('to all reaches all near but the sender', () => {
    const world = worldOf(['ann', 'ben', 'cat', 'dan']);
    world.send('ann', { type: 'TELL_ALL', text: 'fire', radius: 200 });
    expect(['ann', 'ben', 'cat', 'dan'].map((id) => heard(world, id))).toEqual([
      [],
      ['fire from ann'],
      ['fire from ann'],
      [],
    ]);
  });

  it('to a set reaches whoever is in it when it is delivered', () => {
    const world = worldOf(['ann', 'ben']);
    const caller = kindOf(
      setup({
        actions: {
          call: sendTo(
            () => all({ kind: 'person' }),
            { type: 'HEAR', text: 'late' },
            { delay: 100 },
          ),
        },
      }).createMachine({ id: 'caller', entry: 'call' }),
    );
    const other = createWorld({ kinds: [person, caller] });
    other.add({ id: 'c', kind: 'caller', at: place });
    other.run(50);
    other.add({ id: 'new', kind: 'person', at: place });
    other.run(50);
    expect(heard(other, 'new')).toEqual(['late from c']);
    expect(world.stats().messagesDropped).toBe(0);
  });

  it('to nobody, to one who has ended, or to a deaf one is dropped and counted', () => {
    const rock = kindOf(setup({}).createMachine({ id: 'rock' }));
    const world = worldOf(['ann', 'ben'], [person, rock]);
    world.add({ id: 'stone', kind: 'rock', at: place });
    world.send('ben', { type: 'END' });
    for (const to of ['ben', 'nobody', 'stone'])
      world.send('ann', { type: 'TELL', to, text: 'hm' });
    expect(world.stats()).toMatchObject({
      messagesDropped: 3,
      droppedByKind: { person: { HEAR: 2 }, rock: { HEAR: 1 } },
      faulted: 0,
    });
  });

  it('with a delay belongs to its sender: cancelled by it, gone with it, saved with it', () => {
    const world = worldOf(['ann', 'ben']);
    world.send('ann', { type: 'TELL', to: 'ben', text: 'one', delay: 100 });
    expect(world.find('ann')).toMatchObject({ nextEvent: 100 });
    world.run(100);
    expect(heard(world, 'ben')).toEqual(['one from ann']);
    world.send('ann', { type: 'TELL', to: 'ben', text: 'two', delay: 100 });
    world.send('ann', { type: 'HUSH', id: 'told' });
    world.run(100);
    world.send('ann', { type: 'TELL', to: 'ben', text: 'three', delay: 100 });
    world.remove('ann');
    world.run(200);
    expect(heard(world, 'ben')).toEqual(['one from ann']);
  });

  it('already sent is delivered even if its sender ends', () => {
    const leaver = kindOf(
      setup({
        actions: { bye: sendTo(() => byId('ben'), { type: 'HEAR', text: 'bye' }) },
      }).createMachine({
        id: 'leaver',
        initial: 'a',
        states: { a: { on: { GO: { target: 'b', actions: 'bye' } } }, b: { type: 'final' } },
      }),
    );
    const world = worldOf(['ben'], [person, leaver]);
    world.add({ id: 'l', kind: 'leaver', at: place });
    world.send('l', { type: 'GO' });
    expect(heard(world, 'ben')).toEqual(['bye from l']);
  });

  it('of several senders come by the senders’ place in the order, then by count', () => {
    const ids = ['ann', 'ben', 'cat', 'dan'];
    const shouter = kindOf(
      setup({
        actions: {
          first: sendTo(() => byId('ear'), { type: 'HEAR', text: '1' }),
          second: sendTo(() => byId('ear'), { type: 'HEAR', text: '2' }),
        },
      }).createMachine({ id: 'shouter', after: { 100: { actions: ['first', 'second'] } } }),
    );
    const world = worldOf(['ear'], [person, shouter]);
    for (const id of ids) world.add({ id, kind: 'shouter', at: place });
    world.run(100);
    expect(heard(world, 'ear')).toEqual(
      inOrder(ids).flatMap((id) => [`1 from ${id}`, `2 from ${id}`]),
    );
  });
});

describe('the order of an instant', () => {
  const log: string[] = [];
  const actor = (id: string, order: number): Kind =>
    kindOf(
      setup({}).createMachine({
        id,
        initial: 'a',
        states: { a: { after: { 100: 'b' } }, b: { after: { 0: 'c' } }, c: {} },
      }),
      { order },
    );

  it('is kind order, then the hash of the id; what is due again comes in the next iteration', () => {
    const kinds = [actor('late', 5), actor('early', -3), actor('middle', 0)];
    const world = createWorld({ kinds });
    for (const kind of ['late', 'middle', 'early']) {
      for (const n of [3, 1, 2]) world.add({ id: `${kind}-${n}`, kind, at: place });
    }
    log.length = 0;
    world.on('event', ({ id, iteration }) => log.push(`${iteration} ${id}`));
    world.run(100);
    const turns = ['early', 'middle', 'late'].flatMap((kind) =>
      inOrder([1, 2, 3].map((n) => `${kind}-${n}`)),
    );
    expect(log).toEqual([...turns.map((id) => `0 ${id}`), ...turns.map((id) => `1 ${id}`)]);
  });

  it('within one record: timers as they were set, prediction, step, messages, one merged wake', () => {
    const note = (what: string) => ({ type: 'note' as const, params: what });
    const logOf = (world: World): string[] =>
      (world.valueOf('busy') as unknown as { state: { context: { log: string[] } } }).state.context
        .log;
    const busy = kindOf(
      setup({
        types: { context: {} as { log: string[] } },
        actions: {
          note: assign({ log: ({ context }, what: string) => [...context.log, what] }),
        },
        delays: { slow: 1000 },
      }).createMachine({
        id: 'busy',
        context: { log: [] },
        initial: 'a',
        states: {
          a: {
            after: { 1000: { actions: note('timer 1000') }, slow: { actions: note('timer slow') } },
            on: {
              PREDICTED: { actions: note('prediction') },
              'offstage.step': { actions: note('step') },
              HEAR: { actions: note('message') },
              'offstage.wake': { actions: note('wake') },
            },
          },
        },
      }),
      {
        links: { x: '*', y: '*' },
        predict: {
          PREDICTED: ({ log }: { log: string[] }) =>
            log.includes('prediction') ? undefined : 1000,
        },
        step: { every: 1000 },
      },
    );
    const teller = kindOf(
      setup({
        types: { context: {} as { n: number } },
        actions: {
          tell: sendTo(() => byId('busy'), { type: 'HEAR' }),
          change: assign({ n: ({ context }) => context.n + 1 }),
        },
      }).createMachine({
        id: 'teller',
        context: { n: 0 },
        after: { 1000: { actions: ['tell', 'change'] } },
      }),
      { order: -1 },
    );
    const world = createWorld({ kinds: [busy, teller] });
    world.add([
      { id: 'busy', kind: 'busy', at: place, links: { x: 't1', y: 't2' } },
      { id: 't1', kind: 'teller', at: place },
      { id: 't2', kind: 'teller', at: place },
    ]);
    const start = logOf(world).length;
    world.run(1000);
    expect(logOf(world).slice(start)).toEqual([
      'timer 1000',
      'timer slow',
      'prediction',
      'step',
      'message',
      'message',
      'wake',
    ]);
  });

  it('an earlier record can cancel what a later one would do at the same time', () => {
    const bomb = kindOf(
      setup({}).createMachine({
        id: 'bomb',
        initial: 'armed',
        states: {
          armed: { after: { 100: 'exploded' }, on: { DEFUSE: 'safe' } },
          safe: {},
          exploded: {},
        },
      }),
      { order: 1 },
    );
    const hero = kindOf(
      setup({ actions: { defuse: edit('bomb', { type: 'DEFUSE' }) } }).createMachine({
        id: 'hero',
        after: { 100: { actions: 'defuse' } },
      }),
      { links: { bomb: 'bomb' } },
    );
    const world = createWorld({ kinds: [bomb, hero] });
    world.add([
      { id: 'b', kind: 'bomb', at: place },
      { id: 'h', kind: 'hero', at: place, links: { bomb: 'b' } },
    ]);
    world.run(100);
    expect(world.find('b')?.value).toBe('safe');
  });
});

describe('running', () => {
  it('step runs exactly one event and moves the clock to it', () => {
    const world = worldOf(['ann', 'ben']);
    world.send('ann', { type: 'TELL', to: 'ben', text: 'x', delay: 70 });
    expect(world.step()).toMatchObject({ id: 'ann', cause: 'timer', time: 70 });
    expect(world.clock.time).toBe(70);
    expect(world.step()).toMatchObject({
      id: 'ben',
      cause: 'message',
      event: { type: 'HEAR' },
      taken: true,
      changed: ['ben'],
    });
    expect(world.step()).toBeUndefined();
  });

  it('a run that leaves out its end loses nothing', () => {
    const world = worldOf(['ann', 'ben']);
    world.send('ann', { type: 'TELL', to: 'ben', text: 'x', delay: 20 });
    world.runUntil(20, { inclusive: false });
    expect(world.time).toBe(20);
    expect(heard(world, 'ben')).toEqual([]);
    // A command at 20 comes after everything due at 20.
    world.send('ben', { type: 'HEAR', text: 'y' });
    expect(heard(world, 'ben')).toEqual(['x from ann', 'y from undefined']);
  });

  it('a budget stops between any two events, and the world says how far behind it is', () => {
    const world = worldOf(['ann', 'ben', 'cat']);
    world.configure({ eventsPerFrame: 1 });
    world.send('ann', { type: 'TELL', to: 'ben', text: 'x', delay: 10 });
    world.send('ben', { type: 'TELL', to: 'ann', text: 'y', delay: 10 });
    expect(world.frame(1000)).toEqual({ time: 10, events: 1, commands: 0, backlog: true });
    expect(world.time).toBe(10);
    expect(world.clock.time).toBe(1000);
    expect(world.stats()).toMatchObject({ behind: 990 });
    expect(world.frame(0).backlog).toBe(true);
    expect(world.frame(0).backlog).toBe(true);
    expect(world.frame(0)).toEqual({ time: 1000, events: 1, commands: 0, backlog: false });
    let asked = 0;
    world.frame(10, { mayGoOn: () => asked++ < 0 });
    expect(asked).toBe(1);
  });
});

describe('the read listener', () => {
  it('hears what every event looked at, also one that took nothing', () => {
    const looker = kindOf(
      setup({
        guards: { sees: () => false },
      }).createMachine({
        id: 'looker',
        after: { 10: { guard: 'sees', target: '.a' } },
        initial: 'a',
        states: { a: {} },
      }),
    );
    const world = worldOf(['ann', 'ben'], [person, looker]);
    world.add({ id: 'look', kind: 'looker', at: place });
    const reads: unknown[] = [];
    world.on('read', ({ id, ids, sets }) => reads.push({ id, ids, sets }));
    world.run(10);
    world.send('ann', { type: 'TELL_ALL', text: 'x', radius: 100 });
    expect(reads[0]).toEqual({
      id: 'look',
      ids: ['look'],
      sets: [{ type: 'linkers', id: 'look' }],
    });
    expect(reads[1]).toMatchObject({
      ids: ['ann'],
      sets: [
        { type: 'linkers', id: 'ann' },
        { type: 'selection', kind: 'person', within: { at: [0, 0], radius: 100 } },
      ],
    });
  });
});
