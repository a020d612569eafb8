/** Live reload of a server: the folders that are watched, the reloader, and the loop that stands still meanwhile. */
import { watch } from 'chokidar';
import type { Logger } from 'pino';
import type { Kind } from '../core/kind.ts';
import type { World } from '../core/world.ts';
import type { Loop } from './loop.ts';
import { Reloader } from './reload.ts';

export interface LiveReloadOptions {
  /** Folders of the sources: when a file in one of them changes, the kinds are loaded again. */
  readonly folders: readonly string[];
  /** Loads the registry with all files as they are now. */
  load(): Promise<readonly Kind[]>;
}

export interface LiveReloadParts extends LiveReloadOptions {
  readonly world: World;
  readonly loop: Loop;
  readonly log: Logger;
  /** Saves a generation of the world. */
  save(): Promise<void>;
  /** Told after each try: why the kinds were not loaded, null if they were. */
  tried?(problem: string | null): void;
}

/** Watches until the function given back is called. */
export async function liveReload(parts: LiveReloadParts): Promise<() => Promise<void>> {
  const { folders, load, world, loop, log, save, tried } = parts;
  let isClosed = false;
  const reloader = new Reloader({
    world,
    log,
    ...(tried === undefined ? {} : { tried }),
    load: () => load(),
    // No frame runs and no command is carried out from the first save to the second; commands wait. So
    // the journal of the one is empty, and that of the other knows only the new code.
    atSeam: async (exchange) => {
      loop.frame();
      loop.stop();
      try {
        await save();
        exchange();
        // The document began this one itself, and has it shared.
        await save();
      } finally {
        if (!isClosed) loop.start();
      }
    },
  });
  const watcher = watch([...folders], {
    ignoreInitial: true,
    ignored: (path, stats) => stats?.isFile() === true && !/\.(ts|js|json)$/.test(path),
  });
  for (const event of ['add', 'change', 'unlink'] as const) {
    watcher.on(event, () => reloader.changed());
  }
  await new Promise<void>((resolve) => {
    watcher.once('ready', () => resolve());
  });
  return async () => {
    isClosed = true;
    await watcher.close();
    await reloader.close();
  };
}
