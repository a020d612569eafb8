import { createWorld, WorldError } from 'offstage';
import { describe, expect, test, vi } from 'vitest';
import { timer } from '../../kinds/timer.kind.ts';
import { SaveError } from '../../src/core/errors.ts';
import type { Saved } from '../../src/protocol/admin.ts';
import { AdminSessions } from '../../src/server/admin-sessions.ts';
import { meadowKinds } from '../support/meadow.ts';
import { NOTHING_SENT } from '../support/replicating.ts';

function sessions() {
  const world = createWorld({ kinds: [...meadowKinds, timer] });
  world.add({ id: 'lamp', kind: 'lamp', at: [0, 0] });
  const warned: string[] = [];
  const state = { isBroken: false };
  const disk = {
    isSlow: false,
    waiting: [] as (() => void)[],
    saving: Promise.reject<Saved>(new SaveError('NO_SPACE', 'The disk is full.')),
  };
  disk.saving.catch(() => {});
  const admins = new AdminSessions({
    world,
    surroundings: () => {
      if (state.isBroken) throw new Error('No figures today.');
      const { time, speed, paused } = world.clock;
      return { name: 'meadow', clock: { time, speed, paused }, ...NOTHING_SENT };
    },
    warn: (message) => warned.push(message),
    whenDurable: (run) => {
      if (disk.isSlow) disk.waiting.push(run);
      else run();
    },
    save: () => disk.saving,
  });
  const heard: { readonly type: string; readonly [key: string]: unknown }[] = [];
  const failed: string[] = [];
  const session = admins.connect({
    write: (text) => heard.push(JSON.parse(text)),
    fail: (code) => failed.push(code),
  });
  const say = (message: object): void => admins.receive(session, JSON.stringify(message));
  return { world, admins, state, disk, warned, heard, failed, say };
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

test('figures that change by themselves are told twice a second, and the last ones once all rests', () => {
  const { world, admins, heard, say } = sessions();
  world.add({ id: 'bell', kind: 'timer', at: [0, 0], input: { every: 200, count: 4 } });
  say({ type: 'watch', what: 'stats' });
  admins.flush(0);
  heard.length = 0;
  for (const now of [200, 400, 600, 800]) {
    world.run(200);
    expect(admins.dueAt).toBe(now);
    admins.flush(now);
  }
  const times = () => heard.map(({ stats }) => (stats as { time: number }).time);
  expect(times()).toEqual([600]);
  // What the last timer did was not told yet, though nothing more is to come.
  expect(admins.dueAt).toBe(1100);
  admins.flush(1100);
  expect(times()).toEqual([600, 800]);
  expect(admins.dueAt).toBeUndefined();
  // What somebody does is told with the next flush.
  world.send('lamp', { type: 'TOGGLE' });
  expect(admins.dueAt).toBe(1300);
  admins.flush(1300);
  expect(heard).toHaveLength(3);
});

test('the map, figures, lists and a record keep no event of the world from the shortest way', () => {
  const { world, admins, say } = sessions();
  const listens = vi.spyOn(world, 'on');
  for (const watch of [
    { what: 'map', from: [-100, -100], to: [100, 100] },
    { what: 'stats' },
    { what: 'next' },
    { what: 'machines' },
    { what: 'faults' },
    { what: 'record', id: 'lamp' },
  ]) {
    say({ type: 'watch', ...watch });
  }
  admins.flush(0);
  const heard = listens.mock.calls.map(([event]) => event);
  // The scheduler leaves its shortest way for whoever hears every commit, event or read.
  for (const event of ['commit', 'added', 'removed', 'event', 'read']) {
    expect(heard).not.toContain(event);
  }
});

describe('what an admin asks for is answered', () => {
  const add = { type: 'add', records: [{ id: 'new', kind: 'lamp', at: [0, 0] }] };

  test('once it is durable, a refusal too', () => {
    const { world, disk, heard, say } = sessions();
    disk.isSlow = true;
    heard.length = 0;
    say({ type: 'do', seq: 1, command: add });
    say({ type: 'do', seq: 2, command: { type: 'remove', id: 'nobody' } });
    world.frame(0);
    expect(world.find('new')).toBeDefined();
    expect(heard).toEqual([]);
    for (const run of disk.waiting) run();
    expect(heard).toMatchObject([
      { type: 'done', seq: 1, added: 1 },
      { type: 'refused', seq: 2, code: 'UNKNOWN_RECORD' },
    ]);
  });

  test('at once while the world is held, since nothing then becomes durable', () => {
    const { world, disk, heard, say } = sessions();
    disk.isSlow = true;
    heard.length = 0;
    world.hold(new WorldError('E_JOURNAL', 'The disk is full.'));
    say({ type: 'do', seq: 1, command: add });
    world.frame(0);
    expect(heard).toMatchObject([{ type: 'refused', seq: 1, code: 'E_JOURNAL' }]);
  });

  test('after a save, with what was saved or why it was not', async () => {
    const { disk, heard, say } = sessions();
    const saved = { generation: 7, records: 1, regionsWritten: 1, bytesWritten: 900, took: 3 };
    heard.length = 0;
    say({ type: 'do', seq: 1, command: { type: 'save' } });
    await disk.saving.catch(() => {});
    expect(heard).toMatchObject([{ type: 'refused', seq: 1, code: 'NO_SPACE' }]);
    disk.saving = Promise.resolve(saved);
    say({ type: 'do', seq: 2, command: { type: 'save' } });
    await disk.saving;
    expect(heard.at(-1)).toMatchObject({ type: 'done', seq: 2, saved });
  });
});
