/**
 * What a context may hold comes back from a save as it was, whatever it is; what cannot be saved is
 * refused when the event that made it commits, so that no save ever fails for it.
 */
import fc from 'fast-check';
import { defineKind, type World } from 'offstage';
import { openWorld, type WorldDocument } from 'offstage/saves';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import { assign, raise, setup } from 'xstate';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { StoppedTime } from '../support/stopped-time.ts';

const RUNS = Number(process.env.OFFSTAGE_FUZZ ?? 60);

class Coin {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}
superjson.registerClass(Coin, { identifier: 'test/Coin' });

class Stranger {
  readonly name = 'nobody';
}

/** What `HOLD` puts into the box, and what it makes of itself when its time comes. */
const holdings: Record<string, () => unknown> = {};

const machine = setup({
  types: {
    context: {} as { held: unknown; other: readonly number[] },
    events: {} as
      | { type: 'HOLD'; value: unknown }
      | { type: 'MAKE'; what: string }
      | { type: 'LATER'; what: string }
      | { type: 'SAY'; what: string },
    input: {} as { value?: unknown } | undefined,
  },
  actions: {
    make: assign({
      held: ({ event }) => (holdings[(event as { what: string }).what] as () => unknown)(),
    }),
  },
}).createMachine({
  id: 'box',
  context: ({ input }) => ({ held: input?.value, other: [1, 2, 3] }),
  on: {
    HOLD: { actions: assign({ held: ({ event }) => event.value }) },
    MAKE: { actions: 'make' },
    LATER: { actions: raise(({ event }) => ({ type: 'MAKE', what: event.what }), { delay: 100 }) },
    SAY: {
      actions: raise(
        ({ event }) =>
          ({ type: 'HOLD', value: (holdings[event.what] as () => unknown)() }) as never,
        { delay: 100 },
      ),
    },
  },
});
const box = defineKind({ name: 'box', version: 1, machine });

async function open(disk: SimulatedDisk, freeze = false): Promise<WorldDocument> {
  return openWorld('/saves/box', {
    kinds: [box],
    disk,
    time: new StoppedTime(),
    settings: { freeze },
    begin: (world: World) => world.add({ id: 'box', kind: 'box', at: [-0, 5] }),
  });
}

const held = ({ world }: WorldDocument): unknown =>
  (world.find('box')?.context as { held: unknown } | undefined)?.held;

/** Anything that a context may hold. */
const savable: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, undefined, null, true, ''),
      fc.bigInt(),
      fc.date({ noInvalidDate: true }),
      fc.integer().map((value) => new Coin(value)),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.string({ maxLength: 8 }).filter((key) => !/^(__proto__|constructor|prototype)$/.test(key)),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => new Set(items)),
  ),
})).value;

