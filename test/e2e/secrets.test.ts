import { Writable } from 'node:stream';
import { defineKind } from 'offstage';
import { pino } from 'pino';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { RawSocket, serveMeadow, until } from '../support/serving.ts';

// Every server-only field of every kind here holds a text of its own. A client does all it can to see
// one: it comes near, watches, commands what works and what fails, goes away and comes back.

const canary = (kind: string, field: string): string => `canary-${kind}-${field}`;

/** A kind with three secrets of different sorts; what it does touches all of them. */
function secretive(name: string, relevancy: 'spatial' | 'always') {
  const machine = setup({
    types: {
      context: {} as {
        readonly seen: number;
        readonly code: string;
        readonly plan: ReadonlyMap<string, string>;
        readonly inner: { readonly deep: readonly string[] };
      },
      events: {} as { type: 'TURN' } | { type: 'BREAK' } | { type: 'ASK'; code: string },
      emitted: {} as { type: 'TURNED'; seen: number },
    },
    guards: {
      knowsCode: ({ context, event }) => event.type === 'ASK' && event.code === context.code,
    },
    actions: {
      turn: assign({
        seen: ({ context }) => context.seen + 1,
        plan: ({ context }) =>
          new Map(context.plan).set(String(context.seen), canary(name, 'plan')),
        inner: ({ context }) => ({ deep: [...context.inner.deep, canary(name, 'inner')] }),
      }),
      announce: emit(({ context }) => ({ type: 'TURNED', seen: context.seen })),
      fail: ({ context }) => {
        throw new Error(`Broken: ${context.code}, ${[...context.plan.values()]}.`);
      },
    },
  }).createMachine({
    id: name,
    context: {
      seen: 0,
      code: canary(name, 'code'),
      plan: new Map([['0', canary(name, 'plan')]]),
      inner: { deep: [canary(name, 'inner')] },
    },
    on: {
      TURN: { actions: ['turn', 'announce'] },
      BREAK: { actions: ['turn', 'fail'] },
      ASK: { guard: 'knowsCode', actions: 'turn' },
    },
  });
  return defineKind({
    name,
    version: 1,
    machine,
    relevancy,
    serverOnly: ['code', 'plan', 'inner'],
    commands: {
      TURN: Type.Object({}),
      BREAK: Type.Object({}),
      ASK: Type.Object({ code: Type.String() }),
    },
  });
}

test('no secret is in any byte sent to a client, any error, the log, the health or the metrics', async () => {
  const kinds = [
    secretive('vault', 'spatial'),
    secretive('spy', 'always'),
    secretive('safe', 'spatial'),
  ];
  const logged: string[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk, _, done) => {
        logged.push(String(chunk));
        done();
      },
    }),
  );
  const { url, world } = await serveMeadow(
    kinds.map(({ name }) => ({ id: `${name}-1`, kind: name, at: [50, 50] })),
    { kinds, log },
  );
  const told: unknown[] = [];
  let resume: unknown;
  for (let visit = 0; visit < 2; visit += 1) {
    const socket = await new RawSocket(`${url.replace('http', 'ws')}/world`).opened();
    socket.say({ type: 'hello', protocol: 1, view: [50, 50], resume });
    ({ resume } = await socket.hears('welcome'));
    let seq = visit * 100;
    for (const { name } of kinds) {
      for (const event of [
        { type: 'TURN' },
        { type: 'BREAK' },
        { type: 'ASK', code: 'guess' },
        { type: 'ASK', code: 7 },
        { type: 'PEEK' },
      ]) {
        seq += 1;
        socket.say({ type: 'send', seq, id: `${name}-1`, event });
      }
    }
    const answers = () => socket.heard.filter(({ type }) => type === 'ack' || type === 'reject');
    await until(() => answers().length === 15);
    // What was turned is told, so the secrets had every chance to be.
    await until(() => JSON.stringify(socket.heard).includes(`"seen":${visit + 1}`));
    await until(() => JSON.stringify(socket.heard).includes('TURNED'));
    told.push(socket.heard);
    socket.say('nonsense');
    await socket.closed;
  }
  for (const path of ['/', '/healthz', '/metrics', '/nowhere']) {
    told.push(await (await fetch(`${url}${path}`)).text());
  }
  for (const { name } of kinds) {
    expect(String(Object(world.find(`${name}-1`)?.context).code)).toBe(canary(name, 'code'));
  }
  const all = JSON.stringify([told, logged]);
  expect(all).toContain('"seen":2');
  expect(all).not.toContain('canary-');
});
