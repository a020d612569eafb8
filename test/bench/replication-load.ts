/**
 * The clients' half of the replication bench, in a process of its own: they count the frames of cells
 * and do nothing else with them.
 */
import { plainClient } from './plain-client.ts';

const CELL = 10_000;
const ACROSS = 8;
/** How a message of a cell begins. */
const HEAD = Buffer.from('{"type":"cell"');
const ALL = Buffer.from('{"type":"cell","cell":"always"');

const clients = Number(process.argv[2]);
const counts = new Uint32Array(clients);
let ready = 0;
let whenReady: (() => void) | undefined;

function client(port: number, i: number): void {
  const [x, y] = [1 + (i % ACROSS), 1 + (Math.floor(i / ACROSS) % ACROSS)];
  // Anywhere near the middle; the cells in sight are the same nine.
  const view = [x, y].map((cell) => (cell + 0.4 + Math.random() / 5) * CELL);
  plainClient(port, view, (text) => {
    if (text.compare(HEAD, 0, HEAD.length, 0, HEAD.length) !== 0) return;
    counts[i] = (counts[i] as number) + 1;
    if (text.compare(ALL, 0, ALL.length, 0, ALL.length) !== 0) return;
    // The last of what a client gets first.
    ready += 1;
    if (ready === clients) whenReady?.();
  });
}

async function counted(until: number): Promise<{ received: number; fewest: number }> {
  const received = (): number => counts.reduce((sum, count) => sum + count, 0);
  for (let i = 0; i < 100 && received() < until; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { received: received(), fewest: Math.min(...counts) };
}

type Asked = 'begin' | { readonly connect: number } | { readonly until: number };
process.on('message', async (asked: Asked) => {
  if (asked === 'begin') {
    counts.fill(0);
    process.send?.('begun');
  } else if ('connect' in asked) {
    whenReady = () => process.send?.('ready');
    for (let i = 0; i < clients; i += 1) client(asked.connect, i);
  } else process.send?.(await counted(asked.until));
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