describe('what can be saved', () => {
  it('comes back as it was, out of a generation and out of a journal', async () => {
    await fc.assert(
      fc.asyncProperty(savable, fc.boolean(), async (value, freeze) => {
        const disk = new SimulatedDisk();
        const first = await open(disk, freeze);
        expect(first.world.send('box', { type: 'HOLD', value })).toEqual({ accepted: true });
        const hash = first.world.hash();
        await new Promise<void>((done) => first.whenDurable(done));

        const journaled = await open(disk.afterKill());
        expect(journaled.report.entries).toEqual([]);
        expect(journaled.world.hash()).toBe(hash);
        expect(held(journaled)).toStrictEqual(value);

        const saved = disk.afterKill();
        await (await open(saved)).close();
        const generation = await open(saved);
        expect(generation.report).toMatchObject({ replayed: 0, entries: [] });
        expect(generation.world.hash()).toBe(hash);
        expect(held(generation)).toStrictEqual(value);
        expect(Object.is(generation.world.find('box')?.at[0], -0)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('is written through JSON alone where JSON can hold it', async () => {
    const disk = new SimulatedDisk();
    const document = await openWorld('/saves/box', {
      kinds: [box],
      disk,
      time: new StoppedTime(),
      begin: (world) => {
        world.add({
          id: 'plain',
          kind: 'box',
          at: [1, 5],
          input: { value: { a: [1, 'x', null] } },
        });
        world.add({ id: 'rich', kind: 'box', at: [1, 5], input: { value: new Map([[1, 2n]]) } });
      },
    });
    const path = [...disk.files().keys()].find((name) => name.includes('/regions/'));
    const file = JSON.parse(String(disk.files().get(path as string)));
    expect(file).toMatchObject({ format: 1, region: '0,0', kept: [] });
    expect(file.records.map(({ id }: { id: string }) => id)).toEqual(['plain']);
    expect(file.rich.map(({ json }: { json: { id: string } }) => json.id)).toEqual(['rich']);
    await document.close();
  });
});

const loop: Record<string, unknown> = {};
loop.loop = { deep: [loop] };

const UNSAVABLE: Record<string, readonly [make: () => unknown, what: RegExp]> = {
  'a function': [() => ({ call: () => 1 }), /context\.held\.call holds a function/],
  'a symbol': [() => Symbol('x'), /context\.held holds a symbol/],
  'a symbol for a key': [() => ({ [Symbol('x')]: 1 }), /holds a symbol for a key/],
  'a stranger': [() => [new Stranger()], /context\.held\[0\] holds an instance of Stranger/],
  'a Buffer': [() => Buffer.from('x'), /holds an instance of Buffer/],
  'a typed array': [
    () => ({ a: new Float32Array(2) }),
    /held\.a holds an instance of Float32Array/,
  ],
  'an Error': [() => new Error('x'), /holds an instance of Error/],
  'a RegExp': [() => /x/, /holds an instance of RegExp/],
  'a promise': [() => Promise.resolve(1), /holds an instance of Promise/],
  'a sparse array': [
    () => Object.assign(new Array(3), { 0: 1 }),
    /context\.held holds a sparse array/,
  ],
  'a forbidden key': [
    () => JSON.parse('{"a":{"__proto__":1}}'),
    /held\.a holds a key named '__proto__'/,
  ],
  'another forbidden key': [() => ({ constructor: 1 }), /a key named 'constructor'/],
  'a date that is none': [() => new Date(Number.NaN), /a Date that is no date/],
  itself: [() => loop, /holds itself, or too much in one another/],
  'something in a Map': [() => new Map([['k', () => 1]]), /held\.get\(k\) holds a function/],
  'something in a Set': [() => new Set([Symbol('x')]), /held\.values\(\) holds a symbol/],
};
Object.assign(
  holdings,
  Object.fromEntries(Object.entries(UNSAVABLE).map(([k, [make]]) => [k, make])),
);

describe.each([false, true])('what cannot be saved (frozen: %s)', (freeze) => {
  it.each(Object.keys(UNSAVABLE))('%s: fails the command that brings it', async (name) => {
    const [make] = UNSAVABLE[name] as (typeof UNSAVABLE)[string];
    const disk = new SimulatedDisk();
    const document = await open(disk, freeze);
    const { world } = document;
    const hash = world.hash();
    for (const command of [
      () => world.send('box', { type: 'HOLD', value: make() }),
      () => world.send('box', { type: 'MAKE', what: name }),
    ]) {
      const result = command();
      expect(result).toMatchObject({ accepted: false, code: 'NOT_SAVABLE' });
    }
    expect(() => world.add({ id: 'b', kind: 'box', at: [0, 0], input: { value: make() } })).toThrow(
      /cannot be saved/,
    );
    expect(() => world.setState('box', { context: { held: make(), other: [] } })).toThrow(
      /cannot be saved/,
    );
    expect(world.hash()).toBe(hash);
    // They count, and the journal tells of them all the same.
    expect(world.commandCount).toBe(5);
    await new Promise<void>((done) => document.whenDurable(done));
    const again = await open(disk.afterKill());
    expect(again.report).toMatchObject({ replayed: 4, entries: [] });
    expect(again.world.hash()).toBe(hash);
    await again.save();
  });

  it.each(Object.keys(UNSAVABLE))(
    '%s: lays a record to rest that makes it by itself',
    async (name) => {
      const [, words] = UNSAVABLE[name] as (typeof UNSAVABLE)[string];
      const disk = new SimulatedDisk();
      const document = await open(disk, freeze);
      const { world } = document;
      expect(world.send('box', { type: 'LATER', what: name }).accepted).toBe(true);
      world.run(100);
      expect(world.find('box')?.fault?.code).toBe('NOT_SAVABLE');
      if (!freeze) expect(world.find('box')?.fault?.message).toMatch(words);
      expect(held(document)).toBeUndefined();
      // An event that a machine sets for later is saved, too.
      expect(world.send('box', { type: 'SAY', what: name })).toMatchObject({ code: 'NOT_SAVABLE' });
      await document.close();
      const again = await open(disk.afterKill());
      expect(again.world.hash()).toBe(world.hash());
      expect(again.world.find('box')?.fault?.code).toBe('NOT_SAVABLE');
    },
  );
});
