/**
 * A server is killed again and again, at random moments, while clients give it commands and it saves
 * without pause. Each time it starts again and goes on; in the end the world is, to the last bit of its
 * hash, one that was never killed and got the same commands at the same times. Chance has no seed here:
 * what counts is when disk, network and thread do what, and no seed would repeat that.
 */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openWorld } from '../../src/saves/open-world.ts';
import { Guest } from '../support/guest.ts';
import { carriedOut, keyOf, neverKilled } from '../support/never-killed.ts';
import { COINS, coinsIn, type PurseContext, purseKinds, purseSeed } from '../support/purses.ts';
import { type Scratch, scratch } from '../support/scratch.ts';
import { compiledServer, ServerProcess } from '../support/server-process.ts';
import { until } from '../support/serving.ts';

/** More kills by `OFFSTAGE_KILLS`. */
const KILLS = Number(process.env.OFFSTAGE_KILLS ?? 30);
const CLIENTS = 4;
const SPEED = 5;

const processes: ServerProcess[] = [];
const guests: Guest[] = [];
const folders: Scratch[] = [];
afterEach(async () => {
  for (const guest of guests.splice(0)) guest.leave();
  for (const one of processes.splice(0)) await one.kill();
  for (const folder of folders.splice(0)) await folder.remove();
});

function newProcess(program: string): ServerProcess {
  const one = new ServerProcess(program);
  processes.push(one);
  return one;
}

test(
  `a server killed ${KILLS} times (OFFSTAGE_KILLS) has lost, doubled, moved and undone nothing`,
  async () => {
    const code = await scratch('kill');
    const saves = await scratch('kill', { outside: true });
    folders.push(code, saves);
    const program = await compiledServer(code);
    await saves.write({ 'purses.seed.json': JSON.stringify(purseSeed) });
    const options = { savesDir: saves.path, speed: SPEED };
    for (let i = 0; i < CLIENTS; i += 1) guests.push(new Guest());
    const found = new Set<string>();
    let replayed = 0;
    const numbers = new Map<string, number>();
    /** Once they were told so much more, and a moment later. */
    const toldMore = async (much: number): Promise<void> => {
      const heard = (): number => guests.reduce((sum, guest) => sum + guest.heard, 0);
      const enough = heard() + much;
      await until(() => heard() >= enough);
      await pause(Math.random() * 30);
    };
    const number = ({ commands }: ServerProcess): void => {
      for (const { n, id, seq } of commands) numbers.set(keyOf(id, seq), n);
    };
    let next = newProcess(program);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = next;
      // The next one loads while this one runs.
      next = newProcess(program);
      await server.open(options);
      if (Math.random() < 0.2) {
        await pause(Math.random() * 80);
      } else {
        const listening = await server.listening();
        for (const type of listening.found) found.add(type);
        replayed += listening.replayed;
        for (const guest of guests) guest.visit(listening.url);
        // So on a slow machine as much happens as on a fast one.
        await toldMore(Math.floor(Math.random() * 160));
      }
      await server.kill();
      for (const guest of guests) guest.leave();
      number(server);
    }
    await next.open(options);
    const { url } = await next.listening();
    const counted = guests.map((guest) => guest.counted);
    for (const guest of guests) guest.visit(url);
    await until(() => guests.every((guest, i) => guest.counted > (counted[i] as number)));
    for (const guest of guests) guest.rest();
    await until(() => guests.every(({ isAnswered }) => isAnswered));
    expect(await next.stop(), next.output).toBe(0);
    number(next);

    const document = await openWorld(join(saves.path, 'purses'), { kinds: purseKinds });
    const { world } = document;
    await document.close();
    const given = carriedOut(guests, numbers);
    const shown = guests.flatMap((guest) => guest.shown);
    const reference = neverKilled(given, shown, world.time);

    expect(guests.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(reference.untrue).toEqual([]);
    expect(reference.undone).toEqual([]);
    expect(world.hash()).toBe(reference.world.hash());
    const purses = world.query({ kind: 'purse' }).map(({ context }) => context as PurseContext);
    expect(coinsIn(purses)).toBe(COINS);
    expect(purses.reduce((sum, { gifts }) => sum + gifts, 0)).toBe(given.length);
    expect(world.find('fast')?.context).toMatchObject({ fired: Math.floor(world.time / 37) });
    // What a kill leaves is at the most the line that was being written.
    expect([...found].filter((type) => type !== 'JournalEnds')).toEqual([]);
    // All of it did take place.
    expect(given.length).toBeGreaterThan(KILLS * 5);
    expect(replayed).toBeGreaterThan(0);
    expect(shown.length).toBeGreaterThan(KILLS * 10);
    for (const { repeated } of guests) expect(repeated).toBeGreaterThan(0);
  },
  60_000 + KILLS * 6000,
);

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
