/**
 * A server whose world is kept: it goes on where it was, one server has it at a time, and when its disk
 * fails nothing is lost, nothing is shown that could be, and it goes on by itself.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { CommandError } from '../../src/core/errors.ts';
import type { ServerStats } from '../../src/protocol/admin.ts';
import { readWorld } from '../../src/saves/examine.ts';
import { type ServeOptions, type Server, serve } from '../../src/server/serve.ts';
import { meadowKinds } from '../support/meadow.ts';
import { endWithTest, meadowSaves, RawSocket, until } from '../support/serving.ts';
import { SimulatedDisk } from '../support/simulated-disk.ts';

const records = [
  { id: 'lamp', kind: 'lamp', at: [50, 50] },
  { id: 'box', kind: 'box', at: [60, 60] },
  { id: 'bell', kind: 'bell', at: [900, 900] },
];
const settings = { cellSize: 100, relevancyRadius: 150 };

async function start(savesDir: string, more: Partial<ServeOptions> = {}): Promise<Server> {
  const options = { world: 'meadow', kinds: meadowKinds, port: 0, savesDir, ...more };
  return endWithTest(await serve(options));
}

function clientOf({ url }: Server) {
  return endWithTest(connect(url, { view: [50, 50], reconnect: false }));
}

async function adminOf({ url }: Server): Promise<RawSocket> {
  return await new RawSocket(`${url.replace('http', 'ws')}/admin`).opened();
}

describe('a world whose server is stopped and started', () => {
  test('goes on as it was: hash, clock, timers, speed, settings', async () => {
    const saves = await meadowSaves(records, settings);
    const first = await start(saves, { speed: 20 });
    expect(first.document.report.isNew).toBe(true);
    await clientOf(first).send('lamp', { type: 'DIM', level: 7 });
    first.world.send('box', { type: 'PUT', item: 'nail' });
    first.world.configure({ flushesPerSecond: 11 });
    await until(() => first.world.time > 3000);
    await clientOf(first).send('lamp', { type: 'TOGGLE' });
    const before = first.world.find('lamp');
    await first.close();
    const { time } = first.world;
    const saved = await readWorld(join(saves, 'meadow'), { kinds: meadowKinds });
    expect(saved.world.hash()).toBe(first.world.hash());

    const again = await start(saves);
    const { report, world } = again.document;
    expect(report).toMatchObject({ isNew: false, replayed: 0, records: 3, time, entries: [] });
    expect(world.clock.speed).toBe(20);
    expect(world.settings.flushesPerSecond).toBe(11);
    await until(() => world.time > time + 2000);
    // What the first had due happened at its own game time, and the bell missed no stroke.
    expect(world.find('lamp')).toMatchObject({ value: 'off', context: { level: 7, lit: 1 } });
    expect(world.find('lamp')?.advancedTo).toBe(
      before?.nextEvent ?? first.world.find('lamp')?.advancedTo,
    );
    expect(world.find('bell')?.context).toEqual({ rung: Math.floor(world.time / 500) });
    await again.close();
    const at = await readWorld(join(saves, 'meadow'), { kinds: meadowKinds });
    expect(at.report.entries).toEqual([]);
    expect(at.world.hash()).toBe(again.world.hash());
  });

  test('needs its seed no more, and does not begin again when that has changed', async () => {
    const saves = await meadowSaves(records, settings);
    await (await start(saves)).close();
    await rm(join(saves, 'meadow.seed.json'));
    const { world, document } = await start(saves);
    expect(document.report.isNew).toBe(false);
    expect(world.size).toBe(3);
  });

  test('goes on with its clock although nothing happened in it', async () => {
    const saves = await meadowSaves([records[0] as (typeof records)[0]], {
      ...settings,
      autosaveSeconds: 0.05,
    });
    const first = await start(saves, { speed: 1000 });
    // Nothing happens in it, and nobody looks.
    await until(() => first.document.generation > 5);
    const { generation } = first.document;
    const files = await readdir(join(saves, 'meadow'));
    expect(files).toContain('server.json');
    await first.close();
    const again = await start(saves);
    expect(again.world.time).toBeGreaterThan(0);
    expect(again.document.report.generation).toBeGreaterThan(generation);
  });

  test('has caught up with the time it was away before anybody enters, if it is to', async () => {
    const saves = await meadowSaves(records, { ...settings, offlineCatchUp: { upToHours: 1 } });
    const first = await start(saves, { speed: 1000 });
    await first.close();
    const rungIn = ({ world }: Server): number =>
      (world.find('bell') as unknown as { context: { rung: number } }).context.rung;
    const [rung, time] = [rungIn(first), first.world.time];
    await new Promise((resolve) => setTimeout(resolve, 20));
    const again = await start(saves);
    const [entry] = again.document.report.entries;
    expect(entry).toMatchObject({ type: 'Offline' });
    const { milliseconds } = entry as { readonly milliseconds: number };
    // A real millisecond away is a second of the game here; the bell rings every half second.
    expect(milliseconds).toBeGreaterThanOrEqual(19_000);
    expect(rungIn(again)).toBeGreaterThanOrEqual(rung + Math.floor(milliseconds / 500));
    expect(again.document.report.time).toBe(time);
  });

  test('that is not there, and has no seed, leaves no folder behind', async () => {
    const saves = await meadowSaves(records, settings);
    await expect(start(saves, { world: 'nowhere' })).rejects.toMatchObject({ code: 'NO_SEED' });
    expect(await readdir(saves)).toEqual(['meadow.seed.json']);
  });

  test('remembers what it answered: a command that comes again counts once', async () => {
    const saves = await meadowSaves(records, settings);
    const first = await start(saves);
    const say = { type: 'send', seq: 9, id: 'box', event: { type: 'PUT', item: 'x' } };
    const toggle = { type: 'send', seq: 8, id: 'lamp', event: { type: 'TOGGLE' } };
    const socket = await new RawSocket(`${first.url.replace('http', 'ws')}/world`).opened();
    socket.say({ type: 'hello', protocol: 1, view: [50, 50] });
    const { resume } = await socket.hears('welcome');
    socket.say(toggle).say(say);
    const ack = await socket.hears('ack');
    const reject = await socket.hears('reject');
    await first.close();

    const again = await start(saves);
    const other = await new RawSocket(`${again.url.replace('http', 'ws')}/world`).opened();
    other.say({ type: 'hello', protocol: 1, view: [50, 50], resume });
    other.say(toggle).say(say);
    expect(await other.hears('ack')).toEqual(ack);
    expect(await other.hears('reject')).toEqual(reject);
    expect(again.world.find('lamp')?.context).toMatchObject({ lit: 1 });
  });
});

describe('a world whose files are damaged', () => {
  test('is not served, until it is said what to do about it; then it goes on with nothing lost', async () => {
    const saves = await meadowSaves(records, settings);
    const first = await start(saves);
    await first.document.save();
    await clientOf(first).send('lamp', { type: 'DIM', level: 3 });
    await first.close();
    const { generation } = first.document;
    const regions = join(saves, 'meadow', 'regions');
    for (const file of await readdir(regions)) {
      if (file.endsWith(`.${generation}.json`)) await writeFile(join(regions, file), 'XXXX');
    }
    await expect(start(saves)).rejects.toMatchObject({ code: 'DAMAGED' });
    const again = await start(saves, { damaged: 'earlier' });
    expect(again.document.report.entries.map(({ type }) => type)).toContain('EarlierGeneration');
    expect(again.document.report.time).toBe(first.world.time);
    expect(again.world.find('lamp')?.context).toMatchObject({ level: 3 });
    await again.close();
    const read = await readWorld(join(saves, 'meadow'), { kinds: meadowKinds });
    expect(read.report.entries).toEqual([]);
  });
});

describe('a second server of the same world', () => {
  test('is refused and says who has it; the first notices nothing', async () => {
    const saves = await meadowSaves(records, settings);
    const first = await start(saves);
    await expect(start(saves)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`held by process ${process.pid}`),
    });
    await clientOf(first).send('lamp', { type: 'TOGGLE' });
    await first.close();
    await (await start(saves)).close();
  });

  test('that cannot listen gives the world back', async () => {
    const saves = await meadowSaves(records, settings);
    const other = await meadowSaves(records, settings);
    const taken = await start(saves);
    const { port } = new URL(taken.url);
    await expect(start(other, { port: Number(port) })).rejects.toMatchObject({
      code: 'PORT_TAKEN',
    });
    await (await start(other)).close();
  });
});

describe('a server whose disk is full', () => {
  /** A server on a disk that a test can fill, and empty again. */
  async function onDisk() {
    const saves = await meadowSaves(records, settings);
    const disk = new SimulatedDisk();
    return { server: await start(saves, { disk }), disk, saves };
  }
  const full = (call: string) => (['create', 'write'].includes(call) ? 'ENOSPC' : undefined);

  test('refuses commands, stands still, is red, and goes on by itself with all that waited', async () => {
    const { server, disk, saves } = await onDisk();
    const { world, url } = server;
    const client = clientOf(server);
    await client.ready;
    const admin = await adminOf(server);

    disk.fault = full;
    // The first is carried out, and its answer waits for the disk.
    let isAnswered = false;
    const first = client.send('lamp', { type: 'TOGGLE' }).then(() => {
      isAnswered = true;
    });
    await until(() => world.heldBecause !== undefined);
    expect(world.find('lamp')?.context).toMatchObject({ lit: 1 });
    const { time } = world;
    const refused = await client.send('lamp', { type: 'DIM', level: 3 }).catch((error) => error);
    expect(refused).toBeInstanceOf(CommandError);
    expect(refused).toMatchObject({ code: 'E_JOURNAL' });
    expect(refused.message).not.toContain(saves);
    admin.say({ type: 'do', seq: 1, command: { type: 'jump', milliseconds: 1000 } });
    expect(await admin.hears('refused')).toMatchObject({ seq: 1, code: 'E_JOURNAL' });

    const response = await fetch(`${url}/healthz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      ok: false,
      problem: 'E_JOURNAL: the world stands still, since it cannot be saved (NO_SPACE).',
      saves: { state: 'held', code: 'NO_SPACE' },
    });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('\noffstage_unsaved 2\n');
    admin.say({ type: 'watch', what: 'stats' });
    const { stats } = (await admin.hears('stats')) as { stats: ServerStats };
    expect(stats.saves.message).toMatch(/the disk is full; make room on it/);
    await until(() => client.clock.paused);
    // No client was shown what a crash could undo.
    expect(client.records.get('lamp')?.value).toBe('off');
    expect(isAnswered).toBe(false);
    expect(world.time).toBe(time);

    disk.fault = undefined;
    await first;
    await until(() => world.heldBecause === undefined);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await until(() => client.records.get('lamp')?.value === 'on' && !client.clock.paused);
    await client.send('lamp', { type: 'DIM', level: 4 });
    await until(() => world.time > time + 100);
    await server.close();
    const again = await start(saves, { disk: disk.afterKill() });
    expect(again.world.find('lamp')?.context).toMatchObject({ lit: 1, level: 4 });
    expect(again.document.report.entries).toEqual([]);
  });

  test('a killed one, full disk and all, has lost nothing that it answered', async () => {
    const saves = await meadowSaves(records, settings);
    const disk = new SimulatedDisk();
    const options = { world: 'meadow', kinds: meadowKinds, port: 0, savesDir: saves, disk };
    const server = await serve(options);
    const client = clientOf(server);
    await client.send('lamp', { type: 'DIM', level: 5 });
    disk.fault = full;
    const lost = client.send('lamp', { type: 'DIM', level: 6 }).catch((error) => error);
    await until(() => server.world.heldBecause !== undefined);
    const again = await start(saves, { disk: disk.afterKill() });
    expect(again.world.find('lamp')?.context).toMatchObject({ level: 5 });
    // It would wait for its disk for ever; its port is free and its clients are gone before that.
    void server.close();
    expect(await lost).toMatchObject({ code: 'DISCONNECTED' });
  });

  test('that is stopped says what is wrong; everything else is over all the same', async () => {
    const { server, disk, saves } = await onDisk();
    disk.fault = full;
    await expect(server.close()).rejects.toMatchObject({ code: 'NO_SPACE' });
    await expect(fetch(server.url)).rejects.toThrow();
    const again = await start(saves, { disk: disk.afterKill() });
    expect(again.world.size).toBe(3);
  });

  test('that can write its journal and no generation goes on, and says so', async () => {
    const { server, disk } = await onDisk();
    const admin = await adminOf(server);
    disk.fault = (call, path) =>
      call === 'create' && path.includes('regions') ? 'ENOSPC' : undefined;
    server.world.send('box', { type: 'PUT', item: 'nail' });
    admin.say({ type: 'do', seq: 1, command: { type: 'save' } });
    expect(await admin.hears('refused')).toMatchObject({ seq: 1, code: 'NO_SPACE' });
    expect(server.health()).toMatchObject({
      ok: true,
      saves: { state: 'save-failed', code: 'NO_SPACE' },
    });
    await clientOf(server).send('lamp', { type: 'TOGGLE' });
    disk.fault = undefined;
    admin.say({ type: 'do', seq: 2, command: { type: 'save' } });
    const done = await admin.hears('done');
    expect(done).toMatchObject({ seq: 2, saved: { records: 3 } });
    expect(server.health()).toMatchObject({ ok: true, saves: { state: 'well', code: null } });
  });
});

test('a server whose lock another has taken stands still and is red, so that the other alone goes on', async () => {
  const saves = await meadowSaves(records, settings);
  const server = await start(saves);
  await rm(join(saves, 'meadow', 'lock'));
  const other = await start(saves);
  await expect(server.document.save()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  expect(server.health()).toMatchObject({ ok: false });
  expect(server.health().problem).toContain('LOCK_LOST');
  expect(
    await clientOf(server)
      .send('lamp', { type: 'TOGGLE' })
      .catch((error) => error),
  ).toMatchObject({ code: 'LOCK_LOST' });
  await clientOf(other).send('lamp', { type: 'TOGGLE' });
  await expect(server.close()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  await other.close();
  const again = await start(saves);
  expect(again.world.find('lamp')?.context).toMatchObject({ lit: 1 });
});
