/**
 * What a command is about: a world that a server runs, over its `/admin`, or one that lies on disk and
 * is only looked at. A world that is being served is asked for at its server, whatever its port. What
 * only a world on disk needs is loaded with it: it takes longer than to ask a server.
 */
import { basename, join, resolve } from 'node:path';
import { CommandError, codeOf } from '../core/errors.ts';
import { NAME_PATTERN } from '../core/names.ts';
import type { ReadWorld } from '../saves/examine.ts';
import { whoHolds } from '../saves/lock.ts';
import { nodeDisk } from '../saves/node-disk.ts';
import { readAddress } from '../server/address-file.ts';
import { DEFAULT_URL } from './address.ts';
import { AdminConnection } from './admin-connection.ts';
import { loadKinds } from './kinds-file.ts';

/** The world that is meant where none is named. */
export const DEFAULT_WORLD = 'valley';

export interface Wanted {
  /** The address of a server. */
  readonly url?: string;
  /** The name of a world, or its folder. */
  readonly world?: string;
  /** The folder of the worlds. Default `saves`. */
  readonly saves?: string;
  readonly token?: string;
}

export interface Served {
  readonly admin: AdminConnection;
  readonly url: string;
}

export interface Saved extends ReadWorld {
  readonly folder: string;
  readonly name: string;
}

export type Target = { readonly served: Served } | { readonly saved: Saved };

/** The folder of a world that is named, or given as a folder. */
export function worldFolder(world: string, saves = 'saves'): string {
  return NAME_PATTERN.test(world) ? join(saves, world) : resolve(world);
}

/**
 * Finds it: the server at an address; the world of a name, served or not; without either the server at
 * the default address, else the default world. Throws `CommandError` or `SaveError`.
 */
export async function findTarget({ url, world, saves, token }: Wanted): Promise<Target> {
  if (url !== undefined) return { served: await served(url, token) };
  if (world !== undefined) return await ofWorld(world, saves, token);
  try {
    return { served: await served(DEFAULT_URL, token) };
  } catch (error) {
    if (codeOf(error) !== 'NO_SERVER') throw error;
    const { hasWorld } = await import('../saves/open-world.ts');
    if (!(await hasWorld(worldFolder(DEFAULT_WORLD, saves)))) throw error;
    return await ofWorld(DEFAULT_WORLD, saves, token);
  }
}

/** Connects to the server of what is wanted. Throws `NO_SERVER` if the world is not being served. */
export async function findServed(wanted: Wanted): Promise<Served> {
  const target = await findTarget(wanted);
  if ('served' in target) return target.served;
  const { name } = target.saved;
  throw new CommandError(
    'NO_SERVER',
    `The world '${name}' is not being served. Start it with \`offstage serve ${name}\`.`,
  );
}

async function ofWorld(
  world: string,
  saves: string | undefined,
  token: string | undefined,
): Promise<Target> {
  const folder = worldFolder(world, saves);
  const holder = await whoHolds(nodeDisk, folder);
  if (holder === undefined) {
    const { readWorld } = await import('../saves/examine.ts');
    const { kinds } = await loadKinds(process.cwd());
    const read = await readWorld(folder, { kinds });
    return { saved: { ...read, folder, name: basename(folder) } };
  }
  const url = await readAddress(nodeDisk, folder);
  if (url !== undefined) return { served: await served(url, token) };
  throw new CommandError(
    'NO_SERVER',
    `The world in ${folder} is held by process ${holder.pid} on ${holder.host}, which does not say where it serves it. Is it still starting? Try again, or give its address with --url.`,
  );
}

async function served(url: string, token: string | undefined): Promise<Served> {
  return { admin: await AdminConnection.open(url, token), url };
}
