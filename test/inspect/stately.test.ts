/** Stately's inspectors on a world, seen by a client that plays the part of their pages. */
import { createRequire } from 'node:module';
import { createWorld, defineKind, edit, type World } from 'offstage';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { assign, setup } from 'xstate';
import { openV4 } from '../../inspector/bridge.ts';
import { kinds } from '../../kinds/index.ts';
import { type Inspection, openInspection } from '../../src/inspect/stately/inspection.ts';
import { chosenRecords, MOST_SHOWN } from '../../src/inspect/stately/selection.ts';
import { v4ChartOf } from '../../src/inspect/stately/v4-chart.ts';
import { worldSource } from '../../src/inspect/stately/world-source.ts';
import { builtMachine } from '../../src/machine/xstate-internals.ts';
import { pulse } from '../support/small-kinds.ts';

/** XState 4, which only the inspector's workspace has. */
interface XState4 {
  createMachine(definition: object): {
    readonly id: string;
    readonly stateIds: readonly string[];
    readonly events: readonly string[];
    readonly initialState: { readonly value: unknown };
    getStateNodeById(id: string): {
      readonly transitions: readonly {
        readonly eventType: string;
        readonly cond?: { readonly name: string };
        readonly target: readonly { readonly id: string }[] | undefined;
      }[];
    };
  };
  readonly State: {
    create(config: object): {
      readonly value: unknown;
      readonly context: unknown;
      readonly done: boolean;
      hasTag(tag: string): boolean;
    };
  };
}
const xstate4: XState4 = createRequire(new URL('../../inspector/package.json', import.meta.url))(
  'xstate',
);

const door = defineKind({
  name: 'door',
  version: 1,
  links: { other: '*' },
  machine: setup({
    types: {
      context: {} as {
        readonly opened: number;
        readonly big: bigint;
        readonly seen: Map<string, number>;
      },
      events: {} as { type: 'OPEN' | 'SHUT' | 'BREAK' | 'KNOCK' },
    },
    guards: { isLoose: ({ context }) => context.opened < 3, never: () => false },
    actions: {
      count: assign({ opened: ({ context }) => context.opened + 1 }),
      pass: edit('other', { type: 'OPEN' }),
    },
    delays: { draught: 5000 },
  }).createMachine({
    id: 'door',
    context: () => ({ opened: 0, big: 12n, seen: new Map([['a', 1]]) }),
    initial: 'shut',
    states: {
      shut: {
        tags: ['calm'],
        on: {
          OPEN: { target: 'open', guard: 'isLoose', actions: 'count' },
          KNOCK: { actions: 'pass' },
        },
      },
      open: {
        after: { draught: 'shut' },
        on: { SHUT: 'shut', BREAK: 'broken' },
        always: { guard: 'never', target: 'shut' },
      },
      broken: { type: 'final' },
    },
  }),
});

let world: World;
let inspection: Inspection;
const warnings: string[] = [];
const pages: WebSocket[] = [];

beforeEach(() => {
  // XState 4 says of each `always` that it would be written otherwise today.
  vi.spyOn(console, 'warn').mockReturnValue(undefined);
  warnings.length = 0;
  world = createWorld({ kinds: [door, pulse] });
  world.add([
    { id: 'd1', kind: 'door', at: [0, 0], links: { other: 'd2' } },
    { id: 'd2', kind: 'door', at: [500, 0] },
    { id: 'p1', kind: 'pulse', at: [90_000, 0] },
  ]);
});
afterEach(async () => {
  for (const page of pages.splice(0)) page.terminate();
  await inspection?.close();
  vi.restoreAllMocks();
});

async function inspect(...wanted: readonly string[]): Promise<void> {
  inspection = await openInspection({
    source: worldSource(world),
    wanted,
    port: 0,
    openV4,
    warn: (message) => warnings.push(message),
  });
}

/** A page that listens, and what it heard. */
class Page {
  readonly heard: { readonly type: string; readonly [key: string]: string | undefined }[] = [];
  readonly socket: WebSocket;
  private look: () => void = () => {};

  constructor(path = '/', options: { readonly origin?: string; readonly host?: string } = {}) {
    const headers = options.host === undefined ? {} : { headers: { host: options.host } };
    this.socket = new WebSocket(`${inspection.url.replace('http', 'ws')}${path}`, {
      ...(options.origin === undefined ? {} : { origin: options.origin }),
      ...headers,
    });
    pages.push(this.socket);
    this.socket.on('message', (data) => {
      this.heard.push(JSON.parse(String(data)));
      this.look();
    });
  }
  opened(): Promise<boolean> {
    return new Promise((resolve) => {
      this.socket.once('open', () => resolve(true));
      this.socket.once('error', () => resolve(false));
    });
  }
  say(message: unknown): this {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return this;
  }
  /** The next message of a type that has not been asked for. */
  async hears(type: string, about?: string) {
    for (;;) {
      const at = this.heard.findIndex(
        (message) => message.type === type && (about === undefined || message.sessionId === about),
      );
      if (at >= 0) return this.heard.splice(at, 1)[0] as Page['heard'][number];
      await new Promise<void>((resolve) => {
        this.look = resolve;
      });
    }
  }
}

