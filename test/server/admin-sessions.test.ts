import { createWorld } from 'offstage';
import { expect, test } from 'vitest';
import { timer } from '../../kinds/timer.kind.ts';
import { AdminSessions } from '../../src/server/admin-sessions.ts';
import { meadowKinds } from '../support/meadow.ts';
import { NO_TRAFFIC } from '../support/replicating.ts';

function sessions() {
  const world = createWorld({ kinds: [...meadowKinds, timer] });
  world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
  const warned: string[] = [];
  const state = { isBroken: false };
  const admins = new AdminSessions({
    world,
    surroundings: () => {
      if (state.isBroken) throw new Error('No figures today.');
      const { time, speed, paused } = world.clock;
      return { name: 'meadow', clock: { time, speed, paused }, replication: NO_TRAFFIC };
    },
    warn: (message) => warned.push(message),
  });
  const heard: { readonly type: string; readonly [key: string]: unknown }[] = [];
  const failed: string[] = [];
  const session = admins.connect({
    write: (text) => heard.push(JSON.parse(text)),
    fail: (code) => failed.push(code),
  });
  const say = (message: object): void => admins.receive(session, JSON.stringify(message));
  return { world, admins, state, warned, heard, failed, say };
}

test('what fails while it is told is said once in the log, and the other things are told', () => {
  const { world, admins, state, warned, heard, say } = sessions();
  say({ type: 'watch', what: 'stats' });
  say({ type: 'watch', what: 'record', id: 'lamp' });
  state.isBroken = true;
  heard.length = 0;
  world.send('lamp', { type: 'TOGGLE' });
  admins.flush(1000);
  world.send('lamp', { type: 'TOGGLE' });
  admins.flush(2000);
  expect(heard.map(({ type }) => type)).toEqual(['record', 'record']);
  expect(warned).toEqual(['What admin-1 watches cannot be told: No figures today.']);
  state.isBroken = false;
  world.send('lamp', { type: 'TOGGLE' });
  admins.flush(3000);
  expect(heard.map(({ type }) => type)).toContain('stats');
});

test('what fails when it is asked ends that connection, with a word in the log, and throws nothing', () => {
  const { state, warned, failed, say } = sessions();
  state.isBroken = true;
  say({ type: 'watch', what: 'stats' });
  expect(failed).toEqual(['THREW']);
  expect(warned).toEqual(['What admin-1 asked for failed: No figures today.']);
});

test('settings that no client could be served with are refused', () => {
  const { world, heard, say } = sessions();
  const configure = (seq: number, settings: object): void => {
    say({ type: 'do', seq, command: { type: 'configure', settings } });
    world.frame(0);
  };
  configure(1, { relevancyRadius: 1e9 });
  expect(heard.at(-1)).toMatchObject({ type: 'refused', seq: 1, code: 'BAD_SETTING' });
  configure(2, { cellSize: 'wide' });
  expect(heard.at(-1)).toMatchObject({ type: 'refused', seq: 2, code: 'BAD_SETTING' });
  expect(heard.at(-1)?.message).toMatch(/cellSize is wide/);
  configure(3, { cellSize: 2000, relevancyRadius: 3000 });
  expect(heard.at(-1)).toMatchObject({ type: 'done', seq: 3 });
  expect(world.settings.cellSize).toBe(2000);
});
