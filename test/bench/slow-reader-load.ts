/**
 * The clients' half of the bench of a client that stops reading, in a process of its own: those that
 * read note how long each change took to them, and one reads nothing.
 */
import type { Socket } from 'node:net';
import { plainClient } from './plain-client.ts';

/** Where the text of a change begins, with the time at which it was made. */
const TEXT = Buffer.from('"text":"');
/** How far into a message that can be. */
const NEAR = 400;
const VIEW = [0, 0];

type Asked =
  | { readonly connect: number; readonly others: number }
  | 'latencies'
  | 'connect one that does not read'
  | 'let it go';

let port = 0;
let taken: number[] = [];
let slow: Socket | undefined;

/** Connects a client that does something with each change, from when it has got what it gets first. */
function client(change: (madeAt: bigint) => void): Promise<Socket> {
  return new Promise((resolve) => {
    let isReady = false;
    const socket = plainClient(port, VIEW, (text) => {
      if (isReady) {
        const begin = text.subarray(0, NEAR).indexOf(TEXT);
        if (begin < 0) return;
        const time = begin + TEXT.length;
        change(BigInt(text.toString('latin1', time, text.indexOf(' ', time))));
      } else if (text.includes('"cell":"always"')) {
        isReady = true;
        resolve(socket);
      }
    });
  });
}

async function answer(asked: Asked): Promise<unknown> {
  switch (asked) {
    case 'latencies': {
      // The last change may still be on its way.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const all = taken;
      taken = [];
      return all;
    }
    case 'connect one that does not read':
      slow = await client(() => {});
      slow.pause();
      return 'connected';
    case 'let it go':
      slow?.destroy();
      return 'gone';
    default: {
      port = asked.connect;
      const change = (madeAt: bigint): void => {
        taken.push(Number(process.hrtime.bigint() - madeAt) / 1e6);
      };
      await Promise.all(Array.from({ length: asked.others }, () => client(change)));
      return 'connected';
    }
  }
}

process.on('message', async (asked: Asked) => process.send?.(await answer(asked)));
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