async function inspectingPage(): Promise<Page> {
  const page = new Page('/', { origin: 'https://statecharts.io' });
  expect(await page.opened()).toBe(true);
  return page.say({ type: 'xstate.inspecting' });
}

/** As the page sends a clicked event. */
const clicked = (id: string, event: object & { readonly type: string }) => ({
  type: 'xstate.event',
  event: JSON.stringify({
    name: event.type,
    data: event,
    $$type: 'scxml',
    type: 'external',
    origin: id,
  }),
});

describe('the older inspector', () => {
  test('is told of each record with a machine and a state that XState 4 makes its own', async () => {
    await inspect('d1', 'p1');
    const page = await inspectingPage();
    const told = await page.hears('service.register', 'd1');
    const machine = xstate4.createMachine(JSON.parse(told.machine as string));
    expect(machine.initialState.value).toBe('shut');
    expect([...machine.stateIds].sort()).toEqual(['door', 'door.broken', 'door.open', 'door.shut']);
    const open = machine.getStateNodeById('door.open').transitions;
    expect(open.map(({ eventType, target }) => [eventType, target?.map(({ id }) => id)])).toEqual(
      expect.arrayContaining([
        ['xstate.after(draught)#door.open', ['door.shut']],
        ['SHUT', ['door.shut']],
        ['BREAK', ['door.broken']],
        ['', ['door.shut']],
      ]),
    );
    const [first] = machine.getStateNodeById('door.shut').transitions;
    expect(first).toMatchObject({ eventType: 'OPEN', cond: { name: 'isLoose' } });
    const state = xstate4.State.create(JSON.parse(told.state as string));
    expect(state).toMatchObject({
      value: 'shut',
      done: false,
      context: { opened: 0, big: '12n', seen: [['a', 1]] },
    });
    expect(state.hasTag('calm')).toBe(true);
    expect((await page.hears('service.register', 'p1')).sessionId).toBe('p1');
  });

  test('is told of each event, then of the state it led to', async () => {
    await inspect('d1', 'd2');
    const page = await inspectingPage();
    await page.hears('service.register', 'd1');
    world.send('d1', { type: 'OPEN' });
    expect(JSON.parse((await page.hears('service.event', 'd1')).event as string)).toMatchObject({
      name: 'OPEN',
      data: { type: 'OPEN' },
    });
    const told = await page.hears('service.state', 'd1');
    expect(xstate4.State.create(JSON.parse(told.state as string)).value).toBe('open');
    world.run(5000);
    const after = await page.hears('service.event', 'd1');
    expect(JSON.parse(after.event as string).name).toBe('xstate.after(draught)#door.open');
    world.send('d1', { type: 'KNOCK' });
    expect(JSON.parse((await page.hears('service.event', 'd2')).event as string).name).toBe(
      'edited by d1',
    );
    world.send('d2', { type: 'BREAK' });
    for (const value of ['open', 'broken']) {
      const { state } = await page.hears('service.state', 'd2');
      expect(xstate4.State.create(JSON.parse(state as string)).value).toBe(value);
    }
    world.remove('d2');
    expect(await page.hears('service.stop')).toMatchObject({ sessionId: 'd2' });
  });

  test('sends what is clicked in it to the record, as a command', async () => {
    await inspect('d1');
    const page = await inspectingPage();
    await page.hears('service.register', 'd1');
    page.say(clicked('d1', { type: 'OPEN' }));
    await expect.poll(() => world.commands.size).toBe(1);
    world.frame(0);
    expect(world.find('d1')?.value).toBe('open');
    page.say(clicked('d1', { type: 'KNOCK' }));
    await expect.poll(() => world.commands.size).toBe(1);
    world.frame(0);
    await expect.poll(() => warnings).toEqual([expect.stringContaining('does not take KNOCK')]);
  });

  test('does not let the delay of a record be clicked: its timer would happen twice', async () => {
    await inspect('d1');
    const page = await inspectingPage();
    page.say(clicked('d1', { type: 'xstate.after(draught)#door.open' }));
    await expect.poll(() => warnings).toEqual([expect.stringContaining('happens to d1 by itself')]);
    expect(world.commands.size).toBe(0);
  });
});

describe('the gate', () => {
  test.each([
    ['a page of anybody else', { origin: 'https://evil.example' }],
    [
      'a page that reached this machine by another name',
      { origin: 'http://evil.example:80', host: 'evil.example:80' },
    ],
    ['a program that asks for another host', { host: 'evil.example' }],
  ])('is shut to %s', async (_, options) => {
    await inspect('d1');
    for (const path of ['/', '/events']) expect(await new Page(path, options).opened()).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  test('is open to Stately’s pages, to its own, and to programs', async () => {
    await inspect('d1');
    for (const origin of [
      'https://stately.ai',
      'https://statecharts.io',
      inspection.url,
      undefined,
    ]) {
      expect(await new Page('/', origin === undefined ? {} : { origin }).opened()).toBe(true);
    }
  });

  test('lets nothing through that the inspector would die of, and goes on', async () => {
    await inspect('d1');
    const page = await inspectingPage();
    await page.hears('service.register', 'd1');
    const frames = [
      'no JSON',
      '',
      'null',
      '[]',
      '{}',
      '{"type":"disconnect"}',
      '{"type":"unload"}',
      '{"type":"service.register"}',
      '{"type":"xstate.event"}',
      '{"type":"xstate.event","event":"{"}',
      '{"type":"xstate.event","event":"{}"}',
      '{"type":"xstate.event","event":{"origin":"d1"}}',
    ];
    for (const frame of frames) page.say(frame);
    page.socket.send(Buffer.from([1, 2, 3]), { binary: true });
    page.say(clicked('nobody', { type: 'OPEN' }));
    page.say({ type: 'xstate.event', event: JSON.stringify({ origin: 'd1', data: 7 }) });
    await expect.poll(() => warnings.length).toBe(frames.length + 2);
    page.say(clicked('d1', { type: 'OPEN' }));
    await expect.poll(() => world.commands.size).toBe(1);
  });

  test('serves its page to this machine alone', async () => {
    await inspect('d1');
    const page = await fetch(inspection.url);
    expect(await page.text()).toContain('https://stately.ai/inspect');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await fetch(`${inspection.url}/else`)).status).toBe(404);
    expect(new URL(inspection.url).hostname).toBe('127.0.0.1');
  });

  test('says that its port is taken', async () => {
    await inspect('d1');
    const port = Number(new URL(inspection.url).port);
    const again = openInspection({ source: worldSource(world), wanted: [], port, warn: () => {} });
    await expect(again).rejects.toMatchObject({ code: 'PORT_TAKEN' });
  });
});

describe('Stately’s current inspector', () => {
  test('is told of each record, its machine, its events and its states, also when it comes late', async () => {
    await inspect('d1');
    world.send('d1', { type: 'OPEN' });
    const page = new Page('/events', { origin: inspection.url });
    const actor = await page.hears('@xstate.actor');
    expect(actor).toMatchObject({ sessionId: 'd1', name: 'd1', snapshot: { value: 'shut' } });
    expect(JSON.parse(actor.definition as string)).toMatchObject({ id: 'd1', initial: 'shut' });
    expect(await page.hears('@xstate.event')).toMatchObject({
      sessionId: 'd1',
      event: { type: 'OPEN' },
    });
    expect(await page.hears('@xstate.snapshot')).toMatchObject({
      sessionId: 'd1',
      snapshot: { value: 'open', status: 'active', context: { opened: 1, big: '12n' } },
    });
    world.remove('d1');
    expect(await page.hears('@xstate.snapshot')).toMatchObject({ snapshot: { status: 'stopped' } });
  });

  test('hears nothing of what is said to it', async () => {
    await inspect('d1');
    const page = new Page('/events');
    await page.opened();
    page.say(clicked('d1', { type: 'OPEN' }));
    page.say('no JSON');
    world.send('d1', { type: 'OPEN' });
    await page.hears('@xstate.event');
    expect(warnings).toEqual([]);
    expect(world.commands.size).toBe(0);
  });
});

describe('which records are shown', () => {
  const at = (id: string, kind: string, x: number) => ({
    id,
    kind,
    at: [x, 0],
    value: 'a',
    context: {},
    status: 'active',
    tags: [],
  });
  const many = Array.from({ length: 300 }, (_, i) =>
    at(`s-${i}`, i % 2 === 0 ? 'stash' : 'mill', i * 100),
  );

  test('is one of each kind, unless something is asked for', () => {
    expect(chosenRecords(many, []).shown.map(({ id }) => id)).toEqual(['s-0', 's-1']);
  });

  test('is chosen by id, kind and place, and is never more than 50', () => {
    expect(chosenRecords(many, ['s-7', 's-9']).shown.map(({ id }) => id)).toEqual(['s-7', 's-9']);
    const mills = chosenRecords(many, ['kind:mill']);
    expect(mills.shown).toHaveLength(MOST_SHOWN);
    expect(mills.left).toBe(100);
    expect(chosenRecords(many, ['near:1000,0,150']).shown.map(({ id }) => id)).toEqual([
      's-9',
      's-10',
      's-11',
    ]);
  });

  test.each([
    ['s-999', 'NOTHING_FOUND'],
    ['kind:castle', 'NOTHING_FOUND'],
    ['near:0', 'BAD_ADDRESS'],
    ['near:a,b', 'BAD_ADDRESS'],
  ])('says so when %s fits none', (wanted, code) => {
    expect(() => chosenRecords(many, [wanted])).toThrowError(expect.objectContaining({ code }));
  });
});

test('every starter kind has a chart that XState 4 takes, with the states it has', () => {
  for (const kind of kinds) {
    const { definition } = v4ChartOf(kind.machine);
    const machine = xstate4.createMachine(JSON.parse(JSON.stringify(definition)));
    expect([...machine.stateIds].sort()).toEqual(
      [...builtMachine(kind.machine).idMap.keys()].sort(),
    );
    expect(machine.events.filter((type) => type.startsWith('xstate.after.'))).toEqual([]);
  }
});
